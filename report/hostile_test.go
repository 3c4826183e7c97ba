package report

import (
	"encoding/csv"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"desfecho/reconcile"
)

// payloads are texts that must never be obeyed by what shows them (FAULTS
// 119–121).
func payloads() map[string]string {
	return map[string]string{
		"formula": "=HYPERLINK(\"http://x\",\"y\")", "plus": "+1+cmd|' /C calc'!A0", "minus": "-2+3", "at": "@SUM(1)",
		"tab": "\t=1", "cr": "\r=1", "lf": "\n=1", "wide": "＝1+1", "blank": "  =1",
		"csi": "\x1b[31mred\x1b[0m", "osc8": "\x1b]8;;http://x\x07x\x1b]8;;\x07", "osc52": "\x1b]52;c;aGk=\x1b\\", "dcs": "\x1bP1\x1b\\",
		"c1": "\u009b31m", "c1bytes": "\x9b31m", "del": "a\x7f", "nul": "a\x00b", "bell": "\a",
		"bidi": "pay\u202eyap", "isolate": "\u2066a\u2069", "zero": "a\u200bb\ufeff", "flood": "z" + strings.Repeat("\u0300", 40), "mark": "\u0301",
		"line": "a\u2028b\u2029c", "log": "x\nlevel=error msg=paid", "crlf": "a\r\nb", "invalid": "a\xff\xfe",
		"markup": "a|b`c`*d*[e](http://x)<script>&lt;", "quote": `a"b;c,d'e\`, "tag": "\U000e0041",
	}
}

// fill puts the text into every string of a value, one element into every list
// and map, and something behind every pointer.
func fill(v reflect.Value, text string) {
	switch v.Kind() { //nolint:exhaustive // numbers keep what they have
	case reflect.String:
		v.SetString(text)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i), text)
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), text)
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key, text)
		value.SetInt(7)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Pointer:
		if v.Type().Elem().Kind() == reflect.Struct && v.Type().Elem().PkgPath() != "time" {
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem(), text)
		}
	}
}

func hostileDocument(text string, class reconcile.Class) *Document {
	d := &Document{Result: &reconcile.Result{}}
	fill(reflect.ValueOf(d).Elem(), text)
	d.Commands = []string{"resolve", "show", "explain"}
	one := &d.Result.Divergences[0]
	one.Class, one.Severity, one.Amount, one.Currency, one.Surplus = class, reconcile.P1, 100, brl, -5
	d.Result.Groups[0].Members = []int{0, 0, 0, 0, 0, 0}
	listed := *one
	listed.Subject.Kind = reconcile.SubjectCharge
	d.Result.Divergences = append(d.Result.Divergences, listed)
	d.Result.Bridges[0].Tie.Residual, d.Result.Bridges[0].Payouts[0].Residual = 1, 1
	return d
}

func TestHostileTextReachesNoOutputUnescaped(t *testing.T) {
	t.Parallel()
	for name, payload := range payloads() {
		for _, class := range []reconcile.Class{reconcile.UnknownCharged, reconcile.UnknownNotFound, reconcile.CoverageIncomplete} {
			d := hostileDocument(payload, class)
			for _, format := range Formats() {
				options := []Options{{}}
				if format == "table" {
					options = append(options, Options{Terminal: true, Width: 80}, Options{Terminal: true, Width: 20, ASCII: true})
				}
				for _, o := range options {
					if format == "xlsx" {
						continue // TestNoPartOfAWorkbookIsAFormulaOrALink
					}
					out := render(t, format, d, o)
					if err := harmless(format, out); err != nil {
						t.Errorf("%s as %s, terminal %v: %v", name, format, o.Terminal, err)
					}
				}
			}
		}
	}
}

// harmless looks at the bytes themselves, not at how they were made.
func harmless(format, out string) error {
	if !utf8.ValidString(out) {
		return fmt.Errorf("not UTF-8")
	}
	marks := 0
	for i, r := range strings.TrimPrefix(out, "\ufeff") {
		if unicode.Is(unicode.M, r) {
			if marks++; marks > 3 {
				return fmt.Errorf("a flood of marks at %d", i)
			}
			continue
		}
		marks = 0
		allowed := r == '\n' || r == '\r' && strings.HasPrefix(format, "csv") || r == '\t' && format == "table"
		if !allowed && !unicode.IsPrint(r) {
			return fmt.Errorf("%U at %d: %.40q", r, i, out[max(0, i-20):])
		}
	}
	switch format {
	case "csv":
		return noFormula(out, ',')
	case "csv-br":
		return noFormula(strings.TrimPrefix(out, "\ufeff"), ';')
	case "table":
		for line := range strings.Lines(out) {
			for _, cell := range strings.Split(line, "\t")[1:] {
				if formula(cell) {
					return fmt.Errorf("cell %q", cell)
				}
			}
		}
	}
	return nil
}

func noFormula(out string, comma rune) error {
	reader := csv.NewReader(strings.NewReader(out))
	reader.Comma = comma
	rows, err := reader.ReadAll()
	if err != nil {
		return err
	}
	for _, row := range rows {
		for _, cell := range row {
			if _, err := strconv.ParseInt(strings.NewReplacer(".", "", ",", "").Replace(cell), 10, 64); err != nil && formula(cell) {
				return fmt.Errorf("cell %q", cell)
			}
		}
	}
	return nil
}

func formula(cell string) bool {
	cell = strings.TrimLeft(cell, " ")
	first, _ := utf8.DecodeRuneInString(cell)
	return cell != "" && strings.ContainsRune("=+-@\t\r\n＝＋－＠", first)
}

// The filling itself must reach what it claims to: a field that no test fills
// would be a hole.
func TestFillReachesEveryString(t *testing.T) {
	t.Parallel()
	d := &Document{Result: &reconcile.Result{}}
	fill(reflect.ValueOf(d).Elem(), "X")
	one := d.Result.Divergences[0]
	if one.Subject.IDs[0] != "X" || one.SameMoneyAs.IDs[0] != "X" || d.Result.Places["X"] != 7 || d.Inputs[0].Notes[0] != "X" ||
		d.Result.Bridges[0].Balances[0].LineErrors[0] != "X" || d.Result.Statements[0].Name != "X" {
		t.Error("a string was left out")
	}
}

func TestPersonalDataIsMaskedAndIDsAreNot(t *testing.T) {
	t.Parallel()
	d := fileDocument()
	one := &d.Result.Divergences[0]
	one.Reason, one.Hint, one.Raw = "payer maria@example.com", "cpf 529.982.247-25", "card 4111 1111 1111 1111"
	one.Subject.IDs, one.Charge, one.Unit, one.Lines = []string{"52998224725"}, "11222333000181", "4111111111111111", []string{"5555555555554444"}
	one.Reference, one.Key, one.Also = "52998224725", "maria@example.com", []reconcile.Class{reconcile.ConflictingLines}
	d.Inputs[0].Name = "extrato-529.982.247-25.csv"
	for i := range d.Result.Statements {
		d.Result.Statements[i].Name = d.Inputs[0].Name
	}
	for i := range d.Result.Bridges {
		for j := range d.Result.Bridges[i].Balances {
			d.Result.Bridges[i].Balances[j].Statement = d.Inputs[0].Name
		}
		for j := range d.Result.Bridges[i].Payouts {
			d.Result.Bridges[i].Payouts[j].Statement = d.Inputs[0].Name
		}
	}
	for _, format := range Formats() {
		out := shown(t, format, d, Options{})
		for _, secret := range []string{"maria@", "529.982", "4111 1111", "example.com"} {
			if strings.Contains(out, secret) {
				t.Errorf("%s shows %q", format, secret)
			}
		}
		for _, id := range []string{"52998224725", "4111111111111111", "5555555555554444"} {
			if !strings.Contains(out, id) {
				t.Errorf("%s destroyed the id %q", format, id)
			}
		}
	}
}

func TestACommandIsSafeToPaste(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"4711": "desfecho resolve 4711", "a;rm -rf ~": "desfecho resolve 'a;rm -rf ~'", "it's": `desfecho resolve 'it'\''s'`,
		"$(x)": "desfecho resolve '$(x)'", "-x": "desfecho resolve -- '-x'", "": "desfecho resolve ''",
	} {
		d := attemptDivergence(reconcile.UnknownCharged, reconcile.P1, id, 1, 0)
		if got, command := nextStep(&Document{Commands: []string{"resolve"}}, &d); got != want || !command {
			t.Errorf("%q: %s", id, got)
		}
	}
}
