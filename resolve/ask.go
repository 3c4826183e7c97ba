package resolve

import (
	"slices"

	"desfecho/internal/evidence"
	"desfecho/internal/payment"
)

// Questions lists what the provider can be asked about the attempt, in the
// provider's own order of trust: by every key that it offers and that the
// attempt, or a line or event about it, carries; in every account that the
// attempt may belong to (RULES §6, §8). It is empty where nothing can be asked,
// or the case does not hold the attempt.
func Questions(c Case) []Question {
	s, refusal := look(&c)
	if refusal != nil {
		return nil
	}
	return s.questions()
}

func (s *scene) questions() []Question {
	accounts := s.a.Policy.Accounts
	if s.a.Account != "" || len(accounts) == 0 {
		accounts = []string{s.a.Account}
	}
	var all []Question
	for _, key := range s.a.Policy.LookupBy {
		for _, value := range s.values(key) {
			key.Value = value
			for _, account := range accounts {
				if q := (Question{key, account}); !slices.Contains(all, q) {
					all = append(all, q)
				}
			}
		}
	}
	return all
}

// values lists what the attempt, its lines and its events carry for a key.
func (s *scene) values(key payment.LookupKey) []string {
	var found, told []string
	switch key.Kind {
	case payment.KeyUnit:
		found = append(found, s.a.ProviderID)
		for _, u := range s.a.Units {
			for _, l := range u.Lines {
				told = append(told, l.Unit)
			}
		}
		for _, e := range s.a.Events {
			told = append(told, e.Unit)
		}
	case payment.KeyIdempotency:
		found = append(found, s.a.Key)
		for _, e := range s.a.Events {
			told = append(told, e.Key)
		}
	case payment.KeyReference:
		found = append(found, named(s.a.References, key.Name)...)
		for _, e := range s.a.Events {
			told = append(told, named(e.References, key.Name)...)
		}
	}
	slices.Sort(told)
	return slices.DeleteFunc(append(found, told...), func(value string) bool { return value == "" })
}

// named lists the values of one reference.
func named(refs []payment.Reference, name string) []string {
	var values []string
	for _, r := range refs {
		if r.Name == name {
			values = append(values, r.Value)
		}
	}
	return values
}

// last is the newest answer to a question, nil where it was never asked.
func (s *scene) last(q Question) *evidence.Answer {
	for i, answer := range slices.Backward(s.a.Answers.All) {
		if asks(&answer, q) {
			return &s.a.Answers.All[i]
		}
	}
	return nil
}

func asks(a *evidence.Answer, q Question) bool {
	return a.Key == q.Key && (a.Account == q.Account || a.Account == "" || q.Account == "")
}

// fresh tells whether what was observed then may still be confirmed.
func (s *scene) fresh(at payment.Instant) bool {
	return bug(bugStaleEvidence) || s.Now.Sub(at) <= s.a.Policy.EvidenceMaxAge
}

// shown is the newest answer that holds the unit.
func (s *scene) shown(u *evidence.Unit) *evidence.Answer {
	for i, answer := range slices.Backward(s.a.Answers.All) {
		if slices.Contains(answer.Own, u) {
			return &s.a.Answers.All[i]
		}
	}
	return nil
}

// superseded tells whether the same question was answered again since.
func (s *scene) superseded(a *evidence.Answer) bool {
	return s.last(Question{a.Key, a.Account}) != a
}

// unanswered says why nothing is known from look-ups: never asked, or nothing
// clear.
func (s *scene) unanswered() *refusal {
	answers := &s.a.Answers
	switch {
	case len(s.questions()) == 0:
		return &refusal{Reason: ReasonNoLookup, Sentence: "the provider cannot be asked by any key that the attempt carries"}
	case !answers.Asked:
		return &refusal{ReasonNotAsked, "the provider was not asked yet", s.Now}
	case answers.Reason != "":
		return &refusal{ReasonInconclusive, "the provider gave no clear answer: " + plain(answers.Reason), s.Now}
	}
	return nil
}
