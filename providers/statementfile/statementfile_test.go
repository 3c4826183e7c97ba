package statementfile

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	_ "time/tzdata" // the tests must not depend on the machine's zones

	"github.com/google/go-cmp/cmp"

	"desfecho/internal/payment"
	"desfecho/internal/profile"
)

func fixture(name string) string { return filepath.Join("..", "..", "testdata", "statements", name) }

func mustLoad(t *testing.T, name string) *profile.Profile {
	t.Helper()
	p, err := profile.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func mustRead(t *testing.T, name string, o Options) *File {
	t.Helper()
	f, err := Read(t.Context(), fixture(name), o)
	if err != nil {
		t.Fatalf("%v (%s)", err, profile.HintOf(err))
	}
	return f
}

// lineText is what a test says of a line.
func lineText(l *payment.Line) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s gross %d fee %d net %d %s on %s", l.ID, l.Kind, l.Gross, l.Fee, l.Net, l.Currency, l.Day)
	for _, part := range [...]struct{ name, value string }{{"unit", l.Unit}, {"parent", l.Parent}, {"payout", l.Payout}} {
		if part.value != "" {
			b.WriteString(" " + part.name + " " + part.value)
		}
	}
	for _, r := range l.References {
		fmt.Fprintf(&b, " %s/%s=%s", r.Name, r.Scope, r.Value)
	}
	if l.Presented.Known {
		fmt.Fprintf(&b, " presented %d %s", l.Presented.Minor, l.PresentedCurrency)
	}
	if l.Of > 0 {
		fmt.Fprintf(&b, " parcel %d/%d", l.N, l.Of)
	}
	if l.Still {
		b.WriteString(" still")
	}
	if l.Mode == payment.Test {
		b.WriteString(" test")
	}
	return b.String()
}

func unitText(u *payment.Unit) string {
	text := fmt.Sprintf("%s %s", u.ID, u.State)
	if u.Final {
		text += " final"
	}
	if len(u.Aliases) > 0 {
		text += " also " + strings.Join(u.Aliases, "+")
	}
	if u.Group != "" {
		text += fmt.Sprintf(" group %s %d/%d", u.Group, u.N, u.Of)
	}
	if u.Asked.Known || u.Captured.Known {
		text += fmt.Sprintf(" asked %d captured %d %s", u.Asked.Minor, u.Captured.Minor, u.Currency)
	}
	return text
}

func texts[T any](all []T, text func(*T) string) []string {
	var out []string
	for i := range all {
		out = append(out, text(&all[i]))
	}
	return out
}

type statementRead struct {
	file, profile string // "": must be found out
	detected      string
	lines, units  []string
}

