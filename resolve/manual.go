package resolve

import (
	"slices"

	"desfecho/internal/evidence"
	"desfecho/internal/money"
	"desfecho/internal/payment"
)

// manual lets what a person saw open a final mark that the table refuses
// (RULES §6). A class that blocks wherever it stands still blocks, `failed`
// never stands against money, and where the provider can be asked it must have
// been asked just now.
func (s *scene) manual(o Offer) Offer {
	seen := s.seen()
	if len(seen) == 0 || s.blocked() != nil || !s.askedAll() {
		return o
	}
	opened := Offer{Mark: o.Mark, Allowed: true, Basis: BasisManual, Amount: s.a.Amount, Again: s.questions()}
	for _, m := range seen {
		if m.Seen != seen[0].Seen || !s.opens(o.Mark, m) {
			return o
		}
		opened.Facts = append(opened.Facts, fact("manual", manualWord(m), m.Where, m.By, m.At.String()))
	}
	if o.Mark == Failed {
		opened.Transition, opened.Unit = ToFailed, s.a.ProviderID
		opened.Sentence = "a person saw it " + manualWord(seen[0])
		return opened
	}
	u, ok := s.seenUnit()
	if !ok {
		return o
	}
	opened.unit, opened.Unit = u, s.a.ProviderID
	if u != nil {
		opened.Unit = s.idOf(u)
		opened.Facts = append(opened.Facts, fact("unit", u.ID, u.State.String(), stake(u)))
	}
	s.transit(&opened)
	return opened
}

func (s *scene) seen() []*payment.Manual {
	var seen []*payment.Manual
	for i := range s.Manual {
		if m := &s.Manual[i]; m.Attempt == s.a.ID && m.At <= s.Now {
			seen = append(seen, m)
		}
	}
	return seen
}

// opens tells whether one manual observation allows the mark.
func (s *scene) opens(mark Mark, m *payment.Manual) bool {
	if mark == Succeeded {
		return m.Seen == payment.StateCaptured && (len(s.units.Dead) == 0 || len(s.units.Money)+len(s.units.Open) > 0)
	}
	if m.Seen.Money() || s.mayHoldMoney() {
		return false
	}
	if m.Seen.Dead() {
		return true
	}
	// Absent: observed after the horizon, and nothing open is known (law 6).
	return m.Seen == payment.StateNone && len(s.units.Open) == 0 && m.At >= s.a.Policy.Horizon(s.a.Attempt)
}

// mayHoldMoney: some unit, observation or event says that money moved, or a
// unit that cannot be told apart from others' may still move it.
func (s *scene) mayHoldMoney() bool {
	return len(s.units.Money)+len(s.units.Stub) > 0 ||
		slices.ContainsFunc(s.a.Units, func(u *evidence.Unit) bool { return u.Link == evidence.LinkedTwice || s.onceCaptured(u) }) ||
		slices.ContainsFunc(s.a.Doubtful, func(u *evidence.Unit) bool { return !u.State.Dead() || u.Money.Moved || s.onceCaptured(u) }) ||
		slices.ContainsFunc(s.a.Events, func(e *payment.Event) bool { return e.State.Money() })
}

// seenUnit is the unit that a person saw captured: the one that the operator
// named, else the only one there is; none where nothing is known of it. ok is
// false where it cannot be told, or is not one that the row may take.
func (s *scene) seenUnit() (u *evidence.Unit, ok bool) {
	known := slices.Concat(s.units.Money, s.units.Open, s.a.Doubtful)
	if s.Unit != "" {
		known = slices.DeleteFunc(known, func(u *evidence.Unit) bool { return !slices.Contains(u.Names, s.Unit) })
		if len(known) == 0 {
			return nil, false
		}
	}
	if len(known) == 0 {
		return nil, true
	}
	if len(known) > 1 || known[0].Link == evidence.LinkedTwice || s.elsewhere(known[0]) {
		return nil, false
	}
	r := s.fits(known[0])
	return known[0], r == nil || r.Reason == ReasonAmountUnstated
}

// elsewhere: another attempt's row names the unit, or has it for its own.
func (s *scene) elsewhere(u *evidence.Unit) bool {
	return slices.ContainsFunc(s.facts.Attempts, func(o *evidence.Attempt) bool {
		return o != s.a && (o.ProviderID != "" && slices.Contains(u.Names, o.ProviderID) || slices.Contains(o.Units, u))
	})
}

// askedAll: every question that can be asked has an answer of just now,
// whatever it said.
func (s *scene) askedAll() bool {
	return !slices.ContainsFunc(s.questions(), func(q Question) bool {
		answer := s.last(q)
		return answer == nil || !s.fresh(answer.At)
	})
}

func manualWord(m *payment.Manual) string {
	if m.Seen == payment.StateNone {
		return "absent"
	}
	return m.Seen.String()
}

func magnitude(u *evidence.Unit) int64 { return money.Magnitude(u.Money.Captured.Minor) }
