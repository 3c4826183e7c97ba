package reconcile

import (
	"slices"

	"desfecho/internal/evidence"
	"desfecho/internal/money"
	"desfecho/internal/payment"
)

// The rows of equation 2 (RULES §5).
const (
	rowMatched        = "matched"
	rowSurplus        = "surplus"
	rowRecordedTwice  = "recorded_twice"
	rowDeclined       = "declined"
	rowMissing        = "missing"
	rowInTransit      = "in_transit"
	rowNotCovered     = "not_covered"
	rowStillOpen      = "still_open"
	rowCannotBeJudged = "cannot_be_judged"
)

// succeeded judges an attempt that the merchant holds for done, in the sense
// that the policy gives the word.
func (j *judge) succeeded(a *evidence.Attempt, s *evidence.Sorted, found []finding) ([]finding, Place, string) {
	means := a.Policy.Means(a.Operation)
	switch {
	case len(s.Money) > 0:
		return j.succeededCharged(a, s, found)
	case len(s.Unmapped)+len(s.Conflict)+len(s.Other) > 0:
		return found, "", rowCannotBeJudged
	case len(s.Open) > 0 && fulfils(means, s.Open):
		if c := j.compareAsked(a, s.Open); c.class != NoClass {
			found = append(found, j.mismatch(a, s.Open, c, P2))
		}
		return found, Agreed, rowStillOpen
	case len(s.Open) > 0:
		f := with(j.about(a, SucceededButOpen, P3), s.Open)
		if j.now.Sub(a.CreatedAt) > a.Policy.OpenLimit {
			f.Severity = P2
		}
		return append(found, f), "", rowStillOpen
	case len(s.Dead) > 0:
		if means != MeansCaptured && !declinedAtCreation(s.Dead) {
			return found, Agreed, rowDeclined
		}
		return append(found, with(j.about(a, DeclinedAtProvider, P1), s.Dead)), "", rowDeclined
	case len(s.Stub) > 0:
		return append(found, j.returns(a, s.Stub)...), NotCovered, rowNotCovered
	default:
		return j.succeededAbsent(a, found)
	}
}

// fulfils tells whether an object without captured money is all that
// `succeeded` promised.
func fulfils(means Means, open []*evidence.Unit) bool {
	return slices.ContainsFunc(open, func(u *evidence.Unit) bool { return evidence.FulfilsOpen(means, u) })
}

// declinedAtCreation: every unit was declined; one that was created and later
// expired or was canceled has fulfilled created and authorized.
func declinedAtCreation(dead []*evidence.Unit) bool {
	for _, u := range dead {
		if u.State != payment.StateDeclined {
			return false
		}
	}
	return true
}

// compareAsked holds the amount asked for against the attempt's, where the
// provider states it.
func (j *judge) compareAsked(a *evidence.Attempt, open []*evidence.Unit) comparison {
	for _, u := range open {
		switch a.CompareAsked(u) {
		case evidence.Equal, evidence.Adjusted:
			return comparison{class: NoClass}
		case evidence.OtherCurrency:
			return comparison{class: CurrencyMismatch, unit: u}
		case evidence.OtherAmount:
		}
	}
	return comparison{class: AmountMismatch, unit: open[0], actual: open[0].Asked.Minor}
}

func (j *judge) succeededCharged(a *evidence.Attempt, s *evidence.Sorted, found []finding) ([]finding, Place, string) {
	row := rowMatched
	c := j.compare(a, s.Money)
	switch c.class { //nolint:exhaustive // the outcomes of a comparison only
	case NoClass:
	case AmountAdjusted:
		found = append(found, j.mismatch(a, s.Money, c, P4))
	default:
		found = append(found, j.mismatch(a, s.Money, c, P2))
	}
	if c.class == CurrencyMismatch || len(s.Unmapped)+len(s.Conflict) > 0 {
		row = rowCannotBeJudged
	}
	found = append(found, j.returns(a, s.Money)...)
	if row == rowMatched {
		found = append(found, j.fees(a, s.Money)...)
	}
	if row == rowMatched && a.Policy.Means(a.Operation) == MeansCaptured {
		found = append(found, j.overdue(a, s.Money)...)
		if place, late, ok := j.unbooked(a, s.Money); ok {
			return append(found, late...), place, string(place)
		}
	} else if row == rowMatched && j.onlyListed(s.Money) {
		row = rowInTransit
	}
	return found, Agreed, row
}

// onlyListed: a ledger is read, and no line of it shows the units.
func (j *judge) onlyListed(units []*evidence.Unit) bool {
	for _, u := range units {
		if u.Money.HasLines || !j.coverage.LedgerRead(u.Provider, u.Account, u.Policy.Mode) {
			return false
		}
	}
	return true
}