// statementsRead are files of Stripe and what each must be read as.
func statementsRead() []statementRead {
	return []statementRead{
		{
			file: "stripe-balance.csv", detected: "stripe-balance",
			lines: []string{
				"txn_3Exmp0000000000000001 charge gross 4999 fee 175 net 4824 USD on 2026-10-26 unit ch_3Exmp0000000000000001 payout po_1Exmp0000000000000001 attempt/attempt=att_0001 charge/charge=chg_0001",
				"txn_3Exmp0000000000000002 charge gross 1083 fee 61 net 1022 USD on 2026-10-26 unit ch_3Exmp0000000000000002 attempt/attempt=att_0002 charge/charge=chg_0002 presented 1000 EUR",
				"txn_3Exmp0000000000000003 charge_reversal gross -4000 fee -116 net -3884 USD on 2026-10-27 unit ch_3Exmp0000000000000003 charge/charge=chg_0003",
				"txn_3Exmp0000000000000004 refund gross -2000 fee 0 net -2000 USD on 2026-10-27 unit re_3Exmp0000000000000004 parent ch_3Exmp0000000000000001 reference/attempt=rf_77",
				"txn_3Exmp0000000000000005 refund_reversal gross 2000 fee 0 net 2000 USD on 2026-10-27 unit re_3Exmp0000000000000004 parent ch_3Exmp0000000000000001 reference/attempt=rf_77",
				"txn_1Exmp0000000000000006 chargeback gross -4999 fee 1500 net -6499 USD on 2026-10-27 unit du_1Exmp0000000000000006 parent ch_3Exmp0000000000000001",
				"txn_1Exmp0000000000000007 fee gross -250 fee 0 net -250 USD on 2026-10-28",
				"txn_1Exmp0000000000000008 payout gross -4824 fee 0 net -4824 USD on 2026-10-28 payout po_1Exmp0000000000000001",
				"txn_1Exmp0000000000000009 other gross 100 fee 0 net 100 USD on 2026-10-28",
			},
			units: []string{
				"ch_3Exmp0000000000000001  also pi_3Exmp0000000000000001",
				"ch_3Exmp0000000000000002  also pi_3Exmp0000000000000002",
			},
		},
		{
			file: "stripe-activity.csv", detected: "stripe-balance",
			lines: []string{
				"txn_3Exmp0000000000000001 charge gross 4999 fee 175 net 4824 USD on 2026-10-26 unit ch_3Exmp0000000000000001",
				"txn_3Exmp0000000000000004 refund gross -102000 fee 0 net -102000 USD on 2026-10-27 unit pyr_3Exmp000000000000004",
				"txn_1Exmp0000000000000008 payout gross -4824 fee 0 net -4824 USD on 2026-10-28 payout po_1Exmp0000000000000001",
			},
		},
		{
			file: "stripe-payout.csv", profile: "stripe-payout", detected: "stripe-payout",
			lines: []string{
				"txn_3Exmp0000000000000001 charge gross 5000 fee 180 net 4820 JPY on 2026-10-26 unit ch_3Exmp0000000000000001 payout po_1Exmp0000000000000001 order_no/attempt=P-1001",
				"txn_3Exmp0000000000000002 charge gross 1200 fee 43 net 1157 JPY on 2026-10-26 unit ch_3Exmp0000000000000002 payout po_1Exmp0000000000000001 order_no/attempt=P-1002",
				"txn_3Exmp0000000000000003 refund gross -1200 fee 0 net -1200 JPY on 2026-10-28 unit re_3Exmp0000000000000003 parent ch_3Exmp0000000000000002 payout po_1Exmp0000000000000002",
			},
		},
	}
}

