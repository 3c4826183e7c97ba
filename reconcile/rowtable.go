package reconcile

import "math/bits"

// rowTable remembers, by the hash of a key, the first row that carried it:
// open addressing in two flat slices, for there are five keys to a row and
// millions of rows.
type rowTable struct {
	hashes []uint64 // 0: free
	rows   []int32
	used   int
}

func newRowTable(expected int) *rowTable {
	size := 64 + expected + expected/2
	return &rowTable{hashes: make([]uint64, size), rows: make([]int32, size)}
}

// first gives the row that carried the key first; where there is none, row is
// entered and given back.
func (t *rowTable) first(h uint64, row int32) int32 {
	if h == 0 {
		h = 1
	}
	if 4*t.used > 3*len(t.hashes) {
		t.grow()
	}
	i, _ := bits.Mul64(h, uint64(len(t.hashes))) // h as a fraction of the table
	for ; ; i++ {
		if i == uint64(len(t.hashes)) {
			i = 0
		}
		switch t.hashes[i] {
		case h:
			return t.rows[i]
		case 0:
			t.hashes[i], t.rows[i] = h, row
			t.used++
			return row
		}
	}
}

func (t *rowTable) grow() {
	old := *t
	*t = rowTable{hashes: make([]uint64, 2*len(old.hashes)), rows: make([]int32, 2*len(old.rows))}
	for i, h := range old.hashes {
		if h != 0 {
			t.first(h, old.rows[i])
		}
	}
}
