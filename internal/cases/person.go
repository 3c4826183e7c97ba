package cases

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/reconcile"
	"desfecho/resolve"
)

// Person is somebody at a terminal of the program, and the world around: a
// database that holds the case, a provider that answers as the case says, and a
// clock that stands where the case's does.
type Person interface {
	// Place puts the facts where the program reads them, and sets the clock on
	// their now.
	Place(in *reconcile.Input, rules Rules) error
	// Change writes one attempt as the application does, by itself.
	Change(a *payment.Attempt) error
	// Hear keeps answers that the provider gave to somebody else.
	Hear(answers []payment.Lookup) error
	// Open opens the screen of an attempt; unit is the one that the operator
	// names, "" for none. The provider gives the answers to whoever asks now;
	// where there are none it cannot be asked.
	Open(attempt, unit string, answers []payment.Lookup) (Screen, error)
	// Approve lets the login approve the mark, where it is due for that.
	Approve(attempt string, mark resolve.Mark, login string, answers []payment.Lookup) error
	// Testify keeps what a login saw by itself.
	Testify(seen payment.Manual, word string) error
	// Dismiss puts a look-alike aside.
	Dismiss(d reconcile.Dismissal) error
	// Stored is an attempt as its table holds it.
	Stored(attempt string) (payment.Attempt, error)
	// Settled is how many resolutions the audit holds, and the transition of the
	// last.
	Settled() (n int, transition string, err error)
}

// Screen is what the program shows of one attempt.
type Screen interface {
	// Marks are the marks that it offers, in the words of cases.
	Marks() []string
	// Type types the line, where the program asks for one, and gives how the
	// command ends.
	Type(line string) (exit string, err error)
}

// Rules are what the configuration says of approvals, and by which keys the
// provider shows a unit that is known to exist.
type Rules struct {
	ApprovalTTL   time.Duration // 0: the default
	ApprovalAbove []money.Amount
	Controlled    func(payment.LookupKey) bool
}

// HasScreens tells whether the case expects anything of what a person is shown
// or does.
func (c *Case) HasScreens() bool {
	all := []*Expect{c.Expect}
	for i := range c.Steps {
		all = append(all, c.Steps[i].Expect)
	}
	return slices.ContainsFunc(all, func(e *Expect) bool {
		return e != nil && (len(e.Allowed)+len(e.Forbidden)+len(e.Named)+len(e.Writes)+len(e.Reserve)+len(e.Rows) > 0 || e.AuditRows != nil)
	})
}

// PlayPerson plays what the case says of screens, marks and confirmations with
// a person at the program. What is expected of runs is left out: Play compares it.
func PlayPerson(c *Case, person Person) Report {
	s := &seat{Person: person, Report: Report{ID: c.ID}, moment: &moment{
		Case: c, attempts: slices.Clone(c.Attempts), dismissed: slices.Clone(c.Dismissed), decide: resolve.Decide, opened: map[string]opening{},
	}, witnessed: map[int]bool{}, asked: map[int]bool{}}
	for i := range c.Steps {
		if err := s.step(i); err != nil {
			s.failf("step %d: %v", i+1, err)
			return s.Report
		}
	}
	s.at, s.through, s.window = c.Now, 0, c.window(nil)
	if err := s.last(); err != nil {
		s.failf("%v", err)
	}
	return s.Report
}

// seat is a person who plays a case.
type seat struct {
	Person
	Report
	*moment
	witnessed map[int]bool // manual evidence, approvals and dismissals that were given, one after the other
	asked     map[int]bool // look-ups that were answered live, or stored
	waiting   Screen       // that waits for its answer
}

func (s *seat) step(i int) error {
	step := &s.Steps[i]
	prefix := fmt.Sprintf("step %d: ", i+1)
	if err := s.until(step.At, step.Through); err != nil {
		return err
	}
	exit := ""
	var err error
	switch step.Do {
	case "app":
		overlay(s.row(step.Attempt), step.Set)
		err = s.change(step.Attempt)
	case "dismiss":
		row := dismissalRow{step.Attempt, step.Unit, step.Reason, step.By, step.At}
		s.dismissed = append(s.dismissed, row)
		err = s.Dismiss(reconcile.Dismissal(row))
	case "open":
		err = s.opens(step, prefix)
	case "approve":
		s.approve(step)
		err = s.Approve(step.Attempt, markOf(step.Mark), step.By, s.latest(step.Attempt))
	case "confirm":
		exit, err = s.confirms(step)
	}
	if err != nil || step.Expect == nil {
		return err
	}
	if want := step.Expect.Exit; step.Do == "confirm" && want != "" && exit != want {
		s.failf("%sexit %s, want %s", prefix, exit, want)
	}
	return s.compareRows(prefix, step.Expect)
}

