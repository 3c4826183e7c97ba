package statementfile

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"desfecho/internal/payment"
	"desfecho/internal/profile"
)

// readBy reads rows under a profile that says `more` beside an id, a type and
// a date.
func readBy(t *testing.T, more, rows string) (*File, error) {
	t.Helper()
	p, err := profile.Parse("loja.yaml", []byte("profile: loja\nkind: statement\nprovider: loja\ntext: {delimiter: \"|\"}\n"+more))
	if err != nil {
		t.Fatalf("%v (%s)", err, profile.HintOf(err))
	}
	return ReadFrom(t.Context(), strings.NewReader(rows), Options{Profile: p, Name: "x"})
}

func mustReadBy(t *testing.T, more, rows string) *File {
	t.Helper()
	f, err := readBy(t, more, rows)
	if err != nil {
		t.Fatalf("%v (%s)", err, profile.HintOf(err))
	}
	return f
}

const twoColumns = "amounts: {currency: BRL}\ncolumns: {id: id, type: t, occurred_at: d, debit: saída, credit: entrada}\nkinds: {charge: [v], fee: [f]}\n"

func TestDebitAndCreditColumns(t *testing.T) {
	t.Parallel()
	f := mustReadBy(t, twoColumns, "id|t|d|entrada|saída\n1|v|2025-03-10|10,50|\n2|f|2025-03-10||2,50\n3|f|2025-03-10|0,00|1,00\n4|v|2025-03-10|7,00|0,00\n5|f|2025-03-10||-3,00\n")
	var gross []int64
	for i := range f.Lines {
		gross = append(gross, f.Lines[i].Gross)
	}
	if diff := cmp.Diff([]int64{1050, -250, -100, 700, -300}, gross); diff != "" {
		t.Error(diff)
	}
	if _, err := readBy(t, twoColumns, "id|t|d|entrada|saída\n1|v|2025-03-10|10,50|2,00\n"); err == nil || !strings.Contains(err.Error(), "both a debit and a credit") {
		t.Errorf("both: %v", err)
	}
}

func TestADebitWordTurnsTheSign(t *testing.T) {
	t.Parallel()
	const side = "amounts: {currency: BRL, debit: [D], credit: [C]}\ncolumns: {id: id, type: t, occurred_at: d, gross: v, side: dc}\n"
	f := mustReadBy(t, side, "id|t|d|v|dc\n1|a|2025-03-10|10.50|C\n2|a|2025-03-10|2.50|d\n")
	if f.Lines[0].Gross != 1050 || f.Lines[1].Gross != -250 {
		t.Errorf("%d, %d", f.Lines[0].Gross, f.Lines[1].Gross)
	}
	for row, want := range map[string]string{"1|a|2025-03-10|10.50|X": "neither a debit nor a credit", "1|a|2025-03-10|-10.50|D": "a negative amount beside"} {
		if _, err := readBy(t, side, "id|t|d|v|dc\n"+row+"\n"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", row, err)
		}
	}
}

// TestAColumnBorrowsTheMarkOfItsFile where it shows none itself.
func TestAColumnBorrowsTheMarkOfItsFile(t *testing.T) {
	t.Parallel()
	f := mustReadBy(t, "amounts: {currency: BRL}\ncolumns: {id: id, type: t, occurred_at: d, gross: g, fee: f}\n",
		"id|t|d|g|f\n1|v|2025-03-10|5.000|1.500\n2|v|2025-03-10|12,34|\n")
	if f.Lines[0].Gross != 500000 || f.Lines[0].Fee != 150000 || f.Lines[0].Net != 350000 {
		t.Errorf("%+v", f.Lines[0])
	}
}

func TestFeesMayBeNegativeNumbers(t *testing.T) {
	t.Parallel()
	f := mustReadBy(t, "amounts: {currency: BRL, fees: negative}\ncolumns: {id: id, type: t, occurred_at: d, gross: g, fee: f, tax: x}\n",
		"id|t|d|g|f|x\n1|v|2025-03-10|10.00|-1.00|-0.50\n")
	if l := f.Lines[0]; l.Fee != 100 || l.Tax != 50 || l.Net != 850 {
		t.Errorf("%+v", l)
	}
}

// TestNetIsReadAsStated and remarked where it does not add up.
func TestNetIsReadAsStated(t *testing.T) {
	t.Parallel()
	const columns = "amounts: {currency: BRL}\ncolumns: {id: id, type: t, occurred_at: d, gross: g, fee: f, net: n}\n"
	f := mustReadBy(t, columns, "id|t|d|g|f|n\n1|v|2025-03-10|10.00|1.00|9.10\n2|v|2025-03-10||1.00|9.00\n")
	if f.Lines[0].Net != 910 || f.Lines[1].Gross != 1000 {
		t.Errorf("%+v", f.Lines)
	}
	if notes := strings.Join(f.Notes, "\n"); !strings.Contains(notes, "net is not gross - fee - tax on 1 rows, first on line 2") {
		t.Error(notes)
	}
}