// otherStatementsRead are likewise those of others than Stripe.
func otherStatementsRead() []statementRead {
	return []statementRead{
		{
			file: "asaas-extrato.json", detected: "asaas-extrato",
			lines: []string{
				"ftn_900000000101 charge gross 15000 fee 0 net 15000 BRL on 2026-05-04 unit pay_exemplo000000001",
				"ftn_900000000102 fee gross -199 fee 0 net -199 BRL on 2026-05-04 unit pay_exemplo000000001",
				"ftn_900000000103 charge gross 8990 fee 0 net 8990 BRL on 2026-05-05 unit pay_exemplo000000002",
				"ftn_900000000104 fee gross -318 fee 0 net -318 BRL on 2026-05-05 unit pay_exemplo000000002",
				"ftn_900000000105 refund gross -5000 fee 0 net -5000 BRL on 2026-05-06 unit pay_exemplo000000001",
				"ftn_900000000106 transfer_out gross -50000 fee 0 net -50000 BRL on 2026-05-07 unit 11111111-2222-3333-4444-555555555501",
				"ftn_900000000107 fee gross -500 fee 0 net -500 BRL on 2026-05-07 unit 11111111-2222-3333-4444-555555555501",
				"ftn_900000000108 chargeback gross -8990 fee 0 net -8990 BRL on 2026-05-20 unit pay_exemplo000000002",
				"ftn_900000000109 other gross 17 fee 0 net 17 BRL on 2026-05-21",
			},
		},
		{
			file: "asaas-extrato.csv", detected: "asaas-extrato",
			lines: []string{
				"ftn_900000000203 refund gross -3000 fee 0 net -3000 BRL on 2026-06-03 unit pay_exemplo000000005",
				"ftn_900000000202 fee gross -199 fee 0 net -199 BRL on 2026-06-02 unit pay_exemplo000000005",
				"ftn_900000000201 charge gross 15000 fee 0 net 15000 BRL on 2026-06-01 unit pay_exemplo000000005",
			},
		},
		{
			file: "generic.csv", detected: "generic",
			lines: []string{
				"l1 charge gross 12990 fee 557 net 12433 BRL on 2025-03-10 unit p1 reference/attempt=k-1",
				"l2 charge gross 20000 fee 800 net 19200 BRL on 2025-03-10 unit p2 reference/attempt=k-2 still",
				"l3 charge gross 5000 fee 200 net 4800 BRL on 2025-03-10 unit p3 reference/attempt=k-3 still",
				"l4 charge gross 5000 fee 200 net 4800 BRL on 2025-03-11 unit p3 reference/attempt=k-3",
				"l5 charge gross 3334 fee 100 net 3234 BRL on 2025-03-11 unit p4 reference/attempt=k-4 parcel 1/3",
				"l6 charge gross 10000 fee 400 net 9600 BRL on 2025-03-11 unit p5 reference/attempt=k-5 presented 1750 USD",
				"l7 refund gross -2990 fee 0 net -2990 BRL on 2025-03-11 unit re_1 parent p1",
				"l8 charge gross 1000 fee 40 net 960 BRL on 2025-03-12 unit p6 reference/attempt=k-6",
				"l9 charge gross 1000 fee 40 net 960 BRL on 2025-03-12 unit p7 reference/attempt=k-7 test",
			},
			units: []string{ // p3 was authorized on one row and captured on another: its lines say it all
				"p2 declined final asked 20000 captured 0 BRL",
				"p4  group g1 1/3",
				"p6 unmapped asked 1000 captured 0 BRL",
			},
		},
	}
}

func TestBuiltinProfilesReadTheirFiles(t *testing.T) {
	t.Parallel()
	for _, c := range slices.Concat(statementsRead(), otherStatementsRead()) {
		t.Run(c.file, func(t *testing.T) {
			t.Parallel()
			var o Options
			if c.profile != "" {
				o.Profile = mustLoad(t, c.profile)
			}
			f := mustRead(t, c.file, o)
			if f.Profile.Name != c.detected {
				t.Errorf("read by profile %s, want %s", f.Profile.Name, c.detected)
			}
			if diff := cmp.Diff(c.lines, texts(f.Lines, lineText)); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(c.units, texts(f.Units, unitText)); diff != "" {
				t.Error(diff)
			}
			if want := (profile.Tally{Rows: len(c.lines), Movements: len(c.lines)}); f.Tally != want {
				t.Errorf("tally %+v, want %+v", f.Tally, want)
			}
			if len(f.SHA256) != 64 {
				t.Errorf("sha256 %q", f.SHA256)
			}
		})
	}
}

