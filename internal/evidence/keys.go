package evidence

type keyKind uint8

const (
	keyID keyKind = iota
	keyIdempotency
	keyReference
)

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
	x.attempts = attempts
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

// find lists the attempts that carry the key; the caller may change the list.
func (x *keyIndex) find(k key) []*Attempt {
	if k.value == "" {
		return nil
	}
	if x.byKey != nil {
		return append([]*Attempt(nil), x.byKey[k]...)
	}
	var found []*Attempt
	for _, a := range x.attempts {
		if a.carries(k) {
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
