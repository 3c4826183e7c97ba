package probe

import (
	"context"
	"errors"
	"testing"

	"pgregory.net/rapid"

	"desfecho/internal/payment"
	"desfecho/internal/provider"
)

// TestAnObservationIsTrueOfItsMoment: whatever is answered, an observation says
// what was observed between the question and now by the clock that it was
// given, never takes another account's or mode's answer for one, and tells
// whether the endpoint shows what is known to be there (RULES §1, §2 law 5, §6).
func TestAnObservationIsTrueOfItsMoment(t *testing.T) {
	t.Parallel()
	pick := func(t *rapid.T, name string, from ...string) string { return rapid.SampledFrom(from).Draw(t, name) }
	rapid.Check(t, func(t *rapid.T) {
		answer := found("pi_1")
		if rapid.Bool().Draw(t, "nothing") {
			answer = provider.Answer{Outcome: payment.NotFound}
		}
		answer.Account = pick(t, "account", "", "acct_1", "acct_2")
		answer.Mode = rapid.SampledFrom([]payment.Mode{payment.Live, payment.Test}).Draw(t, "mode")
		d := &desk{ways: ways()[2:3], answers: map[string]provider.Answer{"r1": answer}, errs: map[string]error{}}
		broken := rapid.IntRange(0, 3).Draw(t, "broken") == 0
		if broken {
			d.errs["r1"] = errors.New("no route")
		}
		var known *payment.Unit
		shown := false
		if rapid.Bool().Draw(t, "known") {
			known = &payment.Unit{ID: "pi_0", References: []payment.Reference{{Name: "ref", Value: "r0"}}, CreatedAt: sent}
			if shown = rapid.Bool().Draw(t, "shown"); shown {
				d.answers["r0"] = found("pi_0")
			}
		}
		now := sent.Add(48 * 3600e9)
		a := &Asker{
			Provider: d, Name: "stripe", Account: pick(t, "own account", "", "acct_1"), Mode: payment.Live,
			Now: func() payment.Instant { now++; return now },
			Known: func(context.Context, provider.Lookup, payment.Interval) (units []Control, err error) {
				if known != nil {
					units = append(units, Control{Unit: *known})
				}
				return units, nil
			},
		}
		before := now
		got, err := a.Ask(t.Context(), Subject{Attempt: attempt()}, Everything)
		if err != nil || len(got) != 1 {
			t.Fatalf("%v, %v", got, err)
		}
		l := got[0]
		if l.At <= before || l.At > now {
			t.Fatalf("asked between %s and %s, observed at %s", before, now, l.At)
		}
		elsewhere := answer.Mode != payment.Live || a.Account != "" && answer.Account != "" && answer.Account != a.Account
		want := answer.Outcome
		if broken || elsewhere {
			want = payment.Inconclusive
		}
		if l.Outcome != want || l.Outcome == payment.Inconclusive && (l.Reason == "" || l.Units != nil) {
			t.Fatalf("%+v, asked in %q live, is observed as %+v", answer, a.Account, l)
		}
		if l.NoControl == shown {
			t.Fatalf("no control %v, and what is known to be there was shown: %v", l.NoControl, shown)
		}
	})
}

func TestAnObservationHasTheTimeOfTheClockItWasGiven(t *testing.T) {
	t.Parallel()
	d := &desk{ways: ways()[2:3], answers: map[string]provider.Answer{"r1": found("pi_1")}}
	a := asker(d, nil)
	a.Now = func() payment.Instant { return 42 }
	got, err := a.Ask(t.Context(), Subject{Attempt: attempt()}, Everything)
	if err != nil || len(got) != 1 || got[0].At != 42 || got[0].Units[0].ObservedAt != 42 {
		t.Errorf("asked at 42: %+v, %v", got, err)
	}
}
