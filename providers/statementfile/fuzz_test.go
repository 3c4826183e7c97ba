package statementfile

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/internal/profile"
	"desfecho/internal/tabular"
)

// FuzzStatement: rows through `generic` either give every row, or a usage
// error that says where.
func FuzzStatement(f *testing.F) {
	f.Add(genericHeader + "\n" + genericRow)
	f.Add(genericHeader + "\n" + strings.ReplaceAll(genericRow, ".", ","))
	f.Add(genericHeader + "\r" + strings.Replace(genericRow, "BRL", "JPY", 1))
	f.Add(strings.ReplaceAll(genericHeader, ",", ";") + "\n" + "l;p;k;refund;-1.234,56;0;-1.234,56;BRL;pago;10/03/2025\n")
	f.Add(`[{"line_id":"l","provider_charge_id":"p","reference":"k","type":"charge","gross":1.5,"fee":0,"net":1.5,"currency":"BRL","status":"paid","occurred_at":"2025-03-10"}]`)
	f.Fuzz(func(t *testing.T, text string) {
		file, err := ReadFrom(t.Context(), strings.NewReader(text), Options{})
		if err != nil {
			_, isFault := errors.AsType[*tabular.Error](err)
			_, isUsage := errors.AsType[*profile.UsageError](err)
			if file != nil || !isFault && !isUsage {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		if file.Tally.Rows != file.Tally.Movements+file.Tally.Information || file.Tally.Movements != len(file.Lines) {
			t.Fatalf("%+v and %d lines", file.Tally, len(file.Lines))
		}
		for i := range file.Lines {
			if l := &file.Lines[i]; l.Currency.IsZero() || l.At.IsZero() || l.Row == 0 {
				t.Fatalf("a line without currency, moment or place: %+v", l)
			}
		}
	})
}

// TestTheSumIsPreserved: whatever the mark, the delimiter and the currency, the
// amounts that were printed are the amounts that are read.
func TestTheSumIsPreserved(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		mark := rapid.SampledFrom([]string{".", ","}).Draw(t, "mark")
		group := rapid.SampledFrom([]string{"", map[string]string{".": ",", ",": "."}[mark]}).Draw(t, "group")
		currency := money.MustCurrency(rapid.SampledFrom([]string{"BRL", "USD", "JPY", "KWD", "CLF"}).Draw(t, "currency"))
		var text strings.Builder
		text.WriteString(strings.ReplaceAll(genericHeader, ",", ";") + "\n")
		var want int64
		printed := func(minor int64) string { return money.Amount{Minor: minor, Currency: currency}.Localized(group, mark) }
		rows := rapid.SliceOfN(rapid.Int64Range(-1e12, 1e12), 1, 30).Draw(t, "gross")
		// one cell shows the mark, whatever the others are
		rows = append(rows, 123456789)
		for i, gross := range rows {
			fee := rapid.Int64Range(-1000, 100000).Draw(t, "fee")
			if i == len(rows)-1 {
				fee = 123456789
			}
			fmt.Fprintf(&text, "l%d;p%d;k%d;charge;%s;%s;%s;%s;captured;2025-03-10T10:00:08Z\n", i, i, i, printed(gross), printed(fee), printed(gross-fee), currency)
			want += gross
		}
		f, err := ReadFrom(t.Context(), strings.NewReader(text.String()), Options{Profile: stated(t, mark)})
		if err != nil {
			t.Fatalf("%v\n%s", err, text.String())
		}
		var got int64
		for i := range f.Lines {
			l := &f.Lines[i]
			got += l.Gross
			if l.Net != l.Gross-l.Fee || l.Gross != rows[i] {
				t.Fatalf("line %d: %+v, printed %d", i, l, rows[i])
			}
		}
		if got != want {
			t.Fatalf("sum %d, printed %d", got, want)
		}
	})
}

// stated is `generic` with its mark said, so that amounts such as 1.500 KWD
// need no proof.
func stated(t *rapid.T, mark string) *profile.Profile {
	p, err := profile.Parse("test", []byte("profile: stated\nkind: statement\nextends: generic\namounts: {mark: \""+mark+"\"}\n"))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestRowsInAnyOrderGiveTheSameCoverage: coverage and totals do not depend on
// the order of rows.
func TestRowsInAnyOrderGiveTheSameCoverage(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		days := rapid.SliceOfN(rapid.IntRange(1, 28), 1, 20).Draw(t, "days")
		render := func(days []int) payment.Statement {
			var text strings.Builder
			text.WriteString(genericHeader + "\n")
			for i, day := range days {
				fmt.Fprintf(&text, "l%d,p,k,charge,1.50,0.00,1.50,BRL,paid,2025-03-%02d 10:00:00\n", i, day)
			}
			f, err := ReadFrom(t.Context(), strings.NewReader(text.String()), Options{})
			if err != nil {
				t.Fatal(err)
			}
			return f.Statements[0]
		}
		a, b := render(days), render(rapid.Permutation(days).Draw(t, "shuffled"))
		if a.From != b.From || a.Through != b.Through || a.From > a.Through {
			t.Fatalf("%+v, %+v", a, b)
		}
	})
}
