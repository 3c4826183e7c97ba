package tabular

import (
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

var texts = map[string]string{
	"pt":    "data;descrição;valor\n02/01/2026;Transação à vista, João Conceição;1.234,56\n",
	"pt up": "DATA;LANÇAMENTO;SITUAÇÃO\n02/01/2026;PAGAMENTO NÃO EFETUADO;CRÉDITO\n",
	"de":    "Datum;Empfänger;Betrag\n02.01.2026;Müller & Söhne, Straße;1.234,56\n",
	"fr":    "date;libellé;montant\n02/01/2026;Prélèvement à Orléans;1 234,56\n",
	"es":    "fecha;descripción;importe\n02/01/2026;Señor Muñoz;1.234,56\n",
	"euro":  "date;text;amount\n02/01/2026;refund €5;€ 12.34\n",
	"ascii": "id,amount,currency\n1,129.90,BRL\n",
	"long":  "id;texto\n" + strings.Repeat("1;ação é São Paulo, não é só isso\n", 80),
}

func TestEveryEncodingOfEveryTextIsFoundOut(t *testing.T) {
	t.Parallel()
	le := unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	be := unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	for _, as := range []struct {
		name, mark string
		encoding   encoding.Encoding
	}{
		{"utf-8", "", encoding.Nop},
		{"utf-8", "\xEF\xBB\xBF", encoding.Nop},
		{"windows-1252", "", charmap.Windows1252},
		{"utf-16le", "\xFF\xFE", le},
		{"utf-16be", "\xFE\xFF", be},
		{"utf-16le", "", le},
		{"utf-16be", "", be},
	} {
		for name, text := range texts {
			written, err := as.encoding.NewEncoder().String(text)
			if err != nil {
				t.Fatal(err)
			}
			table, err := Open(strings.NewReader(as.mark+written), Options{Name: "f.csv"})
			if err != nil {
				t.Errorf("%s in %s: %v", name, as.name, err)
				continue
			}
			if got := table.Encoding(); got != as.name && (name != "ascii" || got != "utf-8") {
				t.Errorf("%s in %s (mark %q) is taken for %s", name, as.name, as.mark, got)
			}
			row, err := table.Next()
			lines := strings.Split(text, "\n")
			cells := append(table.Header(), row.Cell(0), row.Cell(1))
			if want := strings.FieldsFunc(lines[0], func(r rune) bool { return r == table.Delimiter() }); err != nil || cells[0] != want[0] || cells[1] != want[1] || !strings.Contains(lines[1], row.Cell(1)) {
				t.Errorf("%s in %s reads %q, %v", name, as.name, cells, err)
			}
		}
	}
}

func TestAnEncodingIsReadByItsName(t *testing.T) {
	t.Parallel()
	const text = "id,nome\n1,São João\n"
	for name, as := range map[string]encoding.Encoding{
		"cp850": charmap.CodePage850, "CP852": charmap.CodePage852, "ISO-8859-15": charmap.ISO8859_15, "iso-8859-1": charmap.ISO8859_1,
		"Windows-1252": charmap.Windows1252, "latin1": charmap.ISO8859_1, "macintosh": charmap.Macintosh,
	} {
		if name == "CP852" {
			continue // it has no ã
		}
		written, err := as.NewEncoder().String(text)
		if err != nil {
			t.Fatal(err)
		}
		cells, _, err := read(t, written, Options{Encoding: name})
		if err != nil || cells[1][1] != "São João" {
			t.Errorf("%s reads %q, %v", name, cells, err)
		}
	}
}

func TestAMarkWinsOverTheNameGiven(t *testing.T) {
	t.Parallel()
	table, err := Open(strings.NewReader("\xEF\xBB\xBFid,nome\n1,São\n"), Options{Name: "f.csv", Encoding: "windows-1252"})
	if err != nil {
		t.Fatal(err)
	}
	if row, err := table.Next(); err != nil || row.Cell(1) != "São" || table.Encoding() != "utf-8" {
		t.Errorf("%q in %s, %v", row.Cell(1), table.Encoding(), err)
	}
}

func TestTheSampleMayCutARuneInTwo(t *testing.T) {
	t.Parallel()
	for shift := range 4 {
		text := "id,x\n1," + strings.Repeat("a", shift) + strings.Repeat("😀", 40_000) + "\n"
		table, err := Open(strings.NewReader(text), Options{Name: "f.csv"})
		if err != nil || table.Encoding() != "utf-8" {
			t.Fatalf("shift %d: %v", shift, err)
		}
		if row, err := table.Next(); err != nil || len(row.Cell(1)) != shift+160_000 {
			t.Errorf("shift %d: %d bytes, %v", shift, len(row.Cell(1)), err)
		}
	}
}
