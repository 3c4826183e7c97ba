package money

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// amount is what a cell reads as in one style: minor units, or a word that the
// refusal must hold.
type amount struct {
	minor  int64
	refuse string
}

func is(minor int64) amount      { return amount{minor: minor} }
func refuse(words string) amount { return amount{refuse: words} }

func check(t *testing.T, cell string, mark Mark, code string, want amount) {
	t.Helper()
	var c Currency
	if code != "" {
		c = MustCurrency(code)
	}
	minor, _, err := ParseText(cell, mark, c)
	switch {
	case want.refuse == "" && (err != nil || minor != want.minor):
		t.Errorf("ParseText(%q, %q, %s) = %d, %v; want %d", cell, mark, code, minor, err, want.minor)
	case want.refuse != "" && (err == nil || !strings.Contains(err.Error(), want.refuse)):
		t.Errorf("ParseText(%q, %q, %s) = %d, %v; want a refusal with %q", cell, mark, code, minor, err, want.refuse)
	}
	if _, ok := errors.AsType[*TextError](err); err != nil && (!ok || minor != 0) {
		t.Errorf("ParseText(%q) = %d with a %T", cell, minor, err)
	}
}

func TestParseTextReadsEachStyle(t *testing.T) {
	t.Parallel()
	const style = "decimal mark"
	for _, row := range []struct {
		cell             string
		none, comma, dot amount
	}{
		{"1.234,56", is(123456), is(123456), refuse(style)},
		{"1,234.56", is(123456), refuse(style), is(123456)},
		{"1.234.567", is(123456700), is(123456700), refuse(style)},
		{"1,234,567", is(123456700), refuse(style), is(123456700)},
		{"1.500", refuse("ambiguous: 1.500 or 1500"), is(150000), is(150)},
		{"1.505", refuse("ambiguous"), is(150500), refuse("more decimals than BRL")},
		{"25,000", refuse("ambiguous: 25000 or 25.000"), is(2500), is(2500000)},
		{"12,3", is(1230), is(1230), refuse(style)},
		{"-0,01", is(-1), is(-1), refuse(style)},
		{".5", is(50), refuse(style), is(50)},
		{"5.", is(500), refuse(style), is(500)},
		{"12,", is(1200), is(1200), refuse(style)},
		{"110.7", is(11070), refuse(style), is(11070)},
		{"0.500", is(50), refuse(style), is(50)},
		{"0,500", is(50), is(50), refuse(style)},
		{"1234.500", is(123450), refuse(style), is(123450)},
		{"1'234.50", is(123450), refuse(style), is(123450)},
		{"1’234.50", is(123450), refuse(style), is(123450)},
		{"1 234,50", is(123450), is(123450), refuse(style)},
		{"1 234", is(123400), is(123400), is(123400)},
		{"1 234 567,8", is(123456780), is(123456780), refuse(style)},
		{"1234", is(123400), is(123400), is(123400)},
		{"0", is(0), is(0), is(0)},
		{"-0,00", is(0), is(0), refuse(style)},
		{"0001234,50", is(123450), is(123450), refuse(style)},
		{"12.34,56", refuse("no style"), refuse("no style"), refuse("no style")},
		{"1,2,3", refuse("no style"), refuse("no style"), refuse("no style")},
		{"1,23,456.78", refuse("no style"), refuse("no style"), refuse("no style")},
		{"1,234.567.890", refuse("no style"), refuse("no style"), refuse("no style")},
		{"0.123.456", refuse("no style"), refuse("no style"), refuse("no style")},
		{"1 23,50", refuse("no style"), refuse("no style"), refuse("no style")},
	} {
		check(t, row.cell, 0, "BRL", row.none)
		check(t, row.cell, ',', "BRL", row.comma)
		check(t, row.cell, '.', "BRL", row.dot)
	}
}

