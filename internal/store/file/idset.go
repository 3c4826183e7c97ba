package file

import (
	"hash/maphash"

	"desfecho/internal/payment"
)

// idSet finds an id that stands twice. Most exports are in order of their id,
// and an id above the one before it needs no look-up; the first that is not
// makes a table of all.
type idSet struct {
	lines []int32 // by index of the attempt
	seed  maphash.Seed
	slots []slot // nil while every id was above the one before
}

// slot holds an attempt's index + 1, and bits of the id's hash, so that other
// ids are told apart without looking at them.
type slot struct {
	index int32
	hash  uint32
}

// add takes the last attempt; taken is true where another one has its id, and
// before is the line of that one.
func (s *idSet) add(attempts []payment.Attempt, line int) (before int, taken bool) {
	s.lines = append(s.lines, int32(min(line, 1<<31-1)))
	last := len(attempts) - 1
	if s.slots == nil && (last == 0 || above(attempts[last].ID, attempts[last-1].ID)) {
		return 0, false
	}
	if len(attempts)*2 > len(s.slots) {
		s.widen(attempts[:last])
	}
	at, hash := s.find(attempts, attempts[last].ID)
	if held := s.slots[at].index; held != 0 {
		return int(s.lines[held-1]), true
	}
	s.slots[at] = slot{int32(last + 1), hash}
	return 0, false
}

// above orders shorter ids before longer ones, so that numbers are in order.
func above(id, before string) bool {
	return len(id) > len(before) || len(id) == len(before) && id > before
}

// find is the slot that holds the id, or the free one where it belongs.
func (s *idSet) find(attempts []payment.Attempt, id string) (at int, hash uint32) {
	full := maphash.String(s.seed, id)
	mask := uint64(len(s.slots) - 1)
	place, hash := full&mask, uint32(full>>32)
	for s.slots[place].index != 0 && (s.slots[place].hash != hash || attempts[s.slots[place].index-1].ID != id) {
		place = (place + 1) & mask
	}
	return int(place), hash
}

// widen makes room for four times as many, and puts every attempt in its place.
func (s *idSet) widen(attempts []payment.Attempt) {
	size := 1024
	for size < 4*len(attempts) {
		size *= 2
	}
	s.seed = maphash.MakeSeed()
	s.slots = make([]slot, size)
	for i := range attempts {
		if at, hash := s.find(attempts, attempts[i].ID); s.slots[at].index == 0 {
			s.slots[at] = slot{int32(i + 1), hash}
		}
	}
}
