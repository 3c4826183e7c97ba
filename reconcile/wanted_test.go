package reconcile

import (
	"testing"
	"time"

	"desfecho/internal/payment"
)

// TestNobodyOwesWhatCouldNotBeShownYet: where no window was asked for, a ledger
// that lags a day is read to its end, though the report is made a while after
// it was read; what it lacks beyond that is a hole.
func TestNobodyOwesWhatCouldNotBeShownYet(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	began := payment.InstantOf(time.Date(2026, 5, 10, 6, 0, 0, 0, time.UTC)) // when it was asked
	covers := func(name string, sort payment.Sort, through payment.Instant, lag time.Duration) payment.Statement {
		return payment.Statement{Name: name, Provider: "psp", Sort: sort, Grade: payment.Proven, From: began.Add(-7 * day), Through: through, PublishLag: lag}
	}
	for name, c := range map[string]struct {
		ledger payment.Instant
		asked  bool // a window was asked for
		holes  int
	}{
		"read to its end":           {began.Add(-day), false, 0},
		"an hour short":             {began.Add(-day - time.Hour), false, 1},
		"asked for, and a bit late": {began.Add(-day), true, 1},
	} {
		window := payment.Interval{From: began.Add(-7 * day), To: began.Add(-10 * time.Minute)}
		in := Input{
			Now: began.Add(20 * time.Minute), Window: window, Policies: []Policy{NewPolicy("psp")},
			Statements: []payment.Statement{covers("objects", payment.ObjectList, window.To, 10*time.Minute), covers("ledger", payment.Ledger, c.ledger, day)},
		}
		if !c.asked {
			in.WantedBy = map[string]payment.Interval{"psp": window}
		}
		holes := 0
		for _, d := range Match(in).Divergences {
			if d.Class == CoverageIncomplete {
				holes++
			}
		}
		if holes != c.holes {
			t.Errorf("%s: %d holes, want %d", name, holes, c.holes)
		}
	}
	in := Input{Now: began, Policies: []Policy{NewPolicy("psp"), NewPolicy("other")}, WantedBy: map[string]payment.Interval{"psp": {From: began.Add(-7 * day), To: began}}}
	if r := Match(in); len(r.Divergences) != 1 || r.Divergences[0].Provider != "psp" || r.Verdict != Incomplete {
		t.Errorf("a provider that owes statements and never gave one: %s %+v", r.Verdict, r.Divergences)
	}
	later := payment.Interval{From: began.Add(-5 * day), To: began.Add(-10 * time.Minute)}
	in = Input{
		Now: began, Window: payment.Interval{From: began.Add(-9 * day), To: later.To}, Policies: []Policy{NewPolicy("psp")},
		Statements: []payment.Statement{covers("objects", payment.ObjectList, later.To, 10*time.Minute)}, WantedBy: map[string]payment.Interval{"psp": later},
	}
	if found := Match(in).Divergences; len(found) != 0 {
		t.Errorf("what another provider was read for is owed: %+v", found)
	}
}
