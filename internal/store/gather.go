package store

import (
	"context"
	"slices"

	"desfecho/internal/payment"
	"desfecho/reconcile"
)

// AttemptFilter says which attempts to read: those that meet any one of the
// conditions stated. The zero filter reads all.
type AttemptFilter struct {
	Providers []string          // only these, and rows that name none; nil: all
	Created   *payment.Interval // created in it
	Open      bool              // pending or unknown
	By        AttemptKey        // with Values: whose key is one of them
	Values    []string
	// Wanted, where given, is told what the charge of a row wants, in minor
	// units, where that is not the amount of the row itself.
	Wanted func(charge string, minor int64)
}

// AttemptKey is what attempts are looked for by.
type AttemptKey struct {
	Kind      KeyKind
	Reference int // into Description.References, where Kind is ByReference
}

// KeyKind is the sort of column that attempts are looked for by.
type KeyKind uint8

// The keys of an attempt.
const (
	ByID KeyKind = iota
	ByCharge
	ByIdempotencyKey
	ByProviderID
	ByReference
)

// LineFilter says which stored lines to read: of a statement day, with one of
// the keys, held by one of the payouts, or versions of one line.
type LineFilter struct {
	Providers  []string
	Days       []DayRange
	Keys       []int64
	Payouts    []string
	Identities [][16]byte
}

// UnitFilter says which observations to read: of units created in the interval,
// or with one of the keys.
type UnitFilter struct {
	Providers []string
	Created   *payment.Interval
	Keys      []int64
}

// StoredLine is a line and its place in the order of storing.
type StoredLine struct {
	Seq  int64
	Line payment.Line
}

// StoredUnit is an observation and its place in the order of storing.
type StoredUnit struct {
	Seq  int64
	Unit payment.Unit
}

// Source is what Gather reads from: one snapshot of a database. Each row may
// come more than once.
type Source interface {
	Attempts(ctx context.Context, filter AttemptFilter, each func(payment.Attempt) error) error
	Lines(ctx context.Context, filter LineFilter, each func(StoredLine) error) error
	Units(ctx context.Context, filter UnitFilter, each func(StoredUnit) error) error
	Lookups(ctx context.Context, attempts []string, each func(payment.Lookup) error) error
	// Events reads stored events of the providers from an instant on, and those
	// that name no provider.
	Events(ctx context.Context, providers []string, since payment.Instant, each func(StoredEvent) error) error
	Dismissals(ctx context.Context, attempts []string) ([]reconcile.Dismissal, error)
	Statements(ctx context.Context, providers []string) ([]StoredStatement, error)
	Memory(ctx context.Context, providers []string, days []DayRange) (*reconcile.Memory, LoadedFrom, error)
}

// StoredStatement is a coverage and the number of lines it has in all.
type StoredStatement struct {
	payment.Statement
	Lines int
}

// batch is how many keys one query looks for.
const batch = 10_000

// gathering is the closure of a scope: rows that share a key with a row that
// is there are there too, as reconcile's components need them.
type gathering struct {
	source    Source
	reading   *Reading
	providers []string
	now       payment.Instant
	policies  []reconcile.Policy

	attempts map[string]payment.Attempt
	lines    map[int64]payment.Line
	units    map[int64]payment.Unit
	wants    map[string]int64 // by charge, where that is not an attempt's amount

	keys    wanted[int64]
	ids     wanted[[16]byte]
	held    []string // ids of payouts whose lines are needed
	columns map[AttemptKey]*wanted[string]
}

// wanted is a set of keys, and those of it that were not looked for yet.
type wanted[K comparable] struct {
	seen map[K]struct{}
	todo []K
}

func (w *wanted[K]) add(k K) {
	if _, known := w.seen[k]; known {
		return
	}
	if w.seen == nil {
		w.seen = map[K]struct{}{}
	}
	w.seen[k] = struct{}{}
	w.todo = append(w.todo, k)
}

