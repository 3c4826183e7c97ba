package report

import (
	"slices"
	"strings"
	"time"

	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/reconcile"
)

// htmlStake is the money at stake in one currency of one mode, by class and
// provider: one bar each, as long as its part of the greatest.
type htmlStake struct {
	Title string
	Bars  []htmlBar
}

type htmlBar struct {
	Label, Sub, Money, Count, Width string
}

type stakeKey struct {
	mode     payment.Mode
	currency money.Currency
	class    reconcile.Class
	provider string
}

func htmlStakes(r *reconcile.Result) []htmlStake {
	sums, count := map[stakeKey]int64{}, map[stakeKey]int{}
	var keys []stakeKey
	for i := range r.Divergences {
		d := &r.Divergences[i]
		if !counts(d) || d.Amount == 0 {
			continue
		}
		key := stakeKey{d.Mode, d.Currency, d.Class, d.Provider}
		if count[key] == 0 {
			keys = append(keys, key)
		}
		sums[key], count[key] = sums[key]+d.Amount, count[key]+1
	}
	slices.SortFunc(keys, func(a, b stakeKey) int {
		if a.mode != b.mode {
			return int(a.mode) - int(b.mode)
		}
		if c := strings.Compare(a.currency.String(), b.currency.String()); c != 0 {
			return c
		}
		if sums[a] != sums[b] {
			return map[bool]int{true: -1, false: 1}[sums[a] > sums[b]]
		}
		if a.class != b.class {
			return int(a.class) - int(b.class)
		}
		return strings.Compare(a.provider, b.provider)
	})
	var stakes []htmlStake
	most := int64(0)
	for i, key := range keys {
		if i == 0 || key.mode != keys[i-1].mode || key.currency != keys[i-1].currency {
			title := key.currency.String()
			if key.mode == payment.Test {
				title += ", test mode"
			}
			stakes, most = append(stakes, htmlStake{Title: title}), sums[key]
		}
		s := &stakes[len(stakes)-1]
		s.Bars = append(s.Bars, htmlBar{
			key.class.String(), clean(key.provider), moneyText(sums[key], key.currency), number(count[key]), thousandths(sums[key], most),
		})
	}
	return stakes
}

// htmlAge is how many open attempts wait for about so long.
type htmlAge struct {
	Label, Count, Money, Width string
	Old                        bool
}

// ageStep is one bar: the ages under its end that are not under one before.
type ageStep struct {
	label string
	below time.Duration
}

func ages() []ageStep {
	const day = 24 * time.Hour
	return []ageStep{
		{"under 1 h", time.Hour},
		{"1 to 6 h", 6 * time.Hour},
		{"6 to 24 h", day},
		{"1 to 3 days", 3 * day},
		{"3 to 7 days", 7 * day},
		{"7 to 30 days", 30 * day},
		{"over 30 days", 1 << 62},
	}
}

// htmlAges counts the divergences about attempts without an outcome by their
// age at the time of the run; without one of known age there is no picture.
func htmlAges(r *reconcile.Result) []htmlAge {
	steps := ages()
	count, sums := make([]int, len(steps)), make([][]money.Amount, len(steps))
	most := 0
	for i := range r.Divergences {
		d := &r.Divergences[i]
		if bucketOf(d) != stuck || since(d).IsZero() || r.Now.IsZero() {
			continue
		}
		step := slices.IndexFunc(steps, func(s ageStep) bool { return r.Now.Sub(since(d)) < s.below })
		count[step]++
		most = max(most, count[step])
		if counts(d) {
			sums[step] = plus(sums[step], money.Amount{Minor: d.Amount, Currency: d.Currency})
		}
	}
	if most == 0 {
		return nil
	}
	bars := make([]htmlAge, len(steps))
	for i, s := range steps {
		bars[i] = htmlAge{s.label, number(count[i]), amountsCell(sums[i]).String(), thousandths(int64(count[i]), int64(most)), i >= 3}
	}
	return bars
}

// htmlCoverage is a calendar of what was read of one account, day by day.
type htmlCoverage struct {
	Title  string
	Months []htmlMonth
}

type htmlMonth struct {
	Name string
	Days []htmlDay
}

type htmlDay struct{ Number, State, Title string }

// calendarDays bounds a calendar: more than a quarter is no picture.
const calendarDays = 92

