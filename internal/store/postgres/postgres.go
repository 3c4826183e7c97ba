// Package postgres keeps desfecho's own tables in the schema "desfecho" of a
// PostgreSQL database and reads the merchant's described attempts from it.
//
// It never writes a table of the merchant's here, holds no session state (no
// session locks, no named prepared statements, no session settings), so that a
// pooler in transaction mode is no obstacle, and is bound by the contract
// suite of store/storetest.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"desfecho/internal/partition"
	"desfecho/internal/payment"
	"desfecho/internal/store"
)

// Options say which database is opened and how.
type Options struct {
	URL     string // as libpq takes it; PGHOST and the like fill what it leaves out
	ReadURL string // of a replica that serves the attempts; "": URL does
	// Attempts describes the merchant's table; nil where only desfecho's own
	// tables are used.
	Attempts *store.Description
	// Terms are those that the function which writes was made with; needed where
	// attempts.write_by says function.
	Terms *Terms
	// Simple sends each statement as one text, without the extended protocol.
	Simple           bool
	StatementTimeout time.Duration // 0: the server's
	// Trace is told each statement before it is sent, without its values.
	Trace func(statement string)
}

// Store is one opened PostgreSQL database.
type Store struct {
	options Options
	primary *connections
	replica *connections // nil where the primary serves all
	reading *store.Reading
	// configuration is the hash of what the function must have been made from.
	configuration string
}

var _ store.Store = (*Store)(nil)

// Open connects. It neither checks nor makes desfecho's tables: CheckSchema and
// Migrate do. Errors never hold the password.
func Open(ctx context.Context, o Options) (*Store, error) {
	s := &Store{options: o}
	var err error
	if o.Attempts != nil {
		if s.reading, err = o.Attempts.Compile(); err != nil {
			return nil, err
		}
		if o.Attempts.WritesByFunction() {
			body, err := Function(o.Attempts, o.Terms)
			if err != nil {
				return nil, err
			}
			s.configuration = configurationOf(body)
		}
	}
	if s.primary, err = connectionsOf(ctx, o.URL, o); err != nil {
		return nil, fmt.Errorf("open the database: %w", explain(err))
	}
	if o.ReadURL != "" {
		if s.replica, err = connectionsOf(ctx, o.ReadURL, o); err != nil {
			return nil, errors.Join(fmt.Errorf("open the replica: %w", explain(err)), s.Close())
		}
	}
	return s, nil
}

// Close ends the connections.
func (s *Store) Close() error {
	if s.replica != nil {
		s.replica.close()
	}
	s.primary.close()
	return nil
}

// connections hands out connections to one server and takes them back.
type connections struct {
	config *pgx.ConnConfig
	mutex  sync.Mutex
	idle   []*pgx.Conn
}

func connectionsOf(ctx context.Context, url string, o Options) (*connections, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, err // pgx leaves the password out
	}
	switch {
	case o.Simple:
		config.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol
	case !strings.Contains(url, "default_query_exec_mode"):
		config.DefaultQueryExecMode = pgx.QueryExecModeExec // no named statements: poolers lose them
	}
	if config.RuntimeParams["application_name"] == "" {
		config.RuntimeParams["application_name"] = "desfecho"
	}
	if o.Trace != nil {
		config.Tracer = tracer{o.Trace}
	}
	c := &connections{config: config}
	conn, err := c.get(ctx)
	if err != nil {
		return nil, err
	}
	c.put(conn)
	return c, nil
}

func (c *connections) get(ctx context.Context) (*pgx.Conn, error) {
	c.mutex.Lock()
	for len(c.idle) > 0 {
		conn := c.idle[len(c.idle)-1]
		c.idle = c.idle[:len(c.idle)-1]
		if !conn.IsClosed() {
			c.mutex.Unlock()
			return conn, nil
		}
	}
	c.mutex.Unlock()
	conn, err := pgx.ConnectConfig(ctx, c.config)
	if err != nil {
		return nil, err
	}
	conn.TypeMap().RegisterDefaultPgType(instant(0), "timestamptz")
	conn.TypeMap().RegisterDefaultPgType(day(0), "date")
	conn.TypeMap().RegisterDefaultPgType([]day{}, "_date")
	conn.TypeMap().RegisterDefaultPgType(identity{}, "uuid")
	conn.TypeMap().RegisterDefaultPgType([]identity{}, "_uuid")
	return conn, nil
}

func (c *connections) put(conn *pgx.Conn) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if !conn.IsClosed() {
		c.idle = append(c.idle, conn)
	}
}

func (c *connections) close() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	for _, conn := range c.idle {
		_ = conn.Close(ctx) // the server ends it in any case
	}
	c.idle = nil
}

// cleanup is the time that a rollback or commit has once the caller's context
// is over.
const cleanup = 10 * time.Second

// begin starts a transaction with the settings that every statement relies on.
func (s *Store) begin(ctx context.Context, c *connections, o pgx.TxOptions) (*transaction, error) {
	conn, err := c.get(ctx)
	if err != nil {
		return nil, err
	}
	tx, err := conn.BeginTx(ctx, o)
	if err != nil {
		c.put(conn)
		return nil, err
	}
	t := &transaction{Tx: tx, conn: conn, from: c}
	settings := "SET LOCAL TIME ZONE 'UTC'; SET LOCAL datestyle = 'ISO, YMD'; SET LOCAL lock_timeout = '5s'; SET LOCAL jit = off"
	if s.options.StatementTimeout > 0 {
		settings += fmt.Sprintf("; SET LOCAL statement_timeout = %d", s.options.StatementTimeout.Milliseconds())
	}
	if _, err := tx.Exec(ctx, settings); err != nil {
		t.rollback(ctx)
		return nil, err
	}
	return t, nil
}

