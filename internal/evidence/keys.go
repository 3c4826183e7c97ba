package evidence

type keyKind uint8

const (
	keyID keyKind = iota
	keyIdempotency
	keyReference
)

// crowd is from how many attempts of several charges a shared reference is
// nobody's ("N/A" in a column of references): its attempts are not looked at
// one by one any more.
const crowd = 100

// key is one identifier that attempts and units may share.
type key struct {
	kind  keyKind
	name  string // of the reference
	value string
}

// keyIndex finds attempts by a key. Small components are looked through.
type keyIndex struct {
	attempts []*Attempt
	byKey    map[key][]*Attempt
}

func (x *keyIndex) build(attempts []*Attempt, units int) {
	x.attempts, x.byKey = attempts, nil
	if len(attempts)*units <= indexFrom*indexFrom {
		return
	}
	x.byKey = make(map[key][]*Attempt, 3*len(attempts))
	for _, a := range attempts {
		add := func(k key) {
			if k.value != "" {
				x.byKey[k] = append(x.byKey[k], a)
			}
		}
		add(key{kind: keyID, value: a.ProviderID})
		add(key{kind: keyIdempotency, value: a.Key})
		for _, r := range a.References {
			add(key{keyReference, r.Name, r.Value})
		}
	}
}

// find lists the attempts that carry the key and may be the unit's: of its
// provider, account and direction. The list must not be changed.
func (x *keyIndex) find(k key, u *Unit, flow Flow) []*Attempt {
	if k.value == "" {
		return nil
	}
	fits := func(a *Attempt) bool {
		return flow.fits(a.Direction()) && sameProvider(a.Attempt, u.Provider, u.Account)
	}
	if x.byKey == nil && len(x.attempts) == 1 {
		if a := x.attempts[0]; a.carries(k) && fits(a) {
			return x.attempts[:1:1]
		}
		return nil
	}
	if x.byKey != nil && len(x.byKey[k]) > crowd && severalCharges(x.byKey[k]) {
		return x.byKey[k]
	}
	var found []*Attempt
	candidates := x.attempts
	if x.byKey != nil {
		candidates = x.byKey[k]
	}
	for _, a := range candidates {
		if (x.byKey != nil || a.carries(k)) && fits(a) {
			found = append(found, a)
		}
	}
	return found
}

func (a *Attempt) carries(k key) bool {
	switch k.kind {
	case keyID:
		return a.ProviderID == k.value
	case keyIdempotency:
		return a.Key == k.value
	case keyReference:
		for _, r := range a.References {
			if r.Name == k.name && r.Value == k.value {
				return true
			}
		}
	}
	return false
}
