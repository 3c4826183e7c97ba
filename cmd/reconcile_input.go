package cmd

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"desfecho/internal/payment"
	"desfecho/internal/profile"
	"desfecho/providers/statementfile"
	"desfecho/reconcile"
)

// input puts both sides together for Match.
func (r *run) input() (reconcile.Input, error) {
	if err := r.nameProviders(); err != nil {
		return reconcile.Input{}, err
	}
	r.joinStatements()
	in := reconcile.Input{
		Now: r.now, Attempts: r.own.Attempts,
		OwnSide:  append([]payment.Interval{}, r.own.Cover...), // nil would mean all of it
		OwnGrade: r.own.CoverGrade, OwnWhole: r.own.CoverGrade == payment.Claimed,
	}
	for _, f := range r.files {
		in.Statements = append(in.Statements, f.Statements...)
		in.Units, f.Units = joined(in.Units, f.Units), nil
		in.Lines, f.Lines = joined(in.Lines, f.Lines), nil
	}
	err := r.past(in)
	if err != nil {
		return reconcile.Input{}, err
	}
	if in.Policies, err = r.policies(); err != nil {
		return reconcile.Input{}, err
	}
	if in.Window, err = r.window(in); err != nil {
		return reconcile.Input{}, err
	}
	if in.Window.Empty() { // nobody asked for a period: whatever stands in the files is compared
		in.Wanted = held(in.Statements)
		in.Window = whole(in)
	}
	return in, nil
}

// joined appends, and takes the first list as it is: a statement of a million
// lines is not copied.
func joined[T any](all, more []T) []T {
	if len(all) == 0 {
		return more
	}
	return append(all, more...)
}

// joinStatements makes one statement of the files that hold pieces of it, day
// by day: of one dialect, account, mode and sort. Each alone would end before
// the others begin.
func (r *run) joinStatements() {
	type statement struct {
		profile, provider, account string
		mode                       payment.Mode
		sort                       payment.Sort
	}
	key := func(f *statementfile.File, s *payment.Statement) statement {
		return statement{f.Profile.Name, s.Provider, s.Account, s.Mode, s.Sort}
	}
	pieces := map[statement]int{}
	for _, f := range r.files {
		for i := range f.Statements {
			pieces[key(f, &f.Statements[i])]++
		}
	}
	for _, f := range r.files {
		for i := range f.Statements {
			s := &f.Statements[i]
			if pieces[key(f, s)] < 2 {
				continue
			}
			for k := range r.sales {
				if of := &r.sales[k].SalesOf; of.Statement == s.Name && of.Provider == s.Provider && of.Account == s.Account && of.Mode == s.Mode {
					of.Statement = f.Profile.Name
				}
			}
			f.Rename(s.Name, f.Profile.Name)
		}
	}
}

// nameProviders settles whose a row is where its file does not say. Only a
// single candidate is taken.
func (r *run) nameProviders() error {
	own := r.attemptProviders()
	for i, f := range r.files {
		if statementProvider(f.Statements) != "" {
			continue
		}
		if len(own) != 1 {
			return &usageError{
				err:  fmt.Errorf("%s does not name its provider, and your attempts name %s", r.o.statements[i], count(own)),
				hint: "say it with --provider NAME, as in the provider column of your attempts",
			}
		}
		f.SetProvider(own[0])
	}
	theirs := r.statementProviders()
	for i := range r.own.Attempts {
		attempt := &r.own.Attempts[i]
		if attempt.Provider != "" {
			continue
		}
		if len(theirs) != 1 {
			return &usageError{
				err:  fmt.Errorf("attempt %s names no provider, and the statements are of %s", attempt.ID, count(theirs)),
				hint: "add a provider column to your attempts",
			}
		}
		attempt.Provider = theirs[0]
	}
	return r.checkProviders()
}

// checkProviders refuses two sides that have no provider in common: every
// attempt would be missing, and every line unrecorded, for a misspelt name.
func (r *run) checkProviders() error {
	own, theirs := r.attemptProviders(), r.statementProviders()
	if len(own) == 0 {
		return nil
	}
	for _, name := range theirs {
		if slices.Contains(own, name) {
			return nil
		}
	}
	return &usageError{
		err:  fmt.Errorf("your attempts are of %s, the statements of %s", count(own), count(theirs)),
		hint: "name the statement's provider as your attempts do: --provider " + own[0],
	}
}

