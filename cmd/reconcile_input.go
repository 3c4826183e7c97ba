package cmd

import (
	"fmt"
	"slices"
	"strings"

	"desfecho/internal/payment"
	"desfecho/internal/profile"
	"desfecho/reconcile"
)

// input puts both sides together for Match.
func (r *run) input() (reconcile.Input, error) {
	if err := r.nameProviders(); err != nil {
		return reconcile.Input{}, err
	}
	in := reconcile.Input{
		Now: r.now, Attempts: r.own.Attempts,
		OwnSide:  append([]payment.Interval{}, r.own.Cover...), // nil would mean all of it
		OwnGrade: r.own.CoverGrade,
	}
	for _, f := range r.files {
		in.Statements = append(in.Statements, f.Statements...)
		in.Units, f.Units = joined(in.Units, f.Units), nil
		in.Lines, f.Lines = joined(in.Lines, f.Lines), nil
	}
	var err error
	if in.Policies, err = r.policies(); err != nil {
		return reconcile.Input{}, err
	}
	if in.Window, err = r.window(in); err != nil {
		return reconcile.Input{}, err
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
