package store

import (
	"slices"

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
	return k
}
