package cases

import (
	"fmt"
	"maps"
	"slices"

	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/reconcile"
	"desfecho/resolve"
)

// moment is one point of the story: when the clock stands, what has been read
// until then, and the merchant's rows as they are then.
type moment struct {
	*Case
	at        payment.Instant
	through   payment.Instant // 0: as far as each statement goes
	window    payment.Interval
	attempts  []attemptRow
	dismissed []dismissalRow
	decide    Decide
	opened    map[string]opening
	approved  []resolve.Approval
	audited   int // resolutions written
}

// Input gives the facts as they stand at the case's now, as if no step had
// happened.
func (c *Case) Input() (reconcile.Input, error) {
	return (&moment{Case: c, at: c.Now, window: c.window(nil), attempts: c.Attempts, dismissed: c.Dismissed}).input()
}

// window of a run: its own, else the case's, else from the earliest from to
// the latest complete_through.
func (c *Case) window(own *span) payment.Interval {
	for _, said := range []*span{own, c.Window} {
		if said != nil {
			return said.interval()
		}
	}
	var w payment.Interval
	for i, s := range c.Statements {
		if i == 0 || s.From < w.From {
			w.From = s.From
		}
		w.To = max(w.To, s.CompleteThrough)
	}
	return w
}

// existed tells whether a fact of that instant was known at the moment; no
// instant: always.
func (m *moment) existed(since payment.Instant) bool { return since <= m.at }

func (m *moment) input() (reconcile.Input, error) {
	policy, err := m.policy()
	if err != nil {
		return reconcile.Input{}, err
	}
	in := reconcile.Input{Now: m.at, Window: m.window, Policies: []reconcile.Policy{policy}}
	if m.OwnSide != nil {
		in.OwnSide = []payment.Interval{payment.Interval(*m.OwnSide)}
	}
	for _, row := range m.Charges {
		in.Charges = append(in.Charges, reconcile.Charge{ID: row.ID, Minor: *row.Amount})
	}
	for _, row := range m.dismissed {
		if m.existed(row.At) {
			in.Dismissed = append(in.Dismissed, reconcile.Dismissal(row))
		}
	}
	for _, fill := range []func(*reconcile.Input) error{m.fillAttempts, m.fillStatements, m.fillLookups, m.fillEvents} {
		if err := fill(&in); err != nil {
			return reconcile.Input{}, err
		}
	}
	return in, nil
}

// currency is what the fact says itself, else the case's, else BRL.
func (c *Case) currency(said string) (money.Currency, error) {
	for _, code := range []string{said, c.Currency} {
		if code != "" {
			return money.ParseCurrency(code)
		}
	}
	return money.MustCurrency("BRL"), nil
}

func (m *moment) fillAttempts(in *reconcile.Input) error {
	for i := range m.attempts {
		row := &m.attempts[i]
		if !m.existed(row.Since) {
			continue
		}
		a, err := m.attempt(row)
		if err != nil {
			return fmt.Errorf("attempt %s: %w", row.ID, err)
		}
		in.Attempts = append(in.Attempts, a)
	}
	return nil
}

func (c *Case) attempt(row *attemptRow) (payment.Attempt, error) {
	currency, err := c.currency(row.Currency)
	if err != nil {
		return payment.Attempt{}, err
	}
	a := payment.Attempt{
		ID: row.ID, Charge: row.Charge, Provider: provider, Account: row.Account, Key: row.Key,
		ProviderID: row.Unit.Value, References: c.references(row.Ref, row.Ref2, row.Charge), Version: "0",
		PayloadHash: row.PayloadHash, Amount: money.Amount{Minor: *row.Amount, Currency: currency},
		CreatedAt: row.CreatedAt, LastSent: row.CreatedAt,
	}
	if row.Version != nil {
		a.Version = fmt.Sprint(*row.Version)
	}
	if !row.SentAt.IsZero() {
		a.LastSent = row.SentAt
	}
	if a.Status, err = payment.ParseStatus(row.Status); err != nil {
		return a, err
	}
	if row.Operation != "" {
		if a.Operation, err = payment.ParseOperation(row.Operation); err != nil {
			return a, err
		}
	}
	if a.LastError, err = payment.ParseCallError(row.LastError); err != nil {
		return a, err
	}
	a.Reserve, err = payment.ParseReserve(row.Reserve)
	return a, err
}

func (row *lookupRow) by() string {
	if row.By == "" {
		return refName
	}
	return row.By
}

func (m *moment) fillLookups(in *reconcile.Input) error {
	for i := range m.Lookups {
		row := m.Lookups[i]
		if row.At.IsZero() {
			row.At = m.Now
		}
		if !m.existed(row.At) {
			continue
		}
		look, err := m.lookup(&row)
		if err != nil {
			return fmt.Errorf("lookups[%d]: %w", i, err)
		}
		in.Lookups = append(in.Lookups, look)
	}
	return nil
}

func (m *moment) lookup(row *lookupRow) (payment.Lookup, error) {
	look := payment.Lookup{
		Attempt: row.Attempt, Provider: provider, Account: m.account(row.Account), At: row.At, Reason: row.Reason,
		NoControl: m.Policy.Controls != nil && !slices.Contains(*m.Policy.Controls, row.by()),
	}
	var err error
	if look.Key, err = m.lookupKey(row.by()); err != nil {
		return look, err
	}
	look.Key.Value = row.Value
	if row.Value == "" {
		look.Key.Value = m.ownValue(row.Attempt, row.by())
	}
	if look.Outcome, err = payment.ParseOutcome(row.Outcome); err != nil {
		return look, err
	}
	for _, id := range row.Units {
		units, err := m.unitsOf(id, naming{source: payment.FromLookup, account: look.Account, at: row.At})
		if err != nil {
			return look, err
		}
		if len(m.entriesOf(id)) == 0 { // known by its lines alone
			units = append(units, payment.Unit{ID: id, Provider: provider, Account: look.Account, ObservedAt: row.At, Source: payment.FromLookup})
		}
		look.Units = append(look.Units, units...)
	}
	return look, nil
}

// ownValue is what the attempt itself carries for a key.
func (m *moment) ownValue(attempt, by string) string {
	for i := range m.attempts {
		if row := &m.attempts[i]; row.ID == attempt {
			return map[string]string{
				"unit": row.Unit.Value, "key": row.Key, refName: row.Ref, "ref2": row.Ref2, chargeName: row.Charge,
			}[by]
		}
	}
	return ""
}

func (m *moment) fillEvents(in *reconcile.Input) error {
	for _, row := range m.Events {
		if !m.existed(row.At) {
			continue
		}
		state, err := payment.ParseState(row.State)
		if err != nil {
			return err
		}
		mode, err := m.mode("")
		if err != nil {
			return err
		}
		in.Events = append(in.Events, payment.Event{
			Provider: provider, At: row.At, Unit: row.Unit, Key: row.Key,
			References: m.references(row.Ref, "", ""), State: state, Mode: mode,
		})
	}
	return nil
}

// exitOf is how a run with that result ends, with the default of --fail-on.
func exitOf(r *reconcile.Result) string {
	switch {
	case r.Defect != "":
		return "defect"
	case r.Verdict == reconcile.Incomplete:
		return "incomplete"
	case r.Verdict == reconcile.Breaks:
		return "divergences"
	}
	return "done"
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
