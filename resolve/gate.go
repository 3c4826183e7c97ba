package resolve

import (
	"slices"
	"strings"

	"desfecho/internal/evidence"
	"desfecho/internal/payment"
)

// gate lists the conditions of `failed` on absence (RULES §6). All must hold;
// approval of an outflow is due besides.
func (s *scene) gate() []Condition {
	questions := s.questions()
	return []Condition{
		s.askable(questions), s.ripe(), s.askedNow(questions), s.askedTwice(questions),
		s.neverFound(), s.read(), s.noLookAlike(), s.noEvent(),
	}
}

func condition(name string, met bool, reason, sentence string, at payment.Instant) Condition {
	c := Condition{Name: name, Met: met}
	if !met {
		c.Reason, c.Sentence, c.ChangesAt = reason, sentence, at
	}
	return c
}

func (s *scene) askable(questions []Question) Condition {
	return condition("askable", len(questions) > 0, ReasonNoLookup, "the provider cannot be asked by any key that the attempt carries", 0)
}

// ripe: earlier observations do not ripen, so the clock must be past the
// horizon before any counts (law 6).
func (s *scene) ripe() Condition {
	horizon := s.a.Policy.Horizon(s.a.Attempt)
	return condition("horizon", s.Now >= horizon || bug(bugStaleNotFound), ReasonBeforeHorizon, "until then the provider may not show it yet", horizon)
}

// no tells whether an answer is a complete negative one.
func (s *scene) no(a *evidence.Answer) bool { return a.No() || bug(bugUnclearIsNo) && len(a.Own) == 0 }

// negative tells whether an answer counts against the attempt's existence: a
// complete no after the horizon. Where only a reference of scope charge ties
// units to it, an answer whose units all ended without money is one, too.
func (s *scene) negative(a *evidence.Answer) bool {
	return (s.no(a) || s.allDead(a)) && (a.At >= s.a.Policy.Horizon(s.a.Attempt) || bug(bugStaleNotFound))
}

// askedNow: the last answer to every question is a complete no, of just now.
func (s *scene) askedNow(questions []Question) Condition {
	for _, q := range questions {
		answer := s.last(q)
		reason, sentence := "", ""
		switch {
		case answer == nil:
			reason, sentence = ReasonNotAsked, "not asked yet by "+words(q)
		case answer.Reason != "" && !s.no(answer):
			reason, sentence = ReasonInconclusive, "no clear answer by "+words(q)+": "+plain(answer.Reason)
		case !s.no(answer) && !s.allDead(answer):
			reason, sentence = ReasonFoundBefore, "found by "+words(q)
		case !s.fresh(answer.At):
			reason, sentence = ReasonStale, "last asked too long ago by "+words(q)
		}
		if reason != "" {
			return condition("asked_now", false, reason, sentence, s.Now)
		}
	}
	if reason := s.a.Answers.Reason; reason != "" && !bug(bugUnclearIsNo) {
		return condition("asked_now", false, ReasonInconclusive, "one look-up gave no clear answer: "+plain(reason), s.Now)
	}
	return condition("asked_now", true, "", "", 0)
}

// askedTwice: two counted negatives to every question, recheck_gap apart.
func (s *scene) askedTwice(questions []Question) Condition {
	met, at := true, payment.Instant(0)
	for _, q := range questions {
		var first, last payment.Instant
		for i := range s.a.Answers.All {
			if answer := &s.a.Answers.All[i]; asks(answer, q) && s.negative(answer) {
				if first == 0 {
					first = answer.At
				}
				last = answer.At
			}
		}
		switch gap := s.a.Policy.RecheckGap; {
		case first == 0:
			met, at = false, max(at, max(s.Now, s.a.Policy.Horizon(s.a.Attempt)).Add(gap))
		case last.Sub(first) < gap || last == first:
			met, at = false, max(at, first.Add(gap))
		}
	}
	sentence := "two look-ups " + strings.TrimSuffix(s.a.Policy.RecheckGap.String(), "0s") + " apart are needed after the horizon"
	return condition("asked_twice", met || bug(bugAskedOnce), ReasonAskedOnce, sentence, at)
}

