package store

import (
	"slices"
	"strconv"
	"time"

	"desfecho/internal/money"
	"desfecho/internal/payment"
)

// The sorts of key by which rows belong together, as reconcile gathers them. A
// key is stored as a 64-bit hash: a collision loads a row too many, which
// changes no verdict.
type keySort byte

const (
	keyUnit   keySort = 'u' // ids, aliases, groups and parents of units
	keyIdem   keySort = 'k' // idempotency keys
	keyRef    keySort = 'r' // references, by name
	keyCharge keySort = 'c' // our charges that metadata names
	keyAmount keySort = 'a' // amounts captured on a day: what may be another attempt's (RULES §6, look-alikes)
	keyParcel keySort = 'p' // likewise the whole of a parcel's sale, as near as one parcel tells it
)

// hashKey is FNV-1a; it is stored, so it never changes.
func hashKey(sort keySort, name, value string) int64 {
	const offset, prime = 14695981039346656037, 1099511628211
	h := (uint64(offset) ^ uint64(sort)) * prime
	for i := range len(name) {
		h = (h ^ uint64(name[i])) * prime
	}
	h = (h ^ 0xff) * prime
	for i := range len(value) {
		h = (h ^ uint64(value[i])) * prime
	}
	return int64(h)
}

type keyList []int64

func (k *keyList) add(sort keySort, name, value string) {
	if value == "" {
		return
	}
	if h := hashKey(sort, name, value); !slices.Contains(*k, h) {
		*k = append(*k, h)
	}
}

func (k *keyList) references(references []payment.Reference) {
	for i := range references {
		k.add(keyRef, references[i].Name, references[i].Value)
	}
}

// LineKeys are the keys that a stored line is found by.
func LineKeys(l *payment.Line) []int64 {
	k := keyList{}
	k.add(keyUnit, "", l.Unit)
	k.add(keyUnit, "", l.Parent)
	k.add(keyCharge, "", l.ForeignCharge)
	if l.Kind == payment.KindRefund { // it may be a unit of its own (RULES §3.1)
		k.add(keyUnit, "", l.ID)
	}
	k.references(l.References)
	k.amounts(l)
	return k
}

// UnitKeys are the keys that a stored observation of a unit is found by.
func UnitKeys(u *payment.Unit) []int64 {
	k := keyList{}
	k.add(keyUnit, "", u.ID)
	for _, alias := range u.Aliases {
		k.add(keyUnit, "", alias)
	}
	k.add(keyUnit, "", u.Group)
	k.add(keyUnit, "", u.Parent)
	k.add(keyIdem, "", u.Key)
	k.add(keyCharge, "", u.ForeignCharge)
	k.references(u.References)
	for _, stated := range []payment.Stated{u.Captured, u.Asked, u.Principal} {
		if stated.Known && !u.CreatedAt.IsZero() {
			k.add(keyAmount, onDay(u.Currency, dayOf(u.CreatedAt)), whole(stated.Minor))
		}
	}
	return k
}

// amounts are the keys of what a line captured or sent.
func (k *keyList) amounts(l *payment.Line) {
	switch l.Kind { //nolint:exhaustive // only the kinds that may be an attempt's own money
	case payment.KindCharge, payment.KindRefund, payment.KindChargeback, payment.KindTransferOut, payment.KindPayout:
	default:
		return
	}
	if l.At.IsZero() || l.Still {
		return
	}
	for _, said := range []struct {
		payment.Stated
		currency money.Currency
	}{{payment.Known(l.Gross), l.Currency}, {l.Presented, l.PresentedCurrency}} {
		if !said.Known {
			continue
		}
		place := onDay(said.currency, dayOf(l.At))
		k.add(keyAmount, place, whole(said.Minor))
		if l.Of > 1 {
			k.add(keyParcel, place, whole(money.Magnitude(said.Minor)*int64(l.Of)>>parcelBits))
		}
	}
}

// parcelBits: one of a sale's N parcels is the Nth part rounded down, so that N
// of it are less than N short of the sale; no sale has more parcels than that.
const parcelBits = 7

// lookAlikeKeys are the keys of what captured the same amount on one of the
// days.
func lookAlikeKeys(amount money.Amount, first, last payment.Day, each func(int64)) {
	near := amount.Minor >> parcelBits
	for day := first; day <= last; day++ {
		place := onDay(amount.Currency, day)
		each(hashKey(keyAmount, place, whole(amount.Minor)))
		each(hashKey(keyParcel, place, whole(near)))
		each(hashKey(keyParcel, place, whole(near-1)))
	}
}

func dayOf(at payment.Instant) payment.Day { return payment.DayOf(at, time.UTC) }

func onDay(c money.Currency, day payment.Day) string { return c.String() + " " + whole(int64(day)) }

func whole(n int64) string { return strconv.FormatInt(money.Magnitude(n), 10) }
