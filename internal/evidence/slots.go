package evidence

import (
	"slices"
	"time"

	"desfecho/internal/payment"
)

// bySlot gives a unit that names only a charge to the attempt whose slot
// [created_at − skew, next created_at − skew) holds its instant, the whole
// interval where the instant is less precise. A unit that fits none is
// ambiguous and names the attempts whose slots it touches, else all
// (RULES §3.3). attempts are of one charge.
func (u *Unit) bySlot(attempts []*Attempt) {
	if len(attempts) == 1 {
		u.Link, u.Attempts = Linked, attempts
		return
	}
	tries := slices.Clone(attempts)
	slices.SortStableFunc(tries, func(x, y *Attempt) int { return int(min(max(x.CreatedAt-y.CreatedAt, -1), 1)) })
	precision := u.Precision
	if precision == 0 {
		precision = time.Second
	}
	created := u.instant()
	moment := payment.Interval{From: created, To: created.Add(precision)}
	skew := u.Policy.SlotSkew
	var touched []*Attempt
	fits := created != 0 && precision < 24*time.Hour
	for i, a := range tries {
		slot := payment.Interval{From: a.CreatedAt.Add(-skew), To: 1 << 62}
		if i+1 < len(tries) {
			slot.To = tries[i+1].CreatedAt.Add(-skew)
		}
		doubt := payment.Interval{From: slot.From, To: a.CreatedAt}
		if i > 0 && doubt.Overlaps(moment) {
			fits = false
			touched = with(touched, tries[i-1])
		}
		if created != 0 && slot.Overlaps(moment) {
			touched = with(touched, a)
		}
	}
	if i := slices.Index(tries, first(touched)); i > 0 && tries[i-1].CreatedAt == tries[i].CreatedAt {
		fits = false // two tries of one instant cannot be told apart
		touched = tries[i-1 : i+1]
	}
	switch {
	case fits && len(touched) == 1 && moment.From >= tries[0].CreatedAt.Add(-skew):
		u.Link, u.Attempts = Linked, touched
	case len(touched) == 0:
		u.Link, u.Attempts = Ambiguous, tries
	default:
		u.Link, u.Attempts = Ambiguous, touched
	}
}

// instant is the unit's creation, else that of its first line where the method
// books at once; 0 where neither tells it to the moment.
func (u *Unit) instant() payment.Instant {
	if u.CreatedAt != 0 || len(u.Lines) == 0 || u.Policy.Books(u.Method) > 0 || u.firstLine().DayOnly {
		return u.CreatedAt
	}
	return u.firstLine().At
}

// Since is the unit's creation, else its first line; 0 where nothing tells.
func (u *Unit) Since() payment.Instant {
	if u.CreatedAt != 0 || len(u.Lines) == 0 {
		return u.CreatedAt
	}
	return u.firstLine().At
}

func (u *Unit) firstLine() *payment.Line {
	earliest := u.Lines[0]
	for _, l := range u.Lines[1:] {
		if l.At < earliest.At {
			earliest = l
		}
	}
	return earliest
}

func first(attempts []*Attempt) *Attempt {
	if len(attempts) == 0 {
		return nil
	}
	return attempts[0]
}
