package settle

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"desfecho/internal/payment"
	"desfecho/internal/store"
	"desfecho/resolve"
)

// Can says what can be done about a stuck attempt, by what is known.
type Can uint8

// From what a person can end now to what has to wait.
const (
	CanSettle  Can = iota // a mark is offered, once the provider says the same again
	CanApprove            // a mark waits for a second person
	CanAsk                // nobody asked yet, or without a clear answer: asking is what can be done
	CanAct                // a person, here or at the provider, has to do something
	CanWait               // it can change by itself
)

// Stuck is one open attempt on the list.
type Stuck struct {
	*Picture
	Can Can
	// Mark is the offered one, Keep where none is.
	Mark resolve.Mark
	// AgingOut: what the provider knows of it disappears within 7 days.
	AgingOut bool
	// Until is when it can change by itself, 0: not by itself.
	Until payment.Instant
}

// agingOut is how long before its evidence disappears an attempt is first.
const agingOut = 7 * 24 * time.Hour

// List gives the open attempts by what can be done about them, the aging ones
// first, then by age and money. Nobody is asked: each is decided as it was when
// the provider answered last. providers: nil for all.
func (d *Desk) List(ctx context.Context, providers []string) ([]Stuck, error) {
	ids, err := d.open(ctx, providers)
	if err != nil {
		return nil, err
	}
	list := make([]Stuck, 0, len(ids))
	for _, id := range ids {
		c, seen, err := d.see(ctx, id)
		if errors.Is(err, store.ErrNoAttempt) {
			continue // settled and gone since the list was read
		}
		if err != nil {
			return nil, err
		}
		p, err := d.decide(ctx, c, seen, "", nil)
		if err != nil {
			return nil, err
		}
		if p.Seen.Attempt.Status.Open() {
			list = append(list, d.stuck(p))
		}
	}
	slices.SortStableFunc(list, before)
	return list, nil
}

func (d *Desk) open(ctx context.Context, providers []string) (ids []string, err error) {
	view, err := d.Store.View(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, view.Close()) }()
	err = view.Attempts(ctx, store.AttemptFilter{Providers: providers, Open: true}, func(a payment.Attempt) error {
		ids = append(ids, a.ID)
		return nil
	})
	return ids, err
}

// stuck says what can be done, by the verdict of the moment at which the
// provider answered last: its answers are too old to confirm anything by now,
// and are asked for again before anything is.
func (d *Desk) stuck(p *Picture) Stuck {
	s := Stuck{Picture: p, Can: CanWait, Mark: resolve.Keep}
	a := &p.Seen.Attempt
	v := p.Verdict
	if last := lastAsked(p); last > 0 && v.Status == payment.Unknown {
		then := p.Case
		then.Now = last
		v = resolve.Decide(then)
	}
	acts := false
	for _, mark := range []resolve.Mark{resolve.Succeeded, resolve.Failed, resolve.Unknown} {
		o := v.Offers(mark)
		switch {
		case o.Allowed && s.Mark == resolve.Keep:
			s.Mark, s.Can = mark, CanSettle
			if o.ApprovalDue && o.ApprovedBy == "" {
				s.Can = CanApprove
			}
		case !o.Allowed && o.ChangesAt > p.Case.Now:
			if s.Until == 0 || o.ChangesAt < s.Until {
				s.Until = o.ChangesAt
			}
		case !o.Allowed && o.ChangesAt == 0 && mark != resolve.Unknown:
			acts = true
		}
	}
	switch {
	case s.Mark != resolve.Keep:
	case asks(&v):
		s.Can = CanAsk
	case acts && s.Until == 0:
		s.Can = CanAct
	}
	if policy := d.policy(a.Provider); policy != nil && policy.HeldFor > 0 {
		s.AgingOut = a.LastSent.Add(policy.HeldFor-agingOut) <= p.Case.Now
	}
	return s
}

// asks tells whether asking the provider is what the verdict lacks.
func asks(v *resolve.Verdict) bool {
	switch v.Offers(resolve.Succeeded).Reason {
	case resolve.ReasonNotAsked, resolve.ReasonInconclusive:
		return true
	}
	return false
}

func lastAsked(p *Picture) payment.Instant {
	var last payment.Instant
	for i := range p.Case.Lookups {
		if l := &p.Case.Lookups[i]; l.Attempt == p.Case.Attempt {
			last = max(last, l.At)
		}
	}
	return last
}

func before(a, b Stuck) int {
	return cmp.Or(
		-cmp.Compare(number(a.AgingOut), number(b.AgingOut)),
		cmp.Compare(a.Can, b.Can),
		cmp.Compare(a.Seen.Attempt.CreatedAt, b.Seen.Attempt.CreatedAt),
		-cmp.Compare(a.Seen.Attempt.Amount.Minor, b.Seen.Attempt.Amount.Minor),
		cmp.Compare(a.Seen.Attempt.ID, b.Seen.Attempt.ID),
	)
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}