func TestParseTextRefusesWhatIsNoAmount(t *testing.T) {
	t.Parallel()
	for cell, words := range map[string]string{
		"": "no amount", "   ": "no amount", "\u00A0": "no amount",
		"-": "without digits", "R$": "without digits", "- R$": "without digits", "()": "without digits",
		".": "no digits", ",": "no digits", "1E+15": "exponent", "4.8E15": "exponent", "1e5": "exponent", "10E5": "exponent",
		"#REF!": "not an amount", "N/A": "not an amount", "NaN": "not an amount", "Infinity": "not an amount",
		"10%": "not an amount", "0x1F": "not an amount", "12:30": "not an amount", "10/2": "not an amount",
		"１２３": "not an amount", "١٢٣": "not an amount", "1\x00": "not an amount", "1_000": "not an amount",
		"--5": "two signs", "-5-": "two signs", "(-5)": "two signs", "-5 D": "two signs", "+5 C": "two signs",
		"5-5": "not an amount", "(5": "not an amount", "5)": "not an amount", "1\xff2": "no text",
		"R$ 5 USD": "two currencies", "€5 $": "two currencies",
		"9999999999999999999999": "too large", "92233720368547758.08": "too large",
		"10000000000000.00": "too large", "-10000000000000.00": "too large",
	} {
		check(t, cell, '.', "BRL", refuse(words))
		check(t, cell, 0, "BRL", refuse(words))
	}
}

func TestParseTextTakesSignAndCurrencyFromEitherEnd(t *testing.T) {
	t.Parallel()
	for cell, want := range map[string]int64{
		"R$ 1.234,50": 123450, "R$1.234,50": 123450, "1.234,50 R$": 123450, "R$\u00A01.234,50": 123450,
		"-R$ 1,00": -100, "R$ -1,00": -100, "R$-1,00": -100, "- R$ 1,00": -100, "\u22121,00": -100,
		"1,00-": -100, "+1,00": 100, "1,00+": 100, "(1,00)": -100, "(R$ 1,00)": -100, "R$ (1,00)": -100, "( 1,00 )": -100,
		"1,00 D": -100, "1,00D": -100, "1,00 C": 100, "1,00 CR": 100, "1,00 DR": -100, "1,00 dr": -100,
		"BRL 1,00": 100, "1,00 BRL": 100, "brl 1,00": 100, "1,00BRL": 100, "R$ 1,00 BRL": 100, "R$ 1,00 D": -100,
		"\uFEFF1,00": 100, "1\u202F234,50": 123450, "1\u00AD234,50": 123450, "\t1,00 ": 100,
	} {
		check(t, cell, ',', "BRL", is(want))
	}
}

func TestParseTextStatesTheCurrencyThatTheCellNames(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ cell, column, stated, refuse string }{
		{"R$ 1.00", "", "BRL", ""},
		{"R$ 1.00", "BRL", "BRL", ""},
		{"R$ 1.00", "USD", "", "another currency than USD"},
		{"US$ 1.00", "", "USD", ""},
		{"$1.00", "USD", "", ""},
		{"$1.00", "MXN", "", ""},
		{"$1.00", "EUR", "", "another currency than EUR"},
		{"$1.00", "BRL", "", "another currency than BRL"},
		{"$1.00", "", "", "several currencies"},
		{"$1.00 USD", "", "USD", ""},
		{"€ 1.00", "", "EUR", ""},
		{"₦1.00", "", "NGN", ""},
		{"1.00 NGN", "NGN", "NGN", ""},
		{"¥100", "JPY", "", ""},
		{"¥100", "", "", "several currencies"},
		{"1.00", "", "", "without currency"},
		{"1.00", "BRL", "", ""},
		{"1.00 zł", "PLN", "PLN", ""},
		{"1.00 XXX", "BRL", "", "not an amount"},
	} {
		var c Currency
		if row.column != "" {
			c = MustCurrency(row.column)
		}
		_, stated, err := ParseText(row.cell, '.', c)
		switch {
		case row.refuse == "" && (err != nil || stated.String() != row.stated):
			t.Errorf("%q in a column of %q: states %q, %v; want %q", row.cell, row.column, stated, err, row.stated)
		case row.refuse != "" && (err == nil || !strings.Contains(err.Error(), row.refuse)):
			t.Errorf("%q in a column of %q: %v; want a refusal with %q", row.cell, row.column, err, row.refuse)
		}
	}
}

