package providertest

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"desfecho/internal/provider"
)

// Trouble is one way in which an answer is none.
type Trouble struct {
	Name    string
	Answer  func(good Exchange) http.HandlerFunc // in the place of a good one
	Reasons []provider.Reason                    // which the adapter may name; none: any
}

// Slow tells whether it takes a deadline to notice.
func (t *Trouble) Slow() bool { return slices.Contains(t.Reasons, provider.Timeout) }

// fixed answers with a status, a content type and a body.
func fixed(status int, kind, body string) func(Exchange) http.HandlerFunc {
	return func(Exchange) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}
	}
}

const (
	asJSON = "application/json"
	asHTML = "text/html; charset=utf-8"
	page   = "<html><body>" + canary + "</body></html>"
)

// Troubles are those of every provider (RULES §2, law 5).
func Troubles() []Trouble {
	all := []Trouble{
		{"401", fixed(401, asJSON, `{}`), []provider.Reason{provider.Credentials}},
		{"403", fixed(403, asJSON, `{}`), []provider.Reason{provider.Credentials}},
		{"403 of a firewall", fixed(403, asHTML, page), []provider.Reason{provider.Credentials}},
		{"404 of a gateway", fixed(404, asHTML, page), []provider.Reason{provider.HTTP4xx, provider.Unparsable}},
		{"404 of somebody's", fixed(404, asJSON, `{}`), []provider.Reason{provider.HTTP4xx, provider.Unparsable}},
		{"409", fixed(409, asJSON, `{}`), []provider.Reason{provider.HTTP409}},
		{"429", fixed(429, asJSON, `{}`), []provider.Reason{provider.HTTP429}},
		{"500", fixed(500, asJSON, `{}`), []provider.Reason{provider.HTTP5xx}},
		{"502 with a page", fixed(502, asHTML, page), []provider.Reason{provider.HTTP5xx}},
		{"503", fixed(503, asJSON, ``), []provider.Reason{provider.HTTP5xx}},
		{"200 with a page", fixed(200, asHTML, page), []provider.Reason{provider.Unparsable}},
		{"200 with a page that says JSON", fixed(200, asJSON, page), []provider.Reason{provider.Unparsable}},
		{"302", func(Exchange) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", http.StatusFound) }
		}, []provider.Reason{provider.Redirect}},
		{"no answer", func(Exchange) http.HandlerFunc {
			return func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
		}, []provider.Reason{provider.Timeout}},
		{"half an answer, then silence", func(good Exchange) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				half(w, good)
				<-r.Context().Done()
			}
		}, []provider.Reason{provider.Timeout}},
		{"half an answer, then closed", func(good Exchange) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) {
				half(w, good)
				panic(http.ErrAbortHandler)
			}
		}, []provider.Reason{provider.Partial}},
		{"closed", func(Exchange) http.HandlerFunc {
			return func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
		}, []provider.Reason{provider.Unreachable}},
		{"half the JSON", func(good Exchange) http.HandlerFunc {
			return fixed(200, asJSON, good.Body[:len(good.Body)/2])(good)
		}, []provider.Reason{provider.Unparsable}},
		{"two answers", func(good Exchange) http.HandlerFunc { return fixed(200, asJSON, good.Body+good.Body)(good) }, []provider.Reason{provider.Unparsable}},
		{"a key twice", func(good Exchange) http.HandlerFunc {
			return fixed(200, asJSON, strings.Replace(good.Body, "{", `{"zz":1,"zz":2,`, 1))(good)
		}, []provider.Reason{provider.Unparsable}},
		{"gzip bomb", func(Exchange) http.HandlerFunc { return bomb }, []provider.Reason{provider.Partial}},
	}
	for _, body := range []string{`{}`, `[]`, `null`, `""`, `0`, `{"error":{"code":"x","message":"y"}}`, `{"errors":[{"code":"x"}]}`, ``} {
		all = append(all, Trouble{"200 with " + body, fixed(200, asJSON, body), []provider.Reason{provider.Unparsable}})
	}
	return all
}

func half(w http.ResponseWriter, good Exchange) {
	w.Header().Set("Content-Type", asJSON)
	w.Header().Set("Content-Length", strconv.Itoa(len(good.Body)))
	_, _ = io.WriteString(w, good.Body[:len(good.Body)/2])
	_ = http.NewResponseController(w).Flush()
}

// bomb is a small answer that becomes a large one.
func bomb(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", asJSON)
	w.Header().Set("Content-Encoding", "gzip")
	packed := gzip.NewWriter(w)
	blank := strings.Repeat(" ", 1<<16)
	for range 64 {
		_, _ = io.WriteString(packed, blank)
	}
	_ = packed.Close()
}

// noAnswers plays every trouble in the place of each answer of the talk.
func (a *Adapter) noAnswers(t *testing.T, good Talk, ask func(*testing.T, provider.Provider) error) {
	t.Helper()
	all := Troubles()
	for _, body := range a.Errors {
		all = append(all, Trouble{"200 with the provider's error", fixed(200, asJSON, body), nil})
	}
	for i := range good {
		for _, wrong := range all {
			t.Run(fmt.Sprintf("NoAnswer/%d/%s", i+1, wrong.Name), func(t *testing.T) {
				t.Parallel()
				var plays []play
				for _, e := range good[:i+1] {
					plays = append(plays, play{Exchange: e})
				}
				plays[i].answer = wrong.Answer(good[i])
				wait := patience
				if wrong.Slow() {
					wait = hurry
				}
				p, _ := a.playing(t, plays, wait)
				wantReason(t, ask(t, p), wrong.Reasons...)
			})
		}
	}
}
