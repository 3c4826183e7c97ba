package fakepsp

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"time"
)

// Listener serves a handler on a free port of the loopback interface, and of
// no other.
type Listener struct {
	URL    string
	server *http.Server
	done   sync.WaitGroup

	mu     sync.Mutex
	closed bool
}

// Listen starts serving. Close ends it.
func Listen(handler http.Handler) (*Listener, error) {
	socket, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // a listener lives until it is closed
	if err != nil {
		return nil, fmt.Errorf("listen on loopback: %w", err)
	}
	l := &Listener{URL: "http://" + socket.Addr().String()}
	l.server = &http.Server{
		Handler: l.counted(handler), ReadHeaderTimeout: time.Minute,
		ErrorLog: log.New(io.Discard, "", 0), // connections are cut on purpose here
	}
	l.done.Go(func() { _ = l.server.Serve(socket) })
	return l, nil
}

// counted lets Close wait for the requests that are still running.
func (l *Listener) counted(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !l.begin() {
			panic(http.ErrAbortHandler)
		}
		defer l.done.Done()
		handler.ServeHTTP(w, r)
	})
}

func (l *Listener) begin() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed {
		l.done.Add(1)
	}
	return !l.closed
}

// Close cuts every connection and returns when nothing runs any more.
func (l *Listener) Close() error {
	err := l.server.Close()
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.done.Wait()
	return err
}
