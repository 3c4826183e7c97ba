package resolve

import (
	"slices"

	"desfecho/internal/evidence"
	"desfecho/internal/payment"
)

// succeeded: one unit that fulfils what `succeeded` means, principal and
// currency equal, on no other attempt, of the right mode, and shown by the
// provider just now.
func (s *scene) succeeded() Offer {
	if len(s.a.Events) > 0 && bug(bugEventMarks) {
		return Offer{Mark: Succeeded, Allowed: true, Transition: ToSucceeded, Unit: s.a.Events[0].Unit, Amount: s.a.Amount}
	}
	for _, refused := range []func() *refusal{s.blocked, s.doubtful} {
		if r := refused(); r != nil {
			return refuse(Succeeded, *r)
		}
	}
	u, r := s.candidate()
	if r == nil {
		r = s.fits(u)
	}
	o := Offer{Mark: Succeeded, Allowed: true, unit: u, Amount: s.a.Amount}
	if r == nil {
		r = s.corroborate(&o)
	}
	if r != nil {
		return refuse(Succeeded, *r)
	}
	o.Unit = s.idOf(u)
	o.Facts = append(o.Facts, fact("unit", u.ID, u.State.String(), stake(u)))
	s.transit(&o)
	return o
}

// candidate is the unit that the mark would be about: the captured one, else
// the open one that is all that `succeeded` means; of several the one that the
// operator named.
func (s *scene) candidate() (*evidence.Unit, *refusal) {
	fulfilling := s.units.Money
	if len(fulfilling) == 0 {
		means := s.a.Policy.Means(s.a.Operation)
		for _, u := range s.units.Open {
			if evidence.FulfilsOpen(means, u) {
				fulfilling = append(fulfilling[:len(fulfilling):len(fulfilling)], u)
			}
		}
	}
	if s.Unit != "" {
		i := slices.IndexFunc(fulfilling, func(u *evidence.Unit) bool { return slices.Contains(u.Names, s.Unit) })
		if i < 0 {
			return nil, &refusal{Reason: ReasonNotNamed, Sentence: "object " + s.Unit + " is not one of this attempt that would fulfil it"}
		}
		return fulfilling[i], nil
	}
	switch {
	case len(fulfilling) == 1 || len(fulfilling) > 1 && bug(bugTakeFirst):
		return fulfilling[0], nil
	case len(fulfilling) > 1:
		return nil, &refusal{Reason: ReasonSeveral, Sentence: "several objects would fulfil it: name one with --unit"}
	}
	return nil, s.nothing()
}

// nothing says why no unit would fulfil the mark.
func (s *scene) nothing() *refusal {
	if r := s.again(); r != nil {
		return r
	}
	switch {
	case len(s.units.Open) > 0:
		return s.stillOpen()
	case len(s.units.Dead) > 0:
		return &refusal{ReasonDeclined, "the provider's object ended without money (" + s.units.Dead[0].State.String() + ")", s.Now}
	case len(s.units.Stub) > 0:
		return &refusal{ReasonOnlyReturn, "only a return of it is known", s.Now}
	}
	if r := s.unanswered(); r != nil {
		return r
	}
	return &refusal{ReasonNotFound, "the provider shows no object of it", s.Now}
}

// stillOpen: the provider may yet capture it; past open_limit its owner has to
// act there.
func (s *scene) stillOpen() *refusal {
	u := s.units.Open[0]
	r := &refusal{ReasonOpen, "the provider's object is still " + plain(u.State.String()), s.Now}
	switch {
	case u.State == payment.StateNone:
		r.Sentence = "the provider's object has no outcome yet"
	case u.State.Dead():
		r.Sentence = "the provider's object is " + u.State.String() + ", and may still change"
	}
	if s.Now.Sub(s.a.CreatedAt) > s.a.Policy.OpenLimit {
		r.Sentence += "; its owner must capture or cancel it at the provider"
	}
	return r
}

