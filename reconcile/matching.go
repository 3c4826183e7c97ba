package reconcile

import (
	"slices"
	"sync"

	"desfecho/internal/payment"
)

// Part is some of the rows of an input: whole components, so that no row of it
// shares a charge, a reference, a key, a unit or a line id (Keys) with a row of
// another part. A row that stands apart may be in any.
type Part struct {
	Attempts  []payment.Attempt
	Charges   []Charge
	Units     []payment.Unit
	Lines     []payment.Line
	Lookups   []payment.Lookup
	Events    []payment.Event
	Dismissed []Dismissal
}

// Matching is Match part by part, for inputs that memory cannot hold: however
// the components are dealt out, and in whatever order, the result is that of
// Match over all of them. It keeps nothing of the rows but what the result
// says.
type Matching struct {
	in      Input // without rows
	setting *setting

	mutex   sync.Mutex // of all below
	out     *books
	counts  Counts
	amounts ceiling
	present present
	read    map[statementKey]*rowsRead
}

// Open starts a comparison under what the input says for all rows; its rows
// are left aside.
func Open(in Input) *Matching {
	if in.Window.Empty() {
		in.Window = wholeWindow(in.Statements)
	}
	in.Attempts, in.Charges, in.Units, in.Lines, in.Lookups, in.Events, in.Dismissed = nil, nil, nil, nil, nil, nil, nil
	m := &Matching{in: in, out: newBooks(), read: map[statementKey]*rowsRead{}, present: presentOf(in.Previous)}
	m.setting = newSetting(&m.in)
	m.amounts.statements(in.Statements)
	return m
}

// Add judges a part; several may be added at once. Its rows are not kept, their
// texts are.
func (m *Matching) Add(p Part) {
	if m.see(&p) {
		return // nothing of what was judged is told
	}
	judged := judgeAll(gather(&p), m.setting, chargesOf(p.Charges))
	m.mutex.Lock()
	defer m.mutex.Unlock()
	before := len(m.out.absent)
	m.out.add(judged)
	m.out.dismiss(m.out.absent[before:], p.Dismissed)
}

// AddSales adds sales that were seen to agree and whose rows were not kept.
// False: a policy or the window has more to ask of some of them. Then none was
// added, and their rows must be.
func (m *Matching) AddSales(all []Sales) bool {
	added := newBooks()
	for i := range all {
		s := &all[i]
		if !m.setting.plainly(&s.SalesOf) || !m.setting.dayInWindow(s.Provider, s.Day) {
			return false
		}
		added.agreed(s, m.setting)
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.out.add(added)
	for i := range all {
		s := &all[i]
		m.counts.Attempts += s.Count
		m.counts.Lines += s.Count
		entry(m.read, statementKey{s.Provider, s.Account, s.Mode, s.Statement}).lines += s.Count
		m.amounts.add(s.Magnitude)
	}
	return true
}

// see counts a part, and tells whether the amounts are beyond what a sum holds.
func (m *Matching) see(p *Part) (beyond bool) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if m.amounts.part(p); m.amounts.beyond {
		return true
	}
	m.counts.Attempts += len(p.Attempts)
	m.counts.Lines += len(p.Lines)
	m.counts.Lookups += len(p.Lookups)
	m.present.see(p)
	m.count(p)
	return false
}

// Result concludes from all parts. It is called once.
func (m *Matching) Result() Result {
	in, s, out := &m.in, m.setting, m.out
	r := Result{Now: in.Now, Window: in.Window, Places: map[Place]int{}}
	if m.amounts.beyond {
		r.Verdict, r.Defect = Incomplete, "the amounts of this input add up beyond 64 bits of minor units: nothing was judged"
		return r
	}
	out.lookAlikes(s)
	r.Bridges = out.bridgesOf(s)
	r.Divergences = slices.Concat(out.divergences, s.incomplete(in), out.accounting(s, r.Bridges))
	slices.SortFunc(r.Divergences, compareDivergences)
	r.Places, r.Transit, r.Repeats = out.places, out.transit, out.repeats
	slices.SortFunc(r.Transit, compareTransit)
	r.Counts = m.counts
	r.Counts.Units = out.judged.Units
	r.Counts.OutsideAttempts, r.Counts.OutsideLines = m.counts.Attempts-out.judged.Attempts, out.outside
	r.Statements = m.statements()
	r.remember(m)
	r.Groups = groups(r.Divergences)
	r.Verdict = verdict(&r)
	r.Defect = defect(&r, out)
	return r
}

func chargesOf(charges []Charge) map[string]int64 {
	if len(charges) == 0 {
		return nil
	}
	stated := make(map[string]int64, len(charges))
	for _, c := range charges {
		stated[c.ID] = c.Minor
	}
	return stated
}

// rowsRead counts what was read of one statement.
type rowsRead struct{ lines, units int }

func (m *Matching) count(p *Part) {
	for i := 0; i < len(p.Lines); {
		k, from := statementOf(&p.Lines[i]), i
		for i < len(p.Lines) && statementOf(&p.Lines[i]) == k {
			i++
		}
		entry(m.read, k).lines += i - from
	}
	for i := range p.Units {
		u := &p.Units[i]
		entry(m.read, statementKey{u.Provider, u.Account, u.Mode, u.Statement}).units++
	}
}

// statements says of each what was read and where the next pull starts: at
// the first instant that was not.
func (m *Matching) statements() []StatementResult {
	var out []StatementResult
	for _, g := range m.setting.coverage.Groups() {
		r := StatementResult{Statement: g.Statement, NextPullFrom: g.Through}
		if read := m.read[groupKey(g)]; read != nil {
			r.Lines, r.Units = read.lines, read.units
		}
		if len(g.Holes) > 0 {
			r.NextPullFrom = g.Holes[0].From
		}
		out = append(out, r)
	}
	return out
}
