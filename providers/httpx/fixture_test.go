package httpx

import (
	"context"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"desfecho/internal/provider"
	"desfecho/internal/secret"
)

// canary is a secret that must be found nowhere but in headers.
const canary = "canary-7f3a9c51e2"

// server answers on loopback and fails the test on anything but GET, on a
// canary in the URL, and on a request without the credential.
type server struct {
	*httptest.Server
	mu   sync.Mutex
	asks int
}

func serve(t *testing.T, handler http.HandlerFunc) *server {
	t.Helper()
	s := prepare(t, handler)
	s.Start()
	return s
}

func prepare(t *testing.T, handler http.HandlerFunc) *server {
	t.Helper()
	s := &server{}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.asks++
		s.mu.Unlock()
		if r.Method != http.MethodGet {
			t.Errorf("%s %s reached the provider", r.Method, r.URL)
		}
		if strings.Contains(r.URL.String(), canary) {
			t.Errorf("the URL %s holds the secret", r.URL)
		}
		if r.Header.Get("Authorization") != "Bearer "+canary {
			t.Error("the credential did not arrive")
		}
		handler(w, r)
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // connections are refused on purpose here
	t.Cleanup(s.Close)
	return s
}

func (s *server) asked() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asks
}

// authority is the server's certificate, PEM.
func (s *server) authority() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
}

// clock is time that moves only while somebody waits.
type clock struct {
	mu    sync.Mutex
	now   time.Time
	waits []time.Duration
}

func newClock() *clock { return &clock{now: time.Date(2026, time.May, 4, 12, 0, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) wait(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	c.waits = append(c.waits, d)
	return context.Cause(ctx)
}

func (c *clock) waited() (all []time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append(all, c.waits...)
}

// plainOptions ask the server on loopback, once, without waiting.
func plainOptions(url string, c *clock) Options {
	return Options{
		BaseURL: url, Loopback: true, UserAgent: "desfecho/test", Secrets: map[string]secret.Secret{"Authorization": "Bearer " + canary},
		Retry: Retry{Tries: 1}, Now: c.Now, Wait: c.wait,
	}
}

func client(t *testing.T, o Options) *Client {
	t.Helper()
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func ask(t *testing.T, c *Client, takes ...int) (*Response, error) {
	t.Helper()
	got, err := c.Get(t.Context(), Ask{Endpoint: "things", Path: "/things", Query: url.Values{"q": {"query-canary"}}, Takes: takes})
	if (got == nil) == (err == nil) {
		t.Errorf("want an answer or an error, got %v and %v", got, err)
	}
	if err != nil && (strings.Contains(err.Error(), "canary") || strings.Contains(err.Error(), "q=")) {
		t.Errorf("the error tells a secret or the query: %v", err)
	}
	return got, err
}

// wantError checks reason and stage of an error.
func wantError(t *testing.T, err error, reason provider.Reason, stage string) {
	t.Helper()
	var asked *provider.Error
	if !errors.As(err, &asked) {
		t.Fatalf("got %v, want a %s", err, reason)
	}
	if asked.Reason != reason || asked.Stage != stage || asked.Endpoint != "things" {
		t.Errorf("got %q at %q of %q (%v), want %q at %q", asked.Reason, asked.Stage, asked.Endpoint, err, reason, stage)
	}
}

func answer(w http.ResponseWriter, body string) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_, _ = w.Write([]byte(body))
}
