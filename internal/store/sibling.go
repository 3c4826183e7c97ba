package store

import (
	"cmp"
	"slices"
)

// Sibling is another attempt of the same charge, as its row says. What a mark
// would be rests on them: a charge that one of them has paid meanwhile is not
// credited again (RULES §6), so the write asks that none of them moved.
type Sibling struct {
	ID         string
	Word       string // of the status, as it stands in the table
	ProviderID string
}

// SiblingsOf asks for the attempts of a charge, the attempt itself among them;
// ok is false where nothing tells what belongs together.
func (r *Reading) SiblingsOf(charge string) (filter AttemptFilter, ok bool) {
	by := AttemptKey{Kind: ByCharge}
	if _, ok := r.Key(by); !ok || charge == "" {
		return AttemptFilter{}, false
	}
	return AttemptFilter{By: by, Values: []string{charge}}, true
}

// Sibling reads a row of those; ok is false where it is the attempt's own.
func (r *Reading) Sibling(row []Text, own string) (sibling Sibling, ok bool) {
	text := func(at int) string {
		if at < 0 {
			return ""
		}
		return row[at].Value
	}
	s := Sibling{ID: text(r.at.id), Word: text(r.at.status), ProviderID: text(r.at.providerID)}
	return s, s.ID != own
}

// SortSiblings brings them into the order in which they are compared.
func SortSiblings(all []Sibling) {
	slices.SortFunc(all, func(x, y Sibling) int { return cmp.Compare(x.ID, y.ID) })
}

// SiblingMoved says which of the charge's other attempts is not as it was when
// the row was seen: a *MovedError, nil where none moved. Both are sorted.
func (s *Seen) SiblingMoved(now []Sibling) *MovedError {
	moved := func(id, what string) *MovedError {
		return &MovedError{Cause: CauseSibling, Attempt: s.Attempt.ID, By: id, Detail: what}
	}
	for i := range now {
		at, was := slices.BinarySearchFunc(s.Siblings, now[i].ID, func(x Sibling, id string) int { return cmp.Compare(x.ID, id) })
		switch {
		case !was:
			return moved(now[i].ID, "was begun, and is "+now[i].Word+" now")
		case s.Siblings[at].Word != now[i].Word:
			return moved(now[i].ID, "is "+now[i].Word+" now")
		case s.Siblings[at] != now[i]:
			return moved(now[i].ID, "names another object of the provider now")
		}
	}
	for _, was := range s.Siblings {
		if !slices.ContainsFunc(now, func(x Sibling) bool { return x.ID == was.ID }) {
			return moved(was.ID, "is gone")
		}
	}
	return nil
}
