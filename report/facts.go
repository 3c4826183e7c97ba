package report

import (
	"fmt"
	"slices"
	"strings"

	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/reconcile"
)

// factsOf says what was counted and not listed, what was read, and on whose
// word.
func factsOf(d *Document, v voice) ([]fact, error) {
	var facts []fact
	add := func(label string, parts ...string) {
		if text := say(parts...); len(text) > 0 {
			facts = append(facts, fact{label, text})
		}
	}
	add("counted", placesOf(d.Result)...)
	transit, err := transitOf(d.Result, v)
	if err != nil {
		return nil, err
	}
	add("in transit", transit...)
	for i := range d.Result.Items {
		row := &d.Result.Items[i]
		if first := (reconcile.ItemsRow{Currency: row.Currency, New: row.New, NewCount: row.NewCount, Open: row.New, OpenCount: row.NewCount}); *row != first {
			add("items", itemsOf(row)...)
		}
	}
	if len(d.Result.Reopened) > 0 {
		days := make([]string, len(d.Result.Reopened))
		for i, day := range d.Result.Reopened {
			days[i] = v.day(day)
		}
		add("reopened", strings.Join(days, ", "))
	}
	for i := range d.Result.Statements {
		add("statement", coverageOf(&d.Result.Statements[i], v)...)
	}
	for i := range d.Inputs {
		add("read", inputOf(&d.Inputs[i], v)...)
	}
	rememberedFacts(d, add)
	assumed := make([]string, len(d.Assumptions))
	for i, text := range d.Assumptions {
		assumed[i] = freeText(text)
	}
	add("assumed", assumed...)
	return facts, nil
}

// knownPlaces is the order of RULES §4; kinds of lines follow by name.
var knownPlaces = []reconcile.Place{
	reconcile.Agreed, reconcile.InFlight, reconcile.InTransit, reconcile.NotCovered,
	reconcile.OwnSideNotCovered, reconcile.NoMoney, reconcile.ExpectedWithoutAttempt,
}

func sortedPlaces(places map[reconcile.Place]int) []reconcile.Place {
	var kinds []reconcile.Place
	for place := range places {
		if !slices.Contains(knownPlaces, place) {
			kinds = append(kinds, place)
		}
	}
	slices.Sort(kinds)
	return append(slices.Clone(knownPlaces), kinds...)
}

func placesOf(r *reconcile.Result) []string {
	var parts []string
	for _, place := range sortedPlaces(r.Places) {
		if n := r.Places[place]; n != 0 {
			parts = append(parts, strings.ReplaceAll(string(place), "_", " ")+" "+number(n))
		}
	}
	if r.Repeats > 0 {
		parts = append(parts, "repeated lines dropped "+number(r.Repeats))
	}
	if c := r.Counts; c.OutsideAttempts+c.OutsideLines > 0 {
		parts = append(parts, fmt.Sprintf("outside the period %s attempts and %s lines", number(c.OutsideAttempts), number(c.OutsideLines)))
	}
	return parts
}

// transitOf sums up what may still come, and says when the first of it breaks.
func transitOf(r *reconcile.Result, v voice) ([]string, error) {
	if len(r.Transit) == 0 {
		return nil, nil
	}
	first := payment.Instant(0)
	sums := map[money.Currency]int64{}
	var currencies []money.Currency
	for i := range r.Transit {
		t := &r.Transit[i]
		if first.IsZero() || !t.BreakOn.IsZero() && t.BreakOn < first {
			first = t.BreakOn
		}
		if _, seen := sums[t.Amount.Currency]; !seen {
			currencies = append(currencies, t.Amount.Currency)
		}
		total, ok := money.Sum(sums[t.Amount.Currency], t.Amount.Minor)
		if !ok {
			return nil, fmt.Errorf("add up what is in transit in %s: %w", t.Amount.Currency, money.ErrOverflow)
		}
		sums[t.Amount.Currency] = total
	}
	slices.SortFunc(currencies, func(a, b money.Currency) int { return slices.Compare(a[:], b[:]) })
	parts := []string{number(len(r.Transit))}
	for _, c := range currencies {
		parts = append(parts, money.Amount{Minor: sums[c], Currency: c}.String())
	}
	if !first.IsZero() {
		parts = append(parts, "the first breaks on "+v.instant(first))
	}
	return parts, nil
}

func itemsOf(row *reconcile.ItemsRow) []string {
	part := func(label string, minor int64, count int) string {
		if minor == 0 && count == 0 {
			return ""
		}
		return label + " " + amountText(money.Amount{Minor: minor, Currency: row.Currency}, count)
	}
	restated := ""
	if row.Restated != 0 {
		restated = "restated " + money.Amount{Minor: row.Restated, Currency: row.Currency}.String()
	}
	return []string{
		"open " + amountText(money.Amount{Minor: row.Open, Currency: row.Currency}, row.OpenCount),
		part("before", row.Yesterday, row.YesterdayCount), part("new", row.New, row.NewCount),
		part("reopened", row.Reopened, row.ReopenedCount), part("lapsed", row.Lapsed, row.LapsedCount), restated,
		part("resolved", row.Resolved, row.ResolvedCount), part("accepted", row.Accepted, row.AcceptedCount), part("vanished", row.Vanished, row.VanishedCount),
	}
}

// coverageOf says of one statement what was read and how sure its end is.
func coverageOf(s *reconcile.StatementResult, v voice) []string {
	what := number(s.Lines) + " lines"
	if s.Sort == payment.ObjectList {
		what = number(s.Units) + " objects"
	}
	parts := []string{
		strings.Join(slices.DeleteFunc([]string{freeText(s.Name), scope{s.Provider, s.Account, s.Mode}.String()}, func(p string) bool { return p == "" }), " of "),
		s.Sort.String(), what, "coverage " + s.Grade.String(), v.period(payment.Interval{From: s.From, To: s.Through}),
	}
	for _, hole := range s.Holes {
		parts = append(parts, "hole "+v.period(hole))
	}
	if !s.NextPullFrom.IsZero() {
		parts = append(parts, "next read from "+v.instant(s.NextPullFrom))
	}
	return parts
}

// inputOf shows that every row of a source went somewhere.
func inputOf(in *Input, v voice) []string {
	parts := []string{
		in.Side + " " + freeText(in.Name),
		fmt.Sprintf("%s rows = %s movements + %s information + %s errors",
			number(in.Rows), number(in.Movements), number(in.Information), number(in.Errors)),
	}
	if in.Repeats > 0 {
		parts = append(parts, number(in.Repeats)+" repeats")
	}
	said := slices.ContainsFunc(in.Notes, func(note string) bool { return strings.HasPrefix(note, "profile "+in.Profile) })
	if in.Profile != "" && !said {
		parts = append(parts, "profile "+in.Profile)
	}
	if !in.Covers.Empty() {
		parts = append(parts, in.Grade.String()+" "+v.period(in.Covers))
	}
	if hash := in.SHA256; hash != "" {
		if !v.exact && len(hash) > 12 {
			hash = hash[:12]
		}
		parts = append(parts, "sha256 "+hash)
	}
	for _, note := range in.Notes {
		parts = append(parts, freeText(note))
	}
	return parts
}
