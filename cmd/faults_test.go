//go:build unix

package cmd

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"desfecho/internal/pgtest"
)

// rounds is how often what depends on the moment is done: CI has time for one.
var rounds = flag.Int("rounds", 1, "how often each kill and each lost commit is repeated")

// What a test asks of the program that it starts.
const (
	killAt    = "FAULT_KILL_AT"    // the number of the statement before which it kills itself
	fileSize  = "FAULT_FILE_SIZE"  // bytes that no file of it may exceed
	everyByte = "FAULT_EVERY_BYTE" // a folder: write a report there with each limit in turn
)

// faults prepares what the environment asks for, and gives what is told each
// statement.
func faults() func(string) {
	if size, err := strconv.ParseUint(os.Getenv(fileSize), 10, 64); err == nil {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: size, Max: size}); err != nil {
			panic(err)
		}
	}
	limit, err := strconv.Atoi(os.Getenv(killAt))
	if err != nil {
		return nil
	}
	statements := 0
	return func(string) {
		if statements++; statements == limit {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {} // the signal is on its way
		}
	}
}

// process is one command line in a process of its own.
func (s *shop) process(fault string, value int, args ...string) (stdout, stderr string, state *os.ProcessState) {
	s.t.Helper()
	cmd := exec.CommandContext(s.t.Context(), "desfecho", args...)
	cmd.Env = append(os.Environ(), append(s.env(), fault+"="+strconv.Itoa(value))...)
	var out, told strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &told
	ended := (*exec.ExitError)(nil)
	if err := cmd.Run(); err != nil && !errors.As(err, &ended) {
		s.t.Fatal(err)
	}
	return out.String(), told.String(), cmd.ProcessState
}

func killed(state *os.ProcessState) bool {
	status, ok := state.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}

// keep remembers what desfecho's own tables hold under a name, and gives what
// brings it back.
func (s *shop) keep(name string) (back func()) {
	s.t.Helper()
	if path, ok := strings.CutPrefix(s.url, "sqlite://"); ok {
		text, err := os.ReadFile(path)
		if err != nil {
			s.t.Fatal(err)
		}
		return func() {
			for _, beside := range []string{"-wal", "-shm"} {
				if err := os.Remove(path + beside); err != nil && !errors.Is(err, os.ErrNotExist) {
					s.t.Fatal(err)
				}
			}
			if err := os.WriteFile(path, text, 0o600); err != nil {
				s.t.Fatal(err)
			}
		}
	}
	// No database is made for each kill: that takes longer than all the rest.
	tables := s.query("SELECT table_name FROM information_schema.tables WHERE table_schema = 'desfecho'")
	s.exec("CREATE SCHEMA " + name)
	restore := "SET session_replication_role = replica"
	for _, table := range tables {
		s.query("CREATE TABLE " + name + "." + table + " AS TABLE desfecho." + table)
		restore += "; DELETE FROM desfecho." + table + "; INSERT INTO desfecho." + table + " OVERRIDING SYSTEM VALUE TABLE " + name + "." + table
	}
	return func() { s.query(restore) }
}

// query gives the rows of statements, each as one line.
func (s *shop) query(statements ...string) (rows []string) {
	s.t.Helper()
	path, ok := strings.CutPrefix(s.url, "sqlite://")
	if !ok {
		return pgtest.Server(s.t).Query(s.t, databaseName(s.t, s.url), strings.Join(statements, ";\n"))
	}
	db, err := sql.Open("sqlite", path+"?_pragma=busy_timeout(5000)")
	if err != nil {
		s.t.Fatal(err)
	}
	for _, statement := range statements {
		rows = append(rows, s.queryOne(db, statement)...)
	}
	if err := db.Close(); err != nil {
		s.t.Fatal(err)
	}
	return rows
}

func (s *shop) queryOne(db *sql.DB, statement string) (lines []string) {
	s.t.Helper()
	rows, err := db.QueryContext(context.WithoutCancel(s.t.Context()), statement)
	if err != nil {
		s.t.Fatalf("%v\n%s", err, statement)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		s.t.Fatal(err)
	}
	values, targets := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		targets[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(targets...); err != nil {
			s.t.Fatal(err)
		}
		lines = append(lines, strings.Trim(fmt.Sprint(values), "[]"))
	}
	if err := rows.Err(); err != nil {
		s.t.Fatal(err)
	}
	return lines
}

// own is the name of one of desfecho's own tables.
func (s *shop) own(table string) string {
	if strings.HasPrefix(s.url, "sqlite:") {
		return "desfecho_" + table
	}
	return "desfecho." + table
}

// state is all that the database holds, in an order of its own: the numbers of
// rows, the clock and the log of pages tell of the way there, and are left out.
func (s *shop) state() string {
	s.t.Helper()
	catalog := `SELECT table_name || ' ' || column_name FROM information_schema.columns WHERE table_schema = 'desfecho' ORDER BY table_name, ordinal_position`
	if strings.HasPrefix(s.url, "sqlite:") {
		catalog = `SELECT substr(m.name, 10) || ' ' || c.name FROM sqlite_schema m, pragma_table_info(m.name) c
			WHERE m.type = 'table' AND m.name LIKE 'desfecho_%' ORDER BY m.name, c.cid`
	}
	way := []string{"page", "line", "observation", "part", "note", "stored_at", "saved_at", "noted_at", "began"}
	columns := map[string][]string{}
	for _, row := range s.query(catalog) {
		table, column, _ := strings.Cut(row, " ")
		if !slices.Contains(way, column) && (table != "units" || !strings.HasSuffix(column, "_seen")) {
			columns[table] = append(columns[table], column)
		}
	}
	for _, table := range []string{"leases", "pages", "migrations", "lines_keys", "units_keys"} {
		delete(columns, table)
	}
	statements := []string{
		"SELECT 'attempts', a.* FROM attempts a",
		"SELECT 'lines_keys', k.key, l.identity, l.content FROM " + s.own("lines_keys") + " k LEFT JOIN " + s.own("lines") + " l ON l.line = k.row",
		"SELECT 'units_keys', k.key, u.fingerprint FROM " + s.own("units_keys") + " k LEFT JOIN " + s.own("units") + " u ON u.observation = k.row",
	}
	for table, names := range columns {
		statements = append(statements, "SELECT '"+table+"', "+strings.Join(names, ", ")+" FROM "+s.own(table))
	}
	rows := s.query(statements...)
	slices.Sort(rows)
	return strings.Join(rows, "\n")
}
