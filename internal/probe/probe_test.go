package probe

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"desfecho/internal/evidence"
	"desfecho/internal/payment"
	"desfecho/internal/provider"
)

const sent = payment.Instant(1_741_600_000_000_000)

func attempt() *payment.Attempt {
	return &payment.Attempt{
		ID: "a1", Provider: "stripe", Status: payment.Unknown, Key: "k1", ProviderID: "", CreatedAt: sent, LastSent: sent,
		References: []payment.Reference{{Name: "ref", Value: "r1"}, {Name: "charge", Scope: payment.ScopeCharge, Value: "c1"}},
	}
}

// TestItIsNeverForgotten: whenever an attempt was last asked about, it is due
// again later than that and within a day, and its horizon is not missed.
func TestItIsNeverForgotten(t *testing.T) {
	t.Parallel()
	p := evidence.NewPolicy("stripe")
	rapid.Check(t, func(t *rapid.T) {
		a := attempt()
		age := time.Duration(rapid.Int64Range(0, int64(400*24*time.Hour)).Draw(t, "age")).Truncate(time.Microsecond)
		p.VisibleAfter = time.Duration(rapid.Int64Range(0, int64(72*time.Hour)).Draw(t, "visible")).Truncate(time.Microsecond)
		asked := sent.Add(age)
		due := Due(a, &p, asked)
		if gap := due.Sub(asked); gap <= 0 || gap > 24*time.Hour {
			t.Fatalf("asked at the age of %s, due %s later", age, gap)
		}
		for _, point := range []payment.Instant{p.Horizon(a), p.Horizon(a).Add(p.RecheckGap)} {
			if asked < point && point < due {
				t.Fatalf("asked at the age of %s, due at %s, past %s at which an answer begins to count", age, due.Sub(sent), point.Sub(sent))
			}
		}
	})
}

func TestTheScheduleIsDenseAtFirst(t *testing.T) {
	t.Parallel()
	p := evidence.NewPolicy("stripe")
	var gaps []time.Duration
	asked := payment.Instant(0)
	for range 9 {
		due := Due(attempt(), &p, asked)
		gaps = append(gaps, due.Sub(max(asked, sent)))
		asked = due
	}
	want := []time.Duration{30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 30 * time.Minute, time.Hour, time.Hour, time.Hour}
	if diff := cmp.Diff(want, gaps); diff != "" {
		t.Error(diff)
	}
}

func TestWhichAttemptsAreAskedAbout(t *testing.T) {
	t.Parallel()
	p := evidence.NewPolicy("stripe")
	for _, c := range []struct {
		status payment.Status
		err    payment.CallError
		age    time.Duration
		want   bool
	}{
		{payment.Unknown, payment.ErrorCardRefused, 5000 * time.Hour, true},
		{payment.Pending, payment.ErrorNone, 0, true},
		{payment.Failed, payment.ErrorTimeout, time.Hour, true},
		{payment.Failed, payment.ErrorNone, time.Hour, true},
		{payment.Failed, payment.ErrorTimeout, 7*24*time.Hour - 1000, true},
		{payment.Failed, payment.ErrorTimeout, 7 * 24 * time.Hour, false},
		{payment.Failed, payment.ErrorCardRefused, time.Hour, false},
		{payment.Failed, payment.Error4xx, time.Hour, false},
		{payment.Succeeded, payment.ErrorTimeout, time.Hour, false},
	} {
		a := attempt()
		a.Status, a.LastError = c.status, c.err
		if got := Asks(a, &p, sent.Add(c.age)); got != c.want {
			t.Errorf("%s after %s, %s old: %v", c.status, c.err, c.age, got)
		}
	}
}

// desk is a provider that answers by key; it is a provider in memory, for what
// is looked at here is what is asked, in which order.
type desk struct {
	provider.Provider
	ways    []provider.Lookup
	answers map[string]provider.Answer
	errs    map[string]error
	asked   []string
	told    []string // with the operation
}

func (d *desk) Capabilities() provider.Capabilities { return provider.Capabilities{Lookups: d.ways} }

func (d *desk) LookUp(_ context.Context, q provider.Question) (provider.Answer, error) {
	d.asked, d.told = append(d.asked, q.Key.Value), append(d.told, q.Attempt.Operation.String()+" "+q.Key.Value)
	if err := d.errs[q.Key.Value]; err != nil {
		return provider.Answer{}, err
	}
	if a, ok := d.answers[q.Key.Value]; ok {
		return a, nil
	}
	return provider.Answer{Outcome: payment.NotFound, Account: "acct_1"}, nil
}

func found(id string) provider.Answer {
	return provider.Answer{Outcome: payment.Found, Account: "acct_1", Units: []payment.Unit{{ID: id, State: payment.StateCaptured}}, Canonical: []byte(id), Raw: []byte(id)}
}

func asker(d *desk, known *payment.Unit) *Asker {
	now := sent.Add(48 * time.Hour)
	return &Asker{
		Provider: d, Name: "stripe", Account: "acct_1",
		Now: func() payment.Instant { now++; return now },
		Known: func(_ context.Context, way provider.Lookup, _ payment.Interval) ([]Control, error) {
			if known == nil || !Carries(known, way.Key) {
				return nil, nil
			}
			return []Control{{Unit: *known}}, nil
		},
	}
}

