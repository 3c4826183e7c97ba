package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"desfecho/internal/store"
	"desfecho/reconcile"
)

// Memory reads what the last runs of the providers left; nil where there was
// none.
func (v *view) Memory(ctx context.Context, providers []string, days []store.DayRange) (*reconcile.Memory, store.LoadedFrom, error) {
	from := store.LoadedFrom{Follows: map[string]string{}}
	if err := v.tx.one(ctx, []any{&from.Page}, "SELECT coalesce(max(page), 0) FROM desfecho_pages"); err != nil {
		return nil, from, explain(err)
	}
	var provider, run string
	var told bool
	if err := v.tx.rows(ctx, []any{&provider, &run, &told}, func() error {
		from.Follows[provider] = run
		from.Untold = from.Untold || !told
		return nil
	}, "SELECT provider, run, told FROM desfecho_heads WHERE provider"+inList, list(providers)); err != nil {
		return nil, from, explain(err)
	}
	if len(from.Follows) == 0 {
		return nil, from, nil
	}
	m := &reconcile.Memory{}
	err := errors.Join(v.items(ctx, m, providers), v.transit(ctx, m, providers), v.digests(ctx, m, days))
	return m, from, explain(err)
}

func (v *view) items(ctx context.Context, m *reconcile.Memory, providers []string) error {
	cells := store.ItemCells()
	var row store.ItemRow
	return v.tx.rows(ctx, targets(cells, &row), func() error {
		item, err := row.Take()
		m.Items = append(m.Items, item)
		return err
	}, "SELECT "+columns(names(cells))+" FROM desfecho_divergences WHERE provider"+inList+" OR provider = '' ORDER BY divergence", list(providers))
}

func (v *view) transit(ctx context.Context, m *reconcile.Memory, providers []string) error {
	var t reconcile.Transit
	var code string
	return v.tx.rows(ctx, []any{&t.Provider, &t.Attempt, (*instant)(&t.BreakOn), &t.Amount.Minor, &code}, func() error {
		if err := t.Amount.Currency.UnmarshalText([]byte(code)); err != nil {
			return err
		}
		m.Transit = append(m.Transit, t)
		return nil
	}, "SELECT provider, attempt, break_on, minor, currency FROM desfecho_transit WHERE provider"+inList+" ORDER BY break_on, attempt, provider", list(providers))
}

// digests reads what the last report of each day rested on.
func (v *view) digests(ctx context.Context, m *reconcile.Memory, days []store.DayRange) error {
	for _, r := range days {
		d := reconcile.DayDigest{Provider: r.Provider}
		var hash int64
		if err := v.tx.rows(ctx, []any{&d.Account, (*day)(&d.Day), &d.Lines, &hash}, func() error {
			d.Hash = uint64(hash)
			m.Days = append(m.Days, d)
			return nil
		}, `SELECT account, day, lines, hash FROM desfecho_days d WHERE provider = ? AND day BETWEEN ? AND ?
			AND version = (SELECT max(version) FROM desfecho_days o WHERE o.provider = d.provider AND o.account = d.account AND o.day = d.day)
			ORDER BY account, day`, r.Provider, r.First.String(), r.Last.String()); err != nil {
			return err
		}
	}
	return nil
}

// ClosedDays lists what the last report of each closed day rested on.
func (v *view) ClosedDays(ctx context.Context, providers []string) ([]reconcile.DayDigest, error) {
	var m reconcile.Memory
	if err := v.digests(ctx, &m, store.AllDays(providers)); err != nil {
		return nil, fmt.Errorf("read the closed days: %w", explain(err))
	}
	return m.Days, nil
}

// LateDays lists the days that got lines since their provider's last run.
func (v *view) LateDays(ctx context.Context, providers []string) (late []reconcile.DayDigest, err error) {
	var d reconcile.DayDigest
	err = v.tx.rows(ctx, []any{&d.Provider, &d.Account, (*day)(&d.Day), &d.Lines}, func() error {
		late = append(late, d)
		return nil
	}, `SELECT l.provider, l.account, l.day, count(*) FROM desfecho_heads h JOIN desfecho_lines l ON l.provider = h.provider AND l.page > h.page
		WHERE h.provider`+inList+` GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`, list(providers))
	if err != nil {
		return nil, fmt.Errorf("look for late lines: %w", explain(err))
	}
	return late, nil
}

// LatestRun is the id of the provider's last saved run.
func (v *view) LatestRun(ctx context.Context, provider string) (string, error) {
	return v.oneText(ctx, "SELECT run FROM desfecho_heads WHERE provider = ?", provider)
}

// Cursor is where the reading of a statement goes on.
func (v *view) Cursor(ctx context.Context, provider, account string, c store.Cursor) (string, error) {
	return v.oneText(ctx, "SELECT value FROM desfecho_cursors WHERE provider = ? AND account = ? AND mode = ? AND statement = ?",
		provider, account, c.Mode.String(), c.Statement)
}

func (v *view) oneText(ctx context.Context, statement string, args ...any) (text string, err error) {
	err = v.tx.one(ctx, []any{&text}, statement, args...)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return text, explain(err)
}

// Notes lists what people decided about divergences.
func (v *view) Notes(ctx context.Context, ids []string) (notes []store.Note, err error) {
	var n store.Note
	where, args := "", []any{}
	if ids != nil {
		where, args = " WHERE divergence"+inList, []any{list(ids)}
	}
	err = v.tx.rows(ctx, []any{&n.Number, &n.Ends, &n.Divergence, &n.Kind, (*instant)(&n.Until), &n.Class, &n.Minor, &n.Currency, &n.Text, &n.Operator, &n.Login, (*instant)(&n.At)},
		func() error {
			notes = append(notes, n)
			return nil
		}, "SELECT note, ends, divergence, kind, until, class, minor, currency, words, operator, login, noted_at FROM desfecho_notes"+where+" ORDER BY note", args...)
	if err != nil {
		return nil, fmt.Errorf("read notes: %w", explain(err))
	}
	return notes, nil
}
