package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/reconcile"
)

// scope is what one first line is about.
type scope struct {
	provider string
	account  string
	mode     payment.Mode
}

func (s scope) String() string {
	return strings.Join(slices.DeleteFunc([]string{s.provider, s.account, s.mode.String()}, func(w string) bool { return w == "" }), " ")
}

// scopes lists what was compared: by what was read, else by what was found.
func scopes(r *reconcile.Result) []scope {
	seen := map[scope]bool{}
	for i := range r.Statements {
		s := &r.Statements[i]
		seen[scope{s.Provider, s.Account, s.Mode}] = true
	}
	for _, b := range r.Bridges {
		seen[scope{b.Provider, b.Account, b.Mode}] = true
	}
	if len(seen) == 0 {
		for i := range r.Divergences {
			d := &r.Divergences[i]
			seen[scope{d.Provider, d.Account, d.Mode}] = true
		}
	}
	all := make([]scope, 0, len(seen))
	for s := range seen {
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b scope) int {
		return cmp.Or(cmp.Compare(a.provider, b.provider), cmp.Compare(a.account, b.account), cmp.Compare(a.mode, b.mode))
	})
	return all
}

// scopeLines say what was compared, for which period, and whether it was read
// to the end. A run that is incomplete says so here, whatever else is fine.
func scopeLines(d *Document, v voice) []sentence {
	r := d.Result
	period := v.period(r.Window)
	if period != "" {
		period += ", " + v.zone.String()
	}
	var lines []sentence
	told := false
	for _, s := range scopes(r) {
		missing := missingOf(r, s, v)
		told = told || len(missing) > 0
		line := say(s.String(), period)
		if len(missing) == 0 {
			line = append(line, say(readToEnd(r, s))...)
		}
		lines = append(lines, append(line, say(missing...)...))
	}
	if len(lines) == 0 {
		lines = []sentence{say("no statement read", period)}
	}
	if r.Verdict == reconcile.Incomplete && !told {
		lines[0] = append(lines[0], say("INCOMPLETE: not everything could be read")...)
	}
	return lines
}

// missingOf says which parts of a scope's statements were not read.
func missingOf(r *reconcile.Result, s scope, v voice) []string {
	var missing []string
	for i := range r.Divergences {
		d := &r.Divergences[i]
		if d.Class != reconcile.CoverageIncomplete || !open(d) || d.Provider != s.provider || d.Mode != s.mode ||
			d.Account != "" && d.Account != s.account {
			continue
		}
		missing = append(missing, fmt.Sprintf("INCOMPLETE: %s not read %s", strings.Join(d.Subject.IDs, "+"), v.period(d.Interval)))
	}
	return missing
}

// readToEnd says by whose word a scope was read to the end: the weakest.
func readToEnd(r *reconcile.Result, s scope) string {
	weakest, found := payment.Proven, false
	for i := range r.Statements {
		st := &r.Statements[i]
		if st.Provider == s.provider && st.Account == s.account && st.Mode == s.mode {
			weakest, found = min(weakest, st.Grade), true
		}
	}
	switch {
	case !found:
		return "no statement read"
	case weakest == payment.Proven:
		return "read to the end"
	case weakest == payment.Claimed:
		return "read to the end, as claimed"
	default:
		return "read to the end of the file, coverage assumed"
	}
}

// moneyLines are the figures that a person must see before any table.
func moneyLines(all []headline) []sentence {
	if len(all) == 0 {
		all = []headline{{}}
	}
	lines := make([]sentence, 0, len(all))
	for _, h := range all {
		prefix := ""
		if h.mode == payment.Test {
			prefix = "test mode: "
		}
		line := sentence{}
		for kind := noBucket + 1; kind < bucketEnd; kind++ {
			if kind <= stuck || h.count[kind] > 0 {
				line = append(line, say(prefix+kind.String()+" "+h.figure(kind, len(all) > 1))...)
				prefix = ""
			}
		}
		lines = append(lines, line)
	}
	return lines
}

// figure says one figure: its money, of how many divergences, and what of it
// stands elsewhere: 0.00 of three that doubled would read as no harm.
func (h *headline) figure(kind bucket, several bool) string {
	a := money.Amount{Minor: h.minor[kind], Currency: h.currency}
	s := &h.shared[kind]
	switch {
	case several && h.count[kind] == 0:
		return a.String() // which zero is it?
	case s.count == 0:
		return amountText(a, h.count[kind])
	}
	shared := money.Amount{Minor: s.minor, Currency: h.currency}.String()
	if s.count == h.count[kind] {
		return fmt.Sprintf("%s (%s), counted %s", shared, number(s.count), s.where())
	}
	return fmt.Sprintf("%s (%s; %s of them, %s, counted %s)", a, number(h.count[kind]), number(s.count), shared, s.where())
}

// where names the figures that hold the shared money.
func (s *share) where() string {
	switch {
	case len(s.in) > 1:
		return "in other figures"
	case s.in[0] == noBucket:
		return "with what was put aside"
	}
	return "in " + s.in[0].String()
}

// footLine is the last line: what stands, what is new of it, and the exit code.
func footLine(d *Document) sentence {
	bySeverity, fresh := tally(d.Result)
	var counts []string
	for severity := reconcile.P1; severity <= reconcile.P4; severity++ {
		if n := bySeverity[severity]; n > 0 {
			counts = append(counts, number(n)+" "+severity.String())
		}
	}
	what := "no divergence"
	if slices.ContainsFunc(d.Result.Divergences, func(one reconcile.Divergence) bool { return one.Aside() }) {
		what = "no divergence that was not accepted"
	}
	if len(counts) > 0 {
		what = fmt.Sprintf("%s (%s new)", strings.Join(counts, ", "), number(fresh))
	}
	line := say(what)
	switch {
	case d.Result.Defect != "":
		line = append(say("DEFECT"), line...)
	case d.Result.Verdict == reconcile.Incomplete:
		line = append(say("INCOMPLETE"), line...)
	case d.Result.Verdict != reconcile.Breaks:
		line = append(line, say(d.Result.Verdict.String())...)
	}
	return append(line, say(fmt.Sprintf("exit %d", d.ExitCode))...)
}
