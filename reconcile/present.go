package reconcile

// present remembers which subjects of the last run's divergences are still
// there, and which of them are attempts that were settled since.
type present struct {
	wanted  map[string]bool // by id; true once it was seen
	settled map[string]bool
}

func presentOf(previous *Memory) present {
	p := present{wanted: map[string]bool{}, settled: map[string]bool{}}
	if previous == nil {
		return p
	}
	for i := range previous.Items {
		if previous.Items[i].State.Ended() {
			continue
		}
		for _, id := range previous.Items[i].Subject.IDs {
			p.wanted[id] = false
		}
	}
	return p
}

func (p *present) see(part *Part) {
	if len(p.wanted) == 0 {
		return
	}
	for i := range part.Attempts {
		a := &part.Attempts[i]
		p.mark(a.Charge)
		if p.mark(a.ID) && a.Status.Final() {
			p.settled[a.ID] = true
		}
	}
	for i := range part.Units {
		p.mark(part.Units[i].ID)
	}
	for i := range part.Lines {
		p.mark(part.Lines[i].Unit)
		p.mark(part.Lines[i].ID)
	}
}

func (p *present) mark(id string) (wanted bool) {
	if _, wanted = p.wanted[id]; wanted {
		p.wanted[id] = true
	}
	return wanted
}
