package store

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"desfecho/internal/partition"
	"desfecho/internal/payment"
	"desfecho/reconcile"
)

// batch is how many keys one query looks for.
const batch = 10_000

// fewRows is up to how many rows of the scope every key is simply asked for.
const fewRows = 20_000

// outsidePerRow is how many rows outside the scope may be read for one inside,
// before asking for its keys is cheaper.
const outsidePerRow = 8

// gathering is the closure of a scope: rows that share a key with a row that
// is there are there too, as reconcile's components need them. The scope's own
// rows go straight to where they are kept; what is outside of it is known by
// its number, since it may be found by several keys.
type gathering struct {
	source    Source
	reading   *Reading
	providers []string
	scope     Scope
	few       int

	rows   *partition.Rows
	window payment.Interval // of the scope; empty: nothing is in it by itself
	days   []DayRange
	found  found
	open   namedBy
	oldest payment.Instant // of the open attempts
	lines  map[[3]string]int
	said   map[Said]bool

	keys    wanted[int64]
	ids     wanted[[16]byte]
	held    []string // ids of payouts whose lines are needed
	columns map[AttemptKey]*wanted[string]
	// What lies outside of the scope was looked through: its rows need not ask.
	attemptsRead, storedRead bool
}

// found are the rows outside of the scope that are there.
type found struct {
	attempts map[string]struct{}
	lines    map[int64]struct{}
	units    map[int64]struct{}
}

// Said is one operation of a provider of which attempts succeeded.
type Said struct {
	Provider  string
	Operation payment.Operation
}

func newGathering(source Source, reading *Reading, scope Scope) *gathering {
	return &gathering{
		source: source, reading: reading, providers: scope.Providers(), scope: scope, few: cmp.Or(scope.AskUpTo, fewRows),
		rows: partition.New(partition.Options{}), lines: map[[3]string]int{}, said: map[Said]bool{},
		found:   found{attempts: map[string]struct{}{}, lines: map[int64]struct{}{}, units: map[int64]struct{}{}},
		columns: map[AttemptKey]*wanted[string]{},
	}
}

// Gather reads the seven parts of RULES §8's scope, and everything that shares
// a charge, a reference, a key or a unit with them, of any age: before a unit
// is called unrecorded its ids and references have been looked for in the
// whole table. The caller closes what was loaded.
func Gather(ctx context.Context, source Source, reading *Reading, scope Scope) (*Loaded, error) {
	return newGathering(source, reading, scope).gather(ctx)
}

func (g *gathering) gather(ctx context.Context) (loaded *Loaded, err error) {
	defer func() {
		if err != nil {
			loaded, err = nil, errors.Join(err, g.rows.Close())
		}
	}()
	g.window, g.days = g.scope.Window, g.scope.Days()
	memory, from, err := g.source.Memory(ctx, g.providers, g.days)
	if err != nil {
		return nil, err
	}
	if err := g.start(ctx, memory); err != nil {
		return nil, err
	}
	if err := g.payouts(ctx); err != nil {
		return nil, err
	}
	if err := g.outside(ctx); err != nil {
		return nil, err
	}
	if err := g.close(ctx); err != nil {
		return nil, err
	}
	from.Days = g.days
	loaded = &Loaded{From: from, Input: reconcile.Input{Now: g.scope.Now, Window: g.scope.Window, Policies: g.scope.Policies, Previous: memory}}
	return loaded, g.finish(ctx, loaded)
}

// start reads what the scope names by itself.
func (g *gathering) start(ctx context.Context, memory *reconcile.Memory) error {
	if err := g.source.Lines(ctx, LineFilter{Providers: g.providers, Days: g.days}, g.ownLine); err != nil {
		return err
	}
	if err := g.source.Units(ctx, UnitFilter{Providers: g.providers, Created: &g.window}, g.ownUnit); err != nil {
		return err
	}
	own := AttemptFilter{Providers: g.providers, Created: &g.window, Open: true, Wanted: g.wanted}
	if err := g.source.Attempts(ctx, own, g.ownAttempt); err != nil {
		return err
	}
	if memory == nil {
		return nil
	}
	for _, t := range memory.Transit {
		g.column(AttemptKey{Kind: ByID}, t.Attempt)
	}
	for i := range memory.Items {
		if item := &memory.Items[i]; !item.State.Ended() {
			g.subject(item)
		}
	}
	return nil
}

