package pgtest

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// Loss is what becomes of a statement on its way.
type Loss uint8

// The client sees the same of each but None: its connection breaks. It then asks
// the server, over a connection of its own, to cancel what is still running,
// which ends even a COMMIT where it comes in time. Only Contested lets that pass.
const (
	None        Loss = iota
	OfReply          // the server does what it says
	OfStatement      // the server rolls back
	ForAWhile        // the server does it, but only once somebody else waits for a lock
	Contested        // the server does it, or cancels it, whichever comes first
)

// Proxy passes on what programs and a server say to each other, and loses
// statements and their replies.
type Proxy struct {
	cluster *Cluster
	folder  string
	lose    func(commit bool) Loss
	deaf    atomic.Bool // to requests to cancel, since the last loss
}

// Proxy stands before the server until the test ends. lose is asked about each
// statement before it is sent, and told whether it is a COMMIT; maybe by several
// connections at once.
func (c *Cluster) Proxy(tb testing.TB, lose func(commit bool) Loss) *Proxy {
	tb.Helper()
	folder, err := os.MkdirTemp("", "pgproxy") //nolint:usetesting // a test's own folder has a name too long for a socket
	if err != nil {
		tb.Fatal(err)
	}
	p := &Proxy{cluster: c, folder: folder, lose: lose}
	listener, err := (&net.ListenConfig{}).Listen(tb.Context(), "unix", socket(folder))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		_ = listener.Close()
		_ = os.RemoveAll(folder)
	})
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go p.serve(client)
		}
	}()
	return p
}

// URL is how a role reaches a database of the server through the proxy.
func (p *Proxy) URL(role, database string) string {
	return fmt.Sprintf("postgres://%s@/%s?host=%s", role, database, p.folder)
}

func socket(folder string) string { return filepath.Join(folder, ".s.PGSQL.5432") }

// serve passes on one connection until one of its ends or a loss ends it.
func (p *Proxy) serve(client net.Conn) {
	defer client.Close() //nolint:errcheck // it may be closed already
	server, err := (&net.Dialer{}).DialContext(context.Background(), "unix", socket(p.cluster.folder))
	if err != nil {
		return
	}
	defer server.Close() //nolint:errcheck // as above
	go func() {
		_, _ = io.Copy(client, server) // the first reply after a loss ends it
		_ = client.Close()
	}()
	from := bufio.NewReader(client)
	database := ""
	for first := true; ; first = false {
		message, err := next(from, first)
		if err != nil {
			return
		}
		if first && isCancel(message) && p.deaf.Load() {
			return
		}
		if first {
			_, rest, _ := strings.Cut(string(message), "database\x00")
			database, _, _ = strings.Cut(rest, "\x00")
		} else if loss := p.loss(message); loss != None {
			p.deaf.Store(loss != Contested)
			_ = client.Close() // before the server hears of it: no reply can get through
			p.drop(server, message, loss, database)
			return
		}
		if _, err := server.Write(message); err != nil {
			return
		}
	}
}

// next reads one message of a client whole; the first of a connection has no
// letter.
func next(from *bufio.Reader, first bool) ([]byte, error) {
	head := 5
	if first {
		head = 4
	}
	message, err := from.Peek(head)
	if err != nil {
		return nil, err
	}
	length := int(binary.BigEndian.Uint32(message[head-4:])) + head - 4
	message = make([]byte, length)
	_, err = io.ReadFull(from, message)
	return message, err
}

// isCancel tells the first message of a connection that only brings a request to
// cancel what another one runs.
func isCancel(message []byte) bool {
	return len(message) >= 8 && binary.BigEndian.Uint32(message[4:]) == 80877102
}

// loss asks once for each statement: simple ones are one message, others end
// with a Sync.
func (p *Proxy) loss(message []byte) Loss {
	switch message[0] {
	case 'Q':
		return p.lose(strings.EqualFold(strings.Trim(string(message[5:]), "\x00; "), "commit"))
	case 'S':
		return p.lose(false)
	}
	return None
}

// drop brings the server what it shall still hear of a client that is gone.
func (p *Proxy) drop(server net.Conn, statement []byte, loss Loss, database string) {
	if loss == OfStatement {
		return
	}
	if loss == ForAWhile {
		_, _ = p.cluster.psql(context.Background(), database, `DO $$ BEGIN
			FOR i IN 1..300 LOOP
				EXIT WHEN EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock');
				PERFORM pg_sleep(0.01), pg_stat_clear_snapshot();
			END LOOP;
		END $$`)
	}
	goodbye := []byte{'X', 0, 0, 0, 4}
	if _, err := server.Write(append(statement, goodbye...)); err == nil {
		_, _ = io.Copy(io.Discard, server) // until it is done
	}
}
