package check

import (
	"cmp"
	"strings"
	"time"

	"desfecho/internal/payment"
)

// Paired is what linked pairs say, added up as they come: none is kept, for
// there may be millions. It says the same whatever their order. The zero value
// has seen none.
type Paired struct {
	n       int
	offset  Offset // without By and Zone
	by      map[time.Duration]int
	keys    tally // objects that carry another key than their attempt's
	keyTold int64
	soon    map[string]bool // attempts that keep a timeout, of objects that were paid within a minute
}

// PairsOf adds up a list.
func PairsOf(all []Pair) *Paired {
	k := &Paired{}
	for i := range all {
		k.Add(&all[i])
	}
	return k
}

// Add takes one pair; what it points to is not kept.
func (k *Paired) Add(p *Pair) {
	k.n++
	k.measure(p)
	if p.UnitKey != "" && p.Attempt.Key != "" {
		k.keyTold++
		if p.UnitKey != p.Attempt.Key {
			k.keys.n++
			least(&k.keys.example, p.Attempt.ID)
		}
	}
	if p.Attempt.LastError == payment.ErrorTimeout && p.UnitIsPaid && !p.UnitMade.IsZero() && p.UnitMade.Sub(p.Attempt.CreatedAt) <= soon {
		if k.soon == nil {
			k.soon = map[string]bool{}
		}
		k.soon[strings.Clone(p.Attempt.ID)] = true
	}
}

// least keeps the lesser of two ids, so that one example comes of any order.
func least(kept *string, id string) {
	if *kept == "" || id < *kept {
		*kept = strings.Clone(id)
	}
}

const (
	quarter = 15 * time.Minute
	near    = 4 * time.Minute // how far from a whole offset a pair may lie
)

// measure weighs a pair whose instants are both known to the minute. An object
// is made within minutes of its attempt, so that what is left is whole quarters
// of an hour where the zone is wrong. Pairs that lie between say nothing, and so
// does an object that was made late, at a later call: then the outcome was
// written after it, by the same clock.
func (k *Paired) measure(p *Pair) {
	if p.UnitMade.IsZero() || p.Attempt.CreatedAt.IsZero() || p.Precision > time.Minute {
		return
	}
	gap := p.Attempt.CreatedAt.Sub(p.UnitMade)
	whole := gap.Round(quarter)
	if (gap-whole).Abs() > near || whole.Abs() > 14*time.Hour {
		return
	}
	if whole < 0 && p.Attempt.ResolvedAt > p.UnitMade.Add(-near) {
		return
	}
	if k.by == nil {
		k.by = map[time.Duration]int{}
	}
	k.by[whole]++
	k.offset.Pairs++
	if whole != 0 {
		k.offset.Off++
		least(&k.offset.Example, p.Attempt.ID)
	}
}

// ZoneOffset tells how far the times of the pairs stand apart, and in which
// zone ours are said to be written.
func (k *Paired) ZoneOffset(zone string) Offset {
	o := k.offset
	o.Zone = zone
	for by, n := range k.by {
		if n > k.by[o.By] || n == k.by[o.By] && cmp.Or(cmp.Compare(by.Abs(), o.By.Abs()), cmp.Compare(by, o.By)) < 0 {
			o.By = by
		}
	}
	return o
}