// The scope's own rows: found by it, and never by a key.
func (g *gathering) ownsAttempt(a *payment.Attempt) bool {
	return !g.window.Empty() && (a.Status.Open() || g.window.Contains(a.CreatedAt))
}

func (g *gathering) ownsLine(l *payment.Line) bool {
	return slices.ContainsFunc(g.days, func(r DayRange) bool {
		return r.Provider == l.Provider && (l.Day == 0 || r.Contains(l.Provider, l.Day))
	})
}

func (g *gathering) ownsUnit(u *payment.Unit) bool { return g.window.Contains(u.CreatedAt) }

func (g *gathering) ownAttempt(a payment.Attempt) error { return g.keepAttempt(&a) }

func (g *gathering) ownUnit(s StoredUnit) error { return g.rows.Unit(s.Seq, &s.Unit) }

// ownLine notes the window's payouts: their lines are needed, whatever their
// day.
func (g *gathering) ownLine(s StoredLine) error {
	l := &s.Line
	if l.Kind == payment.KindPayout && l.Day != 0 {
		for _, id := range []string{l.Payout, l.Unit, l.ID} {
			if id != "" {
				g.held = append(g.held, id)
				break
			}
		}
	}
	return g.keepLine(&s)
}

// keepAttempt keeps a row, and asks for what may be its look-alike.
func (g *gathering) keepAttempt(a *payment.Attempt) error {
	if a.Status.Open() {
		g.open.add(a)
		if g.oldest == 0 || a.CreatedAt < g.oldest {
			g.oldest = a.CreatedAt
		}
	}
	if a.Status == payment.Succeeded {
		g.said[Said{a.Provider, a.Operation}] = true
	}
	g.lookAlikes(a)
	return g.rows.Attempt(a)
}

func (g *gathering) keepLine(s *StoredLine) error {
	l := &s.Line
	g.lines[[3]string{l.Provider, l.Account, l.Statement}]++
	return g.rows.Line(s.Seq, l, versionsOf(l), judged(l.Kind))
}

// wanted notes what a charge wants.
func (g *gathering) wanted(charge string, minor int64) error {
	return g.rows.Charge(&reconcile.Charge{ID: charge, Minor: minor})
}

// payouts reads the lines that the window's payouts hold.
func (g *gathering) payouts(ctx context.Context) error {
	slices.Sort(g.held)
	for part := range slices.Chunk(slices.Compact(g.held), batch) {
		if err := g.source.Lines(ctx, LineFilter{Providers: g.providers, Payouts: part}, g.line); err != nil {
			return err
		}
	}
	return nil
}

// subject asks for what an open divergence is about.
func (g *gathering) subject(item *reconcile.Item) {
	for _, id := range item.Subject.IDs {
		switch item.Subject.Kind {
		case reconcile.SubjectAttempt, reconcile.SubjectAttempts:
			g.column(AttemptKey{Kind: ByID}, id)
		case reconcile.SubjectUnit:
			g.keys.add(hashKey(keyUnit, "", id))
		case reconcile.SubjectCharge:
			g.charge(id)
		case reconcile.SubjectLine:
			g.lineID(item, id)
		case reconcile.SubjectPayout:
			g.held = append(g.held, id)
			g.keys.add(hashKey(keyUnit, "", id))
			g.lineID(item, id)
		case reconcile.SubjectStatement:
		}
	}
}

// lineID asks for all versions of a line that has an id.
func (g *gathering) lineID(item *reconcile.Item, id string) {
	var d digest
	g.ids.add(d.identified(&payment.Line{ID: id, Provider: item.Provider, Account: item.Account, Mode: item.Mode}))
}