func TestParseTextScalesByTheCurrency(t *testing.T) {
	t.Parallel()
	check(t, "5000", '.', "JPY", is(5000))
	check(t, "5000.00", '.', "JPY", is(5000))
	check(t, "5000.5", '.', "JPY", refuse("more decimals than JPY"))
	check(t, "1.234", '.', "KWD", is(1234))
	check(t, "1.2", '.', "KWD", is(1200))
	check(t, "1.2345", '.', "CLF", is(12345))
	check(t, "8.850", '.', "EUR", is(885))
	check(t, "8.8500000000000000000000000000", '.', "EUR", is(885))
	check(t, "8.8501", '.', "EUR", refuse("more decimals than EUR"))
	check(t, "5000.001", '.', "JPY", refuse("more decimals than JPY"))
	check(t, "-995.4190396554627", '.', "USD", refuse("more decimals than USD"))
	check(t, "9999999999999.99", '.', "BRL", is(Limit-1))
	check(t, "-9999999999999.99", '.', "BRL", is(1-Limit))
	check(t, "-92233720368547758.08", '.', "BRL", refuse("too large"))
	check(t, "0.29", '.', "BRL", is(29))
	check(t, "900719925474099", '.', "JPY", is(900719925474099))
}

func TestParseMinorTakesIntegersOnly(t *testing.T) {
	t.Parallel()
	for cell, want := range map[string]int64{
		"12990": 12990, "-12990": -12990, "+5": 5, "\u00A07": 7, "\u22125": -5, "0": 0, "007": 7,
		"999999999999999": Limit - 1, "-999999999999999": 1 - Limit,
	} {
		if got, err := ParseMinor(cell); err != nil || got != want {
			t.Errorf("ParseMinor(%q) = %d, %v; want %d", cell, got, err, want)
		}
	}
	for cell, words := range map[string]string{
		"": "no amount", "-": "without digits", "129.90": "decimal mark", "1,299": "decimal mark", "1E3": "exponent",
		"12 990": "not an amount", "R$ 5": "not an amount", "--5": "not an amount", "١": "not an amount",
		"1000000000000000": "too large", "-1000000000000000": "too large", "9223372036854775808": "too large", "-9223372036854775808": "too large",
	} {
		if got, err := ParseMinor(cell); err == nil || got != 0 || !strings.Contains(err.Error(), words) {
			t.Errorf("ParseMinor(%q) = %d, %v; want a refusal with %q", cell, got, err, words)
		}
	}
}

func TestObserveMarkProvesOnlyWhatOneStyleReads(t *testing.T) {
	t.Parallel()
	for cell, want := range map[string]Mark{
		"1.234,56": ',', "1,234.56": '.', "1.234.567": ',', "1,234,567": '.', "1.500": 0, "25,000": 0,
		"12,3": ',', ".5": '.', "12,": ',', "110.7": '.', "1'234.50": '.', "1 234,500": ',', "1 234": 0,
		"1234": 0, "": 0, "  ": 0, "0.500": '.', "1234.567": '.', "(R$ 1,00)": ',', "1.00 D": '.',
	} {
		if got, err := ObserveMark(cell); err != nil || got != want {
			t.Errorf("ObserveMark(%q) = %q, %v; want %q", cell, got, err, want)
		}
	}
	for _, cell := range []string{"12.34,56", "#REF!", "-", "1E5", "TOTAL"} {
		if mark, err := ObserveMark(cell); err == nil || mark != 0 {
			t.Errorf("ObserveMark(%q) = %q, want an error", cell, mark)
		}
	}
}

