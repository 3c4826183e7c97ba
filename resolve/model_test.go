//go:build !race

package resolve_test

import (
	"time"

	"desfecho/internal/evidence"
	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/resolve"
)

// The model is one attempt, its provider, its application and two operators,
// in ticks of ten minutes. It is small enough to be enumerated whole, and the
// tool acts in it only as Decide offers and by the conditional write.
const (
	tick      = 10 * time.Minute
	ticks     = 4 // the clock stops here
	visibleBy = 2 // the provider shows what arrived at the latest then: visible_after
	ripeFrom  = 3 // visible_after + skew after the send
	nobody    = 255
	operators = 2
)

// fate is what becomes of the request at the provider.
type fate uint8

const (
	lost     fate = iota // it never arrives
	captures             // it arrives and captures
	declines             // it arrives and is declined
)

// answer is what one look-up was told.
type answer uint8

const (
	unasked answer = iota
	saidNo
	saidFound
	saidNothing // a 404 without a positive control: another account, mode or kind of key
)

// world is one state of the model. It is comparable: the search keeps a set.
type world struct {
	now     uint8
	fate    fate
	arrived uint8 // 1 + tick of arrival, 0: not (yet)
	resent  bool  // the application sent the same attempt again, at the last tick
	visible bool  // look-ups show it

	status  payment.Status
	version uint8
	reserve payment.Reserve
	unit    bool  // the row names the provider's object
	credits uint8 // credits given for the charge
	sibling bool  // a retry of the charge succeeded, and gave its credit

	event   bool // the provider's event was stored
	applied bool // the application's own job has read it

	looks  [ticks + 1]answer
	read   uint8 // 1 + tick to which the list of objects was read
	listed bool  // the list held it

	ops      [operators]operator
	approval uint16 // digest that was approved, 0: none
	approver uint8
	approved uint8 // at which tick

	writes uint8 // of the tool
	audits uint8
	bad    law // the first law that was broken
}

// operator is one person at the tool.
type operator struct {
	phase   phase
	mark    resolve.Mark
	digest  uint16
	status  payment.Status // of the row that was shown
	version uint8
	due     bool // the mark that was shown still needs approval
	as      resolve.Transition
	paid    bool // a sibling had paid when it was confirmed
}

type phase uint8

const (
	idle    phase = iota
	looking       // the screen shows a mark that may be confirmed
	sending       // last look done, intent stored, the write is on its way
	unsure        // the reply was lost; the write may still land, or has
	landed        // the reply was lost, and the write has landed
)

// model is what is the same in all of its states.
type model struct {
	out     bool // money goes out, from a reserve; a second person approves an absence
	alone   bool // the provider has no list: look-ups alone tell
	broken  brokenWrite
	decided map[question]reply
	digests map[string]uint16
}

// question is all that a verdict may depend on in the model.
type question struct {
	now, arrived, version uint8
	fate                  fate
	status                payment.Status
	resent                bool
	unit, sibling, event  bool
	looks                 [ticks + 1]answer
	read                  uint8
	listed                bool
	operator              uint8
	approval              uint16
	approver, approved    uint8
}

// reply is what a verdict says in the model.
type reply struct {
	allowed, due [3]bool
	transition   [3]resolve.Transition
	digest       [3]uint16
}

var login = [operators]string{"ana", "bia"}

var sent = payment.InstantOf(time.Date(2025, 3, 12, 0, 0, 0, 0, time.UTC))

func at(n uint8) payment.Instant { return sent.Add(time.Duration(n) * tick) }

// decide asks resolve.Decide, once for each question. Where no mark waits for a
// second person, nobody's word can change the reply.
func (m *model) decide(w *world, operator uint8) reply {
	alone := *w
	alone.approval, alone.approver, alone.approved = 0, 0, 0
	r := m.ask(&alone, nobody)
	if r.due == [3]bool{} {
		return r
	}
	return m.ask(w, operator)
}

func (m *model) ask(w *world, operator uint8) reply {
	q := question{
		now: w.now, arrived: w.arrived, version: w.version, fate: w.fate, status: w.status, unit: w.unit, sibling: w.sibling,
		resent: w.resent, event: w.event, looks: w.looks, read: w.read, listed: w.listed, operator: operator,
		approval: w.approval, approver: w.approver, approved: w.approved,
	}
	if known, ok := m.decided[q]; ok {
		return known
	}
	v := resolve.Decide(m.caseOf(w, operator))
	var r reply
	for mark := range r.allowed {
		o := &v.Marks[mark]
		r.allowed[mark], r.due[mark], r.transition[mark] = o.Allowed, o.ApprovalDue, o.Transition
		if o.Digest != "" {
			if _, ok := m.digests[o.Digest]; !ok {
				m.digests[o.Digest] = uint16(len(m.digests) + 1)
			}
			r.digest[mark] = m.digests[o.Digest]
		}
	}
	m.decided[q] = r
	return r
}

