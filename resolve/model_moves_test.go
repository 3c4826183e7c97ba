//go:build !race

package resolve_test

import (
	"desfecho/internal/payment"
	"desfecho/resolve"
)

// brokenWrite is a write that lacks what RULES §7 demands, to see that the laws
// of the model notice.
type brokenWrite uint8

const (
	soundWrite brokenWrite = iota
	noStatusCondition
	noVersionCondition
	noLastLook      // the evidence of the screen is confirmed as it stands
	settleByReading // a lost reply is settled by a plain read, and written anew
	creditUnguarded // the follow-up gives a credit whatever the charge says
	releaseEarly    // the reserve is released with the mark `unknown`
	brokenWrites
)

// starts lists the first states: the request was just sent, and the row says
// so.
func (m *model) starts() []world {
	var all []world
	for _, f := range []fate{lost, captures, declines} {
		w := world{fate: f, status: payment.Pending}
		if m.out {
			w.reserve = payment.ReserveHeld
		}
		all = append(all, w)
	}
	return all
}

// moves gives every state that one step can lead to.
func (m *model) moves(w world, yield func(world)) {
	if !w.status.Final() { // else only what is still on its way can do harm
		m.provider(w, yield)
		m.application(w, yield)
		m.pull(w, yield)
	}
	for i := range w.ops {
		m.operator(w, uint8(i), yield)
	}
}

// provider: what is sent arrives, becomes visible and tells its event, in any
// order that its promise allows; then the clock goes on.
func (m *model) provider(w world, yield func(world)) {
	if w.fate != lost && w.arrived == 0 && (w.now <= visibleBy || w.resent) {
		next := w
		next.arrived = w.now + 1
		yield(next)
	}
	if w.arrived > 0 && !w.visible {
		next := w
		next.visible = true
		yield(next)
	}
	if w.arrived > 0 && !w.event && w.now < ripeFrom {
		next := w
		next.event = true
		yield(next)
	}
	kept := w.fate == lost || w.visible || w.now < visibleBy || w.resent // late, but not later than promised
	if w.now < ticks && kept {
		next := w
		next.now++
		yield(next)
	}
}

// application: its own timeout, its job for the event, its retry, and the same
// attempt sent once more. Its job forgets the version, what it sends again does
// not change the status: the write needs both of its conditions.
func (m *model) application(w world, yield func(world)) {
	if w.status == payment.Pending && w.now == 0 {
		next := w
		next.status, next.version = payment.Unknown, w.version+1
		yield(next)
	}
	if w.event && !w.applied {
		next := w
		next.applied = true
		if w.status.Open() {
			next.settle(w.fate == captures)
		}
		yield(next)
	}
	if w.fate == lost && !w.resent && w.status == payment.Unknown && w.now == ticks {
		next := w
		next.fate, next.resent, next.version = captures, true, w.version+1
		yield(next)
	}
	if !m.out && !w.sibling && w.status == payment.Unknown && w.now == 1 {
		next := w
		next.sibling = true
		next.credits++
		yield(next)
	}
}

// settle is what the application writes itself: its credit is given once.
func (w *world) settle(captured bool) {
	w.status = payment.Failed
	if captured {
		w.status, w.unit = payment.Succeeded, true
		if w.credits == 0 && w.reserve == payment.ReserveNone {
			w.credits++
		}
	}
	if w.reserve != payment.ReserveNone {
		w.reserve = payment.ReserveReleased
		if captured {
			w.reserve = payment.ReserveConsumed
		}
	}
}

// pull reads the list of objects to now; what arrived before stands in it.
func (m *model) pull(w world, yield func(world)) {
	if m.alone || w.read == w.now+1 || w.now != ripeFrom {
		return
	}
	next := w
	next.read, next.listed = w.now+1, w.arrived > 0 && w.visible
	yield(next)
}

