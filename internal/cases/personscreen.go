package cases

import (
	"cmp"
	"fmt"
	"slices"

	"desfecho/resolve"
)

// opens opens a screen of the story, and leaves it where nothing is confirmed
// there later.
func (s *seat) opens(step *step, prefix string) error {
	if step.On != "" {
		return nil // a replica serves reports only
	}
	v, err := s.screen(step.Attempt, step.Unit, "")
	if err != nil {
		return err
	}
	s.opened[step.Attempt] = opening{v, *s.row(step.Attempt)}
	screen, err := s.Open(step.Attempt, step.Unit, s.answers(step.Attempt))
	if err != nil {
		return err
	}
	if step.Expect != nil {
		s.compareMarks(prefix, step.Attempt, screen.Marks(), step.Expect)
	}
	if s.confirmedLater(step) {
		s.waiting = screen
		return nil
	}
	_, err = screen.Type("no")
	return err
}

// confirmedLater tells whether the next thing that is done to the attempt's
// screen is to confirm a mark there.
func (s *seat) confirmedLater(from *step) bool {
	later := false
	for i := range s.Steps {
		other := &s.Steps[i]
		if later && other.Attempt == from.Attempt && (other.Do == "open" || other.Do == "confirm") {
			return other.Do == "confirm"
		}
		later = later || other == from
	}
	return false
}

// confirms types the mark and the amount at the screen that waits.
func (s *seat) confirms(step *step) (exit string, err error) {
	if s.waiting == nil {
		return "", fmt.Errorf("no screen of %s waits", step.Attempt)
	}
	screen := s.waiting
	s.waiting = nil
	if exit, err = screen.Type(s.typed(step.Attempt, markOf(step.Mark), 0)); err != nil || exit != "done" {
		return exit, err
	}
	v := s.opened[step.Attempt].verdict
	overlay(s.row(step.Attempt), written(v.Offers(markOf(step.Mark))))
	s.audited++
	return exit, nil
}

// typed is what a person types: the mark and the amount, off by so many of its
// minor units.
func (s *seat) typed(attempt string, mark resolve.Mark, off int64) string {
	a, err := s.attempt(s.row(attempt))
	if err != nil {
		return ""
	}
	a.Amount.Minor += off
	if mark == resolve.Unknown {
		return mark.String() + [2]string{"", " 1"}[min(off, 1)]
	}
	return mark.String() + " " + a.Amount.Decimal()
}