func (m *model) caseOf(w *world, operator uint8) resolve.Case {
	p := evidence.NewPolicy("psp")
	p.SucceededMeans = map[payment.Operation]evidence.Means{payment.Charge: evidence.MeansCaptured, payment.Transfer: evidence.MeansCaptured}
	p.LookupBy = []payment.LookupKey{{Kind: payment.KeyReference, Name: "ref"}}
	if p.HasObjectList = !m.alone; m.alone {
		p.BooksAfter = 30 * 24 * time.Hour
	}
	p.VisibleAfter, p.Skew, p.RecheckGap, p.EvidenceMaxAge = visibleBy*tick, tick, tick, tick/2
	p.PublishLag, p.OrphanAfter = tick, tick
	a := payment.Attempt{
		ID: "a1", Charge: "c1", Provider: "psp", Version: string('0' + rune(w.version)), Status: w.status,
		Amount: money.Amount{Minor: minor, Currency: brl}, CreatedAt: sent, LastSent: sent,
		References: []payment.Reference{{Name: "ref", Value: "r1"}},
	}
	if m.out {
		a.Operation = payment.Transfer
	}
	if w.unit {
		a.ProviderID = "p1"
	}
	if w.resent {
		a.LastSent = at(ticks)
	}
	c := resolve.Case{
		Now: at(w.now), Attempt: "a1", Policies: []evidence.Policy{p}, Attempts: []payment.Attempt{a},
		Declared: resolve.Transitions(), ApprovalTTL: 2 * tick,
	}
	if operator != nobody {
		c.Operator = login[operator]
	}
	if w.sibling {
		next := a
		next.ID, next.Status, next.ProviderID = "a2", payment.Succeeded, "p2"
		next.CreatedAt, next.LastSent, next.References = at(1), at(1), []payment.Reference{{Name: "ref", Value: "r2"}}
		c.Attempts = append(c.Attempts, next)
	}
	m.observed(w, &c)
	for digest, n := range m.digests {
		if n == w.approval && w.approval != 0 {
			c.Approvals = []resolve.Approval{{Attempt: "a1", Digest: digest, By: login[w.approver], At: at(w.approved)}}
		}
	}
	return c
}

// observed gives the case what was seen of the provider.
func (m *model) observed(w *world, c *resolve.Case) {
	for n, said := range w.looks {
		l := payment.Lookup{
			Attempt: "a1", Provider: "psp", At: at(uint8(n)),
			Key: payment.LookupKey{Kind: payment.KeyReference, Name: "ref", Value: "r1"},
		}
		switch said {
		case unasked:
			continue
		case saidNo:
			l.Outcome = payment.NotFound
		case saidFound:
			l.Outcome, l.Units = payment.Found, []payment.Unit{w.object()}
		case saidNothing:
			l.Outcome, l.NoControl = payment.NotFound, true
		}
		c.Lookups = append(c.Lookups, l)
	}
	if w.read > 0 {
		c.Statements = []payment.Statement{{
			Name: "objects", Provider: "psp", Sort: payment.ObjectList, Grade: payment.Proven, From: sent.Add(-time.Hour), Through: at(w.read - 1),
		}}
	}
	if w.listed {
		u := w.object()
		u.Source, u.Statement, u.ObservedAt = payment.FromList, "objects", at(w.read-1)
		c.Units = append(c.Units, u)
	}
	if w.event {
		e := payment.Event{Provider: "psp", At: at(w.now), Unit: "p1", State: w.object().State, References: []payment.Reference{{Name: "ref", Value: "r1"}}}
		c.Events = append(c.Events, e)
	}
}

// object is what the provider holds.
func (w *world) object() payment.Unit {
	u := payment.Unit{
		ID: "p1", Provider: "psp", State: payment.StateCaptured, Final: true, Currency: brl, Captured: payment.Known(minor),
		CreatedAt: at(w.arrived - 1), References: []payment.Reference{{Name: "ref", Value: "r1"}},
	}
	if w.fate == declines {
		u.State, u.Captured = payment.StateDeclined, payment.Known(0)
	}
	return u
}
