package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"desfecho/internal/audit"
	"desfecho/internal/payment"
	"desfecho/internal/store"
)

// settleSettings bound what the write may wait for. Its lock_timeout is well
// below the server's deadlock_timeout of 1 s: an application that waits for
// this transaction is never the victim of a deadlock with it. A temporary table
// must not stand before the merchant's.
const settleSettings = `SET LOCAL lock_timeout = '300ms'; SET LOCAL statement_timeout = '5s';
	SET LOCAL idle_in_transaction_session_timeout = '10s'; SET LOCAL synchronous_commit = on; SET LOCAL standard_conforming_strings = on;
	SELECT set_config('search_path', current_setting('search_path') || ', pg_temp', true)`

// Settle writes one attempt's outcome.
func (s *Store) Settle(ctx context.Context, w store.Settlement) (audit.Entry, error) {
	effect, err := s.settleable(&w)
	if err != nil {
		return audit.Entry{}, err
	}
	tx, err := s.begin(ctx, s.primary, pgx.TxOptions{IsoLevel: pgx.ReadCommitted})
	if err != nil {
		return audit.Entry{}, fmt.Errorf("settle attempt %s: %w", w.Attempt, explain(err))
	}
	defer tx.rollback(ctx)
	p := &settling{tx: tx, store: s, write: &w, effect: &effect}
	entry, err := p.run(ctx)
	if err != nil {
		tx.rollback(ctx)
		return audit.Entry{}, p.cause(ctx, err)
	}
	if err := tx.commit(ctx); err != nil {
		if !errors.Is(err, store.ErrUnconfirmed) {
			err = p.cause(ctx, err)
		}
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
	table  *written
}

var (
	errNoRow   = errors.New("the update reached no row")
	errEscaped = errors.New("the transaction is another one")
)

// run does all of it but the commit.
func (p *settling) run(ctx context.Context) (audit.Entry, error) {
	var entry audit.Entry
	if _, err := p.tx.Exec(ctx, settleSettings, pgx.QueryExecModeSimpleProtocol); err != nil {
		return entry, err
	}
	var err error
	if p.table, err = p.store.written(ctx, p.tx); err != nil {
		return entry, err
	}
	if p.store.reading.WritesByFunction() {
		return p.call(ctx)
	}
	before, err := p.transactionID(ctx)
	if err != nil {
		return entry, err
	}
	locks := p.store.reading.LockFirst()
	for i := range locks {
		if _, err := p.statement(ctx, &locks[i]); err != nil {
			return entry, err
		}
	}
	if err := p.unmoved(ctx); err != nil {
		return entry, err
	}
	sql, values := p.table.update(p.write, p.effect)
	tag, err := p.tx.Exec(ctx, sql, values...)
	if err != nil {
		return entry, err
	}
	if tag.RowsAffected() != 1 {
		return entry, errNoRow
	}
	if err := p.follow(ctx); err != nil {
		return entry, err
	}
	after, err := p.transactionID(ctx)
	if err != nil {
		return entry, err
	}
	if before != after {
		return entry, errEscaped
	}
	entry = p.write.Entry(p.store.reading.WordFor(p.write.Status) + " " + p.write.UnitAfter())
	return entry, link(ctx, p.tx, &entry)
}

func (p *settling) transactionID(ctx context.Context) (id string, err error) {
	err = p.tx.QueryRow(ctx, "SELECT pg_current_xact_id()::text").Scan(&id)
	return id, err
}

// statement runs one declared statement; its values go as parameters whose
// types the server finds out from where they stand, each place for itself: a
// charge may be text in one and a number in another. It gives the rows touched.
func (p *settling) statement(ctx context.Context, s *store.Statement) (int64, error) {
	all := p.write.Values()
	var values [][]byte
	sql := s.Render(func(name string) string {
		var value []byte
		if v := all[name]; v != "" {
			value = []byte(v)
		}
		values = append(values, value)
		return fmt.Sprintf("$%d", len(values))
	})
	if p.store.options.Trace != nil {
		p.store.options.Trace(sql)
	}
	result := p.tx.Conn().PgConn().ExecParams(ctx, sql, values, nil, nil, nil).Read()
	return result.CommandTag.RowsAffected(), result.Err
}

// follow runs the follow-ups of the transition.
func (p *settling) follow(ctx context.Context) error {
	for i := range p.effect.Steps {
		step := &p.effect.Steps[i]
		rows, err := p.statement(ctx, &step.Statement)
		if err != nil {
			return err
		}
		if rows != 1 && (rows != 0 || !step.Optional) {
			return &store.FollowUpError{SQL: step.Shown(p.write.Values()), Rows: rows}
		}
	}
	return nil
}

// written is the table that is written, and how its columns stand there.
type written struct {
	reading *store.Reading
	table   string
	types   map[string]string // described column that the table has → type
	name    map[string]string // → its name there
	xmin    bool
	rows    bool // it has rows of its own, which can be locked
}

// written finds the described columns in the table that is written.
func (s *Store) written(ctx context.Context, q queryer) (*written, error) {
	r, err := lookUp(ctx, q, s.reading.WriteTable())
	if err != nil {
		return nil, err
	}
	t := &written{
		reading: s.reading, table: pgx.Identifier(store.SplitName(s.reading.WriteTable())).Sanitize(),
		types: map[string]string{}, name: map[string]string{}, xmin: r.stored, rows: r.rows,
	}
	for _, column := range s.reading.Selected() {
		if join, name := s.reading.Place(column); join < 0 && r.columns[name] != "" {
			t.types[column], t.name[column] = r.columns[name], name
		}
	}
	for key, column := range map[string]string{"id": s.reading.Columns.ID, "status": s.reading.Columns.Status} {
		if t.types[column] == "" {
			return nil, &store.DescriptionError{
				Key: "attempts.write", Problem: fmt.Sprintf("%s has no column for the attempt's %s (%s)", s.reading.WriteTable(), key, column),
				Advice: "name the table that holds it",
			}
		}
	}
	return t, nil
}

// typed is a value as a parameter of the column's own type.
func (t *written) typed(q *query, column, v string) string {
	return q.value(v, "text::"+t.types[column])
}

// now is the database's clock as the column keeps it.
func (t *written) now(column string) string {
	if t.types[column] != "timestamp without time zone" {
		return "clock_timestamp()"
	}
	zone := time.UTC
	if z := t.reading.Zone(); z != nil {
		zone = z
	}
	return "clock_timestamp() AT TIME ZONE " + literal(zone.String())
}

// update is the conditional update of RULES §7.
func (t *written) update(w *store.Settlement, e *store.Effect) (sql string, values []any) {
	var q query
	c := &t.reading.Columns
	set := []string{t.assign(&q, c.Status, t.reading.WordFor(w.Status))}
	if w.Status == payment.Succeeded && w.Unit != "" && t.types[c.ProviderChargeID] != "" {
		set = append(set, t.assign(&q, c.ProviderChargeID, w.Unit))
	}
	if w.Status.Final() && t.types[c.ResolvedAt] != "" {
		set = append(set, quote(t.name[c.ResolvedAt])+" = "+t.now(c.ResolvedAt))
	}
	if t.types[c.UpdatedAt] != "" {
		set = append(set, quote(t.name[c.UpdatedAt])+" = "+t.now(c.UpdatedAt))
	}
	parameters := w.Values()
	for _, also := range e.AlsoSet {
		v := also.Value
		if name, ok := strings.CutPrefix(v, "$"); ok {
			v = parameters[name]
		}
		set = append(set, quote(also.Column)+" = "+literal(v))
	}
	a := &w.Seen.Attempt
	where := []string{
		quote(t.name[c.ID]) + " = " + t.typed(&q, c.ID, a.ID),
		quote(t.name[c.Status]) + "::text = " + q.value(w.Seen.Word, "text"),
	}
	if t.types[c.ProviderChargeID] != "" {
		where = append(where, fmt.Sprintf("coalesce(%s::text, '') IN ('', %s)", quote(t.name[c.ProviderChargeID]), q.value(w.UnitAfter(), "text")))
	}
	where = append(where, t.versionIs(&q, w.Seen)...)
	return "UPDATE " + t.table + " SET " + strings.Join(set, ", ") + " WHERE " + strings.Join(where, " AND "), q.values
}

func (t *written) assign(q *query, column, v string) string {
	return quote(t.name[column]) + " = " + t.typed(q, column, v)
}

// versionIs is the token that the row must still carry: the version column,
// else xmin, else every described column.
func (t *written) versionIs(q *query, seen *store.Seen) []string {
	if v := t.reading.Columns.Version; v != "" && t.types[v] != "" {
		return []string{quote(t.name[v]) + "::text = " + q.value(seen.Version, "text")}
	}
	if t.xmin {
		return []string{"xmin::text = " + q.value(seen.Version, "text")}
	}
	var same []string
	for i, column := range t.reading.Selected() {
		if t.types[column] == "" {
			continue
		}
		text := quote(t.name[column]) + "::text"
		if seen.Row[i].Null {
			same = append(same, text+" IS NULL")
		} else {
			same = append(same, text+" = "+q.value(seen.Row[i].Value, "text"))
		}
	}
	return same
}

// cause turns what stopped the write into what a person can act on. Nothing
// was written, and its transaction is over.
func (p *settling) cause(ctx context.Context, err error) error {
	moved := &store.MovedError{Attempt: p.write.Attempt}
	if follow, ok := errors.AsType[*store.FollowUpError](err); ok {
		moved.Cause, moved.Detail = store.CauseFollowUp, follow.Error()
		return moved
	}
	if errors.Is(err, errEscaped) {
		moved.Cause = store.CauseEscaped
		return moved
	}
	if errors.Is(err, errNoRow) {
		return p.whatStands(ctx, moved)
	}
	if sibling, ok := errors.AsType[*store.MovedError](err); ok {
		return sibling
	}
	told, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		return fmt.Errorf("settle attempt %s: nothing was written: %w", p.write.Attempt, err)
	}
	if err := p.refusal(ctx, told); err != nil {
		return err
	}
	switch {
	case told.Code == uniqueViolation && told.ConstraintName == "audit_op_id_key":
		moved.Cause = store.CauseAbandoned
	case told.Code == uniqueViolation && !own(told):
		moved.Cause, moved.Detail = store.CauseRefused, told.Message
		if moved.By = p.holderOfUnit(ctx, told); moved.By != "" {
			moved.Cause, moved.Detail = store.CauseUnitHeld, told.ConstraintName
		}
	case told.Code == "55P03" || told.Code == "40P01":
		moved.Cause, moved.By = store.CauseLocked, p.holderOfLock(ctx)
	case told.Code == "25P02" || told.Code == "2D000" || strings.HasPrefix(told.Code, "23") || strings.HasPrefix(told.Code, "P0"):
		moved.Cause, moved.Detail = store.CauseRefused, told.Message+" (SQLSTATE "+told.Code+")"
	default:
		return fmt.Errorf("settle attempt %s: nothing was written: %w", p.write.Attempt, explain(err))
	}
	return moved
}
