package sqlite

import (
	"encoding/json"
	"fmt"
	"strings"

	"desfecho/internal/payment"
	"desfecho/internal/store"
)

// instant is a payment.Instant as microseconds; 0 is NULL.
type instant payment.Instant

// Scan reads what value made.
func (i *instant) Scan(v any) error {
	switch v := v.(type) {
	case nil:
		*i = 0
	case int64:
		*i = instant(v)
	default:
		return fmt.Errorf("a time that is %T", v)
	}
	return nil
}

// day is a payment.Day as ISO text; 0 is NULL.
type day payment.Day

// Scan reads what value made.
func (d *day) Scan(v any) error {
	switch v := v.(type) {
	case nil:
		*d = 0
		return nil
	case string:
		return (*payment.Day)(d).UnmarshalText([]byte(v))
	}
	return fmt.Errorf("a day that is %T", v)
}

// value and target give the cells of store's rows the database's types.
func value(v any) any {
	switch v := v.(type) {
	case payment.Instant:
		if v == 0 {
			return nil
		}
		return int64(v)
	case payment.Day:
		if v == 0 {
			return nil
		}
		return v.String()
	case bool:
		if v {
			return int64(1)
		}
		return int64(0)
	case *int64:
		if v == nil {
			return nil
		}
		return *v
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

// marks is one placeholder for each of n values.
func marks(n int) string { return strings.TrimSuffix(strings.Repeat("?, ", n), ", ") }

// list is a JSON array for json_each: SQLite has no arrays.
func list[T any](values []T) string {
	text, err := json.Marshal(values)
	if err != nil {
		panic(err) // texts and numbers always can
	}
	return string(text)
}

const inList = " IN (SELECT value FROM json_each(?))"
