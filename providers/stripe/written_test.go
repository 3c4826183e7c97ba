package stripe

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/internal/provider"
	"desfecho/providers/httpx"
)

// testAccount reads what the tests feed it: two metadata keys and the other
// places where a reference can stand.
func testAccount() *account {
	return &account{
		name: "stripe", id: "acct_1", mode: payment.Test, zone: time.UTC, exponents: ownExponents(),
		places: []provider.Place{
			{Name: "attempt", Scope: payment.ScopeAttempt, There: "metadata.attempt_id"},
			{Name: "charge", Scope: payment.ScopeCharge, There: "metadata.charge_id"},
			{Name: "group", Scope: payment.ScopeCharge, There: "transfer_group"},
		},
	}
}

func read[T any](t testing.TB, text string) *T {
	t.Helper()
	var into T
	if err := httpx.Decode([]byte(text), &into); err != nil {
		t.Fatalf("fixture: %v\n%s", err, text)
	}
	return &into
}

// writtenUnit puts a unit on one line, so that a table of them can be read.
func writtenUnit(u payment.Unit) string {
	parts := []string{u.ID}
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	if len(u.Aliases) > 0 {
		add("= %s", strings.Join(u.Aliases, " "))
	}
	if u.Parent != "" {
		add("of %s", u.Parent)
	}
	if u.State != payment.StateNone {
		final := "open"
		if u.Final {
			final = "final"
		}
		add("%s %s (%s)", u.State, final, u.RawState)
	}
	if u.Asked.Known {
		add("asked %s", money.Amount{Minor: u.Asked.Minor, Currency: u.Currency})
	}
	if u.Captured.Known {
		add("captured %s", money.Amount{Minor: u.Captured.Minor, Currency: u.Currency})
	}
	for _, r := range u.References {
		add("%s:%s=%s", r.Scope, r.Name, r.Value)
	}
	if u.Key != "" {
		add("key %s", u.Key)
	}
	if u.Method != "" {
		add("by %s", u.Method)
	}
	if u.Reason != "" {
		add("because %s", u.Reason)
	}
	if u.CreatedAt != 0 {
		add("at %s", u.CreatedAt)
	}
	return strings.Join(parts, " | ")
}

func writtenLine(l payment.Line) string {
	parts := []string{l.ID, l.Kind.String(), l.Raw}
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	add("%s − %s − %s = %s", money.Amount{Minor: l.Gross, Currency: l.Currency}.Decimal(), money.Amount{Minor: l.Fee, Currency: l.Currency}.Decimal(),
		money.Amount{Minor: l.Tax, Currency: l.Currency}.Decimal(), money.Amount{Minor: l.Net, Currency: l.Currency})
	if l.Presented.Known {
		add("presented %s", money.Amount{Minor: l.Presented.Minor, Currency: l.PresentedCurrency})
	}
	if l.Unit != "" {
		add("unit %s", l.Unit)
	}
	if l.Parent != "" {
		add("of %s", l.Parent)
	}
	if l.Payout != "" {
		add("payout %s", l.Payout)
	}
	if l.Still {
		add("still")
	}
	add("%s, available %s, day %s", l.At, l.AvailableAt, l.Day)
	return strings.Join(parts, " | ")
}