func (m *model) operator(w world, i uint8, yield func(world)) {
	op := w.ops[i]
	switch op.phase {
	case idle:
		if !w.status.Final() {
			m.look(w, func(next world) { m.open(next, i, yield) })
			m.approve(w, i, yield)
		}
	case looking:
		if m.broken == noLastLook {
			m.confirm(w, i, yield)
		} else {
			m.look(w, func(next world) { m.confirm(next, i, yield) })
		}
	case sending:
		next := w
		ok := m.write(&next, i)
		next.ops[i] = operator{}
		yield(next) // the reply came
		if ok {     // the reply is lost: it has landed, or is still on its way
			next.ops[i] = operator{phase: landed}
			yield(next)
		}
		next = w
		next.ops[i].phase = unsure
		yield(next)
	case unsure:
		next := w
		m.write(&next, i) // it lands late
		next.ops[i] = operator{phase: landed}
		yield(next)
		m.settleIntent(w, i, yield)
	case landed:
		next := w
		next.ops[i] = operator{} // claiming the op id conflicts: it has landed
		yield(next)
	}
	if op.phase == looking { // a crash, or a person who leaves
		next := w
		next.ops[i] = operator{}
		yield(next)
	}
}

// settleIntent claims the op id, so that the write can never land; broken, it
// reads the row, sees the old status and forgets the write that is on its way.
func (m *model) settleIntent(w world, i uint8, yield func(world)) {
	next := w
	next.ops[i] = operator{}
	if m.broken == settleByReading {
		next.ops[i] = operator{phase: sending, mark: w.ops[i].mark, status: w.ops[i].status, version: w.ops[i].version, digest: w.ops[i].digest, as: w.ops[i].as, paid: w.ops[i].paid}
		next.audits++ // the same decision is entered a second time
	}
	yield(next)
}

// look asks the provider: it answers what it shows, or, from the horizon on,
// what proves nothing.
func (m *model) look(w world, yield func(world)) {
	if w.now == 0 {
		yield(w)
		return
	}
	said := saidNo
	if w.visible {
		said = saidFound
	}
	for _, a := range []answer{said, saidNothing} {
		if a == saidNothing && w.now < ripeFrom {
			continue
		}
		next := w
		next.looks[w.now] = a
		yield(next)
	}
}

// open shows the screen: of the final marks at most one is offered.
func (m *model) open(w world, i uint8, yield func(world)) {
	r := m.decide(&w, nobody)
	yield(w)
	for mark, allowed := range r.allowed {
		if allowed {
			next := w
			next.ops[i] = operator{phase: looking, mark: resolve.Mark(mark), digest: r.digest[mark], status: w.status, version: w.version, due: r.due[mark], as: r.transition[mark]}
			yield(next)
		}
	}
}

// approve is one operator's word for what the other one's screen shows.
func (m *model) approve(w world, i uint8, yield func(world)) {
	for j := range w.ops {
		if op := w.ops[j]; op.phase == looking && op.due && uint8(j) != i {
			next := w
			next.approval, next.approver, next.approved = op.digest, i, w.now
			yield(next)
		}
	}
}

// confirm takes the last look and stores the intent, where the verdict still
// has its digest and needs nothing more.
func (m *model) confirm(w world, i uint8, yield func(world)) {
	op := w.ops[i]
	r := m.decide(&w, i)
	sound := m.broken != noLastLook
	if sound && (!r.allowed[op.mark] || r.digest[op.mark] != op.digest) || r.due[op.mark] {
		w.ops[i] = operator{}
		yield(w) // back to the screen
		return
	}
	w.ops[i].phase, w.ops[i].paid = sending, w.sibling
	yield(w)
}

// write is the conditional write with the follow-ups of its transition, one
// transaction. It tells whether a row was written.
func (m *model) write(w *world, i uint8) bool {
	op := w.ops[i]
	if op.status != w.status && m.broken != noStatusCondition || op.version != w.version && m.broken != noVersionCondition {
		return false
	}
	before := *w
	w.writes, w.audits, w.version = w.writes+1, w.audits+1, w.version+1
	switch op.mark {
	case resolve.Succeeded:
		w.status, w.unit = payment.Succeeded, true
		if w.reserve != payment.ReserveNone {
			w.reserve = payment.ReserveConsumed
		}
		if op.as == resolve.ToSucceeded && !m.out && (w.credits == 0 || m.broken == creditUnguarded) {
			w.credits++
		}
	case resolve.Failed:
		w.status = payment.Failed
		if w.reserve != payment.ReserveNone {
			w.reserve = payment.ReserveReleased
		}
	case resolve.Unknown:
		w.status = payment.Unknown
		if m.broken == releaseEarly && m.out {
			w.reserve = payment.ReserveReleased
		}
	case resolve.Keep:
	}
	w.bad = m.broke(&before, op)
	return true
}