// transaction gives its connection back when it ends.
type transaction struct {
	pgx.Tx
	conn *pgx.Conn
	from *connections
	done bool
}

func (t *transaction) rollback(ctx context.Context) {
	if t.done {
		return
	}
	t.done = true
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanup)
	defer cancel()
	if err := t.Rollback(ctx); err != nil {
		_ = t.conn.Close(ctx) // the server rolls back what a closed connection left
	}
	t.from.put(t.conn)
}

// commit ends the transaction for good. A reply that did not come is
// ErrUnconfirmed; one that says no means that nothing was written.
func (t *transaction) commit(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx) // not sent: the caller's rollback follows
	}
	t.done = true
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanup)
	defer cancel()
	err := t.Commit(ctx)
	t.from.put(t.conn)
	if err == nil {
		return nil
	}
	if _, told := errors.AsType[*pgconn.PgError](err); told || errors.Is(err, pgx.ErrTxCommitRollback) {
		return err
	}
	return fmt.Errorf("%w (%w)", store.ErrUnconfirmed, err)
}

// write runs one read-committed transaction on the primary: whole or nothing.
func (s *Store) write(ctx context.Context, what string, do func(*transaction) error) error {
	// Read write is not asked for: a connection that is read-only by default
	// was made so by somebody who meant it.
	tx, err := s.begin(ctx, s.primary, pgx.TxOptions{IsoLevel: pgx.ReadCommitted})
	if err != nil {
		return fmt.Errorf("%s: %w", what, explain(err))
	}
	defer tx.rollback(ctx)
	if err := do(tx); err != nil {
		return fmt.Errorf("%s: %w", what, explain(err))
	}
	if err := tx.commit(ctx); err != nil {
		return fmt.Errorf("%s: %w", what, explain(err))
	}
	return nil
}

// writeAgain is write for what may be written twice. Where the reply to the
// commit was lost it is: the second waits for the first by the rows that both
// lock, and finds out what became of it. Where that fails it is still not known.
func (s *Store) writeAgain(ctx context.Context, what string, do func(*transaction) error) error {
	err := s.write(ctx, what, do)
	if !errors.Is(err, store.ErrUnconfirmed) {
		return err
	}
	if again := s.write(ctx, what, do); again != nil {
		return fmt.Errorf("%w; asked again: %w", err, again)
	}
	return nil
}

// explain adds the sentinel that a caller acts on to the server's own message.
// The message names tables and constraints; the row's values, which stand in
// the detail, are left out.
func explain(err error) error {
	told, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		return broken(err)
	}
	message := told.Message + " (SQLSTATE " + told.Code + ")"
	switch {
	case told.Code == "25006":
		return fmt.Errorf("%w: %s", store.ErrReadOnly, message)
	case told.Code == "42501" && strings.Contains(told.Message, "row-level security"):
		return fmt.Errorf("%w: %s", store.ErrHiddenRows, message)
	case told.Code == "42501":
		return fmt.Errorf("%w: %s", store.ErrDenied, message)
	case told.Code == "53100" || told.Code == "53400":
		return fmt.Errorf("%w: %s", store.ErrDisk, message)
	case told.Code == "57014" || told.Code == "55P03" || told.Code == "25P03":
		return fmt.Errorf("%w: %s", store.ErrTimedOut, message)
	case (told.Code == "42P01" || told.Code == "3F000") && own(told):
		return fmt.Errorf("%w: %s", store.ErrNoSchema, message)
	case told.Code == "23505" && own(told):
		return fmt.Errorf("%w: %s", store.ErrMoved, message)
	case told.Code == "08P01" && strings.Contains(told.Message, "timeout"):
		return fmt.Errorf("%w: the pooler gave no connection in time: %s", store.ErrTimedOut, message)
	case told.Code == "08P01":
		return fmt.Errorf("%s: a pooler may not know a parameter of the URL; leave it out, or use the server itself", message)
	}
	return errors.New(message)
}

// broken adds ErrBroken where the connection ended on the way.
func broken(err error) error {
	var network net.Error
	switch {
	case errors.Is(err, partition.ErrFile), errors.Is(err, store.ErrUnconfirmed), errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, pgconn.ErrConnClosed), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed), errors.As(err, &network):
		if _, refused := errors.AsType[*pgconn.ConnectError](err); !refused {
			return fmt.Errorf("%w: %w", store.ErrBroken, err)
		}
	}
	return err
}

// own tells whether the server's words are about desfecho's own tables.
func own(told *pgconn.PgError) bool {
	return told.SchemaName == "desfecho" || strings.Contains(told.Message, "desfecho.") || strings.Contains(told.Message, `"desfecho"`)
}

// scanInstant is the instant of a query's answer.
func scanInstant(ctx context.Context, q queryer, sql string, args ...any) (payment.Instant, error) {
	var at instant
	err := q.QueryRow(ctx, sql, args...).Scan(&at)
	return payment.Instant(at), err
}

type queryer interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}
