package postgres

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"github.com/jackc/pgx/v5"

	"desfecho/internal/payment"
	"desfecho/internal/store"
)

// copyRows copies n rows into one of desfecho's tables; row writes the values
// of the nth in the order of columns. A row that cannot be made is the error,
// not what the server says of the end.
//
// It writes the server's own form itself: pgx would ask for the columns' types
// first, and find out anew for each value how to write it, which takes as long
// as reading what a provider sent.
func copyRows(ctx context.Context, tx *transaction, table string, columns []string, n int, row func(int, *copying) error) error {
	name := pgx.Identifier{"desfecho", table}
	if t, ok := tx.from.config.Tracer.(pgx.CopyFromTracer); ok {
		t.TraceCopyFromStart(ctx, tx.conn, pgx.TraceCopyFromStartData{TableName: name, ColumnNames: columns})
	}
	c := &copying{columns: uint16(len(columns)), left: n, row: row}
	c.buffer = append(c.buffer, "PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\000"...)
	_, err := tx.conn.PgConn().CopyFrom(ctx, c, "COPY "+name.Sanitize()+" ("+quoted(columns)+") FROM STDIN BINARY")
	return cmp.Or(c.err, err)
}

func quoted(columns []string) string {
	text := ""
	for i, name := range columns {
		if i > 0 {
			text += ", "
		}
		text += pgx.Identifier{name}.Sanitize()
	}
	return text
}

// copying is the rows of a COPY in binary form, made as they are sent.
type copying struct {
	columns uint16
	row     func(int, *copying) error
	next    int
	left    int
	err     error
	buffer  []byte
	sent    int
}

// Read is for the connection.
func (c *copying) Read(p []byte) (int, error) {
	for c.sent == len(c.buffer) {
		c.buffer, c.sent = c.buffer[:0], 0
		switch {
		case c.err != nil:
			return 0, c.err
		case c.left == 0:
			c.left--
			c.buffer = append(c.buffer, 0xff, 0xff) // the end
			continue
		case c.left < 0:
			return 0, io.EOF
		}
		for ; c.left > 0 && len(c.buffer) < len(p) && c.err == nil; c.left-- {
			c.buffer = binary.BigEndian.AppendUint16(c.buffer, c.columns)
			c.err = c.row(c.next, c)
			c.next++
		}
	}
	n := copy(p, c.buffer[c.sent:])
	c.sent += n
	return n, nil
}

func (c *copying) null() { c.buffer = append(c.buffer, 0xff, 0xff, 0xff, 0xff) }

func (c *copying) size(n int) { c.buffer = binary.BigEndian.AppendUint32(c.buffer, uint32(n)) }

func (c *copying) int8(v int64) {
	c.size(8)
	c.buffer = binary.BigEndian.AppendUint64(c.buffer, uint64(v))
}

func (c *copying) int4(v int32) {
	c.size(4)
	c.buffer = binary.BigEndian.AppendUint32(c.buffer, uint32(v))
}

func (c *copying) uuid(v [16]byte) {
	c.size(16)
	c.buffer = append(c.buffer, v[:]...)
}

func (c *copying) bool(v bool) {
	c.size(1)
	if v {
		c.buffer = append(c.buffer, 1)
		return
	}
	c.buffer = append(c.buffer, 0)
}

func (c *copying) text(v string) {
	c.size(len(v))
	c.buffer = append(c.buffer, v...)
}

// narrow are the columns of lines and units that are integer and not bigint.
var narrow = []string{"n", "of_n", "source"}

// write writes what the targets of a row's cells point to, by names.
func (c *copying) write(names []string, targets []any) error {
	for i, t := range targets {
		switch t := t.(type) {
		case *string:
			c.text(*t)
		case *int64:
			if !slices.Contains(narrow, names[i]) {
				c.int8(*t)
			} else if v := int32(*t); int64(v) == *t {
				c.int4(v)
			} else {
				return fmt.Errorf("%s is too large: %d", names[i], *t)
			}
		case **int64:
			if *t == nil {
				c.null()
			} else {
				c.int8(**t)
			}
		case *bool:
			c.bool(*t)
		case *payment.Instant:
			if *t == 0 {
				c.null()
			} else {
				c.int8(int64(*t) - epochMicros)
			}
		case *payment.Day:
			if *t == 0 {
				c.null()
			} else {
				c.int4(int32(*t) - epochDays)
			}
		default:
			return fmt.Errorf("%s is a %T, which no table holds", names[i], t)
		}
	}
	return nil
}

// pointers are where a row's cells are, for a row that is filled again and
// again.
func pointers[T any](cells []store.Cell[T], row *T) []any {
	to := make([]any, len(cells))
	for i, c := range cells {
		to[i] = c.Target(row)
	}
	return to
}