// last looks at each attempt that the case names as it stands in the end,
// confirms nothing by a wrong amount, and then the one offered mark.
func (s *seat) last() error {
	if err := s.until(s.Now, 0); err != nil {
		return err
	}
	want := s.Expect
	var ids []string
	for _, id := range slices.Concat(sortedKeys(want.Allowed), sortedKeys(want.Forbidden), sortedKeys(want.Writes), sortedKeys(want.Reserve), sortedKeys(want.Named)) {
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	for _, id := range ids {
		others, err := s.heard(func(row *lookupRow) bool { return row.At <= s.at && row.Attempt != id })
		if err != nil {
			return err
		}
		if err := s.Hear(others); err != nil {
			return err
		}
		if err := s.judged(id, want); err != nil {
			return fmt.Errorf("%s: %w", id, err)
		}
	}
	return s.compareRows("", want)
}

// judged plays one attempt of the end.
func (s *seat) judged(id string, want *Expect) error {
	v, err := s.screen(id, "", "")
	if err != nil {
		return err
	}
	o := confirmable(&v)
	mark := resolve.Failed
	if o != nil {
		mark = o.Mark
	}
	before, _, err := s.Settled()
	if err != nil {
		return err
	}
	screen, err := s.Open(id, "", s.answers(id))
	if err != nil {
		return err
	}
	s.compareMarks("", id, screen.Marks(), want)
	exit, err := screen.Type(s.typed(id, mark, 1))
	if err != nil {
		return err
	}
	s.untouched(id, exit, before)
	for _, unit := range sortedKeys(want.Named[id]) {
		named, err := s.Open(id, unit, s.answers(id))
		if err != nil {
			return err
		}
		var d differences
		d.text(fmt.Sprintf("marks of %s with %s named", id, unit), sorted(named.Marks()), sorted(want.Named[id][unit]))
		s.Differences = append(s.Differences, d...)
		if _, err := named.Type("no"); err != nil {
			return err
		}
	}
	if o == nil || len(s.Differences) > 0 {
		return nil
	}
	return s.writes(id, o, before, want)
}

// untouched compares what a screen without a confirmation leaves behind.
func (s *seat) untouched(id, exit string, before int) {
	var d differences
	d.text("exit of the screen of "+id+" that nobody confirms", exit, "not_confirmed")
	now, _, err := s.Settled()
	if err != nil {
		d.addf("%v", err)
	}
	d.text("resolutions after the screen of "+id, fmt.Sprint(now), fmt.Sprint(before))
	s.sameRow(&d, id, *s.row(id))
	s.Differences = append(s.Differences, d...)
}

// writes confirms the mark, compares what stands then, and puts the row back:
// each attempt's screen is that of the same moment.
func (s *seat) writes(id string, o *resolve.Offer, before int, want *Expect) error {
	screen, err := s.Open(id, "", s.answers(id))
	if err != nil {
		return err
	}
	exit, err := screen.Type(s.typed(id, o.Mark, 0))
	if err != nil {
		return err
	}
	now, transition, err := s.Settled()
	if err != nil {
		return err
	}
	var d differences
	d.text("exit of "+o.Mark.String()+" for "+id, exit, "done")
	d.text("resolutions after it", fmt.Sprint(now), fmt.Sprint(before+1))
	after := *s.row(id)
	reserve := after.Reserve
	if overlay(&after, written(o)); reserve == "" {
		after.Reserve = ""
	}
	if s.sameRow(&d, id, after); want.Writes[id].Status != "" {
		wanted := want.Writes[id]
		d.text("transition of "+id, transition, cmp.Or(wanted.Transition, wanted.Status))
		after.Status, after.Unit = wanted.Status, wanted.Unit
		after.Reserve = cmp.Or(want.Reserve[id], after.Reserve)
		s.sameRow(&d, id, after)
	}
	s.Differences = append(s.Differences, d...)
	return s.change(id)
}

// sameRow compares the row as it is stored.
func (s *seat) sameRow(d *differences, id string, want attemptRow) {
	stored, err := s.Stored(id)
	if err != nil {
		d.addf("%v", err)
		return
	}
	d.text("stored status of "+id, stored.Status.String(), want.Status)
	d.text("stored unit of "+id, stored.ProviderID, want.Unit.Value)
	d.text("stored reserve of "+id, stored.Reserve.String(), want.Reserve)
	d.text("stored version of "+id, stored.Version, fmt.Sprint(version(&want)))
}

// compareMarks compares what a screen offers.
func (s *seat) compareMarks(prefix, id string, offered []string, want *Expect) {
	var d differences
	if marks, given := want.Allowed[id]; given {
		d.text("marks of "+id, sorted(offered), sorted(marks))
	}
	for _, word := range offered {
		if slices.Contains(want.Forbidden[id], word) {
			d.addf("HARM: %s is offered for %s", word, id)
		}
	}
	for _, difference := range d {
		s.failf("%s%s", prefix, difference)
	}
}

// compareRows compares the rows and the audit as they must stand.
func (s *seat) compareRows(prefix string, want *Expect) error {
	var d differences
	for _, id := range sortedKeys(want.Rows) {
		stored, err := s.Stored(id)
		if err != nil {
			return err
		}
		wanted := want.Rows[id]
		d.given("stored status of "+id, stored.Status.String(), wanted.Status)
		d.nullable("stored unit of "+id, stored.ProviderID, wanted.Unit)
		d.given("stored reserve of "+id, stored.Reserve.String(), wanted.Reserve)
		if wanted.Version != nil {
			d.text("stored version of "+id, stored.Version, fmt.Sprint(*wanted.Version))
		}
	}
	if want.AuditRows != nil {
		n, _, err := s.Settled()
		if err != nil {
			return err
		}
		d.text("resolutions in the audit", fmt.Sprint(n), fmt.Sprint(*want.AuditRows))
	}
	for _, difference := range d {
		s.failf("%s%s", prefix, difference)
	}
	return nil
}
