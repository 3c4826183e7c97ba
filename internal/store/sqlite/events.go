package sqlite

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"desfecho/internal/payment"
	"desfecho/internal/store"
)

// Events reads stored webhook events from an instant on. Payloads are read
// here, not by SQLite, which would take some for another type than they have.
func (v *view) Events(ctx context.Context, providers []string, since payment.Instant, each func(store.StoredEvent) error) error {
	reading := v.s.reading.Events()
	if reading == nil {
		return nil
	}
	statement, values, err := v.eventsStatement(ctx, reading, providers, since)
	if err != nil {
		return fmt.Errorf("read stored events: %w", explain(err))
	}
	var id, provider, at, payload *string
	text := func(s *string) store.Text {
		if s == nil {
			return store.Text{Null: true}
		}
		return store.Text{Value: *s}
	}
	err = v.tx.rows(ctx, []any{&id, &provider, &at, &payload}, func() error {
		return reading.Event([3]store.Text{text(id), text(provider), text(at)}, reading.Texts(text(payload).Value), each)
	}, statement, values...)
	if err != nil {
		return fmt.Errorf("read stored events: %w", explain(err))
	}
	return nil
}

func (v *view) eventsStatement(ctx context.Context, reading *store.EventReading, providers []string, since payment.Instant) (string, []any, error) {
	have, err := lookUp(ctx, v.tx, reading.Read)
	if err != nil {
		return "", nil, err
	}
	columns := reading.Selected()
	selected := make([]string, 0, len(columns)+1)
	for _, name := range append(columns[:], reading.Columns.Payload) {
		switch {
		case name == "":
			selected = append(selected, "NULL")
		case !slices.Contains(have, name):
			return "", nil, reading.Lacks(name, have)
		default:
			selected = append(selected, "CAST("+quote(name)+" AS TEXT)")
		}
	}
	statement := "SELECT " + strings.Join(selected, ", ") + " FROM " + quoteAll(reading.Read)
	var conditions []string
	var values []any
	if p := columns[1]; p != "" {
		conditions = append(conditions, fmt.Sprintf("(coalesce(%[1]s, '') = '' OR %[1]s%[2]s)", quote(p), inList))
		values = append(values, list(providers))
	}
	if c := columns[2]; c != "" {
		condition, bounds := within(quote(c), payment.Interval{From: since, To: store.EndOfTime()})
		conditions, values = append(conditions, "("+quote(c)+" IS NULL OR "+condition+")"), append(values, bounds...)
	}
	if len(conditions) > 0 {
		statement += " WHERE " + strings.Join(conditions, " AND ")
	}
	return statement, values, nil
}
