package fakepsp_test

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"desfecho/internal/fakepsp"
)

// listener notes the events it is told, and refuses the first ones.
type listener struct {
	refuse int
	heard  []fakepsp.Event
}

func (l *listener) target(_ context.Context, body []byte) (int, error) {
	var e fakepsp.Event
	if err := json.Unmarshal(body, &e); err != nil {
		return 0, err
	}
	if l.refuse > 0 {
		l.refuse--
		return 503, nil
	}
	l.heard = append(l.heard, e)
	return 200, nil
}

func (b *bench) deliverAll(l *listener) int {
	b.t.Helper()
	made := 0
	for {
		at, ok := b.NextDelivery()
		if !ok {
			return made
		}
		b.clock.Set(at)
		n, err := b.Deliver(b.t.Context(), l.target)
		if err != nil || n == 0 {
			b.t.Fatalf("%d deliveries, %v", n, err)
		}
		made += n
	}
}

func TestEventsComeAtLeastOnceAndInAnyOrder(t *testing.T) {
	t.Parallel()
	b := open(t, func(s *fakepsp.Settings) { s.Webhooks = fakepsp.RoughWebhooks(rand.New(rand.NewPCG(1, 1))) })
	for _, key := range []string{"k1", "k2", "k3", "k4", "k5"} {
		b.post(key, sale)
		b.clock.Advance(time.Minute)
	}
	var l listener
	made := b.deliverAll(&l)
	heard := map[string]int{}
	for _, e := range l.heard {
		heard[e.ID]++
	}
	if len(heard) != len(b.Events()) || len(heard) != 10 || made <= len(heard) {
		t.Errorf("%d deliveries of %d of %d events", made, len(heard), len(b.Events()))
	}
	if slices.IsSortedFunc(l.heard, func(a, b fakepsp.Event) int { return a.CreatedAt.Compare(b.CreatedAt) }) {
		t.Error("no event overtook another")
	}
}

func TestARefusedEventComesAgainUntilItIsGivenUp(t *testing.T) {
	t.Parallel()
	for refuse, want := range map[int]int{0: 2, 3: 2, 7: 2, 11: 1, 12: 0} {
		b := open(t, nil)
		b.post("k1", sale) // two events, six tries each
		l := listener{refuse: refuse}
		b.deliverAll(&l)
		if len(l.heard) != want {
			t.Errorf("refused %d times: %d events heard, want %d", refuse, len(l.heard), want)
		}
	}
}

func TestNothingIsDeliveredBeforeItsTime(t *testing.T) {
	t.Parallel()
	b := open(t, func(s *fakepsp.Settings) {
		s.Webhooks = func(e fakepsp.Event) []time.Duration {
			if e.Type == "payment.updated" {
				return nil // lost
			}
			return []time.Duration{time.Hour}
		}
	})
	b.post("k1", sale)
	var l listener
	for _, step := range []struct {
		wait time.Duration
		want int
	}{{0, 0}, {59 * time.Minute, 0}, {time.Minute, 1}, {time.Hour, 1}} {
		b.clock.Advance(step.wait)
		if _, err := b.Deliver(t.Context(), l.target); err != nil || len(l.heard) != step.want {
			t.Errorf("after %s: %d heard, %v", step.wait, len(l.heard), err)
		}
	}
}
