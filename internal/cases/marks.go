package cases

import (
	"cmp"
	"fmt"
	"slices"

	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/resolve"
)

// Decide is resolve.Decide, or what stands in for it in a test.
type Decide func(resolve.Case) resolve.Verdict

// screen is what the operator would be shown of one attempt at the moment.
// unit is what the operator named, by whose login; both may be empty.
func (m *moment) screen(attempt, unit, by string) (resolve.Verdict, error) {
	c, err := m.caseOf(attempt)
	if err != nil {
		return resolve.Verdict{}, err
	}
	c.Unit, c.Operator = unit, by
	shown := m.decide(c)
	for _, row := range m.Approvals {
		if m.existed(row.At) {
			c.Approvals = append(c.Approvals, approval(&shown, &row))
		}
	}
	c.Approvals = append(c.Approvals, m.approved...)
	return m.decide(c), nil
}

// approval gives the digest of what was shown for the row's mark, or of
// something else.
func approval(shown *resolve.Verdict, row *approvalRow) resolve.Approval {
	a := resolve.Approval{Attempt: row.Attempt, By: row.By, At: row.At, Digest: "other"}
	if o := shown.Offers(markOf(row.Mark)); row.Digest == "" && row.Attempt == shown.Attempt && o.Digest != "" {
		a.Digest = o.Digest
	}
	return a
}

func markOf(word string) resolve.Mark {
	switch word {
	case "mark_failed", "mark_failed_with_approval":
		return resolve.Failed
	case "mark_unknown":
		return resolve.Unknown
	case "keep":
		return resolve.Keep
	}
	return resolve.Succeeded
}

func (m *moment) caseOf(attempt string) (resolve.Case, error) {
	in, err := m.input()
	if err != nil {
		return resolve.Case{}, err
	}
	c := resolve.Case{
		Now: m.at, Attempt: attempt, Policies: in.Policies, Attempts: in.Attempts, Statements: in.Statements,
		Units: in.Units, Lines: in.Lines, Lookups: in.Lookups, Events: in.Events, Declared: resolve.Transitions(),
	}
	for _, d := range in.Dismissed {
		c.Dismissed = append(c.Dismissed, resolve.Dismissal(d))
	}
	if ttl := m.Policy.ApprovalTTL; ttl != nil {
		c.ApprovalTTL = ttl.duration()
	}
	i := slices.IndexFunc(in.Attempts, func(a payment.Attempt) bool { return a.ID == attempt })
	if i < 0 {
		return c, nil
	}
	if above := m.Policy.ApprovalAbove; above != nil {
		c.ApprovalAbove = []money.Amount{{Minor: *above, Currency: in.Attempts[i].Amount.Currency}}
	}
	for _, row := range in.Charges {
		if row.ID == in.Attempts[i].Charge {
			c.Wanted = payment.Known(row.Minor)
		}
	}
	for _, row := range m.Manual {
		if m.existed(row.At) {
			seen, err := row.state()
			if err != nil {
				return c, err
			}
			c.Manual = append(c.Manual, payment.Manual{Attempt: row.Attempt, Seen: seen, Where: row.Where, By: row.By, At: row.At})
		}
	}
	return c, nil
}

func (row *manualRow) state() (payment.State, error) {
	if row.Seen == "absent" {
		return payment.StateNone, nil
	}
	return payment.ParseState(row.Seen)
}

// markWords are the marks of a verdict as cases write them.
func markWords(v *resolve.Verdict) []string {
	words := []string{}
	for i := range v.Marks {
		o := &v.Marks[i]
		switch {
		case !o.Allowed:
		case o.Mark == resolve.Keep:
			words = append(words, "keep")
		case o.ApprovalDue:
			words = append(words, "mark_"+o.Mark.String()+"_with_approval")
		case o.Transition == resolve.ToSucceededDuplicate:
			words = append(words, "mark_succeeded_duplicate")
		default:
			words = append(words, "mark_"+o.Mark.String())
		}
	}
	return words
}

// marks compares what is offered for each attempt that the expectation names.
func (r *Report) marks(m *moment, prefix string, want *Expect) {
	shown := map[string]*resolve.Verdict{}
	for _, id := range slices.Concat(sortedKeys(want.Allowed), sortedKeys(want.Forbidden), sortedKeys(want.Writes), sortedKeys(want.Reserve)) {
		if shown[id] != nil {
			continue
		}
		v, err := m.screen(id, "", "")
		if err != nil {
			r.failf("%s%v", prefix, err)
			return
		}
		shown[id] = &v
	}
	var d differences
	for _, id := range sortedKeys(want.Allowed) {
		d.text("marks of "+id, sorted(markWords(shown[id])), sorted(want.Allowed[id]))
	}
	for _, id := range sortedKeys(want.Forbidden) {
		for _, word := range markWords(shown[id]) {
			if slices.Contains(want.Forbidden[id], word) {
				d.addf("HARM: %s is offered for %s", word, id)
			}
		}
	}
	for _, id := range sortedKeys(want.Named) {
		for _, unit := range sortedKeys(want.Named[id]) {
			v, err := m.screen(id, unit, "")
			if err != nil {
				d.addf("%v", err)
				continue
			}
			d.text(fmt.Sprintf("marks of %s with %s named", id, unit), sorted(markWords(&v)), sorted(want.Named[id][unit]))
		}
	}
	d.writes(m, shown, want)
	for _, difference := range d {
		r.failf("%s%s", prefix, difference)
	}
}

// writes compares the row as the one offered mark would leave it, and the
// reserve after the follow-up of that mark.
func (d *differences) writes(m *moment, shown map[string]*resolve.Verdict, want *Expect) {
	for _, id := range sortedKeys(want.Writes) {
		o, wanted := confirmable(shown[id]), want.Writes[id]
		if o == nil {
			d.addf("writes of %s: no mark can be confirmed", id)
			continue
		}
		after := *m.row(id)
		overlay(&after, written(o))
		d.text("status that "+id+" gets", after.Status, wanted.Status)
		d.nullable("unit that "+id+" gets", after.Unit.Value, wanted.Unit)
		d.text("transition of "+id, o.Transition.String(), cmp.Or(wanted.Transition, wanted.Status))
	}
	for _, id := range sortedKeys(want.Reserve) {
		after := *m.row(id)
		if o := confirmable(shown[id]); o != nil {
			overlay(&after, written(o))
		}
		d.text("reserve of "+id, after.Reserve, want.Reserve[id])
	}
}

// confirmable is the one mark that can be confirmed now, nil where none is.
func confirmable(v *resolve.Verdict) *resolve.Offer {
	for i := range v.Marks {
		if o := &v.Marks[i]; o.Allowed && !o.ApprovalDue && o.Mark != resolve.Keep {
			return o
		}
	}
	return nil
}

// written is what the mark and its declared follow-up write: `failed` releases
// a reserve, `succeeded` consumes it.
func written(o *resolve.Offer) *attemptRow {
	row := &attemptRow{Status: o.Mark.String()}
	switch o.Mark {
	case resolve.Succeeded:
		row.Unit, row.Reserve = nullable{o.Unit != "", o.Unit}, payment.ReserveConsumed.String()
	case resolve.Failed:
		row.Reserve = payment.ReserveReleased.String()
	case resolve.Unknown, resolve.Keep:
	}
	return row
}