// TestAUsersProfileReadsABankFile: windows-1252, preamble, decimal comma,
// dd/mm/yyyy, a D/C column, stated balances and a footer.
func TestAUsersProfileReadsABankFile(t *testing.T) {
	t.Parallel()
	f := mustRead(t, "banco.csv", Options{Profile: mustLoad(t, fixture("banco.yaml"))})
	want := []string{
		" charge gross 123456 fee 0 net 123456 BRL on 2025-03-10 unit E000123",
		" fee gross -250 fee 0 net -250 BRL on 2025-03-11",
		" transfer_out gross -23206 fee 0 net -23206 BRL on 2025-03-12 unit E000124",
	}
	if diff := cmp.Diff(want, texts(f.Lines, lineText)); diff != "" {
		t.Error(diff)
	}
	if want := (profile.Tally{Rows: 6, Movements: 3, Information: 3}); f.Tally != want {
		t.Errorf("tally %+v, want %+v", f.Tally, want)
	}
	s := f.Statements[0]
	if s.Opening != payment.Known(100000) || s.Closing != payment.Known(200000) || s.Account != "0001-2" || s.Provider != "banco" {
		t.Errorf("statement %+v", s)
	}
	for i, row := range []int32{7, 8, 9} {
		if f.Lines[i].Row != row {
			t.Errorf("line %d is row %d of the file, want %d", i, f.Lines[i].Row, row)
		}
	}
	if notes := strings.Join(f.Notes, "\n"); !strings.Contains(notes, "windows-1252") || !strings.Contains(notes, "America/Sao_Paulo") {
		t.Errorf("notes do not tell encoding and zone:\n%s", notes)
	}
}

func TestAnObjectListGivesUnitsAndNoLines(t *testing.T) {
	t.Parallel()
	f := mustRead(t, "objects.csv", Options{Profile: mustLoad(t, fixture("objects.yaml"))})
	want := []string{
		"V-1 captured final also 000123+T-1 asked 123456 captured 123456 BRL",
		"V-2 declined final also 000124 asked 5000 captured 0 BRL",
		"V-3 processing also 000125 asked 7500 captured 0 BRL",
		"V-4 unmapped also 000126 asked 2000 captured 0 BRL",
	}
	if diff := cmp.Diff(want, texts(f.Units, unitText)); diff != "" {
		t.Error(diff)
	}
	if len(f.Lines) > 0 || f.Statements[0].Sort != payment.ObjectList {
		t.Errorf("%d lines, sort %s", len(f.Lines), f.Statements[0].Sort)
	}
	if at, want := f.Units[0].CreatedAt.String(), "2025-03-10T13:00:08Z"; at != want {
		t.Errorf("created at %s, want %s", at, want)
	}
	if p := f.Units[2].Precision.Hours(); p != 24 {
		t.Errorf("a date alone is precise to %g h", p)
	}
}

func TestCoverageIsTheFilesOwnDaysUnlessAnOperatorSaysMore(t *testing.T) {
	t.Parallel()
	f := mustRead(t, "generic.csv", Options{})
	s := f.Statements[0]
	if s.Grade != payment.Assumed || s.From.String() != "2025-03-10T00:00:00Z" || s.Through.String() != "2025-03-12T00:00:00Z" {
		t.Errorf("assumed: %+v", s)
	}
	march := payment.Interval{From: payment.DayOfDate(2025, 3, 1).Start(utc), To: payment.DayOfDate(2025, 4, 1).Start(utc)}
	s = mustRead(t, "generic.csv", Options{Covers: &march}).Statements[0]
	if s.Grade != payment.Claimed || s.From != march.From || s.Through != march.To {
		t.Errorf("claimed: %+v", s)
	}
}

// TestAReportOfPayoutsCoversTheDaysOfItsPayouts: a sale is in it once it was
// paid, so the sales' own days prove nothing.
func TestAReportOfPayoutsCoversTheDaysOfItsPayouts(t *testing.T) {
	t.Parallel()
	s := mustRead(t, "stripe-payout.csv", Options{Profile: mustLoad(t, "stripe-payout")}).Statements[0]
	if s.From.String() != "2026-10-29T00:00:00Z" || s.Through.String() != "2026-10-31T00:00:00Z" || s.Members != payment.AllMembers {
		t.Errorf("%+v", s)
	}
}

