package reconcile

import (
	"cmp"

	"desfecho/internal/evidence"
	"desfecho/internal/payment"
)

// gathered is a part in components: rows that share a charge, a reference,
// a key, a unit or a line id stand together. A component may hold more than
// belongs together, never less, for what belongs together is decided by
// evidence.Look on the keys themselves. Keys meet here by a 64-bit hash, so a
// collision costs time and changes nothing.
type gathered struct {
	in    *Part
	nodes nodes
	told  told
	// order lists the rows, those of one component side by side; start marks
	// where each component begins.
	order []int32
	start []int32
}

// nodes numbers the rows of the part one after the other.
type nodes struct {
	parent                           []int32
	units, lines, lookups, events, n int32 // first number of each sort; attempts begin at 0
	seen                             *rowTable
}

func gather(in *Part) *gathered {
	g := &gathered{in: in}
	n := &g.nodes
	n.units = int32(len(in.Attempts))
	n.lines = n.units + int32(len(in.Units))
	n.lookups = n.lines + int32(len(in.Lines))
	n.events = n.lookups + int32(len(in.Lookups))
	n.n = n.events + int32(len(in.Events))
	n.parent = make([]int32, n.n)
	for i := range n.parent {
		n.parent[i] = int32(i)
	}
	g.told = toldBy(in)
	n.seen = newRowTable((2+len(g.told.names))*len(in.Attempts) + 2*len(in.Units) + len(in.Lines) + 64)
	g.attempts()
	var keys []Key
	for i := range in.Units {
		keys = UnitKeys(keys[:0], &in.Units[i])
		n.meet(n.units+int32(i), keys)
	}
	for i := range in.Lines {
		keys = LineKeys(keys[:0], &in.Lines[i])
		n.meet(n.lines+int32(i), keys)
	}
	for i := range in.Lookups {
		keys = LookupKeys(keys[:0], &in.Lookups[i])
		n.meet(n.lookups+int32(i), keys)
	}
	for i := range in.Events {
		keys = EventKeys(keys[:0], &in.Events[i])
		n.meet(n.events+int32(i), keys)
	}
	n.seen = nil
	g.arrange()
	return g
}

// told says which keys of attempts something at the provider may carry: what
// nothing carries brings no rows together and need not be remembered.
type told struct {
	names map[string]bool // of references
	keys  bool            // idempotency keys; two payloads under one key meet by it, too
}

func toldBy(in *Part) told {
	t := told{names: map[string]bool{}}
	last := ""
	see := func(references []payment.Reference) {
		for i := range references {
			if name := references[i].Name; name != last {
				t.names[name], last = true, name
			}
		}
	}
	unit := func(u *payment.Unit) {
		see(u.References)
		t.keys = t.keys || u.Key != ""
	}
	for i := range in.Units {
		unit(&in.Units[i])
	}
	for i := range in.Lines {
		see(in.Lines[i].References)
	}
	for i := range in.Lookups {
		for k := range in.Lookups[i].Units {
			unit(&in.Lookups[i].Units[k])
		}
	}
	for i := range in.Events {
		see(in.Events[i].References)
		t.keys = t.keys || in.Events[i].Key != ""
	}
	return t
}

func (g *gathered) attempts() {
	asked := len(g.in.Lookups) > 0
	var keys []Key
	for i := range g.in.Attempts {
		a := &g.in.Attempts[i]
		all := AttemptKeys(keys[:0], a)
		keys = all[:0]
		for _, k := range all {
			switch k.Sort { //nolint:exhaustive // the other keys of attempts are always told
			case KeyIdempotency:
				if !g.told.keys && a.PayloadHash == "" {
					continue
				}
			case KeyReference:
				if !g.told.names[k.Name] {
					continue
				}
			case KeyAttempt:
				if !asked {
					continue
				}
			}
			keys = append(keys, k)
		}
		g.nodes.meet(int32(i), keys)
	}
}

// meet joins a row with all rows that carry one of its keys.
func (n *nodes) meet(node int32, keys []Key) {
	for i := range keys {
		if other := n.seen.first(keys[i].Hash, node); other != node {
			n.join(node, other)
		}
	}
}

func (n *nodes) join(a, b int32) {
	a, b = n.find(a), n.find(b)
	if a == b {
		return
	}
	if a > b {
		a, b = b, a
	}
	n.parent[b] = a
}

func (n *nodes) find(i int32) int32 {
	for n.parent[i] != i {
		n.parent[i] = n.parent[n.parent[i]]
		i = n.parent[i]
	}
	return i
}

// arrange lists the rows by component.
func (g *gathered) arrange() {
	n := &g.nodes
	size := make([]int32, n.n)
	for i := range n.parent {
		size[n.find(int32(i))]++
	}
	place := make([]int32, n.n)
	at := int32(0)
	for i, s := range size {
		if s > 0 {
			g.start = append(g.start, at)
			place[i] = at
			at += s
		}
	}
	g.order = make([]int32, n.n)
	for i := range n.parent {
		r := n.find(int32(i))
		g.order[place[r]] = int32(i)
		place[r]++
	}
	g.start = append(g.start, at)
}

// components is their number.
func (g *gathered) components() int { return len(g.start) - 1 }

// component gives the rows of one component in c, whose lists are used again.
func (g *gathered) component(i int, c *evidence.Component) {
	c.Attempts, c.Units, c.Lines = c.Attempts[:0], c.Units[:0], c.Lines[:0]
	c.Lookups, c.Events = c.Lookups[:0], c.Events[:0]
	n := &g.nodes
	for _, row := range g.order[g.start[i]:g.start[i+1]] {
		switch {
		case row < n.units:
			c.Attempts = append(c.Attempts, &g.in.Attempts[row])
		case row < n.lines:
			c.Units = append(c.Units, &g.in.Units[row-n.units])
		case row < n.lookups:
			c.Lines = append(c.Lines, &g.in.Lines[row-n.lines])
		case row < n.events:
			c.Lookups = append(c.Lookups, &g.in.Lookups[row-n.lookups])
		default:
			c.Events = append(c.Events, &g.in.Events[row-n.events])
		}
	}
}

// lessSubject orders subjects by kind and ids.
func compareSubject(a, b Subject) int {
	return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.String(), b.String()))
}