// TestOneFileMayHoldManyAccounts where the profile says so: each is a statement
// of its own, with its own days.
func TestOneFileMayHoldManyAccounts(t *testing.T) {
	t.Parallel()
	f := mustReadBy(t, "accounts: many\namounts: {currency: BRL}\ncolumns: {id: id, type: t, occurred_at: d, gross: g, account: c}\n",
		"id|t|d|g|c\n1|v|2025-03-10|1.50|a\n2|v|2025-03-11|1.50|b\n3|v|2025-03-12|1.50|a\n4|v|2025-03-14|1.50|b\n")
	var got []string
	for _, s := range f.Statements {
		got = append(got, s.Name+" "+s.Account+" "+payment.Interval{From: s.From, To: s.Through}.String())
	}
	want := []string{"x a a [2025-03-10T00:00:00Z, 2025-03-12T00:00:00Z)", "x b b [2025-03-11T00:00:00Z, 2025-03-14T00:00:00Z)"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if f.Lines[1].Statement != "x b" || f.Lines[1].Account != "b" {
		t.Errorf("%+v", f.Lines[1])
	}
}

func TestStillWordsMoveNothingAndStatesStandForUnits(t *testing.T) {
	t.Parallel()
	f := mustReadBy(t, "amounts: {currency: BRL}\ncolumns: {id: id, type: t, occurred_at: d, gross: g, unit: u, status: s}\n"+
		"kinds: {charge: [v, agenda], payout: [saque]}\nstill: [agenda, prevista]\nmoved: [liquidada]\nstates: {disputed: [contestada], canceled: [cancelada]}\n",
		"id|t|d|g|u|s\n1|agenda|2025-03-10|1.50|p1|\n2|v|2025-03-10|1.50|p2|prevista\n3|v|2025-03-10|1.50|p3|liquidada\n"+
			"4|v|2025-03-10|1.50|p4|contestada\n5|v|2025-03-10|1.50|p5|CANCELADA\n6|saque|2025-03-10|-1.50|p6|em rota\n")
	var still []bool
	for i := range f.Lines {
		still = append(still, f.Lines[i].Still)
	}
	if diff := cmp.Diff([]bool{true, true, false, false, true, false}, still); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"p4 disputed asked 150 captured 0 BRL", "p5 canceled final asked 150 captured 0 BRL"}, texts(f.Units, unitText)); diff != "" {
		t.Error(diff)
	}
}

// TestADateAloneIsItsOwnDay whatever the zone, and is known to be no more.
func TestADateAloneIsItsOwnDay(t *testing.T) {
	t.Parallel()
	f := mustReadBy(t, "amounts: {currency: BRL}\ndates: {zone: America/Sao_Paulo}\ncolumns: {id: id, type: t, occurred_at: d, gross: g}\n",
		"id|t|d|g\n1|v|2025-03-10|1.50\n2|v|2025-03-10 23:30:00|1.50\n3|v|2025-03-11T02:30:00Z|1.50\n")
	for i, dayOnly := range []bool{true, false, false} {
		if l := f.Lines[i]; l.Day.String() != "2025-03-10" || l.DayOnly != dayOnly {
			t.Errorf("%s, day only %t", l.Day, l.DayOnly)
		}
	}
	if at := f.Lines[0].At.String(); at != "2025-03-10T03:00:00Z" {
		t.Errorf("a day begins at %s", at)
	}
}

// TestAKindOfItsOwn: "*" takes what no other word takes.
func TestAKindOfItsOwn(t *testing.T) {
	t.Parallel()
	f := mustReadBy(t, "amounts: {currency: BRL}\ncolumns: {id: id, type: t, occurred_at: d, gross: g}\nkinds: {charge: [\"*\"], fee: [tarifa]}\n",
		"id|t|d|g\n1|TARIFA|2025-03-10|-1.50\n2|qualquer coisa|2025-03-10|1.50\n3||2025-03-10|1.50\n")
	for i, want := range []payment.Kind{payment.KindFee, payment.KindCharge, payment.KindCharge} {
		if f.Lines[i].Kind != want {
			t.Errorf("line %d is %s", i+1, f.Lines[i].Kind)
		}
	}
}

// TestProgressIsTheSizeOfTheFile however often it is read.
func TestProgressIsTheSizeOfTheFile(t *testing.T) {
	t.Parallel()
	text := genericHeader + "\n" + strings.ReplaceAll(genericRow, "2025-03-10T10:00:08Z", "25/03/2025") // a style to prove: two passes
	var told int64
	if _, err := ReadFrom(t.Context(), strings.NewReader(text), Options{Progress: func(n int64) { told += n }}); err != nil {
		t.Fatal(err)
	}
	if told != int64(len(text)) {
		t.Errorf("%d bytes told of %d", told, len(text))
	}
}

// TestAReadingCanBeStopped and gives nothing.
func TestAReadingCanBeStopped(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	stop()
	f, err := Read(ctx, fixture("generic.csv"), Options{})
	if f != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", f, err)
	}
}

// TestIdentifiersKeepTheirBytes: RULES §3.3 compares byte for byte.
func TestIdentifiersKeepTheirBytes(t *testing.T) {
	t.Parallel()
	f := mustReadBy(t, "amounts: {currency: BRL}\ncolumns: {id: id, type: t, occurred_at: d, unit: u, gross: g}\n"+
		"references:\n  - {name: ref, scope: attempt, columns: r}\nkinds: {charge: [v]}\n",
		"id|t|d|u|g|r\n1|v|2025-03-10| p |1.00|\u00A0k-1\n2|v|2025-03-11|p|1.00|  \n")
	if l := f.Lines[0]; l.Unit != " p " || l.References[0].Value != "\u00A0k-1" {
		t.Errorf("read: %+v", l)
	}
	if l := f.Lines[1]; len(l.References) != 0 {
		t.Errorf("blanks became %+v", l.References)
	}
}
