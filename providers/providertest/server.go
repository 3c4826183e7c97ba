package providertest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"desfecho/internal/provider"
	"desfecho/internal/secret"
	"desfecho/providers/httpx"
)

// canary is a credential that must be found in headers only.
const canary = "canary-5e1f0a7d9b33"

// Server plays one script.
type Server struct {
	t       *testing.T
	headers map[string]secret.Secret

	mu     sync.Mutex
	script []play
	free   bool // the script's requests may be made in any order and number
}

// loose lets an adapter ask in any order and number, and answers as the talk
// says from here on.
func (s *Server) loose(talk Talk) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free, s.script = true, nil
	for _, e := range talk {
		s.script = append(s.script, play{Exchange: e})
	}
}

// play is one expected request and how it is answered.
type play struct {
	Exchange
	answer http.HandlerFunc // nil: as the exchange says
}

// over makes the adapter over a server that plays the talk.
func (a *Adapter) over(t *testing.T, talk Talk) (provider.Provider, *Server) {
	t.Helper()
	plays := make([]play, len(talk))
	for i, e := range talk {
		plays[i].Exchange = e
	}
	return a.playing(t, plays, patience)
}

func (a *Adapter) playing(t *testing.T, plays []play, patience time.Duration) (provider.Provider, *Server) {
	t.Helper()
	s := &Server{t: t, headers: a.Headers(canary), script: plays}
	server := httptest.NewUnstartedServer(s)
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // connections are cut on purpose here
	server.Config.SetKeepAlivesEnabled(false)           // a GET on a connection that was used before is sent twice if that was closed
	server.Start()
	t.Cleanup(func() {
		server.Close()
		s.mu.Lock()
		defer s.mu.Unlock()
		if len(s.script) > 0 && !s.free && !t.Failed() {
			t.Errorf("%d requests were not made, the first %s?%s", len(s.script), s.script[0].Path, s.script[0].Query.Encode())
		}
	})
	client, err := httpx.New(httpx.Options{
		BaseURL: server.URL, Loopback: true, UserAgent: "desfecho/test", Secrets: s.headers,
		Deadlines: httpx.Deadlines{Headers: patience, Body: patience}, Caps: httpx.Caps{Body: 1 << 20}, Retry: httpx.Retry{Tries: 1},
		Now:  func() time.Time { return time.Date(2026, time.May, 4, 12, 0, 0, 0, time.UTC) },
		Wait: func(context.Context, time.Duration) error { return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	p, err := a.New(client)
	if err != nil {
		t.Fatal(err)
	}
	return p, s
}

// patience is how long a server has that will answer, hurry how long one that
// will not.
const (
	patience = 10 * time.Second
	hurry    = 150 * time.Millisecond
)

// ServeHTTP answers the next request of the script.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet {
		s.t.Errorf("%s %s: only GET may reach a provider", r.Method, r.URL.Path)
	}
	if strings.Contains(r.URL.String(), canary) {
		s.t.Errorf("the secret is in the URL: %s", r.URL)
	}
	for name, value := range s.headers {
		if r.Header.Get(name) != value.Reveal() {
			s.t.Errorf("header %s does not carry the credential", name)
		}
	}
	next, ok := s.next(r)
	if !ok {
		w.WriteHeader(http.StatusTeapot)
		return
	}
	if next.answer != nil {
		next.answer(w, r)
		return
	}
	next.write(w)
}

func (s *Server) next(r *http.Request) (play, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.free {
		i := slices.IndexFunc(s.script, func(p play) bool { return p.Path == r.URL.EscapedPath() })
		if i < 0 {
			return play{}, false
		}
		return s.script[i], true
	}
	if len(s.script) == 0 {
		s.t.Errorf("a request that nobody expected: %s?%s", r.URL.EscapedPath(), r.URL.Query().Encode())
		return play{}, false
	}
	next := s.script[0]
	if r.URL.EscapedPath() != next.Path || r.URL.Query().Encode() != next.Query.Encode() {
		s.t.Errorf("asked for %s?%s\nwant      %s?%s", r.URL.EscapedPath(), r.URL.Query().Encode(), next.Path, next.Query.Encode())
		return play{}, false
	}
	s.script = s.script[1:]
	return next, true
}

func (e *Exchange) write(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Date", "Mon, 04 May 2026 12:00:00 GMT")
	for name, value := range e.Header {
		w.Header().Set(name, value)
	}
	if e.Status != 0 {
		w.WriteHeader(e.Status)
	}
	_, _ = io.WriteString(w, e.Body)
}

// wantReason checks that err is a failure for one of the reasons, none: any.
func wantReason(t *testing.T, err error, reasons ...provider.Reason) {
	t.Helper()
	var asked *provider.Error
	switch {
	case !errors.As(err, &asked):
		t.Errorf("got %v, want a *provider.Error for %v", err, reasons)
	case len(reasons) > 0 && !slices.Contains(reasons, asked.Reason):
		t.Errorf("got %s (%v), want %v", asked.Reason, err, reasons)
	case asked.Endpoint == "":
		t.Errorf("it does not say which endpoint: %v", err)
	case strings.Contains(fmt.Sprintf("%v %+v", err, err), canary):
		t.Errorf("the secret is in the error: %v", err)
	}
}