// neverFound: no look-up ever showed a unit of it that could hold money.
func (s *scene) neverFound() Condition {
	for i := range s.a.Answers.All {
		if answer := &s.a.Answers.All[i]; len(answer.Own) > 0 && !s.allDead(answer) {
			return condition("never_found", false, ReasonFoundBefore, "a look-up found it before", 0)
		}
	}
	return condition("never_found", !s.a.Answers.Lapsed, ReasonFoundBefore, "a look-up found it before", 0)
}

// read: what must show the attempt was read to the end, and ties (law 7).
func (s *scene) read() Condition {
	sort, wanted, alone := s.coverage.Telling(s.a)
	grade, read := s.coverage.Covers(s.a.Policy, s.a.Account, sort, wanted)
	sentence := "the provider's " + statementWord(sort) + " was not read to the end over the time in which it would stand"
	if read {
		sentence = "the provider's " + statementWord(sort) + " was read, but its end is only " + grade.String()
	}
	met := alone || read && (grade == payment.Proven || bug(bugAnyGrade)) || bug(bugNoCoverage)
	return condition("coverage", met, ReasonNotCovered, sentence, max(s.Now, wanted.To))
}

func statementWord(sort payment.Sort) string {
	if sort == payment.ObjectList {
		return "list of objects"
	}
	return "ledger"
}

func (s *scene) readWords() string {
	sort, _, alone := s.coverage.Telling(s.a)
	if alone {
		return "the ledger books too late to tell"
	}
	return "the " + statementWord(sort) + " read to the end"
}

// noLookAlike: no captured unit of the same amount and currency near it that
// belongs to nobody and was not dismissed (RULES §6). Near misses block and
// never join (law 9).
func (s *scene) noLookAlike() Condition {
	for _, u := range s.lookAlikes() {
		if !s.dismissed(u) {
			return condition("look_alike", false, ReasonLookAlike, "object "+u.ID+" of the same amount belongs to nobody: dismiss it with a reason, or find its order", 0)
		}
	}
	return condition("look_alike", true, "", "", 0)
}

func (s *scene) lookAlikes() []*evidence.Unit {
	near := s.a.Policy.Near(s.a.CreatedAt, s.a.LastSent)
	var found []*evidence.Unit
	for _, u := range s.facts.Units {
		if u.LookAlike() && u.Provider == s.a.Provider && near.Contains(u.Since()) &&
			u.Money.Currency == s.a.Amount.Currency && u.Money.Captured.Known && magnitude(u) == s.a.Amount.Minor {
			found = append(found, u)
		}
	}
	return found
}

func (s *scene) dismissed(u *evidence.Unit) bool {
	return bug(bugIgnoreLookAlike) || slices.ContainsFunc(s.Dismissed, func(d Dismissal) bool {
		return d.Attempt == s.a.ID && slices.Contains(u.Names, d.Unit) && d.Reason != "" && d.At <= s.Now
	})
}

// noEvent: a stored event that names the attempt blocks (law 15).
func (s *scene) noEvent() Condition {
	return condition("event", len(s.a.Events) == 0 || bug(bugIgnoreEvent), ReasonStoredEvent, "a stored event names it: the provider knew of it", 0)
}

// gateFacts is what an approver of an absence agrees to.
func (s *scene) gateFacts() []string {
	var facts []string
	for _, q := range s.questions() {
		facts = append(facts, fact("absent", words(q), q.Account))
	}
	for _, u := range s.units.Dead {
		facts = append(facts, fact("unit", u.ID, u.State.String()))
	}
	for _, d := range s.Dismissed {
		if d.Attempt == s.a.ID && d.Reason != "" && d.At <= s.Now {
			facts = append(facts, fact("dismissed", d.Unit, d.Reason, d.By))
		}
	}
	return facts
}

// words names a question.
func words(q Question) string {
	switch q.Key.Kind {
	case payment.KeyUnit:
		return "id " + q.Key.Value
	case payment.KeyIdempotency:
		return "idempotency key " + q.Key.Value
	case payment.KeyReference:
	}
	return q.Key.Name + " " + q.Key.Value
}
