package postgres

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"desfecho/internal/payment"
	"desfecho/internal/store"
)

// Events reads stored webhook events from an instant on. Of a json column only
// what stands at the paths leaves the server; a text one may hold what is no
// JSON, which would end the query there.
func (v *view) Events(ctx context.Context, providers []string, since payment.Instant, each func(store.StoredEvent) error) error {
	reading := v.s.reading.Events()
	if reading == nil {
		return nil
	}
	var q query
	sql, whole, err := v.eventsStatement(ctx, &q, reading, providers, since)
	if err != nil {
		return fmt.Errorf("read stored events: %w", explain(err))
	}
	rows, err := v.theirs.Query(ctx, sql, q.values...)
	if err != nil {
		return fmt.Errorf("read stored events: %w", explain(err))
	}
	defer rows.Close()
	for rows.Next() {
		raw := rows.RawValues()
		texts := make([]store.Text, len(raw))
		for i := range raw {
			texts[i] = store.Text{Value: string(raw[i]), Null: raw[i] == nil}
		}
		at := texts[3:]
		if whole {
			at = reading.Texts(texts[3].Value)
		}
		if err := reading.Event([3]store.Text(texts), at, each); err != nil {
			return fmt.Errorf("read stored events: %w", err)
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("read stored events: %w", explain(err))
	}
	return nil
}

// eventsStatement selects id, provider and time, and what stands at each path;
// whole: the payload instead.
func (v *view) eventsStatement(ctx context.Context, q *query, reading *store.EventReading, providers []string, since payment.Instant) (sql string, whole bool, err error) {
	r, err := lookUp(ctx, v.theirs, reading.Read)
	if err != nil {
		return "", false, err
	}
	columns := reading.Selected()
	payload := reading.Columns.Payload
	selected := make([]string, 0, len(columns)+1)
	for _, name := range append(columns[:], payload) {
		switch {
		case name == "":
			selected = append(selected, "NULL::text")
		case r.columns[name] == "":
			return "", false, reading.Lacks(name, slices.Sorted(maps.Keys(r.columns)))
		default:
			selected = append(selected, quote(name)+"::text")
		}
	}
	whole = r.columns[payload] != "json" && r.columns[payload] != "jsonb"
	if !whole {
		selected = selected[:3]
		for _, steps := range reading.Paths() {
			selected = append(selected, fmt.Sprintf("%s #>> %s", quote(payload), q.value(steps, "text[]")))
		}
	}
	sql = "SELECT " + strings.Join(selected, ", ") + " FROM " + pgx.Identifier(store.SplitName(reading.Read)).Sanitize()
	var conditions []string
	if p := columns[1]; p != "" {
		conditions = append(conditions, fmt.Sprintf("(%[1]s IS NULL OR %[1]s::text = '' OR %[1]s::text = ANY(%[2]s))", quote(p), q.value(providers, "text[]")))
	}
	if c := columns[2]; c != "" {
		conditions = append(conditions, fmt.Sprintf("(%s IS NULL OR %s)", quote(c),
			within(q, quote(c), r.columns[c], reading.Zone(), payment.Interval{From: since, To: store.EndOfTime()}, 1)))
	}
	if len(conditions) > 0 {
		sql += " WHERE " + strings.Join(conditions, " AND ")
	}
	return sql, whole, nil
}
