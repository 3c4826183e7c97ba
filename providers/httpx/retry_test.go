package httpx

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"desfecho/internal/provider"
)

// failing answers with a status until it has done so a number of times.
func failing(times, status int, after string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if times == 0 {
			answer(w, "{}")
			return
		}
		times--
		if after != "" {
			w.Header().Set("Retry-After", after)
		}
		w.WriteHeader(status)
	}
}

// TestRetryAfterIsHonouredWithinBounds takes every form there is.
func TestRetryAfterIsHonouredWithinBounds(t *testing.T) {
	t.Parallel()
	const step = 500 * time.Millisecond
	for after, want := range map[string][]time.Duration{
		"":                              {step},
		"7":                             {7 * time.Second},
		" 7 ":                           {7 * time.Second},
		"0":                             {step},
		"-5":                            {step},
		"1.5":                           {step},
		"soon":                          {step},
		"1000000000":                    nil,
		"999999999999999999999999":      nil,
		"121":                           nil,
		"120":                           {2 * time.Minute},
		"Mon, 04 May 2026 12:00:30 GMT": {30 * time.Second},
		"Mon, 04 May 2026 11:00:00 GMT": {step},
		"Mon, 04 May 2099 12:00:00 GMT": nil,
	} {
		t.Run(after, func(t *testing.T) {
			t.Parallel()
			s := serve(t, failing(1, http.StatusTooManyRequests, after))
			clock := newClock()
			o := plainOptions(s.URL, clock)
			o.Retry = Retry{}
			_, err := ask(t, client(t, o))
			if want == nil {
				wantError(t, err, provider.HTTP429, provider.StageHeaders)
			} else if err != nil {
				t.Error(err)
			}
			if diff := cmp.Diff(want, clock.waited()); diff != "" {
				t.Errorf("waits (-want +got):\n%s", diff)
			}
		})
	}
}

// TestTriesAreBounded: four, each wait twice the last and jittered by the
// function given.
func TestTriesAreBounded(t *testing.T) {
	t.Parallel()
	for _, status := range []int{429, 500, 502, 503} {
		s := serve(t, failing(100, status, ""))
		clock := newClock()
		o := plainOptions(s.URL, clock)
		o.Retry = Retry{}
		o.Jitter = func(d time.Duration) time.Duration { return d / 2 }
		if _, err := ask(t, client(t, o)); err == nil {
			t.Fatal("it was answered")
		}
		want := []time.Duration{250 * time.Millisecond, 500 * time.Millisecond, time.Second}
		if diff := cmp.Diff(want, clock.waited()); diff != "" || s.asked() != 4 {
			t.Errorf("status %d, asked %d times, waits (-want +got):\n%s", status, s.asked(), diff)
		}
	}
}

// TestWhatWillNotPassIsAskedOnce: another answer is not to be had by asking
// again.
func TestWhatWillNotPassIsAskedOnce(t *testing.T) {
	t.Parallel()
	for _, status := range []int{302, 400, 401, 403, 404, 409, 422} {
		s := serve(t, failing(100, status, "1"))
		o := plainOptions(s.URL, newClock())
		o.Retry = Retry{}
		if _, err := ask(t, client(t, o)); err == nil || s.asked() != 1 {
			t.Errorf("status %d: asked %d times, %v", status, s.asked(), err)
		}
	}
}

func TestACutAnswerIsAskedForAgain(t *testing.T) {
	t.Parallel()
	first := true
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		if first {
			first = false
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, "{")
			return
		}
		answer(w, `{"id":"x"}`)
	})
	o := plainOptions(s.URL, newClock())
	o.Retry = Retry{}
	if got, err := ask(t, client(t, o)); err != nil || string(got.Body) != `{"id":"x"}` {
		t.Errorf("got %v, %v", got, err)
	}
}

// TestAnInterruptEndsTheWait: nobody waits for a provider after Ctrl-C.
func TestAnInterruptEndsTheWait(t *testing.T) {
	t.Parallel()
	s := serve(t, failing(100, 429, "60"))
	o := plainOptions(s.URL, newClock())
	o.Retry = Retry{}
	stop := errors.New("interrupted")
	ctx, cancel := context.WithCancelCause(t.Context())
	o.Wait = func(context.Context, time.Duration) error {
		cancel(stop)
		return stop
	}
	if _, err := client(t, o).Get(ctx, Ask{Endpoint: "things", Path: "/"}); !errors.Is(err, stop) || s.asked() != 1 {
		t.Errorf("asked %d times, %v", s.asked(), err)
	}
}

// TestOnlyAShareOfTheLimitIsUsed: of 100 requests a second, ten; one of them
// is kept for a person.
func TestOnlyAShareOfTheLimitIsUsed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		share  int
		urgent bool
		asks   int
		spent  time.Duration
	}{
		{"a tenth, less the reserve", 0, false, 91, 10 * time.Second},
		{"as configured", 50, false, 46, time.Second},
		{"the reserve, at once", 0, true, 20, 0},
		{"the reserve, then one a second", 0, true, 30, 10 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, "{}") })
			clock := newClock()
			o := plainOptions(s.URL, clock)
			o.Rate, o.Share, o.Urgent = provider.Rate{Requests: 100, Per: time.Second}, c.share, c.urgent
			asker, began := client(t, o), clock.Now()
			for range c.asks {
				if _, err := ask(t, asker); err != nil {
					t.Fatal(err)
				}
			}
			if spent := clock.Now().Sub(began).Round(time.Millisecond); spent != c.spent {
				t.Errorf("%d requests took %s, want %s", c.asks, spent, c.spent)
			}
		})
	}
}

// TestALimitIsEverybodys: who asks while another was told to wait, waits too.
func TestALimitIsEverybodys(t *testing.T) {
	t.Parallel()
	clock := newClock()
	p := newPace(&Options{Now: clock.Now, Wait: clock.wait})
	p.hold(time.Minute)
	p.hold(time.Second) // a shorter one does not end the longer
	if err := p.wait(t.Context()); err != nil || !slices.Equal(clock.waited(), []time.Duration{time.Minute}) {
		t.Errorf("waited %v, %v", clock.waited(), err)
	}
}