// until brings the world to the moment: what people said by themselves until
// then, and the facts that are known by then. A screen that waits is not
// disturbed by new facts.
func (s *seat) until(at, through payment.Instant) error {
	for i, row := range s.Dismissed {
		if place := len(s.Manual) + len(s.Approvals) + i; row.At <= at && !s.witnessed[place] {
			if err := s.place(cmp.Or(row.At, at), 0); err != nil {
				return err
			}
			if err := s.Dismiss(reconcile.Dismissal(row)); err != nil {
				return err
			}
			s.witnessed[place] = true
		}
	}
	for i := range s.Manual {
		if row := &s.Manual[i]; row.At <= at && !s.witnessed[i] {
			if err := s.place(row.At, 0); err != nil {
				return err
			}
			state, err := row.state()
			if err != nil {
				return err
			}
			if err := s.Testify(payment.Manual{Attempt: row.Attempt, Seen: state, Where: row.Where, By: row.By, At: row.At}, row.Seen); err != nil {
				return err
			}
			s.witnessed[i] = true
		}
	}
	for i := range s.Approvals {
		row := &s.Approvals[i]
		if row.At > at || s.witnessed[len(s.Manual)+i] {
			continue
		}
		if row.Digest != "" {
			return fmt.Errorf("approvals[%d]: the program approves what is shown, and nothing else", i)
		}
		if err := s.place(row.At, 0); err != nil {
			return err
		}
		if err := s.Approve(row.Attempt, markOf(row.Mark), row.By, s.latest(row.Attempt)); err != nil {
			return err
		}
		s.witnessed[len(s.Manual)+i] = true
	}
	return s.place(at, through)
}

// place puts the facts of the moment there, but what the provider answers now.
func (s *seat) place(at, through payment.Instant) error {
	s.at, s.through, s.window = at, through, s.Case.window(nil)
	in, err := s.input()
	if err != nil {
		return err
	}
	in.Lookups, err = s.heard(func(row *lookupRow) bool { return row.At < at })
	if err != nil {
		return err
	}
	return s.Place(&in, s.rules())
}

// heard gives the look-ups that are to be stored: none twice.
func (s *seat) heard(wanted func(*lookupRow) bool) (looks []payment.Lookup, err error) {
	for i := range s.Lookups {
		row := s.timed(i)
		if s.asked[i] || !wanted(&row) {
			continue
		}
		s.asked[i] = true
		look, err := s.lookup(&row)
		if err != nil {
			return nil, err
		}
		looks = append(looks, look)
	}
	return looks, nil
}

// timed is a look-up with its moment.
func (s *seat) timed(i int) lookupRow {
	row := s.Lookups[i]
	row.At = cmp.Or(row.At, s.Now)
	return row
}

// answers is what the provider says of the attempt at the moment.
func (s *seat) answers(attempt string) []payment.Lookup {
	return s.answersAt(attempt, s.at)
}

func (s *seat) answersAt(attempt string, at payment.Instant) (looks []payment.Lookup) {
	for i := range s.Lookups {
		row := s.timed(i)
		if row.Attempt != attempt || row.At != at {
			continue
		}
		look, err := s.lookup(&row)
		if err == nil { // it was read when the case was
			looks = append(looks, look)
		}
		s.asked[i] = s.asked[i] || at == s.at
	}
	return looks
}

// latest is what the provider said last of the attempt, else what it will say:
// it is not known to have changed in between.
func (s *seat) latest(attempt string) []payment.Lookup {
	best := payment.Instant(0)
	for i := range s.Lookups {
		row := s.timed(i)
		if row.Attempt == attempt && (best == 0 || row.At <= s.at && row.At > best) {
			best = row.At
		}
	}
	return s.answersAt(attempt, best)
}

func (s *seat) rules() Rules {
	rules := Rules{Controlled: func(key payment.LookupKey) bool {
		return s.Policy.Controls == nil || slices.ContainsFunc(*s.Policy.Controls, func(word string) bool {
			known, err := s.lookupKey(word)
			return err == nil && known == key
		})
	}}
	if ttl := s.Policy.ApprovalTTL; ttl != nil {
		rules.ApprovalTTL = ttl.duration()
	}
	if above := s.Policy.ApprovalAbove; above != nil {
		if a, err := s.attempt(&s.attempts[0]); err == nil {
			rules.ApprovalAbove = []money.Amount{{Minor: *above, Currency: a.Amount.Currency}}
		}
	}
	return rules
}

func (s *seat) change(id string) error {
	a, err := s.attempt(s.row(id))
	if err != nil {
		return err
	}
	return s.Change(&a)
}
