package probe

import (
	"slices"

	"desfecho/internal/payment"
)

// About is the attempt with every unit that what was loaded about it names:
// objects, lines and stored events that carry its provider id, its key or one
// of its references.
func About(a *payment.Attempt, units []payment.Unit, lines []payment.Line, events []payment.Event) Subject {
	s := Subject{Attempt: a}
	add := func(id string) {
		if id != "" && !slices.Contains(s.Units, id) {
			s.Units = append(s.Units, id)
		}
	}
	for i := range units {
		if u := &units[i]; u.ID == a.ProviderID && u.ID != "" || u.Key == a.Key && u.Key != "" || shares(a.References, u.References) {
			add(u.ID)
		}
	}
	for i := range lines {
		if shares(a.References, lines[i].References) {
			add(lines[i].Unit)
		}
	}
	for i := range events {
		if e := &events[i]; e.Key == a.Key && e.Key != "" || shares(a.References, e.References) {
			add(e.Unit)
		}
	}
	slices.Sort(s.Units)
	return s
}

func shares(ours, theirs []payment.Reference) bool {
	return slices.ContainsFunc(ours, func(o payment.Reference) bool {
		return o.Value != "" && slices.ContainsFunc(theirs, func(t payment.Reference) bool { return t.Name == o.Name && t.Value == o.Value })
	})
}
