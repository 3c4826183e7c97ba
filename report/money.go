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

// headline is the money at stake in one currency of one mode. A divergence
// whose money another one counts adds to the number only (RULES §4).
type headline struct {
	mode     payment.Mode
	currency money.Currency
	minor    [bucketEnd]int64
	count    [bucketEnd]int
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
		if d.SameMoneyAs != nil {
			continue
		}
		sum, ok := money.Sum(h.minor[kind], d.Amount)
		if !ok {
			return nil, fmt.Errorf("add up the divergences in %s: %w", d.Currency, money.ErrOverflow)
		}
		h.minor[kind] = sum
	}
	slices.SortFunc(all, func(a, b headline) int {
		if a.mode != b.mode {
			return int(a.mode) - int(b.mode)
		}
		return slices.Compare(a.currency[:], b.currency[:])
	})
	return all, nil
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
