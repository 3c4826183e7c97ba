package resolve

import (
	"slices"
	"strings"

	"desfecho/internal/evidence"
	"desfecho/internal/payment"
)

// failed: nothing captured and nothing open, and either units that ended
// without money and are this attempt's own, or an absence that the gate proves.
func (s *scene) failed(gate []Condition) Offer {
	if len(s.units.Dead) > 0 && bug(bugDeclineDominates) {
		return Offer{Mark: Failed, Allowed: true, Transition: ToFailed, Amount: s.a.Amount}
	}
	for _, refused := range []func() *refusal{s.blocked, s.charged, s.doubtful, s.again, s.unended, s.seenCharged} {
		if r := refused(); r != nil {
			return refuse(Failed, *r)
		}
	}
	o := Offer{Mark: Failed, Allowed: true, Transition: ToFailed, Unit: s.a.ProviderID, Amount: s.a.Amount}
	if s.ownDead() {
		if r := s.declined(&o); r != nil {
			return refuse(Failed, *r)
		}
		return o
	}
	for i := range gate {
		if !gate[i].Met {
			return refuse(Failed, refusal{gate[i].Reason, gate[i].Sentence, latest(gate)})
		}
	}
	o.Basis, o.Again = BasisAbsence, s.questions()
	o.Sentence = "not found twice by every key; " + s.readWords() + "; nothing captured looks like it"
	if len(s.units.Dead) > 0 {
		o.Sentence = "its charge's only object ended without money, and no other appeared"
	}
	o.Facts = append(o.Facts, s.gateFacts()...)
	return o
}

// latest is when the last of the unmet conditions can change; 0 where one of
// them waits for something that time does not bring.
func latest(gate []Condition) payment.Instant {
	var at payment.Instant
	for i := range gate {
		if !gate[i].Met {
			if gate[i].ChangesAt == 0 {
				return 0
			}
			at = max(at, gate[i].ChangesAt)
		}
	}
	return at
}

// charged: never `failed` against money.
func (s *scene) charged() *refusal {
	if len(s.units.Money) == 0 {
		return nil
	}
	return &refusal{Reason: ReasonCaptured, Sentence: "the provider holds a captured object"}
}

// seenCharged: the last person who looked saw it captured.
func (s *scene) seenCharged() *refusal {
	var last *payment.Manual
	for _, m := range s.seen() {
		if last == nil || m.At > last.At || m.At == last.At && m.Seen.Money() {
			last = m
		}
	}
	if last == nil || !last.Seen.Money() {
		return nil
	}
	return &refusal{Reason: ReasonContradiction, Sentence: "a person saw it captured"}
}

// unended: something is still open, or only a return of it is known.
func (s *scene) unended() *refusal {
	switch {
	case len(s.units.Open) > 0:
		return s.stillOpen()
	case len(s.units.Stub) > 0:
		return &refusal{ReasonOnlyReturn, "only a return of it is known", s.Now}
	}
	return nil
}

// ownDead tells whether there are units that ended without money and all are
// tied to this attempt by id, key or a reference of scope attempt.
func (s *scene) ownDead() bool {
	return len(s.units.Dead) > 0 && !slices.ContainsFunc(s.units.Dead, func(u *evidence.Unit) bool { return !s.a.TiedTo(u) && !bug(bugChargeScopeDecides) })
}

// declined wants the provider's own word of just now that the attempt's units
// ended without money, no other answer that is unclear, and no stored event
// that speaks of another object or of money.
func (s *scene) declined(o *Offer) *refusal {
	for _, e := range s.a.Events {
		if !s.spent(e) {
			return &refusal{ReasonStoredEvent, "a stored event speaks of money or of another object", s.Now}
		}
	}
	if s.a.ProviderID != "" && !s.names(s.a.ProviderID) {
		return &refusal{Reason: ReasonOtherObject, Sentence: "the row names object " + s.a.ProviderID + ", which is not among those that ended"}
	}
	var shown *evidence.Answer
	for i, answer := range slices.Backward(s.a.Answers.All) {
		if s.allDead(&answer) && !s.superseded(&s.a.Answers.All[i]) {
			shown = &s.a.Answers.All[i]
			break
		}
	}
	if r := s.unanswered(); r != nil {
		return r
	}
	switch {
	case shown == nil:
		return &refusal{ReasonContradiction, "a statement says that it ended without money, and no look-up does", s.Now}
	case !s.fresh(shown.At):
		return &refusal{ReasonStale, "the provider was last asked too long ago", s.Now}
	}
	o.Basis, o.Again = BasisDeclined, []Question{{shown.Key, shown.Account}}
	var words []string
	for _, u := range s.units.Dead {
		words = append(words, u.State.String())
		o.Facts = append(o.Facts, fact("unit", u.ID, u.State.String()))
	}
	slices.Sort(words)
	o.Sentence = "finally " + strings.Join(slices.Compact(words), ", ") + " at the provider, nothing captured and nothing open"
	return nil
}

// spent tells whether an event speaks of nothing but a unit that ended without
// money.
func (s *scene) spent(e *payment.Event) bool {
	return (e.Unit == "" && e.State.Dead() || e.Unit != "" && s.names(e.Unit)) && !e.State.Money()
}

// names tells whether the id is one of a unit that ended without money.
func (s *scene) names(id string) bool {
	return slices.ContainsFunc(s.units.Dead, func(u *evidence.Unit) bool { return slices.Contains(u.Names, id) })
}

// allDead tells whether the answer shows units of this attempt, and none that
// did not finally end without money.
func (s *scene) allDead(a *evidence.Answer) bool {
	for _, u := range a.Own {
		if said := a.Said(u); !slices.Contains(s.units.Dead, u) || said != payment.StateNone && !said.Dead() {
			return false
		}
	}
	return len(a.Own) > 0
}