func (r *run) attemptProviders() []string {
	names := map[string]bool{}
	for i := range r.own.Attempts {
		names[r.own.Attempts[i].Provider] = true
	}
	return sortedNames(names)
}

func (r *run) statementProviders() []string {
	names := map[string]bool{}
	for _, f := range r.files {
		for _, s := range f.Statements {
			names[s.Provider] = true
		}
	}
	return sortedNames(names)
}

func statementProvider(statements []payment.Statement) string {
	for _, s := range statements {
		if s.Provider != "" {
			return s.Provider
		}
	}
	return ""
}

func sortedNames(names map[string]bool) []string {
	var sorted []string
	for name := range names {
		if name != "" {
			sorted = append(sorted, name)
		}
	}
	slices.Sort(sorted)
	return sorted
}

// count words a list of names for an error.
func count(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// window is what the run was asked for; empty: what the statements hold.
func (r *run) window(in reconcile.Input) (payment.Interval, error) {
	p := r.o.parsed
	if p.day == nil && p.since == nil && p.until == nil {
		return payment.Interval{}, nil
	}
	zone, err := r.commonZone()
	if err != nil {
		return payment.Interval{}, err
	}
	window := held(in.Statements)
	text := "--since/--until"
	switch {
	case p.day != nil:
		text = "--day " + r.o.day
		window = payment.Interval{From: p.day.day.Start(zone), To: (p.day.day + 1).Start(zone)}
	default:
		if p.since != nil {
			window.From = p.since.in(zone)
		}
		if p.until != nil {
			window.To = p.until.in(zone)
		}
	}
	return window, profile.CheckPeriod(text, window, r.now)
}

// future is how far after now a row may be.
const future = 24 * time.Hour

// past refuses rows of the future: a clock, a zone or --as-of is wrong, and
// every age and horizon with it. A day of grace is for rows that are known to
// the day only.
func (r *run) past(in reconcile.Input) error {
	latest := r.now.Add(future)
	refuse := func(what, id string, at payment.Instant) error {
		return &usageError{
			err:  fmt.Errorf("%s %s is of %s, after the moment that is compared, %s", what, id, at, r.now),
			hint: "check --as-of, this machine's clock and the zone of the file; nothing was compared",
		}
	}
	for i := range in.Attempts {
		if a := &in.Attempts[i]; a.CreatedAt > latest {
			return refuse("attempt", a.ID, a.CreatedAt)
		}
	}
	for i := range in.Lines {
		if l := &in.Lines[i]; l.At > latest {
			return refuse("line", l.ID, l.At)
		}
	}
	return nil
}

// whole is from the first to the last day that the statements cover or have a
// line of; where they have none, that the attempts are of.
func whole(in reconcile.Input) payment.Interval {
	window := held(in.Statements)
	widen := func(day payment.Day, zone *time.Location) {
		from, to := day.Start(zone), (day + 1).Start(zone)
		if window.Empty() {
			window = payment.Interval{From: from, To: to}
		}
		window.From, window.To = min(window.From, from), max(window.To, to)
	}
	days := map[string][2]payment.Day{} // first and last, by provider
	for i := range in.Lines {
		l := &in.Lines[i]
		if seen, known := days[l.Provider]; !known {
			days[l.Provider] = [2]payment.Day{l.Day, l.Day}
		} else if l.Day < seen[0] || l.Day > seen[1] {
			days[l.Provider] = [2]payment.Day{min(seen[0], l.Day), max(seen[1], l.Day)}
		}
	}
	for i := range in.Policies {
		if seen, known := days[in.Policies[i].Provider]; known {
			widen(seen[0], in.Policies[i].Zone)
			widen(seen[1], in.Policies[i].Zone)
		}
	}
	if window.Empty() {
		for i := range in.Attempts {
			widen(payment.DayOf(in.Attempts[i].CreatedAt, time.UTC), time.UTC)
		}
	}
	return window
}

// held is from the earliest to the latest moment that a statement covers.
func held(statements []payment.Statement) (window payment.Interval) {
	for i, s := range statements {
		if i == 0 || s.From < window.From {
			window.From = s.From
		}
		window.To = max(window.To, s.Through)
	}
	return window
}
