package reconcile_test

import (
	"testing"
	"time"

	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/reconcile"
)

// Files of one profile have one name, whoever's they are.
func TestStatementsOfOneNameAreToldApart(t *testing.T) {
	t.Parallel()
	day := payment.InstantOf(time.Date(2025, time.November, 28, 0, 0, 0, 0, time.UTC))
	brl := money.MustCurrency("BRL")
	in := reconcile.Input{Now: day.Add(48 * time.Hour)}
	for i, of := range [][2]string{{"loja", "a"}, {"loja", "b"}, {"banco", "a"}} {
		provider, account, minor := of[0], of[1], int64(100*(i+1))
		in.Statements = append(in.Statements, payment.Statement{
			Name: "ledger", Provider: provider, Account: account, Sort: payment.Ledger, Grade: payment.Claimed,
			From: day, Through: day.Add(24 * time.Hour), Opening: payment.Known(0), Closing: payment.Known(-minor),
		})
		for range i + 1 {
			in.Lines = append(in.Lines, payment.Line{
				ID: provider + account + string(rune('0'+len(in.Lines))), Provider: provider, Account: account, Statement: "ledger",
				Kind: payment.KindFee, Gross: -100, Net: -100, Currency: brl, At: day.Add(time.Hour), Day: payment.DayOf(day, time.UTC),
			})
		}
	}
	for _, name := range []string{"loja", "banco"} {
		p := reconcile.NewPolicy(name)
		p.LineIDsUnique = true
		in.Policies = append(in.Policies, p)
	}
	r := reconcile.Match(in)
	if len(r.Divergences) > 0 || r.Defect != "" {
		t.Errorf("%+v %s", r.Divergences, r.Defect)
	}
	tied := 0
	for i := range r.Bridges {
		tied += len(r.Bridges[i].Balances)
	}
	lines := []int{}
	for i := range r.Statements {
		lines = append(lines, r.Statements[i].Lines)
	}
	if tied != 3 || len(lines) != 3 || lines[0] != 3 || lines[1] != 1 || lines[2] != 2 {
		t.Errorf("%d balances, lines %v", tied, lines)
	}
}

// TestAClosingBalanceThatOthersReadBeyondIsNone of the whole: the lines that
// came after it would all be a residual.
func TestAClosingBalanceThatOthersReadBeyondIsNone(t *testing.T) {
	t.Parallel()
	day := payment.InstantOf(time.Date(2025, time.November, 28, 0, 0, 0, 0, time.UTC))
	for name, c := range map[string]struct {
		stated time.Duration // to when the later balance is stated
		want   int
	}{"at the end": {24 * time.Hour, 1}, "before it": {2 * time.Hour, 0}} {
		part := func(from, through time.Duration, balance payment.Stated) payment.Statement {
			return payment.Statement{
				Name: "ledger", Provider: "loja", Sort: payment.Ledger, Grade: payment.Proven, From: day.Add(from), Through: day.Add(through), Opening: balance, Closing: balance,
			}
		}
		policy := reconcile.NewPolicy("loja")
		policy.LineIDsUnique = true
		r := reconcile.Match(reconcile.Input{
			Now: day.Add(48 * time.Hour), Policies: []reconcile.Policy{policy},
			Statements: []payment.Statement{part(0, time.Hour, payment.Known(0)), part(0, 24*time.Hour, payment.Stated{}), part(time.Hour, c.stated, payment.Known(-100))},
			Lines: []payment.Line{{
				ID: "fee", Provider: "loja", Statement: "ledger", Kind: payment.KindFee, Gross: -100, Net: -100, Currency: money.MustCurrency("BRL"),
				At: day.Add(time.Hour), Day: payment.DayOf(day, time.UTC),
			}},
		})
		if got := len(r.Bridges[0].Balances); got != c.want {
			t.Errorf("%s: %d balances, want %d", name, got, c.want)
		}
	}
}
