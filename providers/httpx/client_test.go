package httpx

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"time"

	"desfecho/internal/payment"
	"desfecho/internal/provider"
)

func TestAnAnswerIsReadWhole(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.EscapedPath() != "/v1/things/a%2Fb" || r.URL.Query().Get("created[gte]") != "5" || r.UserAgent() != "desfecho/test" {
			t.Errorf("asked for %s as %s", r.URL, r.UserAgent())
		}
		w.Header().Set("Date", "Mon, 04 May 2026 12:00:07 GMT")
		answer(w, `{"id":"x"}`)
	})
	c := client(t, plainOptions(s.URL+"/v1/", newClock()))
	got, err := c.Get(t.Context(), Ask{Endpoint: "things", Path: "/things/" + url.PathEscape("a/b"), Query: url.Values{"created[gte]": {"5"}}})
	if err != nil {
		t.Fatal(err)
	}
	var thing struct {
		ID string `json:"id"`
	}
	if err := got.Decode(&thing); err != nil || thing.ID != "x" {
		t.Errorf("read %q, %v", thing.ID, err)
	}
	if want := payment.InstantOf(time.Date(2026, time.May, 4, 12, 0, 7, 0, time.UTC)); got.Date != want || got.Status != 200 {
		t.Errorf("status %d at %s", got.Status, got.Date)
	}
}

// noAnswer is an answer that is none, and what is said of it.
type noAnswer struct {
	handler http.HandlerFunc
	reason  provider.Reason
	stage   string
}

func noAnswers(t *testing.T) map[string]noAnswer {
	t.Helper()
	status := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(code)
			_, _ = io.WriteString(w, `{"error":"`+canary+`"}`)
		}
	}
	with := func(name, value, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set(name, value)
			_, _ = io.WriteString(w, body)
		}
	}
	return map[string]noAnswer{
		"401":               {status(401), provider.Credentials, provider.StageHeaders},
		"403":               {status(403), provider.Credentials, provider.StageHeaders},
		"404":               {status(404), provider.HTTP4xx, provider.StageHeaders},
		"409":               {status(409), provider.HTTP409, provider.StageHeaders},
		"429":               {status(429), provider.HTTP429, provider.StageHeaders},
		"500":               {status(500), provider.HTTP5xx, provider.StageHeaders},
		"503":               {status(503), provider.HTTP5xx, provider.StageHeaders},
		"204":               {status(204), provider.Unparsable, provider.StageHeaders},
		"206":               {status(206), provider.Unparsable, provider.StageHeaders},
		"html":              {with("Content-Type", "text/html", "<html>"), provider.Unparsable, provider.StageHeaders},
		"no type":           {with("Content-Type", "", "{}"), provider.Unparsable, provider.StageHeaders},
		"other encoding":    {with("Content-Encoding", "br", "{}"), provider.Unparsable, provider.StageBody},
		"false gzip":        {with("Content-Encoding", "gzip", `{"id":"longer than a head"}`), provider.Unparsable, provider.StageBody},
		"cut":               {with("Content-Length", "100", "{}"), provider.Partial, provider.StageBody},
		"cut gzip":          {with("Content-Encoding", "gzip", packed(t, strings.Repeat("x", 1000))[:20]), provider.Partial, provider.StageBody},
		"endless":           {with("X", "", strings.Repeat(" ", 5000)), provider.Partial, provider.StageBody},
		"bomb":              {with("Content-Encoding", "gzip", packed(t, strings.Repeat(" ", 1<<20))), provider.Partial, provider.StageBody},
		"connection closed": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, provider.Unreachable, provider.StageHeaders},
		"chunk cut": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, "{")
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}, provider.Partial, provider.StageBody},
		"huge header": {with("X-Big", strings.Repeat("x", 9000), "{}"), provider.Unreachable, provider.StageHeaders},
		"many cookies": {func(w http.ResponseWriter, _ *http.Request) {
			for range 300 {
				w.Header().Add("Set-Cookie", "a=123456789012345678901234567890")
			}
			answer(w, "{}")
		}, provider.Unreachable, provider.StageHeaders},
		"two types": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Content-Type"] = []string{"application/json", "text/html"}
			_, _ = io.WriteString(w, "{}")
		}, provider.Unparsable, provider.StageHeaders},
	}
}

// TestWhatIsNoAnswerIsNone goes through law 5: whatever is not a complete,
// well-formed answer has a reason, and none of them is "not found".
func TestWhatIsNoAnswerIsNone(t *testing.T) {
	t.Parallel()
	for name, c := range noAnswers(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, c.handler)
			o := plainOptions(s.URL, newClock())
			o.Caps = Caps{Header: 4 << 10, Compressed: 4 << 10, Body: 4 << 10}
			_, err := ask(t, client(t, o))
			wantError(t, err, c.reason, c.stage)
			if s.asked() != 1 {
				t.Errorf("asked %d times, want once", s.asked())
			}
		})
	}
}

func packed(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestEachCapHolds, and what is over one is asked for once.
func TestEachCapHolds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		caps  Caps
		whole bool
	}{
		"as it came":  {Caps{Compressed: 999}, false},
		"unpacked":    {Caps{Body: 999}, false},
		"within both": {Caps{Compressed: 1000, Body: 1000}, true},
	} {
		s := serve(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, strings.Repeat(" ", 1000)) })
		o := plainOptions(s.URL, newClock())
		o.Caps, o.Retry = c.caps, Retry{}
		if _, err := ask(t, client(t, o)); (err == nil) != c.whole || s.asked() != 1 {
			t.Errorf("%s: asked %d times, %v", name, s.asked(), err)
		}
	}
}

