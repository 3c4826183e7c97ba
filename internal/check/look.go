package check

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"desfecho/internal/catalog"
	"desfecho/internal/payment"
	"desfecho/internal/store"
	"desfecho/reconcile"
)

const defaultSample = 20_000

// look is one look at a database: what is described, what the catalogue says
// of it, and rows once they were read.
type look struct {
	*Input
	reading  *store.Reading
	read     *catalog.Table   // nil: there is none
	joined   []*catalog.Table // of the joins, nil where there is none
	written  *catalog.Table   // the table behind what is read; nil: not known
	events   *catalog.Table
	business *catalog.Table
	missing  string          // the first described thing that is not there, "" for none
	db, own  payment.Instant // the database's clock and the program's, at about the same time
	clockErr error
	samples  map[string]*sample
}

// sample is rows of the attempts table, newest first.
type sample struct {
	attempts []payment.Attempt
	cut      bool // there are more
	bad      *store.BadRowError
	unread   int64 // rows that are not as described; bad is one of them
	err      error
}

func open(ctx context.Context, in *Input) (*look, error) {
	if in.Attempts == nil {
		return nil, &store.DescriptionError{Key: "attempts", Problem: "is not said", Advice: "describe the attempts table; `desfecho init` proposes it"}
	}
	reading, err := in.Attempts.Compile()
	if err != nil {
		return nil, err
	}
	if in.Sample <= 0 {
		in.Sample = defaultSample
	}
	l := &look{Input: in, reading: reading, samples: map[string]*sample{}}
	l.db, l.clockErr = clock(ctx, in.Database)
	if in.Clock != nil {
		l.own = payment.InstantOf(in.Clock())
	}
	if in.AsOf == 0 {
		in.AsOf = l.db
	}
	if err := l.tables(ctx); err != nil {
		return nil, err
	}
	l.missing = l.absent()
	return l, nil
}

func clock(ctx context.Context, d catalog.Database) (payment.Instant, error) {
	query := `SELECT clock_timestamp()::text`
	if d.Dialect == catalog.SQLite {
		query = `SELECT strftime('%Y-%m-%d %H:%M:%fZ', 'now')`
	}
	rows, err := d.Rows(ctx, query)
	if err != nil {
		return 0, err
	}
	at, _, known := catalog.Moment(rows[0][0].Value, time.UTC)
	if !known {
		return 0, fmt.Errorf("the database's clock says %q", rows[0][0].Value)
	}
	return at, nil
}

func (l *look) tables(ctx context.Context) (err error) {
	if l.read, err = l.Database.Look(ctx, l.reading.Read); err != nil {
		return err
	}
	for _, j := range l.reading.Joins {
		t, err := l.Database.Look(ctx, j.Table)
		if err != nil {
			return err
		}
		l.joined = append(l.joined, t)
	}
	switch {
	case l.reading.Write != "" && l.reading.Write != l.reading.Read:
		l.written, err = l.Database.Look(ctx, l.reading.Write)
	case l.read != nil && !l.read.View:
		l.written = l.read
	}
	if err != nil {
		return err
	}
	if l.Events != nil {
		if err := l.Events.Check(); err != nil {
			return err
		}
		if l.events, err = l.Database.Look(ctx, l.Events.Read); err != nil {
			return err
		}
	}
	if l.Business != nil {
		if err := l.Business.check(); err != nil {
			return err
		}
		l.business, err = l.Database.Look(ctx, l.Business.Read)
	}
	return err
}

// absent names the first described relation or column of the attempts that is
// not there. Nothing else is asked of the attempts then: SQLite would read a
// name that it does not know as a text.
func (l *look) absent() string {
	if l.read == nil {
		return "table or view " + l.reading.Read
	}
	for i, j := range l.reading.Joins {
		if l.joined[i] == nil {
			return "table " + j.Table
		}
		if _, ok := l.read.Column(j.Here); !ok {
			return fmt.Sprintf("column %s of %s", j.Here, l.reading.Read)
		}
		if _, ok := l.joined[i].Column(j.There); !ok {
			return fmt.Sprintf("column %s of %s", j.There, j.Table)
		}
	}
	for _, column := range l.reading.Selected() {
		table := l.read
		join, name := l.reading.Place(column)
		if join >= 0 {
			table = l.joined[join]
		}
		if _, ok := table.Column(name); !ok {
			return fmt.Sprintf("column %s of %s", name, table.Name)
		}
	}
	return ""
}

