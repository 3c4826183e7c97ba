// Package pgtest gives tests a PostgreSQL server of their own: one for each
// test process, made at its first use, on a Unix socket, without durability.
//
// The server ends with the process, also when that is killed: it is the child
// of a shell that waits on a pipe whose other end only the process holds. It
// never touches a server that is already there and needs none, nor root.
package pgtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
)

// Cluster is one running server.
type Cluster struct {
	folder string
	bin    string
	count  atomic.Int64
	stdin  io.WriteCloser // the shell ends the server when this closes
}

// shared starts one cluster for the process.
var shared = sync.OnceValues(start)

// Server gives the process's cluster, started at the first call. Where no
// PostgreSQL is installed the test fails: the suite is not whole without it.
func Server(tb testing.TB) *Cluster {
	tb.Helper()
	c, err := shared()
	if err != nil {
		tb.Fatalf("pgtest: %v", err)
	}
	return c
}

// Database makes an empty database and gives its URL; it goes with the
// cluster.
func Database(tb testing.TB) string {
	tb.Helper()
	c := Server(tb)
	name := fmt.Sprintf("t%d", c.count.Add(1))
	c.SQL(tb, "postgres", `CREATE DATABASE `+name+` TEMPLATE template0 ENCODING 'UTF8'`)
	return c.URL("postgres", name)
}

// URL is how a role reaches a database of the cluster.
func (c *Cluster) URL(role, database string) string {
	return fmt.Sprintf("postgres://%s@/%s?host=%s", role, database, c.folder)
}

// Folder holds the socket; poolers of tests may put theirs there.
func (c *Cluster) Folder() string { return c.folder }

// SQL runs statements as the superuser with psql, stopping at the first error,
// and gives what they print, unaligned.
func (c *Cluster) SQL(tb testing.TB, database, sql string) string {
	tb.Helper()
	out, err := c.psql(tb.Context(), database, sql)
	if err != nil {
		tb.Fatalf("psql: %v\n%s\n%s", err, sql, out)
	}
	return out
}

func (c *Cluster) psql(ctx context.Context, database, sql string) (string, error) {
	cmd := exec.CommandContext(ctx, filepath.Join(c.bin, "psql"), "-XqAt", "-v", "ON_ERROR_STOP=1", //nolint:gosec // the test's own words
		"-h", c.folder, "-U", "postgres", "-d", database)
	cmd.Stdin = strings.NewReader(sql)
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

// Command prepares a program to run as the account that the server runs as;
// servers that refuse root need it.
func Command(ctx context.Context, name string, args ...string) (*exec.Cmd, error) {
	cmd := exec.CommandContext(ctx, name, args...) //nolint:gosec // the test's own words
	_, _, credential, err := account()
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: credential}
	cmd.Env = append(os.Environ(), "LC_ALL=C", "TZ=UTC")
	return cmd, err
}

// account is whom the server runs as: the process's own user, or where that is
// root, which PostgreSQL refuses, postgres or nobody.
func account() (uid, gid int, credential *syscall.Credential, err error) {
	if os.Geteuid() != 0 {
		return os.Geteuid(), os.Getegid(), nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.ParseUint(u.Uid, 10, 31)
		gid, err2 := strconv.ParseUint(u.Gid, 10, 31)
		if errors.Join(err1, err2) == nil {
			return int(uid), int(gid), &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
		}
	}
	return 0, 0, nil, errors.New("root cannot run PostgreSQL and there is no user postgres or nobody")
}

// binaries finds the newest installed PostgreSQL, else the one in PATH.
func binaries() (string, error) {
	found := []string{}
	for _, pattern := range []string{"/usr/lib/postgresql/*/bin/initdb", "/usr/pgsql-*/bin/initdb", "/opt/homebrew/opt/postgresql@*/bin/initdb"} {
		matches, _ := filepath.Glob(pattern) // the patterns are well formed
		found = append(found, matches...)
	}
	if len(found) > 0 {
		return filepath.Dir(slices.MaxFunc(found, byVersion)), nil
	}
	if path, err := exec.LookPath("initdb"); err == nil {
		if path, err = filepath.EvalSymlinks(path); err == nil {
			return filepath.Dir(path), nil
		}
	}
	return "", errors.New("no initdb in /usr/lib/postgresql or PATH: install PostgreSQL's server package")
}

func byVersion(a, b string) int {
	version := func(path string) int {
		n, _ := strconv.Atoi(strings.Trim(filepath.Base(filepath.Dir(filepath.Dir(path))), "pgsqlore-@"))
		return n
	}
	return version(a) - version(b)
}

// start makes and starts a cluster. The folder's parent is the system's own
// temporary folder, since that of a test is closed to other users.
func start() (*Cluster, error) {
	bin, err := binaries()
	if err != nil {
		return nil, err
	}
	uid, gid, _, err := account()
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "pgtest")
	if err != nil {
		return nil, err
	}
	if err := os.Chown(folder, uid, gid); err != nil {
		return nil, err
	}
	c := &Cluster{folder: folder, bin: bin}
	if err := c.init(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(folder))
	}
	return c, c.serve()
}

func (c *Cluster) init() error {
	cmd, err := Command(context.Background(), filepath.Join(c.bin, "initdb"), "-D", filepath.Join(c.folder, "data"),
		"-A", "trust", "-U", "postgres", "--no-sync", "--no-locale", "-E", "UTF8")
	if err != nil {
		return err
	}
	cmd.Dir = c.folder
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, out)
	}
	return nil
}

// watch starts the server, and ends it and removes the folder when its
// standard input closes, which is when the process that holds the other end
// is gone. `read` is a builtin: nothing else has to stay alive.
const watch = `"$1" -D "$2/data" -k "$2" -h '' -c fsync=off -c synchronous_commit=off -c full_page_writes=off \
 -c max_connections=200 -c shared_buffers=64MB -c autovacuum=off -c max_wal_size=4GB -c log_destination=stderr \
 -c max_prepared_transactions=0 -c wal_level=replica </dev/null >"$2/log" 2>&1 &
server=$!
echo started
read -r _
kill -QUIT "$server"
wait "$server"
rm -rf "$2"
`

func (c *Cluster) serve() error {
	cmd, err := Command(context.Background(), "/bin/sh", "-c", watch, "sh", filepath.Join(c.bin, "postgres"), c.folder)
	if err != nil {
		return err
	}
	cmd.Dir = c.folder
	cmd.SysProcAttr.Setpgid = true // Ctrl-C at the terminal ends the tests; the pipe then ends the server
	if c.stdin, err = cmd.StdinPipe(); err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	if _, err := io.ReadFull(out, make([]byte, len("started\n"))); err != nil {
		return fmt.Errorf("start the server's shell: %w", err)
	}
	return c.ready()
}

// ready waits until the server accepts connections: pg_ctl watches the file
// that the server writes, so nothing here needs to sleep.
func (c *Cluster) ready() error {
	cmd, err := Command(context.Background(), "/bin/sh", "-c",
		`i=0; while [ $i -lt 600 ]; do "$1" -q -h "$2" -U postgres -d postgres && exit 0; i=$((i+1)); sleep 0.05; done; exit 1`,
		"sh", filepath.Join(c.bin, "pg_isready"), c.folder)
	if err != nil {
		return err
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		log, _ := os.ReadFile(filepath.Join(c.folder, "log"))
		return fmt.Errorf("the server does not answer: %w\n%s%s", err, out, bytes.TrimSpace(log))
	}
	return nil
}
