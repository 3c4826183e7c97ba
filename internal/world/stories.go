package world

import (
	"time"

	"desfecho/internal/payment"
)

// story is one charge, or one thing at the provider that is no charge of ours:
// what happened, who saw it, and what is true of it.
type story struct {
	name  string
	needs func(*scene) bool // nil: any world can hold it
	tell  func(*scene)
}

// tell tells one story of those that the setting can hold. Half of them are
// faults.
func (s *scene) tell(number int) {
	s.story = number
	clear(s.counter)
	s.account = s.accounts[s.IntN(len(s.accounts))]
	told := benign()
	if s.oneIn(2) {
		told = faults()
	}
	fitting := told[:0]
	for _, st := range told {
		if st.needs == nil || st.needs(s) {
			fitting = append(fitting, st)
		}
	}
	st := fitting[s.IntN(len(fitting))]
	s.w.Stories = append(s.w.Stories, st.name)
	st.tell(s)
}

func (s *scene) hasLedger() bool  { return s.ledger }
func (s *scene) hasList() bool    { return s.list }
func (s *scene) hasRecord() bool  { return s.list || s.expanded }
func (s *scene) hasBoletos() bool { return s.boletos }

// datesObjects tells whether it is known when an object was created: a ledger
// alone tells when it booked its money.
func (s *scene) datesObjects() bool { return s.hasRecord() || s.books == 0 }

// paidOnce tells whether a charge paid twice is doubled.
func (s *scene) paidOnce() bool { return !s.many }

// asked tells whether the window reaches to now, so that what was created a
// moment ago is in scope whatever its status.
func (s *scene) asked() bool { return !s.w.Window.Empty() }

func (s *scene) isLive() bool { return s.shape == live }

// later moves on by some minutes, within 15 hours.
func (s *scene) later(at payment.Instant) payment.Instant {
	return at.Add(time.Duration(5+s.IntN(900)) * time.Minute)
}

// seconds is the time the call takes to reach the provider.
func (s *scene) seconds() time.Duration { return time.Duration(6+s.IntN(40)) * time.Second }

// settledSale is a succeeded attempt and its captured object, in calm times,
// linked; neither kept nor shown yet.
func (s *scene) settledSale(charge string) (payment.Attempt, *object) {
	return s.saleOf(payment.Succeeded, charge, s.settled(), s.minor(), true)
}

// saleOf is an attempt of any status and its captured object.
func (s *scene) saleOf(status payment.Status, charge string, at payment.Instant, minor int64, alone bool) (payment.Attempt, *object) {
	a := s.attempt(status, charge, at, minor)
	o := s.sale(at.Add(s.seconds()), minor)
	s.link(&a, o, alone)
	o.row = rowOf(status)
	return a, o
}

// rowOf is the row of equation 1 for a line of an attempt of that status.
func rowOf(status payment.Status) string {
	switch {
	case status.Open():
		return "open_attempts"
	case status == payment.Failed:
		return "failed_attempts"
	default:
		return "matched"
	}
}

// dead is an object that never took money, and its final deed.
func (s *scene) dead(at payment.Instant) *object {
	return s.object(at).happens(pick(s.dice, declines, cancels, expires), at.Add(time.Second), 0)
}

// StoryNames lists every story that worlds are made of.
func StoryNames() []string {
	var names []string
	for _, st := range append(benign(), faults()...) {
		names = append(names, st.name)
	}
	return names
}
