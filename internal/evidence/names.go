package evidence

import "desfecho/internal/payment"

// indexFrom is the size from which a map beats looking at each entry; most
// components have one attempt and one unit.
const indexFrom = 12

// name is one id of a unit where it can be told from others' ids.
type name struct {
	provider string
	mode     payment.Mode
	id       string
}

// nameIndex finds a unit in the making by one of its ids.
type nameIndex struct {
	entries []nameEntry
	byName  map[name][]int // into entries
}

type nameEntry struct {
	name
	account string
	unit    int
}

func (x *nameIndex) reset() { x.entries, x.byName = x.entries[:0], nil }

// find gives the unit of that id in that account, or -1. An account that is
// not stated on one side is no difference.
func (x *nameIndex) find(n name, account string) int {
	if x.byName != nil {
		for _, i := range x.byName[n] {
			if sameAccount(x.entries[i].account, account) {
				return x.entries[i].unit
			}
		}
		return -1
	}
	for i := range x.entries {
		if x.entries[i].name == n && sameAccount(x.entries[i].account, account) {
			return x.entries[i].unit
		}
	}
	return -1
}

func (x *nameIndex) add(n name, account string, unit int) {
	x.entries = append(x.entries, nameEntry{n, account, unit})
	switch {
	case x.byName != nil:
		x.byName[n] = append(x.byName[n], len(x.entries)-1)
	case len(x.entries) > indexFrom:
		x.byName = make(map[name][]int, 2*len(x.entries))
		for i := range x.entries {
			x.byName[x.entries[i].name] = append(x.byName[x.entries[i].name], i)
		}
	}
}

func sameAccount(a, b string) bool { return a == b || a == "" || b == "" }