func ways() []provider.Lookup {
	return []provider.Lookup{
		{Key: payment.LookupKey{Kind: payment.KeyUnit}, Endpoint: "object"},
		{Key: payment.LookupKey{Kind: payment.KeyIdempotency}, Endpoint: "events", Operations: []payment.Operation{payment.Charge}},
		{Key: payment.LookupKey{Kind: payment.KeyReference, Name: "ref"}, Endpoint: "list"},
		{Key: payment.LookupKey{Kind: payment.KeyReference, Name: "ref"}, Endpoint: "search", Consistency: provider.Eventual},
	}
}

func TestEveryKeyIsAskedInTheOrderOfTrustAfterItsControl(t *testing.T) {
	t.Parallel()
	known := &payment.Unit{ID: "pi_0", Key: "k0", References: []payment.Reference{{Name: "ref", Value: "r0"}}, CreatedAt: sent}
	d := &desk{ways: ways(), answers: map[string]provider.Answer{"pi_0": found("pi_0"), "k0": found("other"), "r0": found("pi_0"), "r1": found("pi_1")}}
	about := About(attempt(), []payment.Unit{{ID: "pi_1", Key: "k1"}, {ID: "pi_9"}},
		[]payment.Line{{Unit: "pi_2", References: []payment.Reference{{Name: "charge", Value: "c1"}}}}, []payment.Event{{Unit: "pi_3", Key: "k1"}, {Unit: "pi_8", Key: "k8"}})
	a := asker(d, known)
	got, err := a.Ask(t.Context(), about, Everything)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"pi_0", "pi_1", "pi_2", "pi_3", "k0", "k1", "r0", "r1", "r0", "r1"}; !slices.Equal(d.asked, want) {
		t.Errorf("asked %v, want %v", d.asked, want)
	}
	for _, l := range got {
		if noControl := l.Endpoint == "events"; l.NoControl != noControl {
			t.Errorf("%s by %s: no control %v: the control of the key led to another unit", l.Endpoint, l.Key.Value, l.NoControl)
		}
		if l.At <= sent.Add(48*time.Hour) || l.Attempt != "a1" || l.Provider != "stripe" {
			t.Errorf("an observation without its circumstances: %+v", l)
		}
	}
	if last := got[len(got)-1]; last.Outcome != payment.Found || last.Canonical == "" || last.RawHash == "" || last.Units[0].Source != payment.FromLookup || last.Units[0].ObservedAt != last.At {
		t.Errorf("what was found is %+v", last)
	}
	if _, err := a.Ask(t.Context(), about, Everything); err != nil || slices.Index(d.asked[10:], "pi_0") >= 0 {
		t.Errorf("a control was asked for again: %v, %v", d.asked[10:], err)
	}
}

// TestAControlIsAskedAboutAsWhatItIs: by the operation that made it, and the
// next one where the first is not shown by its key.
func TestAControlIsAskedAboutAsWhatItIs(t *testing.T) {
	t.Parallel()
	d := &desk{ways: []provider.Lookup{{Key: payment.LookupKey{Kind: payment.KeyIdempotency}, Endpoint: "events"}}, answers: map[string]provider.Answer{"k2": found("tr_2")}}
	a := asker(d, nil)
	a.Known = func(context.Context, provider.Lookup, payment.Interval) ([]Control, error) {
		return []Control{
			{Unit: payment.Unit{ID: "tr_1", Key: "k0"}, Operation: payment.Transfer}, // sent again with a key of its own
			{Unit: payment.Unit{ID: "tr_2", Key: "k2"}, Operation: payment.Transfer},
		}, nil
	}
	got, err := a.Ask(t.Context(), Subject{Attempt: attempt()}, Everything)
	if err != nil || len(got) != 1 || got[0].NoControl {
		t.Errorf("%+v, %v", got, err)
	}
	if want := []string{"transfer k0", "transfer k2", "charge k1"}; !slices.Equal(d.told, want) {
		t.Errorf("asked %v, want %v", d.told, want)
	}
}

// TestNoAnswerIsNeverNotFound: whatever is no complete answer of the right
// account and mode is inconclusive, with its reason (law 5).
func TestNoAnswerIsNeverNotFound(t *testing.T) {
	t.Parallel()
	other, testMode := found("pi_1"), found("pi_1")
	other.Account, testMode.Mode = "acct_2", payment.Test
	for reason, d := range map[string]*desk{
		"timeout":       {errs: map[string]error{"r1": &provider.Error{Reason: provider.Timeout}}},
		"credentials":   {errs: map[string]error{"r1": &provider.Error{Reason: provider.Credentials}}},
		"unreachable":   {errs: map[string]error{"r1": errors.New("no route")}},
		"other_account": {answers: map[string]provider.Answer{"r1": other}},
		"wrong_mode":    {answers: map[string]provider.Answer{"r1": testMode}},
	} {
		d.ways = ways()[3:]
		got, err := asker(d, nil).Ask(t.Context(), Subject{Attempt: attempt()}, Everything)
		if err != nil || len(got) != 1 || got[0].Outcome != payment.Inconclusive || got[0].Reason != reason || got[0].Units != nil {
			t.Errorf("%s: %+v, %v", reason, got, err)
		}
	}
}

func TestAKeyOfAnotherOperationIsNotAsked(t *testing.T) {
	t.Parallel()
	d := &desk{ways: ways()[1:2]}
	a := attempt()
	a.Operation = payment.Refund
	if got, err := asker(d, nil).Ask(t.Context(), Subject{Attempt: a}, Everything); err != nil || len(got) != 0 || d.asked != nil {
		t.Errorf("asked %v: %v, %v", d.asked, got, err)
	}
}
