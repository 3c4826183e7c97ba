package postgres

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"desfecho/internal/payment"
	"desfecho/internal/store"
)

// instant is a payment.Instant as timestamptz; 0 is NULL.
type instant payment.Instant

func (i instant) TimestamptzValue() (pgtype.Timestamptz, error) {
	return pgtype.Timestamptz{Time: payment.Instant(i).Time(), Valid: i != 0}, nil
}

func (i *instant) ScanTimestamptz(v pgtype.Timestamptz) error {
	if v.InfinityModifier != pgtype.Finite {
		return errors.New("an infinite time")
	}
	*i = 0
	if v.Valid {
		*i = instant(v.Time.UnixMicro())
	}
	return nil
}

// day is a payment.Day as date; 0 is NULL.
type day payment.Day

func (d day) DateValue() (pgtype.Date, error) {
	return pgtype.Date{Time: time.Unix(int64(d)*86400, 0).UTC(), Valid: d != 0}, nil
}

func (d *day) ScanDate(v pgtype.Date) error {
	if v.InfinityModifier != pgtype.Finite {
		return errors.New("an infinite date")
	}
	*d = 0
	if v.Valid {
		*d = day(v.Time.Unix() / 86400)
	}
	return nil
}

// identity is 128 bits as uuid.
type identity [16]byte

func (i identity) UUIDValue() (pgtype.UUID, error) { return pgtype.UUID{Bytes: i, Valid: true}, nil }

// value and target give the cells of store's rows the database's types.
func value(v any) any {
	switch v := v.(type) {
	case payment.Instant:
		return instant(v)
	case payment.Day:
		return day(v)
	}
	return v
}

func target(t any) any {
	switch t := t.(type) {
	case *payment.Instant:
		return (*instant)(t)
	case *payment.Day:
		return (*day)(t)
	}
	return t
}

func names[T any](cells []store.Cell[T]) []string {
	names := make([]string, len(cells))
	for i, c := range cells {
		names[i] = c.Name
	}
	return names
}

func targets[T any](cells []store.Cell[T], row *T, before ...any) []any {
	for _, c := range cells {
		before = append(before, target(c.Target(row)))
	}
	return before
}

func values[T any](cells []store.Cell[T], row *T, before ...any) []any {
	for _, c := range cells {
		before = append(before, value(c.Value(row)))
	}
	return before
}

// columns lists names for a statement; they are the program's own.
func columns(names []string) string { return strings.Join(names, ", ") }

// tracer tells statements without their values.
type tracer struct{ told func(string) }

// TraceQueryStart is called before a query is sent.
func (t tracer) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	t.told(data.SQL)
	return ctx
}

// TraceQueryEnd is called after a query was answered.
func (tracer) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// TraceCopyFromStart is called before rows are copied.
func (t tracer) TraceCopyFromStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceCopyFromStartData) context.Context {
	t.told("COPY " + data.TableName.Sanitize())
	return ctx
}

// TraceCopyFromEnd is called after rows were copied.
func (tracer) TraceCopyFromEnd(context.Context, *pgx.Conn, pgx.TraceCopyFromEndData) {}
