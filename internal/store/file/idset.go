package file

import (
	"hash/maphash"

	"desfecho/internal/payment"
)

// idSet finds an id that stands twice. It holds indices of the attempts, so
// that a million ids cost eight megabytes.
type idSet struct {
	seed  maphash.Seed
	slots []int32 // index of an attempt + 1, by hash
	lines []int32
}

// add takes the last attempt; taken is true where another one has its id, and
// before is the line of that one.
func (s *idSet) add(attempts []payment.Attempt, line int) (before int, taken bool) {
	if len(attempts)*2 > len(s.slots) {
		s.widen(attempts[:len(attempts)-1])
	}
	s.lines = append(s.lines, int32(min(line, 1<<31-1))) //nolint:gosec // bounded
	last := len(attempts) - 1
	at := s.find(attempts, attempts[last].ID)
	if held := s.slots[at]; held != 0 {
		return int(s.lines[held-1]), true
	}
	s.slots[at] = int32(last + 1) //nolint:gosec // a file of 2^31 rows fits in no memory
	return 0, false
}

// find is the slot that holds the id, or the free one where it belongs.
func (s *idSet) find(attempts []payment.Attempt, id string) int {
	mask := len(s.slots) - 1
	at := int(maphash.String(s.seed, id)) & mask //nolint:gosec // only the low bits count
	for s.slots[at] != 0 && attempts[s.slots[at]-1].ID != id {
		at = (at + 1) & mask
	}
	return at
}

// widen doubles the slots and puts every attempt in its place again.
func (s *idSet) widen(attempts []payment.Attempt) {
	if len(s.slots) == 0 {
		s.seed = maphash.MakeSeed()
	}
	s.slots = make([]int32, max(1024, 4*len(s.slots)))
	for i := range attempts {
		if at := s.find(attempts, attempts[i].ID); s.slots[at] == 0 {
			s.slots[at] = int32(i + 1) //nolint:gosec // as above
		}
	}
}
