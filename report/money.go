package report

import (
	"fmt"
	"slices"

	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/reconcile"
)

// bucket is one figure of the headline.
type bucket uint8

const (
	noBucket bucket = iota
	chargedNotRecorded
	doubled
	outUnexplained
	stuck
	recordedNotCharged
	otherMoney
	bucketEnd
)

// String is the figure's name on the screen.
func (b bucket) String() string {
	return [bucketEnd]string{"", "charged and not recorded", "doubled", "out unexplained", "stuck", "recorded and not charged", "other"}[b]
}

// headline is the money at stake in one currency of one mode. A divergence
// whose money another one counts adds to the number only (RULES §4); shared is
// that money where it stands in another figure.
type headline struct {
	mode     payment.Mode
	currency money.Currency
	minor    [bucketEnd]int64
	count    [bucketEnd]int
	shared   [bucketEnd]share
}

// share is money of a figure that is counted elsewhere: of how many
// divergences, and in which figures; noBucket is in none, where the other
// divergence was put aside.
type share struct {
	minor int64
	count int
	in    []bucket
}

// headlines sums up what is listed, by mode and currency. A currency in which
// only agreed money moved is there too, with zeros.
func headlines(r *reconcile.Result) ([]headline, error) {
	var all []headline
	at := func(mode payment.Mode, currency money.Currency) *headline {
		for i := range all {
			if all[i].mode == mode && all[i].currency == currency {
				return &all[i]
			}
		}
		all = append(all, headline{mode: mode, currency: currency})
		return &all[len(all)-1]
	}
	for _, b := range r.Bridges {
		at(b.Mode, b.Currency)
	}
	for i := range r.Divergences {
		d := &r.Divergences[i]
		kind := bucketOf(d)
		if kind == noBucket {
			continue
		}
		h := at(d.Mode, d.Currency)
		h.count[kind]++
		sum := &h.minor[kind]
		if d.SameMoneyAs != nil {
			other := holder(r, d)
			if other == kind {
				continue
			}
			s := &h.shared[kind]
			s.count++
			if !slices.Contains(s.in, other) {
				s.in = append(s.in, other)
			}
			sum = &s.minor
		}
		var ok bool
		if *sum, ok = money.Sum(*sum, d.Amount); !ok {
			return nil, fmt.Errorf("add up the divergences in %s: %w", d.Currency, money.ErrOverflow)
		}
	}
	slices.SortFunc(all, func(a, b headline) int {
		if a.mode != b.mode {
			return int(a.mode) - int(b.mode)
		}
		return slices.Compare(a.currency[:], b.currency[:])
	})
	return all, nil
}

// holder is the figure that holds the money which a divergence shares.
func holder(r *reconcile.Result, d *reconcile.Divergence) bucket {
	for i := range r.Divergences {
		o := &r.Divergences[i]
		if o.Provider == d.Provider && o.Mode == d.Mode && o.Subject.Kind == d.SameMoneyAs.Kind && slices.Equal(o.Subject.IDs, d.SameMoneyAs.IDs) {
			return bucketOf(o)
		}
	}
	return noBucket
}

// bucketOf finds the figure a divergence belongs to: by its class, else by the
// other classes that apply.
func bucketOf(d *reconcile.Divergence) bucket {
	if !open(d) || d.Aside() || d.Severity == reconcile.P4 || d.Class == reconcile.CoverageIncomplete {
		return noBucket
	}
	kind := classBucket(d.Class, d.Severity)
	if kind == chargedNotRecorded && d.Direction == payment.Out {
		return outUnexplained
	}
	if kind != otherMoney {
		return kind
	}
	for _, class := range d.Also {
		if kind := classBucket(class, d.Severity); kind == stuck {
			return kind
		}
	}
	if d.Amount == 0 {
		return noBucket
	}
	return otherMoney
}

func classBucket(class reconcile.Class, severity reconcile.Severity) bucket {
	switch class { //nolint:exhaustive // every other class is other money, as a new one would be
	case reconcile.FailedButCharged:
		if severity != reconcile.P1 {
			return otherMoney // wholly returned
		}
		return chargedNotRecorded
	case reconcile.UnrecordedCharge:
		return chargedNotRecorded
	case reconcile.DuplicateCharge:
		return doubled
	case reconcile.UnrecordedOutflow, reconcile.UnlinkedReversal, reconcile.RefundExceedsCaptured:
		return outUnexplained
	case reconcile.MissingAtProvider, reconcile.DeclinedAtProvider:
		return recordedNotCharged
	case reconcile.UnknownCharged, reconcile.PendingCharged, reconcile.UnknownDeclined, reconcile.UnknownNotFound,
		reconcile.UnknownOpen, reconcile.UnknownInconclusive, reconcile.UnknownWaiting, reconcile.PendingStale:
		return stuck
	default:
		return otherMoney
	}
}

// tally counts what stands, by severity; fresh is how many of those are new.
// Index 0 counts what has no severity of its own and is left out of fresh.
func tally(r *reconcile.Result) (bySeverity [5]int, fresh int) {
	for i := range r.Divergences {
		d := &r.Divergences[i]
		if !open(d) || d.Aside() {
			continue
		}
		bySeverity[d.Severity]++
		if d.Severity != 0 && d.LifeState == reconcile.LifeNew {
			fresh++
		}
	}
	return bySeverity, fresh
}