// TestAStageIsNeverEnteredAgain: a dial that was given up for another
// connection still reports.
func TestAStageIsNeverEnteredAgain(t *testing.T) {
	t.Parallel()
	w := newWatch(t.Context(), &Deadlines{Connect: time.Hour, TLS: time.Hour, Headers: time.Hour, Body: time.Hour})
	defer w.stop()
	w.enter(stageBody)
	if w.enter(stageTLS); w.name() != provider.StageBody {
		t.Errorf("back at %s", w.name())
	}
}

// TestAStatusThatIsAskedForIsAnAnswer: a provider's own 404 is read, a proxy's
// is not.
func TestAStatusThatIsAskedForIsAnAnswer(t *testing.T) {
	t.Parallel()
	kind := "application/problem+json"
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{"status":404}`)
	})
	c := client(t, plainOptions(s.URL, newClock()))
	if got, err := ask(t, c, http.StatusNotFound); err != nil || got.Status != 404 {
		t.Errorf("got %v, %v", got, err)
	}
	kind = "text/html"
	_, err := ask(t, c, http.StatusNotFound)
	wantError(t, err, provider.Unparsable, provider.StageHeaders)
}

// TestANoWithoutABodyIsAnAnswer: some providers send a 404 and nothing else.
// What is asked for with 200 must say something.
func TestANoWithoutABodyIsAnAnswer(t *testing.T) {
	t.Parallel()
	code := http.StatusNotFound
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "0")
		w.WriteHeader(code)
	})
	c := client(t, plainOptions(s.URL, newClock()))
	if got, err := ask(t, c, http.StatusNotFound); err != nil || got.Status != 404 || len(got.Body) != 0 {
		t.Errorf("got %v, %v", got, err)
	}
	_, err := ask(t, c)
	wantError(t, err, provider.HTTP4xx, provider.StageHeaders)
	code = http.StatusOK
	_, err = ask(t, c, http.StatusNotFound)
	wantError(t, err, provider.Unparsable, provider.StageHeaders)
}

func TestGzipIsUnpacked(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		answer(w, packed(t, `{"id":"x"}`))
	})
	if got, err := ask(t, client(t, plainOptions(s.URL, newClock()))); err != nil || string(got.Body) != `{"id":"x"}` {
		t.Errorf("got %v, %v", got, err)
	}
}

// TestARedirectIsNotFollowed: neither the other host nor this one is asked
// again, whatever it is that a redirect names.
func TestARedirectIsNotFollowed(t *testing.T) {
	t.Parallel()
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("the redirect was followed with %v", r.Header)
	}))
	t.Cleanup(other.Close)
	for _, to := range []string{other.URL, "http://169.254.169.254/latest", "/things2", "//127.0.0.1:1/"} {
		for _, code := range []int{301, 302, 303, 307, 308} {
			s := serve(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				http.Redirect(w, r, to, code)
			})
			_, err := ask(t, client(t, plainOptions(s.URL, newClock())))
			wantError(t, err, provider.Redirect, provider.StageHeaders)
			if s.asked() != 1 {
				t.Errorf("asked %d times", s.asked())
			}
		}
	}
}

// TestADeadlineNamesItsStage uses real time, little of it.
func TestADeadlineNamesItsStage(t *testing.T) {
	t.Parallel()
	const short = 60 * time.Millisecond
	hangs := serve(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	drips := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		tick := time.NewTicker(short / 10)
		defer tick.Stop()
		for r.Context().Err() == nil {
			_, _ = io.WriteString(w, " ")
			_ = http.NewResponseController(w).Flush()
			<-tick.C
		}
	})
	for _, c := range []struct {
		name, url string
		d         Deadlines
		stage     string
	}{
		{"connect", full(t), Deadlines{Connect: short}, provider.StageDial},
		{"tls", silent(t), Deadlines{TLS: short}, provider.StageTLS},
		{"headers", hangs.URL, Deadlines{Headers: short}, provider.StageHeaders},
		{"one byte after another", drips.URL, Deadlines{Body: short}, provider.StageBody},
		{"the whole, waiting", hangs.URL, Deadlines{Whole: short}, provider.StageHeaders},
		{"the whole, dripping", drips.URL, Deadlines{Whole: short}, provider.StageBody},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o := plainOptions(c.url, newClock())
			o.Deadlines = c.d
			_, err := ask(t, client(t, o))
			wantError(t, err, provider.Timeout, c.stage)
		})
	}
}

// silent accepts connections and says nothing.
func silent(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return "https://" + l.Addr().String()
}

// full listens with a queue that is full, so that a connection is never made.
func full(t *testing.T) string {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(fd) })
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Listen(fd, 0); err != nil {
		t.Fatal(err)
	}
	name, err := syscall.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	address := fmt.Sprintf("127.0.0.1:%d", name.(*syscall.SockaddrInet4).Port)
	for range 16 {
		held, err := net.DialTimeout("tcp", address, 100*time.Millisecond)
		if err != nil {
			return "http://" + address
		}
		t.Cleanup(func() { _ = held.Close() })
	}
	t.Fatal("the queue does not fill")
	return ""
}