// unbooked places a succeeded attempt that is only listed as captured while a
// ledger is read: in transit until the ledger must have it, and after that
// late, where the ledger was read so far; it still counts in transit.
func (j *judge) unbooked(a *evidence.Attempt, units []*evidence.Unit) (Place, []finding, bool) {
	if !j.onlyListed(units) {
		return "", nil, false
	}
	u := units[0]
	from := max(a.CreatedAt, u.CreatedAt)
	due := a.Policy.BooksBy(from, u.Method).Add(a.Policy.PublishLag)
	var late []finding
	if j.now >= due {
		if _, read := j.coverage.Covers(a.Policy, u.Account, payment.Ledger, payment.Interval{From: a.CreatedAt, To: due}); !read {
			return NotCovered, nil, true
		}
		late = []finding{with(j.about(a, SettlementLate, P3), units)}
		j.out.places[InTransit]++
	}
	j.transit(a, due)
	return InTransit, late, true
}

// overdue finds parcels whose day has passed and which the ledger, read so
// far, does not hold (RULES §3.1: late, not a mismatch).
func (j *judge) overdue(a *evidence.Attempt, units []*evidence.Unit) []finding {
	var sum int64
	for _, u := range units {
		for _, p := range u.Money.Late {
			due := u.Policy.Opens(p.Due)
			day := payment.Interval{From: p.Due.Start(u.Policy.Zone), To: (due + 1).Start(u.Policy.Zone).Add(u.Policy.PublishLag)}
			if _, read := j.coverage.Covers(a.Policy, u.Account, payment.Ledger, day); read {
				sum += p.Minor
			}
		}
	}
	if sum == 0 {
		return nil
	}
	f := with(j.about(a, SettlementLate, P3), units)
	f.Amount = sum
	return []finding{f}
}

// fees finds what the provider kept that is not what was agreed. A fee may have
// a line of its own, which may be published after the sale's.
func (j *judge) fees(a *evidence.Attempt, units []*evidence.Unit) (found []finding) {
	for _, u := range units {
		fee, ok := u.Fee()
		if !ok || !fee.Off() || j.now.Sub(fee.Until) < a.Policy.PublishLag {
			continue
		}
		f := with(j.about(a, FeeMismatch, P3), []*evidence.Unit{u})
		f.Expected, f.Actual = minor(fee.Agreed), minor(fee.Kept)
		f.Amount, f.Currency = money.Magnitude(fee.Kept-fee.Agreed), fee.Currency
		found = append(found, f)
	}
	return found
}

// returns finds what went back without being recorded here.
func (j *judge) returns(a *evidence.Attempt, units []*evidence.Unit) []finding {
	var found []finding
	var refunds, chargebacks, back int64
	for _, u := range units {
		if !u.Money.OnlyState || j.coverage.ReturnsTold(a.Policy, u) {
			refunds += u.Money.UnbookedRefund
		}
		chargebacks += u.Money.UnbookedChargedBack + a.Shortfall(u)
		back += u.Money.CameBack
	}
	say := func(class Class, severity Severity, amount int64) {
		if amount > 0 {
			f := with(j.about(a, class, severity), units)
			f.Amount, f.Currency = amount, units[0].Money.Currency
			found = append(found, f)
		}
	}
	if a.Direction() == payment.Out {
		say(OutflowReturned, P1, back)
		return found
	}
	say(ChargebackUnrecorded, P1, chargebacks)
	say(RefundUnrecorded, P2, refunds)
	return found
}

// succeededAbsent: nothing of the attempt is known at the provider.
func (j *judge) succeededAbsent(a *evidence.Attempt, found []finding) ([]finding, Place, string) {
	absence := j.coverage.Succeeded(a, j.now)
	switch {
	case len(found) > 0:
		return found, "", rowCannotBeJudged
	case !absence.Over:
		j.transit(a, absence.Until)
		return nil, InTransit, rowInTransit
	case !absence.Read:
		return nil, NotCovered, rowNotCovered
	}
	f := j.about(a, MissingAtProvider, P1)
	f.Grade = absence.Grade
	return []finding{f}, "", rowMissing
}

func (j *judge) transit(a *evidence.Attempt, until payment.Instant) {
	j.out.moving[dayKey{provider: a.Provider, day: payment.DayOf(a.CreatedAt, j.policy(a.Provider).Zone)}] = true
	j.out.transit = append(j.out.transit, Transit{Attempt: a.ID, Provider: a.Provider, BreakOn: until, Amount: a.Amount})
}