// TestABalanceChainAloneProvesNothing, for it does not show that nothing came
// before it or behind it; its break takes even a claim away.
func TestABalanceChainAloneProvesNothing(t *testing.T) {
	t.Parallel()
	s := mustRead(t, "asaas-extrato.json", Options{}).Statements[0]
	if s.Grade != payment.Proven || s.Opening != payment.Known(100000) || s.Closing != payment.Known(59000) {
		t.Errorf("whole chain and the end of the pages: %+v", s)
	}
	newest := mustRead(t, "asaas-extrato.csv", Options{}).Statements[0]
	if newest.Grade != payment.Assumed || newest.Opening != payment.Known(0) || newest.Closing != payment.Known(11801) {
		t.Errorf("newest first: %+v", newest)
	}
	broken := "id,value,balance,type,date,paymentId\n" +
		"a,10.00,110.00,PAYMENT_RECEIVED,2026-06-01,p1\n" +
		"b,5.00,125.00,PAYMENT_RECEIVED,2026-06-02,p2\n" +
		"c,1.00,126.00,PAYMENT_RECEIVED,2026-06-03,p3\n"
	claimed := payment.Interval{From: payment.DayOfDate(2026, 6, 1).Start(utc), To: payment.DayOfDate(2026, 6, 4).Start(utc)}
	f, err := ReadFrom(t.Context(), strings.NewReader(broken), Options{Covers: &claimed})
	if err != nil {
		t.Fatal(err)
	}
	if f.Statements[0].Grade != payment.Assumed {
		t.Errorf("a broken chain is %s", f.Statements[0].Grade)
	}
	if notes := strings.Join(f.Notes, "\n"); !strings.Contains(notes, "line 3 is not that of line 2") {
		t.Errorf("the break is not named:\n%s", notes)
	}
}

// TestStylesAreProvenByTheWholeColumn: what the first rows leave open, a later
// row settles for all of them.
func TestStylesAreProvenByTheWholeColumn(t *testing.T) {
	t.Parallel()
	text := genericHeader + "\n" +
		"l1,p1,k1,charge,\"1.500\",\"0\",\"1.500\",BRL,captured,03/04/2025 10:00:00\n" +
		"l2,p2,k2,charge,\"1.234,56\",\"0,00\",\"1.234,56\",BRL,captured,25/04/2025 10:00:00\n"
	f, err := ReadFrom(t.Context(), strings.NewReader(text), Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"l1 charge gross 150000 fee 0 net 150000 BRL on 2025-04-03 unit p1 reference/attempt=k1",
		"l2 charge gross 123456 fee 0 net 123456 BRL on 2025-04-25 unit p2 reference/attempt=k2",
	}
	if diff := cmp.Diff(want, texts(f.Lines, lineText)); diff != "" {
		t.Error(diff)
	}
	notes := strings.Join(f.Notes, "\n")
	for _, evidence := range []string{`gross: decimal mark "," by line 3: 1.234,56`, "occurred_at: dates are dd/mm/yyyy by line 3: 25/04/2025"} {
		if !strings.Contains(notes, evidence) {
			t.Errorf("notes lack %q:\n%s", evidence, notes)
		}
	}
}

func TestAProviderThatNobodyNamedIsNamedLater(t *testing.T) {
	t.Parallel()
	f, err := ReadFrom(t.Context(), strings.NewReader(genericHeader+"\n"+genericRow), Options{})
	if err != nil {
		t.Fatal(err)
	}
	f.SetProvider("acme")
	if f.Lines[0].Provider != "acme" || f.Statements[0].Provider != "acme" {
		t.Errorf("%q, %q", f.Lines[0].Provider, f.Statements[0].Provider)
	}
}

// TestAnotherStreamGivesTheSame: a pipe cannot seek, and says the same.
func TestAnotherStreamGivesTheSame(t *testing.T) {
	t.Parallel()
	text := genericHeader + "\n" + genericRow
	a, err := ReadFrom(t.Context(), strings.NewReader(text), Options{Name: "x"})
	if err != nil {
		t.Fatal(err)
	}
	b, err := ReadFrom(t.Context(), onlyReader{strings.NewReader(text)}, Options{Name: "x"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(a.Lines, b.Lines); diff != "" || a.SHA256 != b.SHA256 {
		t.Error(diff)
	}
}
