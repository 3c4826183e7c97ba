package store

import (
	"encoding/hex"
	"errors"
	"slices"
	"testing"
	"time"

	"desfecho/internal/money"
	"desfecho/internal/payment"
)

// Identities and keys are stored: another hash would make every stored line
// new and no stored line found.
func TestStoredHashesNeverChange(t *testing.T) {
	t.Parallel()
	line := payment.Line{
		ID: "txn_1", Unit: "ch_1", Parent: "ch_0", Provider: "stripe", Account: "acct_1", Kind: payment.KindRefund, Gross: -5, Net: -5,
		Currency: money.MustCurrency("BRL"), At: 7, Day: 9, References: []payment.Reference{{Name: "ref", Value: "a1"}}, ForeignCharge: "c",
	}
	got := NewNumbers(true).Lines([]payment.Line{line})[0]
	counted := NewNumbers(false).Lines([]payment.Line{line, line})
	for _, c := range []struct {
		what      string
		got, want any
	}{
		{"identity", hex.EncodeToString(got.Identity[:]), "04124a300d0779056e2ba1cc27e52c56"},
		{"facts", got.Facts, int64(4677253893206940673)},
		{"content", got.Content, int64(-4821125610687310772)},
		{"first occurrence", hex.EncodeToString(counted[0].Identity[:]), "99c4c6ff77a64f74153eeb5f7404c602"},
		{"second occurrence", hex.EncodeToString(counted[1].Identity[:]), "d08f7948e86e8390af4d710bace0b213"},
	} {
		if c.got != c.want {
			t.Errorf("%s is %#v, want %#v", c.what, c.got, c.want)
		}
	}
	want := []int64{-2504041980211733106, -2504040880700104895, -856796527402521060, 177384782319866573, -2311351710289763991, 1554972745241613924}
	if keys := LineKeys(&line); !slices.Equal(keys, want) {
		t.Errorf("keys are %#v, want %#v", keys, want)
	}
}

// What makes a restatement is in facts, all else that was said in content, and
// where it was read in neither.
func TestFactsAndContent(t *testing.T) {
	t.Parallel()
	base := payment.Line{ID: "1", Kind: payment.KindCharge}
	for _, c := range []struct {
		name           string
		change         func(*payment.Line)
		facts, content bool
	}{
		{"gross", func(l *payment.Line) { l.Gross = 1 }, true, true},
		{"fee", func(l *payment.Line) { l.Fee = 1 }, true, true},
		{"unit", func(l *payment.Line) { l.Unit = "u" }, true, true},
		{"reference", func(l *payment.Line) { l.References = []payment.Reference{{Name: "r", Value: "v"}} }, true, true},
		{"occurred at", func(l *payment.Line) { l.At = 1 }, true, true},
		{"tax", func(l *payment.Line) { l.Tax = 1 }, false, true},
		{"status", func(l *payment.Line) { l.Status = "s" }, false, true},
		{"available at", func(l *payment.Line) { l.AvailableAt = 1 }, false, true},
		{"day", func(l *payment.Line) { l.Day = 1 }, false, true},
		{"statement", func(l *payment.Line) { l.Statement = "s" }, false, false},
		{"file and row", func(l *payment.Line) { l.File, l.Row = 1, 1 }, false, false},
	} {
		changed := base
		c.change(&changed)
		lines := NewNumbers(true).Lines([]payment.Line{base, changed})
		if (lines[0].Facts != lines[1].Facts) != c.facts || (lines[0].Content != lines[1].Content) != c.content {
			t.Errorf("%s: facts differ %v, want %v; content differs %v, want %v", c.name,
				lines[0].Facts != lines[1].Facts, c.facts, lines[0].Content != lines[1].Content, c.content)
		}
	}
}

func TestMoment(t *testing.T) {
	t.Parallel()
	brazil, err := time.LoadLocation("America/Sao_Paulo")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ text, want string }{
		{"2025-03-10 12:00:00+00", "2025-03-10T12:00:00Z"},
		{"2025-03-10 12:00:00.000001+00", "2025-03-10T12:00:00.000001Z"},
		{"2025-03-31 12:00:00.5+00", "2025-03-31T12:00:00.5Z"},
		{"2025-03-10 12:00:00-03", "2025-03-10T15:00:00Z"},
		{"2025-03-10T12:00:00-03:30", "2025-03-10T15:30:00Z"},
		{"2025-03-10T12:00:00Z", "2025-03-10T12:00:00Z"},
		{"2025-03-10 12:00:00.25", "2025-03-10T15:00:00.25Z"},
		{"2025-03-10", "2025-03-10T03:00:00Z"},
		{"1741608000", "2025-03-10T12:00:00Z"},
		{"1741608000123", "2025-03-10T12:00:00.123Z"},
		{"1741608000123456", "2025-03-10T12:00:00.123456Z"},
		{"17416080", ""},
		{"2025-13-10 12:00:00+00", ""},
		{"2025-02-30 12:00:00+00", ""},
		{"infinity", ""},
		{"", ""},
		{"10/03/2025", ""},
	} {
		got, err := moment(c.text, brazil)
		if got.String() != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%q is %s, %v, want %s", c.text, got, err, c.want)
		}
	}
	if _, err := moment("2025-03-10 12:00:00", nil); !errors.Is(err, errNoZone) {
		t.Errorf("a time without zone, none declared: %v", err)
	}
}

