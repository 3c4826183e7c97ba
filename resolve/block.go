package resolve

import (
	"slices"

	"desfecho/internal/evidence"
	"desfecho/internal/payment"
)

// blocked names the class that blocks final marks wherever it stands
// (RULES §4); amounts are held against the unit in question (see fits).
func (s *scene) blocked() *refusal {
	switch {
	case len(s.units.Other) > 0 || slices.ContainsFunc(s.a.Events, func(e *payment.Event) bool { return e.Mode != s.a.Policy.Mode }):
		return &refusal{Reason: ReasonTestMode, Sentence: "an object of the provider's other mode carries its keys"}
	case len(s.units.Unmapped) > 0:
		return &refusal{ReasonUnmappedStatus, "the provider's state of an object is outside the map", s.Now}
	case len(s.units.Conflict) > 0:
		return &refusal{Reason: ReasonConflict, Sentence: "one line id stands for two contents"}
	case s.a.Direction() == payment.In && len(evidence.WrongSign(s.a.Units)) > 0:
		return &refusal{Reason: ReasonAmount, Sentence: "a line that gives back has the sign of one that takes"}
	}
	return nil
}

// doubtful: some unit cannot be told apart between this attempt and others, or
// is recorded on another one as well.
func (s *scene) doubtful() *refusal {
	if len(s.a.Doubtful) > 0 {
		return &refusal{Reason: ReasonAmbiguous, Sentence: "object " + s.a.Doubtful[0].ID + " cannot be told apart between this attempt and others"}
	}
	for _, u := range s.a.Units {
		if u.Link == evidence.LinkedTwice {
			return &refusal{Reason: ReasonRecordedTwice, Sentence: "object " + u.ID + " is recorded on another attempt as well"}
		}
	}
	return nil
}

// contradiction says how the evidence contradicts itself; empty where it does
// not (RULES §6). It is shown and no mark offered: look again.
func (s *scene) contradiction() string {
	answers := &s.a.Answers
	switch {
	case answers.Lapsed:
		return "an earlier look-up found it, and the last one does not"
	case len(s.units.Money) > 0 && s.a.Contradicted(s.units.Money):
		return "a statement says captured, and the last look-up does not"
	case len(s.units.Money) == 0 && len(s.units.Open)+len(s.units.Dead) > 0 && answers.Asked && answers.Negative:
		return "a statement shows it, and the last look-up does not"
	}
	for _, u := range s.a.Units {
		switch {
		case !u.Money.Moved && s.onceCaptured(u):
			return "object " + u.ID + " was captured when it was seen before"
		case s.vanished(u):
			return "object " + u.ID + " is shown, and the look-up by its own id does not find it"
		}
	}
	return ""
}

// onceCaptured tells whether any observation of the unit said that money moved.
func (s *scene) onceCaptured(u *evidence.Unit) bool {
	said := func(o *payment.Unit) bool { return o.State.Money() && slices.Contains(u.Names, o.ID) }
	for i := range s.Units {
		if said(&s.Units[i]) {
			return true
		}
	}
	for _, answer := range s.a.Answers.All {
		for i := range answer.Units {
			if said(&answer.Units[i]) {
				return true
			}
		}
	}
	return false
}

// vanished: the last look-up by the unit's own id, in its own account, finds
// nothing.
func (s *scene) vanished(u *evidence.Unit) bool {
	for i := range s.a.Answers.All {
		a := &s.a.Answers.All[i]
		if a.No() && a.Key.Kind == payment.KeyUnit && slices.Contains(u.Names, a.Key.Value) && !s.superseded(a) &&
			(a.Account == u.Account || a.Account == "" || u.Account == "") {
			return true
		}
	}
	return false
}

// again is the refusal of evidence that contradicts itself.
func (s *scene) again() *refusal {
	if said := s.contradiction(); said != "" {
		return &refusal{ReasonContradiction, said, s.Now}
	}
	return nil
}
