package pull

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"desfecho/internal/evidence"
	"desfecho/internal/payment"
	"desfecho/internal/provider"
)

const day = 24 * time.Hour

// progress is how far the reading of one slice is: what a slot keeps with each
// page, and all that is needed to go on from there.
type progress struct {
	Slice payment.Interval `json:"slice"`
	Next  string           `json:"next,omitempty"`
	Done  bool             `json:"done,omitempty"`
	// Pass counts from 0; Before is the digest of the pass before this one.
	Pass   int    `json:"pass,omitempty"`
	Before string `json:"before,omitempty"`
	tally
}

// plan is what is to be read of one statement.
type plan struct {
	*provider.Statement
	days   bool // slices are whole days
	begun  map[int]progress
	slices []progress
}

func slotName(statement string, n int) string { return fmt.Sprintf("%s #%d", statement, n) }

// plan cuts what is wanted of a statement into slices. Those that were begun go
// on in the slot that holds them. Lines without ids need whole days, for two
// alike of one day are told apart only when both are read in one go.
func (p *puller) plan(s *provider.Statement, k *known) *plan {
	plan := &plan{Statement: s, days: s.Slice.Days || !p.able.LineIDsUnique, begun: map[int]progress{}}
	wanted := p.wanted(s, k)
	var begun []payment.Interval
	for n := range max(1, s.Parallel) {
		left, there := k.slots[slotName(s.Name, n)]
		if there && !left.Done && p.resumes(&left, wanted) {
			plan.begun[n] = left
			begun = append(begun, left.Slice)
		}
	}
	for _, w := range wanted {
		for _, rest := range evidence.Cut(w, begun) {
			for _, slice := range plan.cut(rest, p.o.Zone) {
				plan.slices = append(plan.slices, progress{Slice: slice})
			}
		}
	}
	return plan
}

// resumes tells whether a slice can go on where it stopped. Lines without ids
// are told apart by how often they come within one reading, which must be whole.
func (p *puller) resumes(left *progress, wanted []payment.Interval) bool {
	return p.able.LineIDsUnique && slices.ContainsFunc(wanted, func(w payment.Interval) bool {
		return w.From <= left.Slice.From && left.Slice.To <= w.To
	})
}

// wanted is what to read of a statement: what was asked for, else what is not
// covered yet and the overlap behind it.
func (p *puller) wanted(s *provider.Statement, k *known) []payment.Interval {
	w := p.o.Window
	w.To = cmp.Or(w.To, p.now)
	covered := p.group(s, k)
	switch {
	case !w.From.IsZero():
		return p.held(s, []payment.Interval{w})
	case covered == nil:
		w.From = cmp.Or(k.begin, p.relook())
		return p.held(s, []payment.Interval{w})
	}
	w.From = covered.From
	if !k.begin.IsZero() {
		w.From = min(w.From, k.begin)
	}
	missing := covered.Unread(w)
	again := payment.Interval{From: max(covered.From, covered.Through.Add(-s.Reread)), To: w.To}
	if !again.Empty() {
		missing = append(missing, again)
	}
	return p.held(s, join(missing))
}

// relook is where a first pull begins.
func (p *puller) relook() payment.Instant {
	return payment.DayOf(p.now.Add(-p.o.Relook), p.o.Zone).Start(p.o.Zone)
}

// held leaves out what the provider answers no more, and what lies ahead.
func (p *puller) held(s *provider.Statement, wanted []payment.Interval) (out []payment.Interval) {
	for _, w := range wanted {
		if s.HeldFor > 0 {
			w.From = max(w.From, p.now.Add(-s.HeldFor))
		}
		w.To = min(w.To, p.now)
		if !w.Empty() {
			out = append(out, w)
		}
	}
	return out
}

func (p *puller) group(s *provider.Statement, k *known) *evidence.StatementGroup {
	for _, g := range evidence.NewCoverage(k.coverage).Groups() {
		if g.Name == s.Name && g.Sort == s.Sort && g.Account == p.o.Lease.Account && g.Mode == p.o.Mode {
			return g
		}
	}
	return nil
}

// join sorts intervals and joins those that touch.
func join(all []payment.Interval) (out []payment.Interval) {
	slices.SortFunc(all, func(a, b payment.Interval) int { return cmp.Compare(a.From, b.From) })
	for _, i := range all {
		if n := len(out); n > 0 && i.From <= out[n-1].To {
			out[n-1].To = max(out[n-1].To, i.To)
			continue
		}
		out = append(out, i)
	}
	return out
}

// cut makes slices of an interval, as the statement allows. Both ends move
// outwards to the next boundary: a row at the edge is read twice rather than
// not at all.
func (p *plan) cut(whole payment.Interval, zone *time.Location) (out []payment.Interval) {
	length := cmp.Or(p.Slice.Aim, day)
	if p.Slice.Max > 0 {
		length = min(length, p.Slice.Max)
	}
	if p.days {
		last := payment.DayOf(whole.To-1, zone)
		step := payment.Day(max(1, length/day))
		for d := payment.DayOf(whole.From, zone); d <= last; d += step {
			out = append(out, payment.Interval{From: d.Start(zone), To: min(d+step, last+1).Start(zone)})
		}
		return slices.DeleteFunc(out, payment.Interval.Empty)
	}
	grain := payment.Instant(cmp.Or(p.Slice.Grain, time.Second) / time.Microsecond)
	from, to := whole.From-whole.From%grain, whole.To+(grain-whole.To%grain)%grain
	for at := from; at < to; at = at.Add(length) {
		out = append(out, payment.Interval{From: at, To: min(at.Add(length), to)})
	}
	return out
}

// halves cuts a slice in two, where it can be.
func (p *plan) halves(slice payment.Interval, zone *time.Location) ([]payment.Interval, bool) {
	middle := slice.From + (slice.To-slice.From)/2
	if p.days {
		middle = payment.DayOf(middle, zone).Start(zone)
	} else {
		grain := payment.Instant(cmp.Or(p.Slice.Grain, time.Second) / time.Microsecond)
		middle -= middle % grain
	}
	if middle <= slice.From || middle >= slice.To {
		return nil, false
	}
	return []payment.Interval{{From: slice.From, To: middle}, {From: middle, To: slice.To}}, true
}
