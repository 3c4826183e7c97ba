package store

import "math"

// Absorb joins a coverage that is to be stored with what is stored of the same
// statement, so that reading an overlap every hour adds no row every hour. gone
// are indexes into stored of the parts for which whole now stands; write is
// false where a part says all of it already.
//
// Only parts that overlap or touch and say the same of the time they cover are
// joined: one grade, no holes. Where balances are stated none are, for those
// need the lines of each part. What is read and unread, by every grade, stays
// the same to the instant (RULES §1).
func (s StoredStatement) Absorb(stored []StoredStatement) (whole StoredStatement, gone []int, write bool) {
	if !s.joinable() {
		return s, nil, true
	}
	for i := range stored {
		p := &stored[i]
		if p.Opening.Known || p.Closing.Known {
			return s, nil, true
		}
		if p.alike(&s) && p.From <= s.From && s.Through <= p.Through {
			return s, nil, false
		}
	}
	taken := make([]bool, len(stored))
	for before := -1; before != len(gone); {
		before = len(gone)
		for i := range stored {
			p := &stored[i]
			if taken[i] || !p.alike(&s) || p.From > s.Through || s.From > p.Through {
				continue
			}
			s.From, s.Through = min(s.From, p.From), max(s.Through, p.Through)
			s.Lines = min(s.Lines+p.Lines, math.MaxInt32)
			taken[i], gone = true, append(gone, i)
		}
	}
	return s, gone, true
}

// joinable tells whether the coverage is one interval and nothing more.
func (s *StoredStatement) joinable() bool {
	return s.From < s.Through && len(s.Holes) == 0 && !s.Opening.Known && !s.Closing.Known
}

// alike tells whether two coverages differ in their interval alone.
func (s *StoredStatement) alike(o *StoredStatement) bool {
	return s.joinable() && s.Grade == o.Grade && s.PublishLag == o.PublishLag && s.Members == o.Members
}
