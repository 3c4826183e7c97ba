package fakepsp_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"desfecho/internal/fakepsp"
	"desfecho/internal/payment"
)

func (b *bench) reader(limit int) *fakepsp.Reader {
	return &fakepsp.Reader{
		Name: "psp", URL: b.url, Client: b.client, Zone: time.UTC, Limit: limit,
		Places: []fakepsp.Place{{Name: "charge", Metadata: "charge_id", Scope: payment.ScopeCharge}},
	}
}

// Whatever the size of a page, reading to the end gives every object and every
// row of the window once, and the balances tie.
func TestPagesOfAnySizeGiveEveryRowOnce(t *testing.T) {
	t.Parallel()
	b := open(t, func(s *fakepsp.Settings) { s.FeePoints, s.Payouts = 100, true })
	start := b.clock.Now()
	for i := range 60 {
		b.post(fmt.Sprint("k", i), sale)
		b.clock.Advance(30 * time.Minute)
	}
	rapid.Check(t, func(rt *rapid.T) {
		from := start.Add(time.Duration(rapid.IntRange(-60, 1800).Draw(rt, "from")) * time.Minute)
		to := from.Add(time.Duration(rapid.IntRange(0, 1800).Draw(rt, "length")) * time.Minute)
		r := b.reader(rapid.IntRange(1, 100).Draw(rt, "limit"))
		_, units, err := r.Objects(t.Context(), from, to)
		if err != nil {
			rt.Fatal(err)
		}
		st, lines, err := r.Ledger(t.Context(), from, to)
		if err != nil {
			rt.Fatal(err)
		}
		var ids, rows []string
		for _, u := range units {
			ids = append(ids, u.ID)
		}
		sum := int64(0)
		for _, l := range lines {
			rows = append(rows, l.ID)
			sum += l.Net
		}
		within := func(at time.Time) bool { return !at.Before(from) && at.Before(to) && at.Before(b.clock.Now()) }
		var wantIDs, wantRows []string
		for _, o := range b.Objects() {
			if within(o.CreatedAt) {
				wantIDs = append(wantIDs, o.ID)
			}
		}
		for _, e := range b.Entries() {
			if within(e.At) {
				wantRows = append(wantRows, e.ID)
			}
		}
		if diff := cmp.Diff(wantIDs, ids) + cmp.Diff(wantRows, rows); diff != "" {
			rt.Fatalf("(-there +read):\n%s", diff)
		}
		if st.Opening.Minor+sum != st.Closing.Minor {
			rt.Fatalf("opening %d + %d is not closing %d", st.Opening.Minor, sum, st.Closing.Minor)
		}
	})
	for _, r := range b.Requests() {
		if r.Method != http.MethodGet && r.Path != "/v1/payments" {
			t.Errorf("the reader sent %s %s", r.Method, r.Path)
		}
	}
}

// Law 5: only a complete, well-formed no is "not found".
func TestABrokenAnswerIsNeverNotFound(t *testing.T) {
	t.Parallel()
	for _, fault := range []fakepsp.Fault{
		fakepsp.DropBefore, fakepsp.ErrorBefore, fakepsp.BadGatewayBefore, fakepsp.CutAfter, fakepsp.RateLimited,
	} {
		b := open(t, func(s *fakepsp.Settings) { s.Faults = func(fakepsp.Request) fakepsp.Fault { return fault } })
		for _, key := range []payment.LookupKey{
			{Kind: payment.KeyUnit, Value: "pay_1"},
			{Kind: payment.KeyIdempotency, Value: "k"},
			{Kind: payment.KeyReference, Name: "charge", Value: "c"},
			{Kind: payment.KeyReference, Name: "nowhere", Value: "c"},
		} {
			l := b.reader(0).LookUp(t.Context(), &payment.Attempt{ID: "a"}, key, b.clock.Now())
			if l.Outcome != payment.Inconclusive || l.Reason == "" {
				t.Errorf("%+v by %+v: %s %q", fault, key, l.Outcome, l.Reason)
			}
		}
		if _, _, err := b.reader(0).Objects(t.Context(), b.clock.Now(), b.clock.Now()); err == nil {
			t.Errorf("%+v: the list was read", fault)
		}
	}
	b := open(t, nil)
	for _, key := range []payment.LookupKey{{Kind: payment.KeyUnit, Value: "pay_1"}, {Kind: payment.KeyIdempotency, Value: "k"}} {
		if l := b.reader(0).LookUp(t.Context(), &payment.Attempt{ID: "a"}, key, b.clock.Now()); l.Outcome != payment.NotFound {
			t.Errorf("by %+v: %s", key, l.Outcome)
		}
	}
}
