package reconcile

import "desfecho/internal/payment"

// Key is one thing by which rows belong together, as a hash: rows of one
// component share one, and where two rows share a Hash by chance they are
// looked at together and told apart by the keys themselves.
type Key struct {
	Sort KeySort
	Name string // of a reference
	Hash uint64
}

// KeySort is what a key is. Values of two sorts never meet.
type KeySort uint8

// The sorts of key. KeyOccurrence is what stands for the id of a line that has
// none (RULES §3.2); KeyAttempt brings look-ups to the attempt that they are
// about.
const (
	KeyUnit KeySort = iota + 1
	KeyIdempotency
	KeyReference
	KeyCharge
	KeyLine
	KeyAttempt
	KeyOccurrence
)

// HashKey is the Hash of a key; 0 of an empty value, which is none.
func HashKey(sort KeySort, name, value string) uint64 {
	if value == "" {
		return 0
	}
	return hash(hash(uint64(sort), name), value) | 1
}

func addKey(keys []Key, sort KeySort, name, value string) []Key {
	if value == "" {
		return keys
	}
	return append(keys, Key{sort, name, HashKey(sort, name, value)})
}

func addReferences(keys []Key, references []payment.Reference) []Key {
	for i := range references {
		keys = addKey(keys, KeyReference, references[i].Name, references[i].Value)
	}
	return keys
}

// AttemptKeys appends the keys of an attempt.
func AttemptKeys(keys []Key, a *payment.Attempt) []Key {
	keys = addKey(keys, KeyUnit, "", a.ProviderID)
	keys = addKey(keys, KeyIdempotency, "", a.Key)
	keys = addKey(keys, KeyCharge, "", a.Charge)
	keys = addReferences(keys, a.References)
	return addKey(keys, KeyAttempt, "", a.ID)
}

// UnitKeys appends the keys of an observation.
func UnitKeys(keys []Key, u *payment.Unit) []Key {
	keys = addKey(keys, KeyUnit, "", u.ID)
	for _, alias := range u.Aliases {
		keys = addKey(keys, KeyUnit, "", alias)
	}
	keys = addKey(keys, KeyUnit, "", u.Group)
	keys = addKey(keys, KeyUnit, "", u.Parent)
	keys = addKey(keys, KeyIdempotency, "", u.Key)
	keys = addKey(keys, KeyCharge, "", u.ForeignCharge)
	return addReferences(keys, u.References)
}

// LineKeys appends the keys of a line.
func LineKeys(keys []Key, l *payment.Line) []Key {
	keys = addKey(keys, KeyUnit, "", l.Unit)
	keys = addKey(keys, KeyUnit, "", l.Parent)
	keys = addKey(keys, KeyCharge, "", l.ForeignCharge)
	keys = addReferences(keys, l.References)
	keys = addKey(keys, KeyLine, "", l.ID)
	if l.Kind == payment.KindRefund { // it may be a unit of its own (RULES §3.1)
		keys = addKey(keys, KeyUnit, "", l.ID)
	}
	if l.ID == "" && l.Unit == "" {
		keys = append(keys, Key{Sort: KeyOccurrence, Hash: occurrence(l)})
	}
	return keys
}

// LookupKeys appends the keys of a look-up and of all that it found.
func LookupKeys(keys []Key, l *payment.Lookup) []Key {
	keys = addKey(keys, KeyAttempt, "", l.Attempt)
	for i := range l.Units {
		keys = UnitKeys(keys, &l.Units[i])
	}
	return keys
}

// EventKeys appends the keys of a stored event.
func EventKeys(keys []Key, e *payment.Event) []Key {
	keys = addKey(keys, KeyUnit, "", e.Unit)
	keys = addKey(keys, KeyIdempotency, "", e.Key)
	return addReferences(keys, e.References)
}

// ChargeKeys appends the key of a stated charge.
func ChargeKeys(keys []Key, c *Charge) []Key { return addKey(keys, KeyCharge, "", c.ID) }

// DismissalKeys appends the key of what was put aside for an attempt.
func DismissalKeys(keys []Key, d *Dismissal) []Key { return addKey(keys, KeyAttempt, "", d.Attempt) }

// occurrence hashes the identity of a line without id or unit (RULES §3.2).
func occurrence(l *payment.Line) uint64 {
	h := hash(hash(uint64(l.Kind)+100, l.Provider), l.Account)
	for _, v := range [...]uint64{uint64(l.Day), uint64(l.Gross), uint64(l.N), uint64(l.Of)} {
		h = mix(h ^ v)
	}
	return h | 1
}

// hash is FNV-1a over eight bytes at a time where there are eight, mixed at
// the end.
func hash(seed uint64, s string) uint64 {
	const prime = 0x9E3779B97F4A7C15
	h := seed*prime + uint64(len(s))
	for len(s) >= 8 {
		w := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
			uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
		h = mix(h ^ w)
		s = s[8:]
	}
	for i := 0; i < len(s); i++ {
		h = (h ^ uint64(s[i])) * prime
	}
	return mix(h)
}

func mix(h uint64) uint64 {
	h ^= h >> 32
	h *= 0xD6E8FEB86659FD93
	h ^= h >> 32
	h *= 0xD6E8FEB86659FD93
	return h ^ h>>32
}