// fits tells why the unit cannot be what the row would take.
func (s *scene) fits(u *evidence.Unit) *refusal {
	if s.a.ProviderID != "" && !slices.Contains(u.Names, s.a.ProviderID) {
		return &refusal{Reason: ReasonOtherObject, Sentence: "the row names object " + s.a.ProviderID + ", the provider's is " + u.ID}
	}
	difference, stated := s.a.CompareAsked(u), u.Asked.Known && !u.Currency.IsZero()
	if u.Money.Moved {
		difference, stated = s.a.Compare(u), u.Money.Captured.Known && !u.Money.Currency.IsZero() || u.Money.Share
	}
	if difference != evidence.OtherCurrency && u.Principal.Known && u.Principal.Minor != s.a.Amount.Minor {
		difference = evidence.OtherAmount
	}
	if bug(bugAnyAmount) {
		difference = evidence.Equal
	}
	switch {
	case difference == evidence.OtherCurrency:
		return &refusal{ReasonCurrency, "the provider's amount is " + stake(u) + ", this attempt's " + s.a.Amount.String(), s.Now}
	case difference == evidence.OtherAmount:
		return &refusal{ReasonAmount, "the provider's amount is " + stake(u) + ", this attempt's " + s.a.Amount.String(), s.Now}
	case !stated:
		return &refusal{ReasonAmountUnstated, "the provider states no amount of object " + u.ID, s.Now}
	}
	return nil
}

// corroborate wants the provider's own word of just now. Where it cannot be
// asked, or no longer holds the period, a line of proven coverage decides, with
// approval.
func (s *scene) corroborate(o *Offer) *refusal {
	if r := s.again(); r != nil && !bug(bugIgnoreContradiction) {
		return r
	}
	if answer := s.shown(o.unit); answer != nil {
		switch {
		case s.superseded(answer):
			return &refusal{ReasonContradiction, "an earlier look-up found it, and the last one does not", s.Now}
		case !s.confirms(answer, o.unit):
			return &refusal{ReasonContradiction, "a statement says captured, and the last look-up says " + answer.Said(o.unit).String(), s.Now}
		case !s.fresh(answer.At):
			return &refusal{ReasonStale, "the provider was last asked too long ago", s.Now}
		}
		o.Basis, o.Again = BasisLookup, []Question{{answer.Key, answer.Account}}
		return nil
	}
	answers := &s.a.Answers
	switch {
	case len(s.questions()) > 0 && !answers.Asked:
		return s.unanswered()
	case answers.Asked && !s.noLongerHeld():
		return &refusal{ReasonContradiction, "a statement shows it, and no look-up does", s.Now}
	case answers.Asked && !s.fresh(answers.LastAt):
		return &refusal{ReasonStale, "the provider was last asked too long ago", s.Now}
	case !o.unit.Money.HasLines || !s.proven(o.unit):
		return &refusal{Reason: ReasonPeriodNotProven, Sentence: "the provider cannot be asked, and no line of proven coverage shows it"}
	}
	o.Basis = BasisLine
	o.Facts = append(o.Facts, fact("line", "proven"))
	return nil
}

// confirms: what the answer itself says of the unit is what the mark rests on.
// An answer that states nothing but an id leaves it to the lines.
func (s *scene) confirms(a *evidence.Answer, u *evidence.Unit) bool {
	said := a.Said(u)
	return said == payment.StateNone || u.Money.Moved == said.Money() || bug(bugIgnoreContradiction)
}

// noLongerHeld: every last answer says that the period is no longer held.
func (s *scene) noLongerHeld() bool {
	answers := &s.a.Answers
	return answers.PeriodNotHeld && answers.NegativeAt == 0 && len(answers.Found) == 0
}

// proven tells whether all lines that moved the unit's money stand where their
// own statement has been read to the end and ties.
func (s *scene) proven(u *evidence.Unit) bool {
	for _, l := range u.Lines {
		if !l.Still && !s.provenLine(l, u.Policy) {
			return false
		}
	}
	return true
}

func (s *scene) provenLine(l *payment.Line, p *evidence.Policy) bool {
	at := payment.Interval{From: l.At, To: l.At + 1}
	if l.DayOnly {
		at = payment.Interval{From: l.Day.Start(p.Zone), To: (l.Day + 1).Start(p.Zone)}
	}
	return slices.ContainsFunc(s.coverage.Groups(), func(g *evidence.StatementGroup) bool {
		return g.Sort == payment.Ledger && g.Name == l.Statement && g.Provider == l.Provider && g.Mode == l.Mode &&
			(g.Account == l.Account || g.Account == "" || l.Account == "") && g.Reads(at, payment.Proven)
	})
}

// idOf is the id that the row takes: the one that it holds already, if it
// names the unit.
func (s *scene) idOf(u *evidence.Unit) string {
	if s.a.ProviderID != "" {
		return s.a.ProviderID
	}
	return u.ID
}
