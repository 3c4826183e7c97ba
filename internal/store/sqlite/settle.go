package sqlite

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	driver "modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"desfecho/internal/audit"
	"desfecho/internal/payment"
	"desfecho/internal/planted"
	"desfecho/internal/store"
)

// See reads one attempt as a write must find it again.
func (s *Store) See(ctx context.Context, id string) (seen *store.Seen, err error) {
	if s.reading == nil {
		return nil, errors.New("read the attempt: no attempts table is described")
	}
	err = s.read(ctx, func(tx *transaction) error {
		seen, err = s.see(ctx, tx, id)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read attempt %s: %w", id, err)
	}
	return seen, nil
}

func (s *Store) see(ctx context.Context, tx *transaction, id string) (*store.Seen, error) {
	d, err := describe(ctx, tx, s.reading)
	if err != nil {
		return nil, err
	}
	statement, values, ok := d.statement(store.AttemptFilter{By: store.AttemptKey{Kind: store.ByID}, Values: []string{id}})
	if !ok {
		return nil, store.ErrNoAttempt
	}
	seen := &store.Seen{Row: make([]store.Text, len(s.reading.Selected()))}
	cells := make([]*string, len(seen.Row))
	to := make([]any, len(cells))
	for i := range cells {
		to[i] = &cells[i]
	}
	found := 0
	err = tx.rows(ctx, to, func() error {
		found++
		for i, c := range cells {
			seen.Row[i] = store.Text{Null: c == nil}
			if c != nil {
				seen.Row[i].Value = *c
			}
		}
		return nil
	}, statement, values...)
	switch {
	case err != nil:
		return nil, err
	case found == 0:
		return nil, store.ErrNoAttempt
	case found > 1:
		return nil, fmt.Errorf("%d rows have this id: it must tell one attempt from all others", found)
	}
	if seen.Attempt, err = s.reading.Reader().Attempt(seen.Row, ""); err != nil {
		return nil, err
	}
	seen.Version, seen.Word = seen.Attempt.Version, s.reading.StatusWord(seen.Row)
	if seen.Siblings, err = siblings(ctx, tx, d, &seen.Attempt); err != nil {
		return nil, err
	}
	return seen, tx.one(ctx, []any{(*instant)(&seen.At)}, "SELECT "+clock)
}

// Settle writes one attempt's outcome. Beginning the transaction waits for any
// other writer of the file and then keeps all others out.
func (s *Store) Settle(ctx context.Context, w store.Settlement) (entry audit.Entry, err error) {
	effect, err := s.settleable(&w)
	if err != nil {
		return entry, err
	}
	var stopped error
	err = s.write(ctx, "settle attempt "+w.Attempt, func(tx *transaction) error {
		p := &settling{tx: tx, store: s, write: &w, effect: &effect}
		entry, err = p.run(ctx)
		if err != nil {
			stopped = p.cause(ctx, err)
		}
		return err
	})
	switch {
	case stopped != nil:
		return audit.Entry{}, stopped
	case errors.Is(err, store.ErrTimedOut):
		return audit.Entry{}, &store.MovedError{Cause: store.CauseLocked, Attempt: w.Attempt, By: "another program that writes this file"}
	case err != nil:
		return audit.Entry{}, err
	}
	return entry, nil
}

// settleable refuses what is no legal write before anything is begun.
func (s *Store) settleable(w *store.Settlement) (store.Effect, error) {
	if s.reading == nil {
		return store.Effect{}, errors.New("settle: no attempts table is described")
	}
	return s.reading.Settleable(w)
}

// settling is one write in its transaction.
type settling struct {
	tx     *transaction
	store  *Store
	write  *store.Settlement
	effect *store.Effect
	has    []string // columns of the table that is written
}

var errNoRow = errors.New("the update reached no row")

func (p *settling) run(ctx context.Context) (entry audit.Entry, err error) {
	reading := p.store.reading
	if p.has, err = lookUp(ctx, p.tx, reading.WriteTable()); err != nil {
		return entry, err
	}
	var now payment.Instant
	if err := p.tx.one(ctx, []any{(*instant)(&now)}, "SELECT "+clock); err != nil {
		return entry, err
	}
	if err := p.unmoved(ctx); err != nil {
		return entry, err
	}
	statement, values := p.update(now)
	rows, err := p.tx.exec(ctx, statement, values...)
	if err != nil {
		return entry, err
	}
	if rows != 1 && !planted.In(planted.CreditTwice) {
		return entry, errNoRow
	}
	for i := range p.effect.Steps {
		step := &p.effect.Steps[i]
		statement, values := p.statement(&step.Statement)
		rows, err := p.tx.exec(ctx, statement, values...)
		if err != nil {
			return entry, err
		}
		if rows != 1 && (rows != 0 || !step.Optional) && !planted.In(planted.IgnoreFollowUpRows) {
			return entry, &store.FollowUpError{SQL: step.Shown(p.write.Values()), Rows: rows}
		}
	}
	entry = p.write.Entry(reading.WordFor(p.write.Status) + " " + p.write.UnitAfter())
	if planted.In(planted.NoAudit) {
		return entry, nil
	}
	return entry, link(ctx, p.tx, &entry)
}

// statement gives a follow-up its values. Locks are not taken first: this
// transaction is the only one that writes.
func (p *settling) statement(s *store.Statement) (statement string, values []any) {
	all := p.write.Values()
	statement = s.Render(func(name string) string {
		if v := all[name]; v != "" {
			values = append(values, v)
			return "?"
		}
		return "NULL"
	})
	return statement, values
}

// update is the conditional update of RULES §7.
func (p *settling) update(now payment.Instant) (statement string, values []any) {
	reading, seen := p.store.reading, p.write.Seen
	c := &reading.Columns
	var set []string
	put := func(column string, v any) {
		if column != "" && slices.Contains(p.has, column) {
			set, values = append(set, quote(column)+" = ?"), append(values, v)
		}
	}
	put(c.Status, reading.WordFor(p.write.Status))
	if p.write.Status == payment.Succeeded && p.write.Unit != "" {
		put(c.ProviderChargeID, p.write.Unit)
	}
	if p.write.Status.Final() {
		put(c.ResolvedAt, reading.TimeLikeCreated(seen.Row, now))
	}
	put(c.UpdatedAt, reading.TimeLikeCreated(seen.Row, now))
	parameters := p.write.Values()
	for _, also := range p.effect.AlsoSet {
		v := also.Value
		if name, ok := strings.CutPrefix(v, "$"); ok {
			v = parameters[name]
		}
		set, values = append(set, quote(also.Column)+" = ?"), append(values, v)
	}
	where := []string{"CAST(" + quote(c.ID) + " AS TEXT) = ?"}
	values = append(values, seen.Attempt.ID)
	if !planted.In(planted.DropStatus) {
		where, values = append(where, "CAST("+quote(c.Status)+" AS TEXT) = ?"), append(values, seen.Word)
	}
	if slices.Contains(p.has, c.ProviderChargeID) && !planted.In(planted.DropUnit) {
		where, values = append(where, "coalesce(CAST("+quote(c.ProviderChargeID)+" AS TEXT), '') IN ('', ?)"), append(values, p.write.UnitAfter())
	}
	for i, column := range reading.Selected() {
		if join, name := reading.Place(column); join < 0 && slices.Contains(p.has, name) && (c.Version == "" || column == c.Version) && !planted.In(planted.DropVersion) {
			text := "CAST(" + quote(name) + " AS TEXT)"
			if seen.Row[i].Null {
				where = append(where, text+" IS NULL")
			} else {
				where, values = append(where, text+" = ?"), append(values, seen.Row[i].Value)
			}
		}
	}
	return "UPDATE " + quoteAll(reading.WriteTable()) + " SET " + strings.Join(set, ", ") + " WHERE " + strings.Join(where, " AND "), values
}

// cause turns what stopped the write into what a person can act on. The
// transaction is still open, so that what stands there is what stopped it.
func (p *settling) cause(ctx context.Context, err error) error {
	moved := &store.MovedError{Attempt: p.write.Attempt}
	if follow, ok := errors.AsType[*store.FollowUpError](err); ok {
		moved.Cause, moved.Detail = store.CauseFollowUp, follow.Error()
		return moved
	}
	if errors.Is(err, errNoRow) {
		return p.whatStands(ctx, moved)
	}
	if sibling, ok := errors.AsType[*store.MovedError](err); ok {
		return sibling
	}
	told, ok := errors.AsType[*driver.Error](err)
	if !ok || told.Code()&0xff != lib.SQLITE_CONSTRAINT {
		return fmt.Errorf("settle attempt %s: nothing was written: %w", p.write.Attempt, explain(err))
	}
	moved.Detail = told.Error()
	switch {
	case strings.Contains(moved.Detail, "desfecho_audit.op_id"):
		moved.Cause = store.CauseAbandoned
	case strings.Contains(moved.Detail, "."+p.store.reading.Columns.ProviderChargeID):
		moved.Cause, moved.By = store.CauseUnitHeld, p.holderOfUnit(ctx)
	default:
		moved.Cause = store.CauseRefused
	}
	return moved
}

func (p *settling) whatStands(ctx context.Context, moved *store.MovedError) error {
	now, err := p.store.see(ctx, p.tx, p.write.Attempt)
	switch {
	case errors.Is(err, store.ErrNoAttempt):
		moved.Cause = store.CauseGone
		return moved
	case err != nil:
		return fmt.Errorf("settle attempt %s: nothing was written, and what stands there could not be read: %w", p.write.Attempt, explain(err))
	}
	moved.Tell(p.write, now)
	if moved.Cause == store.CauseSettled {
		moved.By = p.settledBy(ctx)
	}
	return moved
}

func (p *settling) settledBy(ctx context.Context) string {
	by := "the application"
	var operator string
	err := p.tx.rows(ctx, []any{&operator}, func() error {
		by = operator
		return nil
	}, "SELECT operator FROM desfecho_audit WHERE attempt = ? AND kind = ? ORDER BY seq", p.write.Attempt, string(audit.Settled))
	if err != nil {
		return "" // who it was is only told where it is known
	}
	return by
}

func (p *settling) holderOfUnit(ctx context.Context) string {
	c := &p.store.reading.Columns
	var id string
	err := p.tx.one(ctx, []any{&id}, fmt.Sprintf("SELECT CAST(%s AS TEXT) FROM %s WHERE %s = ?", quote(c.ID),
		quoteAll(p.store.reading.WriteTable()), quote(c.ProviderChargeID)), p.write.Unit)
	if err != nil {
		return ""
	}
	return id
}
