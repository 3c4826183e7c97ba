package resolve

import (
	"desfecho/internal/evidence"
	"desfecho/internal/money"
	"desfecho/internal/payment"
)

// stake is what a unit states or shows, for people and for digests.
func stake(u *evidence.Unit) string {
	switch {
	case u.Money.Moved && u.Money.Captured.Known:
		return money.Amount{Minor: u.Money.Captured.Minor, Currency: u.Money.Currency}.String()
	case !u.Money.Moved && u.Asked.Known:
		return money.Amount{Minor: u.Asked.Minor, Currency: u.Currency}.String()
	}
	return "not stated"
}

// transit says which transition the mark would be, and words it.
func (s *scene) transit(o *Offer) {
	o.Transition = ToSucceeded
	word := "captured"
	if o.unit != nil && !o.unit.Money.Moved {
		word = plain(o.unit.State.String())
	}
	o.Sentence = "one " + word + " object, same amount, on no other attempt"
	if o.unit != nil && s.a.Compare(o.unit) == evidence.Adjusted {
		o.Sentence = "one captured object of " + stake(o.unit) + ", within what its method may vary, on no other attempt"
	}
	if o.Basis == BasisManual {
		o.Sentence = "a person saw it captured"
	}
	switch sibling, paid := s.paid(); {
	case o.unit != nil && reversed(o.unit):
		o.Transition = ToSucceededReversed
		o.Sentence += ", and given back or disputed since"
	case paid && !bug(bugIgnoreSibling):
		o.Transition = ToSucceededDuplicate
		surplus := money.Amount{Minor: s.surplus(o.unit), Currency: s.a.Amount.Currency}
		o.Sentence = "duplicate: attempt " + sibling + " paid this charge already; " + surplus.String() + " to return"
		o.Facts = append(o.Facts, fact("duplicate", sibling, surplus.String()))
	}
}

// reversed: the money went back, or is being taken back.
func reversed(u *evidence.Unit) bool {
	m := &u.Money
	return u.State == payment.StateRefunded || u.State == payment.StateDisputed || m.ChargedBack > 0 ||
		m.Moved && m.Captured.Minor > 0 && u.Returned() >= m.Captured.Minor
}

// siblings lists the other attempts of the charge.
func (s *scene) siblings() []*evidence.Attempt {
	var found []*evidence.Attempt
	for _, o := range s.facts.Attempts {
		if o != s.a && evidence.SameCharge(o.Attempt, s.a.Attempt) {
			found = append(found, o)
		}
	}
	return found
}

// wanted is what the charge wants: stated, else its first attempt's amount.
func (s *scene) wanted() int64 {
	if s.Wanted.Known {
		return s.Wanted.Minor
	}
	for _, o := range s.facts.Attempts { // sorted by created_at
		if evidence.SameCharge(o.Attempt, s.a.Attempt) {
			return o.Amount.Minor
		}
	}
	return s.a.Amount.Minor
}

// paid tells whether siblings that succeeded here have paid the charge, and
// names the last of them. What the books say counts: they gave the credit. A
// charge that may be paid several times is never paid by a sibling.
func (s *scene) paid() (sibling string, paid bool) {
	if s.a.Policy.CapacityMany {
		return "", false
	}
	rest := s.wanted()
	for _, o := range s.siblings() {
		if o.Status == payment.Succeeded && o.Amount.Currency == s.a.Amount.Currency {
			if brought := brought(o); brought > 0 {
				sibling = o.ID
				rest -= brought
			}
		}
	}
	return sibling, sibling != "" && rest <= 0
}

// brought is what a succeeded attempt brought to its charge and did not give
// back. Where `succeeded` claims no money, what its units captured.
func brought(o *evidence.Attempt) int64 {
	var captured, returned int64
	for _, u := range o.Units {
		if u.Counts(o.Amount.Currency) {
			captured += u.Money.Captured.Minor
			returned += u.Returned()
		}
	}
	if o.Policy.Means(o.Operation) == evidence.MeansCaptured {
		captured = max(captured, o.Amount.Minor)
	}
	return max(captured-returned, 0)
}

// surplus is what the charge has been charged too much, once the unit counts
// (RULES §3.5): by what its units show, and by what its books say where the
// units of a paid sibling were not read.
func (s *scene) surplus(u *evidence.Unit) int64 {
	tries := append(s.siblings(), s.a)
	if s.a.Policy.CapacityMany {
		tries = []*evidence.Attempt{s.a}
	}
	var units []*evidence.Unit
	rest := -s.wanted()
	for _, o := range tries {
		for _, own := range o.Units {
			if own.Link == evidence.Linked || o == s.a {
				units = append(units, own)
			}
		}
		if o.Status == payment.Succeeded && o.Amount.Currency == s.a.Amount.Currency {
			rest += brought(o)
		}
	}
	for _, foreign := range s.facts.Units {
		if s.a.Charge != "" && foreign.ForeignCharge == s.a.Charge && foreign.Link == evidence.Unlinked && foreign.Flow() != evidence.FlowOut {
			units = append(units, foreign)
		}
	}
	shown := evidence.Surplus(units, s.wanted(), s.a.Amount.Currency)
	if _, paid := s.paid(); paid && u != nil && u.Counts(s.a.Amount.Currency) {
		return max(shown, rest+u.Money.Captured.Minor-u.Returned())
	}
	return shown
}
