package reconcile

import "math/bits"

// rowTable remembers, by the hash of a key, the first row that carried it:
// open addressing in one flat slice, so that a key costs one trip to memory,
// for there are several keys to a row and millions of rows.
type rowTable struct {
	slots []slot
	used  int
}

type slot struct {
	hash uint64 // 0: free
	row  int32
}

func newRowTable(expected int) *rowTable {
	size := 64 + expected + expected/2
	return &rowTable{slots: make([]slot, size)}
}

// first gives the row that carried the key first; where there is none, row is
// entered and given back.
func (t *rowTable) first(h uint64, row int32) int32 {
	if 4*t.used > 3*len(t.slots) {
		t.grow()
	}
	i, _ := bits.Mul64(h, uint64(len(t.slots))) // h as a fraction of the table
	for ; ; i++ {
		if i == uint64(len(t.slots)) {
			i = 0
		}
		switch s := &t.slots[i]; s.hash {
		case h:
			return s.row
		case 0:
			s.hash, s.row = h, row
			t.used++
			return row
		}
	}
}

func (t *rowTable) grow() {
	old := *t
	*t = rowTable{slots: make([]slot, 2*len(old.slots))}
	for _, s := range old.slots {
		if s.hash != 0 {
			t.first(s.hash, s.row)
		}
	}
}