func (w *wanted[K]) take() []K {
	n := min(len(w.todo), batch)
	taken := w.todo[:n]
	w.todo = w.todo[n:]
	return taken
}

func newGathering(source Source, reading *Reading, scope Scope) *gathering {
	return &gathering{
		source: source, reading: reading, providers: scope.Providers(), now: scope.Now, policies: scope.Policies, attempts: map[string]payment.Attempt{},
		lines: map[int64]payment.Line{}, units: map[int64]payment.Unit{}, wants: map[string]int64{}, columns: map[AttemptKey]*wanted[string]{},
	}
}

// Gather reads the seven parts of RULES §8's scope, and everything that shares
// a charge, a reference, a key or a unit with them, of any age: before a unit
// is called unrecorded its ids and references have been looked for in the
// whole table.
func Gather(ctx context.Context, source Source, reading *Reading, scope Scope) (*Loaded, error) {
	g := newGathering(source, reading, scope)
	days := scope.Days()
	memory, from, err := source.Memory(ctx, g.providers, days)
	if err != nil {
		return nil, err
	}
	if err := g.start(ctx, scope, days, memory); err != nil {
		return nil, err
	}
	if err := g.payouts(ctx, days); err != nil {
		return nil, err
	}
	if err := g.close(ctx); err != nil {
		return nil, err
	}
	from.Days = days
	loaded := &Loaded{From: from, Input: reconcile.Input{Now: scope.Now, Window: scope.Window, Policies: scope.Policies, Previous: memory}}
	return loaded, g.finish(ctx, &loaded.Input)
}