func TestMarkProofNamesBothCellsOfAContradiction(t *testing.T) {
	t.Parallel()
	var p MarkProof
	for i, cell := range []string{"100", "1.500", "TOTAL", "", "12,50", "3,10"} {
		p.Observe(cell, i+2)
	}
	if mark, err := p.Mark(); mark != ',' || err != nil || p.Evidence() != "line 6: 12,50" {
		t.Errorf("mark %q, %v, evidence %q", mark, err, p.Evidence())
	}
	p.Observe("12.50", 9)
	_, err := p.Mark()
	if err == nil || !strings.Contains(err.Error(), `line 9 has "12.50"`) || !strings.Contains(err.Error(), `line 6 has "12,50"`) {
		t.Errorf("contradiction reads %v", err)
	}
	if cell, line := p.Where(); cell != "12.50" || line != 9 {
		t.Errorf("the contradiction is about %q on line %d", cell, line)
	}
	var none MarkProof
	none.Observe("1.500", 2)
	if mark, err := none.Mark(); mark != 0 || err != nil || none.Evidence() != "" {
		t.Errorf("no proof gives %q, %v, %q", mark, err, none.Evidence())
	}
}

var drawnCurrencies = []string{"JPY", "BRL", "EUR", "KWD", "CLF"}

func TestParseTextGivesBackWhatWasPrinted(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := MustCurrency(rapid.SampledFrom(drawnCurrencies).Draw(t, "currency"))
		minor := rapid.Int64Range(1-Limit, Limit-1).Draw(t, "minor")
		group := rapid.SampledFrom([]string{"", ".", ",", " ", "'", "\u202F"}).Draw(t, "group")
		mark := rapid.SampledFrom([]string{".", ","}).Draw(t, "mark")
		if group == mark {
			group = ""
		}
		text := Amount{minor, c}.Localized(group, mark)
		got, _, err := ParseText(text, Mark(mark[0]), c)
		if err != nil || got != minor {
			t.Fatalf("%q reads as %d, %v; want %d", text, got, err, minor)
		}
		// Without the column's mark it is the same, or refused; never another amount.
		if got, _, err := ParseText(text, 0, c); err == nil && got != minor {
			t.Fatalf("%q without mark reads as %d, want %d", text, got, minor)
		}
		if proven, err := ObserveMark(text); err != nil || proven != 0 && proven != Mark(mark[0]) {
			t.Fatalf("%q proves %q, %v", text, proven, err)
		}
	})
}

func TestTheShortWayReadsAsTheLongWay(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		cell := rapid.StringMatching(`-?[0-9]{0,19}[.,]?[0-9]{0,5}`).Draw(t, "cell")
		c := MustCurrency(rapid.SampledFrom(drawnCurrencies).Draw(t, "currency"))
		mark := rapid.SampledFrom([]Mark{'.', ','}).Draw(t, "mark")
		short, _, shortErr := ParseText(cell, mark, c)
		long, _, longErr := ParseText(cell+" ", mark, c) // the blank keeps it off the short way
		if short != long || (shortErr == nil) != (longErr == nil) {
			t.Fatalf("%q: %d, %v the short way; %d, %v the long way", cell, short, shortErr, long, longErr)
		}
	})
}

func BenchmarkParseText(b *testing.B) {
	brl := MustCurrency("BRL")
	for _, cell := range []string{"129.90", "5000", "R$ 1,234.50"} {
		b.Run(cell, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := ParseText(cell, '.', brl); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("minor", func(b *testing.B) {
		for b.Loop() {
			if _, err := ParseMinor("12990"); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("observe", func(b *testing.B) {
		for b.Loop() {
			if _, err := ObserveMark("129.90"); err != nil {
				b.Fatal(err)
			}
		}
	})
}
