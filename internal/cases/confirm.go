package cases

import (
	"fmt"
	"slices"

	"desfecho/resolve"
)

// opening is what a screen showed, and the row that it was shown over.
type opening struct {
	verdict resolve.Verdict
	row     attemptRow
}

// open remembers what the operator sees. A replica serves reports only, so
// there is no screen.
func (r *Report) open(m *moment, s *step, prefix string) {
	if s.On != "" {
		r.Waits["step open on "+s.On]++
		return
	}
	shown, err := m.screen(s.Attempt, s.Unit, "")
	if err != nil {
		r.failf("%s%v", prefix, err)
		return
	}
	m.opened[s.Attempt] = opening{shown, *m.row(s.Attempt)}
}

// approve is another login's word for what the last screen showed.
func (m *moment) approve(s *step) {
	shown := m.opened[s.Attempt].verdict
	m.approved = append(m.approved, approval(&shown, &approvalRow{Attempt: s.Attempt, Mark: s.Mark, By: s.By, At: s.At}))
}

// confirm reads the row and the evidence once more, and writes the mark where
// the row still is what was seen and the verdict still has its digest. It says
// how the command ends.
func (r *Report) confirm(m *moment, s *step, prefix string) (exit string) {
	seen, row := m.opened[s.Attempt], m.row(s.Attempt)
	if row.Status != seen.row.Status || row.Unit != seen.row.Unit || version(row) != version(&seen.row) {
		return "moved"
	}
	now, err := m.screen(s.Attempt, s.Unit, s.By)
	if err != nil {
		r.failf("%s%v", prefix, err)
		return ""
	}
	o, shown := now.Offers(markOf(s.Mark)), seen.verdict.Offers(markOf(s.Mark))
	if !slices.Contains(markWords(&now), s.Mark) || s.Unit == "" && o.Digest != shown.Digest {
		return "not_confirmed"
	}
	overlay(row, written(o))
	m.audited++
	return "done"
}

func version(row *attemptRow) int64 {
	if row.Version == nil {
		return 0
	}
	return *row.Version
}

// stored compares the rows as they stand, and how many resolutions were
// written.
func (r *Report) stored(m *moment, prefix string, want *Expect) {
	var d differences
	for _, id := range sortedKeys(want.Rows) {
		if !slices.ContainsFunc(m.attempts, func(a attemptRow) bool { return a.ID == id }) {
			d.addf("rows names attempt %q, which the case does not hold", id)
			continue
		}
		row, wanted := m.row(id), want.Rows[id]
		d.given("status of "+id, row.Status, wanted.Status)
		d.nullable("unit of "+id, row.Unit.Value, wanted.Unit)
		d.given("reserve of "+id, row.Reserve, wanted.Reserve)
		if wanted.Version != nil {
			d.number("version of "+id, version(row), wanted.Version)
		}
	}
	if want.AuditRows != nil {
		d.text("audit_rows", fmt.Sprint(m.audited), fmt.Sprint(*want.AuditRows))
	}
	for _, difference := range d {
		r.failf("%s%s", prefix, difference)
	}
}
