// Package stats counts how attempts end, and what waits: the numbers that watch
// the process. Unknown is a group of its own: an attempt whose outcome nobody
// knows is neither a success nor a decline.
//
// It is pure: it opens no database and reads no clock. It counts what is stored
// and guesses nothing: an attempt that its merchant's own program settled, by a
// webhook or otherwise, leaves no time at which that was, and the use of a
// provider's quota is not stored.
package stats

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"desfecho/internal/audit"
	"desfecho/internal/payment"
	"desfecho/reconcile"
)

// Recent is how far back what entered and what was declined is counted.
const Recent = 24 * time.Hour

// Settled is how far back the time to an outcome is looked at.
const Settled = 30 * 24 * time.Hour

// Key is what a count is of. Word is a cause, an age, a class or a mechanism.
type Key struct{ Provider, Word, More string }

// Stats is what was counted at one moment.
type Stats struct {
	Now       payment.Instant
	Providers []string
	Entered   map[Key]int64              // attempts of the last day without a clear answer, by cause
	Ended     map[Key]int64              // attempts of the last day: succeeded, declined, ambiguous
	Open      map[Key]int64              // open attempts by age
	Oldest    map[string]time.Duration   // by provider
	LastRun   map[string]payment.Instant // the moment that the last saved run was about
	Lag       map[Key]time.Duration      // by statement and account: since when nothing was read
	Count     map[Key]int64              // divergences that stand and are not put aside, by class and severity
	Money     map[Key]int64              // their money, by class and currency, in minor units
	Outcome   map[Key]Times              // by what told it
}

// Times are how long attempts waited from their creation to their mark.
type Times struct {
	Count       int64
	Median, P95 time.Duration
	all         []time.Duration
}

// New counts nothing yet.
func New(now payment.Instant, providers []string) *Stats {
	return &Stats{
		Now: now, Providers: providers, Entered: map[Key]int64{}, Ended: map[Key]int64{}, Open: map[Key]int64{}, Oldest: map[string]time.Duration{},
		LastRun: map[string]payment.Instant{}, Lag: map[Key]time.Duration{}, Count: map[Key]int64{}, Money: map[Key]int64{}, Outcome: map[Key]Times{},
	}
}

// ages are the upper ends of the groups of open attempts.
var ages = []struct {
	word string
	to   time.Duration
}{{"15m", 15 * time.Minute}, {"1h", time.Hour}, {"4h", 4 * time.Hour}, {"1d", 24 * time.Hour}, {"7d", 7 * 24 * time.Hour}, {"30d", 30 * 24 * time.Hour}, {"older", 1 << 62}}

// Attempt counts one. Status is as the policy reads it: a pending attempt past
// orphan_after is unknown.
func (s *Stats) Attempt(a *payment.Attempt, status payment.Status) {
	age := s.Now.Sub(a.CreatedAt)
	if status.Open() {
		s.Oldest[a.Provider] = max(s.Oldest[a.Provider], age)
		for _, group := range ages {
			if age <= group.to {
				s.Open[Key{a.Provider, group.word, ""}]++
				break
			}
		}
	}
	if age >= Recent || age < 0 {
		return
	}
	if status == payment.Unknown || doubtful(a.LastError) {
		s.Entered[Key{a.Provider, cause(a.LastError), ""}]++
	}
	switch status {
	case payment.Succeeded:
		s.Ended[Key{a.Provider, "succeeded", ""}]++
	case payment.Failed:
		word := "declined"
		if doubtful(a.LastError) { // somebody found out later, or nobody did
			word = "failed_after_doubt"
		}
		s.Ended[Key{a.Provider, word, ""}]++
	case payment.Unknown:
		s.Ended[Key{a.Provider, "ambiguous", ""}]++
	case payment.Pending, payment.StatusNone:
	}
}

// doubtful: the answer does not say whether the payment was made (RULES §6).
func doubtful(e payment.CallError) bool {
	return e == payment.ErrorTimeout || e == payment.ErrorReset || e == payment.Error5xx || e == payment.Error409 || e == payment.Error429
}

func cause(e payment.CallError) string { return cmp.Or(e.String(), "not_recorded") }

// Covered counts how long ago the newest thing that was read happened.
func (s *Stats) Covered(coverage []payment.Statement) {
	newest := map[Key]payment.Instant{}
	for _, c := range coverage {
		if c.From < c.Through {
			k := Key{c.Provider, c.Account, c.Sort.String()}
			newest[k] = max(newest[k], c.Through)
		}
	}
	for k, at := range newest {
		s.Lag[k] = max(0, s.Now.Sub(at))
	}
}

// Run counts what a provider's last saved run found.
func (s *Stats) Run(r *reconcile.Result, provider string, at payment.Instant) {
	s.LastRun[provider] = at
	for i := range r.Divergences {
		d := &r.Divergences[i]
		if d.Provider != provider || d.Aside() {
			continue
		}
		s.Count[Key{d.Provider, d.Class.String(), cmp.Or(d.Severity.String(), "none")}]++
		if d.SameMoneyAs == nil && !d.Currency.IsZero() {
			s.Money[Key{d.Provider, d.Class.String(), d.Currency.String()}] += d.Amount
		}
	}
}

// Settlement counts one entry of the audit about an attempt that was created
// then. What told the outcome is a person's evidence where there is any, else
// what the provider answered, else a line of its statement.
func (s *Stats) Settlement(e *audit.Entry, created payment.Instant) {
	how := "statement"
	switch {
	case strings.Contains(e.Evidence, "manual:"):
		how = "manual"
	case e.Evidence != "":
		how = "lookup"
	}
	k := Key{e.Provider, how, ""}
	t := s.Outcome[k]
	t.Count++
	t.all = append(t.all, max(0, e.At.Sub(created)))
	s.Outcome[k] = t
}

// Close works out what needs all that was counted.
func (s *Stats) Close() {
	for k, t := range s.Outcome {
		slices.Sort(t.all)
		t.Median, t.P95 = t.all[(len(t.all)-1)/2], t.all[(len(t.all)*95+99)/100-1]
		s.Outcome[k] = t
	}
}

func keys[V any](m map[Key]V) []Key {
	return slices.SortedFunc(maps.Keys(m), func(a, b Key) int {
		return cmp.Or(cmp.Compare(a.Provider, b.Provider), cmp.Compare(a.Word, b.Word), cmp.Compare(a.More, b.More))
	})
}