// start reads what the scope names by itself.
func (g *gathering) start(ctx context.Context, scope Scope, days []DayRange, memory *reconcile.Memory) error {
	if err := g.source.Lines(ctx, LineFilter{Providers: g.providers, Days: days}, g.line); err != nil {
		return err
	}
	if err := g.source.Units(ctx, UnitFilter{Providers: g.providers, Created: &scope.Window}, g.unit); err != nil {
		return err
	}
	if err := g.source.Attempts(ctx, AttemptFilter{Providers: g.providers, Created: &scope.Window, Open: true, Wanted: g.wanted}, g.attempt); err != nil {
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

// payouts reads the lines that the window's payouts hold, whatever their day.
func (g *gathering) payouts(ctx context.Context, days []DayRange) error {
	for _, l := range g.lines {
		inWindow := slices.ContainsFunc(days, func(r DayRange) bool { return r.Contains(l.Provider, l.Day) })
		if l.Kind != payment.KindPayout || !inWindow {
			continue
		}
		for _, id := range []string{l.Payout, l.Unit, l.ID} {
			if id != "" {
				g.held = append(g.held, id)
				break
			}
		}
	}
	slices.Sort(g.held)
	for part := range slices.Chunk(slices.Compact(g.held), batch) {
		if err := g.source.Lines(ctx, LineFilter{Providers: g.providers, Payouts: part}, g.line); err != nil {
			return err
		}
	}
	return nil
}

// close looks for the keys of all rows until no row brings a new one.
func (g *gathering) close(ctx context.Context) error {
	for {
		if keys := g.keys.take(); len(keys) > 0 {
			if err := g.source.Lines(ctx, LineFilter{Providers: g.providers, Keys: keys}, g.line); err != nil {
				return err
			}
			if err := g.source.Units(ctx, UnitFilter{Providers: g.providers, Keys: keys}, g.unit); err != nil {
				return err
			}
			continue
		}
		if ids := g.ids.take(); len(ids) > 0 {
			if err := g.source.Lines(ctx, LineFilter{Providers: g.providers, Identities: ids}, g.line); err != nil {
				return err
			}
			continue
		}
		column, values := g.takeColumn()
		if len(values) == 0 {
			return nil
		}
		filter := AttemptFilter{Providers: g.providers, By: column, Values: values, Wanted: g.wanted}
		if err := g.source.Attempts(ctx, filter, g.attempt); err != nil {
			return err
		}
	}
}

func (g *gathering) takeColumn() (AttemptKey, []string) {
	for key, w := range g.columns {
		if values := w.take(); len(values) > 0 {
			return key, values
		}
	}
	return AttemptKey{}, nil
}

// attempt takes an attempt and asks for what its keys name.
func (g *gathering) attempt(a payment.Attempt) error {
	if _, known := g.attempts[a.ID]; known {
		return nil
	}
	g.attempts[a.ID] = a
	g.column(AttemptKey{Kind: ByID}, a.ID) // known: never asked for again
	g.unitID(a.ProviderID)
	g.idempotency(a.Key)
	g.charge(a.Charge)
	g.references(a.References)
	g.lookAlikes(&a)
	return nil
}

// wanted notes what a charge wants. Of two answers the smaller holds: it hides
// no surplus.
func (g *gathering) wanted(charge string, minor int64) {
	if known, ok := g.wants[charge]; !ok || minor < known {
		g.wants[charge] = minor
	}
}

func (g *gathering) line(s StoredLine) error {
	if _, known := g.lines[s.Seq]; known {
		return nil
	}
	l := s.Line
	g.lines[s.Seq] = l
	if !judged(l.Kind) {
		return nil
	}
	g.unitID(l.Unit)
	g.unitID(l.Parent)
	g.charge(l.ForeignCharge)
	g.references(l.References)
	if l.Kind == payment.KindRefund {
		g.unitID(l.ID)
	}
	if l.ID != "" { // restated versions stand on other days
		var d digest
		g.ids.add(d.identified(&l))
	}
	return nil
}

// judged leaves out the kinds that no attempt can be about: what a payout's or
// fee's ids name need not be looked for.
func judged(k payment.Kind) bool {
	switch k {
	case payment.KindFee, payment.KindFeeReversal, payment.KindTax, payment.KindAnticipation,
		payment.KindReserveHold, payment.KindReserveRelease:
		return false
	case payment.KindOther, payment.KindCharge, payment.KindChargeReversal, payment.KindRefund, payment.KindRefundReversal,
		payment.KindChargeback, payment.KindChargebackReversal, payment.KindPayout, payment.KindPayoutReversal,
		payment.KindTransferIn, payment.KindTransferOut, payment.KindTransferReversal, payment.KindAdjustment:
		return true
	}
	return true
}

func (g *gathering) unit(s StoredUnit) error {
	if _, known := g.units[s.Seq]; known {
		return nil
	}
	u := s.Unit
	g.units[s.Seq] = u
	g.unitID(u.ID)
	for _, alias := range u.Aliases {
		g.unitID(alias)
	}
	g.unitID(u.Group)
	g.unitID(u.Parent)
	g.idempotency(u.Key)
	g.charge(u.ForeignCharge)
	g.references(u.References)
	return nil
}

func (g *gathering) unitID(id string) {
	if id != "" {
		g.keys.add(hashKey(keyUnit, "", id))
		g.column(AttemptKey{Kind: ByProviderID}, id)
	}
}

func (g *gathering) idempotency(key string) {
	if key != "" {
		g.keys.add(hashKey(keyIdem, "", key))
		g.column(AttemptKey{Kind: ByIdempotencyKey}, key)
	}
}

func (g *gathering) charge(id string) {
	if id != "" {
		g.keys.add(hashKey(keyCharge, "", id))
		g.column(AttemptKey{Kind: ByCharge}, id)
	}
}

func (g *gathering) references(references []payment.Reference) {
	for _, r := range references {
		if r.Value == "" {
			continue
		}
		g.keys.add(hashKey(keyRef, r.Name, r.Value))
		for i := range g.reading.references {
			if g.reading.references[i].name == r.Name {
				g.column(AttemptKey{ByReference, i}, r.Value)
			}
		}
	}
}