func TestDecimal(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text     string
		exponent int
		want     int64
		ok       bool
	}{
		{"129.90", 2, 12990, true},
		{"129.9", 2, 12990, true},
		{"129", 2, 12900, true},
		{"-0.07", 2, -7, true},
		{"0.0700000", 2, 7, true},
		{"12990", 0, 12990, true},
		{"12990.00", 0, 12990, true},
		{"999999999999999999", 0, 999999999999999999, true},
		{"000000000000000000000001", 0, 1, true},
		{"0.071", 2, 0, false},
		{"12990.5", 0, 0, false},
		{"", 2, 0, false},
		{"NaN", 2, 0, false},
		{"1e3", 2, 0, false},
		{".5", 2, 0, false},
		{"1,5", 2, 0, false},
		{"9999999999999999999", 0, 0, false},
		{"--1", 0, 0, false},
	} {
		got, err := decimal(c.text, c.exponent)
		if got != c.want || (err == nil) != c.ok {
			t.Errorf("%q with %d decimals is %d, %v, want %d", c.text, c.exponent, got, err, c.want)
		}
	}
}

func TestSplitName(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		want []string
	}{
		{"attempts", []string{"attempts"}},
		{"shop.attempts", []string{"shop", "attempts"}},
		{`"a.b".c`, []string{"a.b", "c"}},
		{`shop."a""b"`, []string{"shop", `a"b`}},
		{`a"b`, []string{`a"b`}},
	} {
		if got := SplitName(c.name); !slices.Equal(got, c.want) {
			t.Errorf("%s is %q, want %q", c.name, got, c.want)
		}
	}
}

func TestDescriptionThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	whole := Description{
		Read: "attempts", Provider: "stripe", Currency: "BRL", Status: StatusWords{Pending: []string{"p"}},
		Columns: Columns{ID: "id", Status: "status", Amount: "amount", Unit: "minor", CreatedAt: "created_at"},
	}
	if _, err := whole.Compile(); err != nil {
		t.Fatal(err)
	}
	for key, change := range map[string]func(*Description){
		"attempts.read":                func(d *Description) { d.Read = "" },
		"attempts.columns.id":          func(d *Description) { d.Columns.ID = "" },
		"attempts.columns.unit":        func(d *Description) { d.Columns.Unit = "cents" },
		"attempts.provider":            func(d *Description) { d.Provider = "" },
		"attempts.currency":            func(d *Description) { d.Currency = "REAIS" },
		"attempts.timezone":            func(d *Description) { d.Timezone = "Brasilia" },
		"attempts.operation":           func(d *Description) { d.Operation = "sale" },
		"attempts.status":              func(d *Description) { d.Status.Failed = []string{"p"} },
		"attempts.joins[0]":            func(d *Description) { d.Joins = []Join{{Table: "charges"}} },
		"attempts.references[0].scope": func(d *Description) { d.References = []ReferenceAt{{Here: "a", There: "b", Scope: "order"}} },
		"attempts.references[0].here":  func(d *Description) { d.References = []ReferenceAt{{Here: "a-{b", There: "b", Scope: "charge"}} },
	} {
		d := whole
		change(&d)
		_, err := d.Compile()
		var wrong *DescriptionError
		if !errors.As(err, &wrong) || wrong.Key != key {
			t.Errorf("%s: got error %v", key, err)
		}
	}
}

func TestLastErrorInJSON(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]payment.CallError{
		`{"status":503}`: payment.Error5xx, `{"error":{"class":"Net::ReadTimeout","http_status":null}}`: payment.ErrorTimeout,
		`{"code":"card_declined"}`: payment.ErrorCardRefused, `{"http_status": 409}`: payment.Error409, `{not json`: payment.ErrorOther, "timeout": payment.ErrorTimeout,
	} {
		r := (&Reading{}).Reader()
		for range 2 { // the second time from memory
			if got := r.callError(text); got != want {
				t.Errorf("%s is %s, want %s", text, got, want)
			}
		}
	}
}
