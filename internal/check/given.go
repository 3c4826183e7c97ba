package check

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

func (l *look) zoneOffset(context.Context) verdict {
	return l.Pairs.ZoneOffset(l.reading.Timezone).verdict()
}

// Offset is what linked pairs say of the zone of our times: By is how far our
// times stand from the provider's, in whole quarters of an hour, for most
// pairs; Off of Pairs pairs are not at 0.
type Offset struct {
	By      time.Duration
	Pairs   int
	Off     int
	Example string // attempt that is off
	Zone    string // as declared
}

// Fires tells whether times are written in another zone than the declared one.
// No mark may be offered then.
func (o Offset) Fires() bool { return o.Pairs >= 5 && o.Off > 1 && o.Off*20 > o.Pairs }

func (o Offset) verdict() verdict {
	declared := o.Zone
	if declared == "" {
		declared = "their own zone"
	}
	switch {
	case o.Pairs < 5:
		return unseen("it takes five attempts that are linked to an object whose time is known; there are %d", o.Pairs)
	case !o.Fires():
		return good("%d of %d linked attempts agree with the provider's time", o.Pairs-o.Off, o.Pairs)
	case o.By != 0:
		return Fault.of(int64(o.Off), o.Example, "of %d linked attempts stand apart from the provider's time, most by %+d min: created_at is not written in %s", o.Pairs, int64(o.By/time.Minute), declared)
	}
	return Fault.of(int64(o.Off), o.Example, "of %d linked attempts stand apart by whole quarters of an hour, the others agree: two programs write created_at in two zones", o.Pairs)
}

func (l *look) linkRate(context.Context) verdict { return linkRate(l.Links) }

// linkRate judges each provider by the reference that links most of its lines,
// for one is enough, and tells the worst provider; all of them where all are
// well.
func linkRate(links []Link) verdict {
	sorted := slices.SortedFunc(slices.Values(links), func(a, b Link) int {
		return cmp.Or(strings.Compare(a.Provider, b.Provider), cmp.Compare(b.Linked, a.Linked), strings.Compare(a.Reference, b.Reference))
	})
	all := unseen("no lines of a provider are stored yet")
	for len(sorted) > 0 {
		n := 1
		for n < len(sorted) && sorted[n].Provider == sorted[0].Provider {
			n++
		}
		if sorted[0].Lines > 0 {
			v := linked(sorted[:n])
			switch {
			case all.level == Unknown || v.level > all.level:
				all = v
			case v.level == OK && all.level == OK:
				all.says += "; " + v.says
			}
		}
		sorted = sorted[n:]
	}
	return all
}

// linked judges the references of one provider, the best one first.
func linked(links []Link) verdict {
	best := links[0]
	lost := best.Lines - best.Linked
	says := fmt.Sprintf("%d %% of %d lines of %s carry no reference that you store", lost*100/best.Lines, best.Lines, best.Provider)
	carrying := int64(0)
	var each []string
	for _, k := range links {
		carrying += k.Carrying
		each = append(each, fmt.Sprintf("%s %d %%", k.Reference, (k.Lines-k.Linked)*100/k.Lines))
	}
	says += " (" + strings.Join(each, ", ") + ")"
	switch {
	case best.Linked == 0 && carrying > 0:
		return Fault.about(lost, "", "%s: the lines carry one, but none is in the column described", says)
	case best.Linked == 0:
		return Fault.about(lost, "", "%s: no line carries one at all", says)
	case lost*10 > best.Lines:
		return Warning.about(lost, "", "%s", says)
	}
	return good("%s", says)
}

func (l *look) keyPerCall(context.Context) verdict {
	hits, told := l.Pairs.keys, l.Pairs.keyTold
	switch {
	case hits.n > 0:
		return Fault.of(hits.n, hits.example, "of %d linked objects were made by a call whose key is not the attempt's: a retry made a key of its own", told)
	case told == 0:
		return unseen("no provider tells the key of its objects, or none is linked yet")
	}
	return good("%d linked objects carry their attempt's key", told)
}

func (l *look) providerKey(context.Context) verdict {
	var dark, known []string
	for _, p := range l.Providers {
		switch p.MovesMoney {
		case Yes:
			return Fault.about(1, p.Provider, "the key for %s may do more than read: %s", p.Provider, p.KeySays)
		case NotSeen:
			dark = append(dark, p.Provider)
		case No:
			if p.KeySays != "" && !slices.Contains(known, p.KeySays) {
				known = append(known, p.KeySays)
			}
		}
	}
	switch {
	case len(l.Providers) == 0:
		return unseen("no provider is configured")
	case len(dark) > 0:
		return unseen("%s does not tell what a key may do", strings.Join(dark, ", "))
	}
	return good("%s", strings.Join(append([]string{"the keys may only read"}, known...), ": "))
}