func absentOf(t *catalog.Table, columns []named) string {
	for _, c := range columns {
		if c.column == "" {
			continue
		}
		if _, ok := t.Column(c.column); !ok {
			return fmt.Sprintf("column %s of %s", c.column, t.Name)
		}
	}
	return ""
}

// place is a described column in a statement over from.
func (l *look) place(column string) string {
	join, name := l.reading.Place(column)
	return fmt.Sprintf("t%d.%s", join+1, catalog.Identifier(name))
}

func (l *look) from() string {
	from := catalog.Quote(l.reading.Read) + " t0"
	for i, j := range l.reading.Joins {
		from += fmt.Sprintf(" LEFT JOIN %s t%d ON t%d.%s = t0.%s", catalog.Quote(j.Table), i+1, i+1, catalog.Identifier(j.There), catalog.Identifier(j.Here))
	}
	return from
}

// attempts reads the newest attempts of a status, of any where words is nil,
// once. Name tells one such reading from another.
func (l *look) attempts(ctx context.Context, name string, words []string) *sample {
	if s := l.samples[name]; s != nil {
		return s
	}
	s := &sample{}
	l.samples[name] = s
	if l.missing != "" {
		s.err = fmt.Errorf("there is no %s", l.missing)
		return s
	}
	q := &catalog.Query{}
	var selected []string
	for _, column := range l.reading.Selected() {
		selected = append(selected, "CAST("+l.place(column)+" AS text)")
	}
	statement := "SELECT " + strings.Join(selected, ", ") + " FROM " + l.from()
	if words != nil {
		statement += " WHERE " + q.In("CAST("+l.place(l.reading.Columns.Status)+" AS text)", words)
	}
	statement += fmt.Sprintf(" ORDER BY %s DESC, %s DESC LIMIT %d", l.place(l.reading.Columns.CreatedAt), l.place(l.reading.Columns.ID), l.Sample+1)
	rows, err := l.Database.Ask(ctx, q, statement)
	if err != nil {
		s.err = err
		return s
	}
	if s.cut = len(rows) > l.Sample; s.cut {
		rows = rows[:l.Sample]
	}
	reader := l.reading.Reader()
	for _, row := range rows {
		a, err := reader.Attempt(row, "-")
		bad, isRow := errors.AsType[*store.BadRowError](err)
		switch {
		case isRow:
			s.bad, s.unread = bad, s.unread+1
		case err != nil:
			s.err = err
			return s
		default:
			s.attempts = append(s.attempts, a)
		}
	}
	return s
}

func (l *look) open(ctx context.Context) *sample {
	return l.attempts(ctx, "open", l.reading.OpenWords())
}

func (l *look) failed(ctx context.Context) *sample {
	return l.attempts(ctx, "failed", append([]string{}, l.reading.Status.Failed...))
}

func (l *look) newest(ctx context.Context) *sample { return l.attempts(ctx, "newest", nil) }

// among says how far a sample reaches.
func (s *sample) among() string {
	if s.cut {
		return fmt.Sprintf(" among the newest %d", len(s.attempts))
	}
	return ""
}

func (l *look) provider(name string) Provider {
	for _, p := range l.Providers {
		if p.Provider == name {
			return p
		}
	}
	return Provider{Policy: reconcile.NewPolicy(name)}
}

var errNoAnswer = errors.New("the database gave no row")

// counted reads an answer of a number and an example.
func counted(rows []catalog.Row, err error) (n int64, example string, _ error) {
	if err != nil {
		return 0, "", err
	}
	if len(rows) == 0 || len(rows[0]) < 2 {
		return 0, "", errNoAnswer
	}
	n, err = strconv.ParseInt(rows[0][0].Value, 10, 64)
	return n, rows[0][1].Value, err
}
