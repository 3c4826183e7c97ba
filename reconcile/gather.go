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

// The sorts of key, mixed into the hash so that values of two sorts never meet.
const (
	mixUnit = iota + 1
	mixKey
	mixReference
	mixCharge
	mixLine
	mixAttempt
)

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
	g.units()
	for i := range in.Lines {
		g.line(n.lines+int32(i), &in.Lines[i])
	}
	for i := range in.Lookups {
		l := &in.Lookups[i]
		node := n.lookups + int32(i)
		n.meet(node, mixAttempt, "", l.Attempt)
		for j := range l.Units {
			g.unit(node, &l.Units[j])
		}
	}
	for i := range in.Events {
		e := &in.Events[i]
		node := n.events + int32(i)
		n.meet(node, mixUnit, "", e.Unit)
		n.meet(node, mixKey, "", e.Key)
		g.references(node, e.References)
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
	for i := range g.in.Attempts {
		a := &g.in.Attempts[i]
		node := int32(i)
		g.nodes.meet(node, mixUnit, "", a.ProviderID)
		if g.told.keys || a.PayloadHash != "" {
			g.nodes.meet(node, mixKey, "", a.Key)
		}
		g.nodes.meet(node, mixCharge, "", a.Charge)
		for k := range a.References {
			if r := &a.References[k]; g.told.names[r.Name] {
				g.nodes.meet(node, mixReference, r.Name, r.Value)
			}
		}
		if asked {
			g.nodes.meet(node, mixAttempt, "", a.ID)
		}
	}
}

func (g *gathered) units() {
	for i := range g.in.Units {
		g.unit(g.nodes.units+int32(i), &g.in.Units[i])
	}
}

func (g *gathered) unit(node int32, u *payment.Unit) {
	n := &g.nodes
	n.meet(node, mixUnit, "", u.ID)
	for _, alias := range u.Aliases {
		n.meet(node, mixUnit, "", alias)
	}
	n.meet(node, mixUnit, "", u.Group)
	n.meet(node, mixUnit, "", u.Parent)
	n.meet(node, mixKey, "", u.Key)
	n.meet(node, mixCharge, "", u.ForeignCharge)
	g.references(node, u.References)
}

func (g *gathered) line(node int32, l *payment.Line) {
	n := &g.nodes
	n.meet(node, mixUnit, "", l.Unit)
	n.meet(node, mixUnit, "", l.Parent)
	n.meet(node, mixCharge, "", l.ForeignCharge)
	g.references(node, l.References)
	n.meet(node, mixLine, "", l.ID)
	if l.Kind == payment.KindRefund { // it may be a unit of its own (RULES §3.1)
		n.meet(node, mixUnit, "", l.ID)
	}
	if l.ID == "" && l.Unit == "" {
		n.meetHash(node, occurrence(l))
	}
}

func (g *gathered) references(node int32, references []payment.Reference) {
	for i := range references {
		g.nodes.meet(node, mixReference, references[i].Name, references[i].Value)
	}
}

// meet joins a row with all rows that carry the same key.
func (n *nodes) meet(node int32, sort uint64, name, value string) {
	if value != "" {
		n.meetHash(node, hash(hash(sort, name), value))
	}
}

func (n *nodes) meetHash(node int32, h uint64) {
	if other := n.seen.first(h, node); other != node {
		n.join(node, other)
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

// hash is FNV-1a over eight bytes at a time where there are eight, mixed at
// the end.
func hash(seed uint64, s string) uint64 {
	const prime = 0x9E3779B97F4A7C15
	h := seed*prime + uint64(len(s))
	for len(s) >= 8 {
		w := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
			uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
		h = mix(h ^ w)
		s = s[8:]
	}
	for i := 0; i < len(s); i++ {
		h = (h ^ uint64(s[i])) * prime
	}
	return mix(h)
}

func mix(h uint64) uint64 {
	h ^= h >> 32
	h *= 0xD6E8FEB86659FD93
	h ^= h >> 32
	h *= 0xD6E8FEB86659FD93
	return h ^ h>>32
}

// occurrence hashes the identity of a line without id or unit (RULES §3.2).
func occurrence(l *payment.Line) uint64 {
	h := hash(hash(uint64(l.Kind)+100, l.Provider), l.Account)
	for _, v := range [...]uint64{uint64(l.Day), uint64(l.Gross), uint64(l.N), uint64(l.Of)} {
		h = mix(h ^ v)
	}
	return h
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
