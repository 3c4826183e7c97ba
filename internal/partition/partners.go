package partition

import "encoding/binary"

// Partners by row: the only other row that shares a key with it, plus one. What
// one row meets meets it: the partner of a row has that row, or many.
const (
	alone = 0
	many  = 1<<32 - 1
)

type partners []uint32

func (p partners) meet(a, b uint32) {
	if p[a] == alone {
		p[a] = b + 1
	} else if p[a] != b+1 {
		p[a] = many
	}
}

// partners reads the keys, partition by partition.
func (p *Pairs) partners() (partners, error) {
	of := make(partners, p.n)
	var seen pairTable
	for part := range p.byHash {
		seen.reset(int(p.byHash[part].size / keySize))
		in := p.byHash[part].reader(&p.keys, false)
		for {
			keys, err := in.chunk()
			if err != nil {
				return nil, err
			}
			if len(keys) == 0 {
				break
			}
			for ; len(keys) >= keySize; keys = keys[keySize:] {
				seen.add(of, binary.LittleEndian.Uint64(keys), binary.LittleEndian.Uint32(keys[8:]))
			}
		}
	}
	return of, nil
}

// pairTable remembers by hash the first two rows that carried it.
type pairTable struct{ slots []pairSlot }

type pairSlot struct {
	hash          uint64 // 0: free
	first, second uint32 // second: alone, row plus one, many
}

func (t *pairTable) reset(expected int) {
	size := 64
	for size < expected*3/2 {
		size *= 2
	}
	if size > len(t.slots) {
		t.slots = make([]pairSlot, size)
		return
	}
	clear(t.slots)
}

func (t *pairTable) add(of partners, hash uint64, row uint32) {
	for i := hash * 0x9E3779B97F4A7C15 >> 20 & uint64(len(t.slots)-1); ; i = (i + 1) & uint64(len(t.slots)-1) {
		s := &t.slots[i]
		if s.hash == 0 {
			*s = pairSlot{hash: hash, first: row}
			return
		}
		if s.hash != hash {
			continue
		}
		switch {
		case s.first == row || s.second == row+1:
		case s.second == alone:
			s.second = row + 1
			of.meet(s.first, row)
			of.meet(row, s.first)
		default:
			of[s.first], of[row] = many, many
			if s.second != many {
				of[s.second-1], s.second = many, many
			}
		}
		return
	}
}
