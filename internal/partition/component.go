package partition

import "encoding/binary"

// forest says which rows hang together. A root holds minus its number of rows.
type forest []int32

func newForest(n int) forest {
	f := make(forest, n)
	for i := range f {
		f[i] = -1
	}
	return f
}

func (f forest) root(i int32) int32 {
	for f[i] >= 0 {
		if up := f[i]; f[up] >= 0 {
			f[i] = f[up]
		}
		i = f[i]
	}
	return i
}

// join makes the first row of a component its root.
func (f forest) join(a, b int32) {
	a, b = f.root(a), f.root(b)
	if a == b {
		return
	}
	if a > b {
		a, b = b, a
	}
	f[a] += f[b]
	f[b] = a
}

// deal turns the forest's numbers of rows into numbers of shards and gives how
// many there are: components in the order of their first rows, a new shard
// whenever one holds so many rows. A component is never split.
func (f forest) deal(target int) (shards int) {
	rows := 0
	for i, v := range f {
		if v >= 0 {
			continue
		}
		if rows >= target {
			shards, rows = shards+1, 0
		}
		f[i] = int32(-1 - shards)
		rows += int(-v)
	}
	return shards + 1
}

// shard of a row, once the forest was dealt.
func (f forest) shard(row int32) int { return int(-1 - f[f.root(row)]) }

// eachKey reads the keys of one partition.
func (r *Rows) eachKey(part int, each func(hash uint64, row uint32)) error {
	in := r.byHash[part].reader(&r.keys, false)
	for {
		keys, err := in.chunk()
		if err != nil || len(keys) == 0 {
			return err
		}
		for ; len(keys) >= keySize; keys = keys[keySize:] {
			each(binary.LittleEndian.Uint64(keys), binary.LittleEndian.Uint32(keys[8:]))
		}
	}
}

// Asked gives the hash of every key by which a row that was added asks for
// others, once or more often.
func (r *Rows) Asked(each func(hash uint64)) error {
	for part := range r.byHash {
		err := r.eachKey(part, func(hash uint64, row uint32) {
			if row < silent {
				each(hash)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// components joins the rows that share a hash, partition by partition, so that
// each table of hashes is small.
func (r *Rows) components() (forest, error) {
	f := newForest(int(r.n))
	var seen table
	for part := range r.byHash {
		seen.reset(int(r.byHash[part].size / keySize))
		err := r.eachKey(part, func(hash uint64, row uint32) {
			row &^= silent
			if first := seen.first(hash, int32(row)); first != int32(row) {
				f.join(first, int32(row))
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return f, nil
}

// table remembers by hash the first row that carried it.
type table struct{ slots []slot }

type slot struct {
	hash uint64 // 0: free
	row  int32
}

// reset empties the table and makes room for so many hashes.
func (t *table) reset(expected int) {
	size := 64
	for size < expected*3/2 {
		size *= 2
	}
	if size > len(t.slots) {
		t.slots = make([]slot, size)
		return
	}
	clear(t.slots)
}

func (t *table) first(hash uint64, row int32) int32 {
	for i := hash * 0x9E3779B97F4A7C15 >> 20 & uint64(len(t.slots)-1); ; i++ {
		if i == uint64(len(t.slots)) {
			i = 0
		}
		switch s := &t.slots[i]; s.hash {
		case hash:
			return s.row
		case 0:
			*s = slot{hash, row}
			return row
		}
	}
}