// htmlCalendars draws the window, or where a run has none what was read, from
// what the statements of each account cover together. Lists of objects and
// ledgers prove different things and have a calendar each.
func htmlCalendars(d *Document) []htmlCoverage {
	type key struct {
		scope scope
		sort  payment.Sort
	}
	var keys []key
	for i := range d.Result.Statements {
		s := &d.Result.Statements[i]
		k := key{scope{s.Provider, s.Account, s.Mode}, s.Sort}
		if !slices.Contains(keys, k) {
			keys = append(keys, k)
		}
	}
	var all []htmlCoverage
	for _, k := range keys {
		var read []*reconcile.StatementResult
		for i := range d.Result.Statements {
			if s := &d.Result.Statements[i]; (key{scope{s.Provider, s.Account, s.Mode}, s.Sort}) == k {
				read = append(read, s)
			}
		}
		if months := monthsOf(d, read, missingIn(d.Result, k.scope, read)); len(months) > 0 {
			all = append(all, htmlCoverage{clean(k.scope.String() + ", " + k.sort.String()), months})
		}
	}
	return all
}

// missingIn are the parts of an account that the run itself calls unread.
func missingIn(r *reconcile.Result, s scope, read []*reconcile.StatementResult) []payment.Interval {
	var missing []payment.Interval
	for i := range r.Divergences {
		d := &r.Divergences[i]
		if d.Class != reconcile.CoverageIncomplete || !open(d) || d.Provider != s.provider || d.Mode != s.mode || d.Account != "" && d.Account != s.account {
			continue
		}
		if slices.ContainsFunc(read, func(one *reconcile.StatementResult) bool { return slices.Contains(d.Subject.IDs, one.Name) }) {
			missing = append(missing, d.Interval)
		}
	}
	return missing
}

func monthsOf(doc *Document, read []*reconcile.StatementResult, missing []payment.Interval) []htmlMonth {
	window, zone := doc.Result.Window, doc.zone()
	if window.Empty() || window.From.IsZero() {
		for _, s := range read {
			if window.From.IsZero() || s.From < window.From {
				window.From = s.From
			}
			window.To = max(window.To, s.Through)
		}
	}
	if window.Empty() || window.From.IsZero() {
		return nil
	}
	first, last := payment.DayOf(window.From, zone), payment.DayOf(window.To-1, zone)
	first = max(first, last-calendarDays+1)
	var months []htmlMonth
	for day := first; day <= last; day++ {
		start := day.Start(time.UTC).Time()
		if name := start.Format("January 2006"); len(months) == 0 || months[len(months)-1].Name != name {
			months = append(months, htmlMonth{Name: name})
		}
		whole := payment.Interval{From: max(day.Start(zone), window.From), To: min((day + 1).Start(zone), window.To)}
		state := coveredOf(whole, read, missing)
		m := &months[len(months)-1]
		m.Days = append(m.Days, htmlDay{start.Format("2"), state, start.Format("2 January") + ": " + state})
	}
	return months
}

// coveredOf walks along a day from what is read to what is read next. What the
// run calls missing, and a hole that no other statement fills, stays a hole.
func coveredOf(day payment.Interval, read []*reconcile.StatementResult, missing []payment.Interval) string {
	var parts []payment.Interval
	for _, s := range read {
		from := s.From
		holes := slices.Clone(s.Holes)
		slices.SortFunc(holes, func(a, b payment.Interval) int { return int(max(-1, min(1, a.From-b.From))) })
		for _, hole := range holes {
			parts, from = append(parts, payment.Interval{From: from, To: hole.From}), max(from, hole.To)
		}
		parts = append(parts, payment.Interval{From: from, To: s.Through})
	}
	slices.SortFunc(parts, func(a, b payment.Interval) int { return int(max(-1, min(1, a.From-b.From))) })
	reached, got := day.From, false
	whole := true
	for _, p := range parts {
		if p.Empty() || !p.Overlaps(day) {
			continue
		}
		got = true
		whole = whole && p.From <= reached
		reached = max(reached, p.To)
	}
	whole = whole && reached >= day.To && !slices.ContainsFunc(missing, day.Overlaps)
	switch {
	case !got:
		return "not read"
	case !whole:
		return "read in part"
	}
	return "read whole"
}
