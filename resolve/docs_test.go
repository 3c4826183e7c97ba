package resolve_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"desfecho/internal/evidence"
	"desfecho/internal/payment"
	"desfecho/resolve"
)

var update = flag.Bool("update", false, "write the tables of docs/verdicts.md")

var askedWords = [askeds]string{
	"never asked", "no clear answer", "period no longer held", "not found, no positive control", "not found, once",
	"not found twice, after the horizon", "not found twice, the first before the horizon", "not found twice, 9 min apart",
	"not found twice, the last 6 min ago", "found just now", "found 6 min ago", "found, then not found",
	"not found, then found just now", "an answer about another reference",
}

var statementWords = [statementEnds]string{
	"no list, late ledger", "list without it", "claimed list without it", "list not read so far", "list shows it",
	"ledger line captured", "claimed line captured", "prompt ledger without it",
}

func signs(marks []string) string {
	sign := map[string]string{
		"succeeded": "**S**", "succeeded_duplicate": "**SD**", "succeeded_with_approval": "**S+**", "failed": "**F**",
		"failed_with_approval": "**F+**", "unknown": "**U**", "keep": "",
	}
	var all []string
	for _, mark := range marks {
		if sign[mark] != "" {
			all = append(all, sign[mark])
		}
	}
	if len(all) == 0 {
		return "–"
	}
	return strings.Join(all, " ")
}

func decided(r row) resolve.Verdict { return resolve.Decide(r.caseOf()) }

// grid is the table of an unknown sale: what look-ups say, of an object in
// which states, against what the statements show.
func grid() string {
	var b strings.Builder
	b.WriteString("| look-ups | state of the object | " + strings.Join(statementWords[:], " | ") + " |\n")
	b.WriteString(strings.Repeat("|---", int(statementEnds)+2) + "|\n")
	for a := range askeds {
		var lines []string
		of := map[string][]string{}
		for _, s := range states {
			var cells []string
			for st := range statementEnds {
				r := s
				r.status, r.means, r.asked, r.statement = unknown, evidence.MeansCaptured, a, st
				v := decided(r)
				cells = append(cells, signs(wordsOf(&v)))
			}
			line := strings.Join(cells, " | ")
			if !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
			of[line] = append(of[line], stateWord(s))
		}
		for _, line := range lines {
			word := strings.Join(of[line], ", ")
			if len(of[line]) == len(states) {
				word = "any"
			}
			fmt.Fprintf(&b, "| %s | %s | %s |\n", askedWords[a], word, line)
		}
	}
	return b.String() + "\n"
}

func stateWord(r row) string {
	if r.notFinal {
		return r.state.String() + " (not final)"
	}
	return r.state.String()
}

// variation is one thing that differs from the row above.
type variation struct {
	words string
	set   func(*row)
}

func list(base row, all []variation) string {
	var b strings.Builder
	b.WriteString("| what differs | marks | why |\n|---|---|---|\n")
	for _, one := range all {
		r := base
		one.set(&r)
		v := decided(r)
		fmt.Fprintf(&b, "| %s | %s | %s |\n", one.words, signs(wordsOf(&v)), why(&v))
	}
	return b.String() + "\n"
}

// why is the sentence of the final mark that is offered, else of the refusal
// that has most to say.
func why(v *resolve.Verdict) string {
	succeeded, failed := v.Marks[resolve.Succeeded], v.Marks[resolve.Failed]
	switch {
	case succeeded.Allowed:
		return succeeded.Sentence
	case failed.Allowed:
		return failed.Sentence
	case succeeded.Reason == resolve.ReasonNotFound, succeeded.Reason == resolve.ReasonDeclined:
		return failed.Sentence
	}
	return succeeded.Sentence
}

func foundRows() string {
	base := row{status: unknown, means: evidence.MeansCaptured, asked: foundNow, state: payment.StateCaptured, statement: listed}
	return list(base, []variation{
		{"nothing: found captured just now", func(*row) {}},
		{"refunded or disputed since", func(r *row) { r.state = payment.StateRefunded }},
		{"a sibling paid the charge already", func(r *row) { r.sibling = paidSibling }},
		{"a sibling failed", func(r *row) { r.sibling = failedSibling }},
		{"another amount", func(r *row) { r.amount = other }},
		{"another currency", func(r *row) { r.amount = otherCurrency }},
		{"the provider states no amount", func(r *row) { r.amount = unstated }},
		{"a second captured object", func(r *row) { r.extra = secondCapture }},
		{"the same, and the operator named the first", func(r *row) { r.extra = secondCaptureNamed }},
		{"authorized, and `succeeded` means captured", func(r *row) { r.state = payment.StateAuthorized }},
		{"authorized, and `succeeded` means authorized", func(r *row) { r.state, r.means = payment.StateAuthorized, evidence.MeansAuthorized }},
		{"waits for the payer, and `succeeded` means created", func(r *row) { r.state, r.means = payment.StateRequiresAction, evidence.MeansCreated }},
		{"a state outside the map", func(r *row) { r.state = payment.StateUnmapped }},
		{"asked 6 minutes ago", func(r *row) { r.asked = foundStale }},
		{"a stored event says captured, and nobody asked", func(r *row) { r.asked, r.statement, r.extra = never, emptyList, capturedEvent }},
		{"the transition is not declared", func(r *row) { r.extra = mapGap }},
	})
}

func endedRows() string {
	base := row{status: unknown, means: evidence.MeansCaptured, asked: foundNow, state: payment.StateDeclined, statement: listed}
	return list(base, []variation{
		{"nothing: found declined just now", func(*row) {}},
		{"not final yet", func(r *row) { r.notFinal = true }},
		{"tied by the charge's reference only", func(r *row) { r.byCharge = true }},
		{"the same, asked twice after the horizon", func(r *row) { r.byCharge, r.asked = true, notThenFound }},
		{"a stored event says captured", func(r *row) { r.extra = capturedEvent }},
		{"the list says so, and the last look-up finds nothing", func(r *row) { r.asked = noTwice }},
	})
}

func absentRows() string {
	base := row{status: unknown, means: evidence.MeansCaptured, asked: noTwice, statement: emptyList}
	return list(base, []variation{
		{"nothing: the whole gate is open", func(*row) {}},
		{"money out", func(r *row) { r.out = true }},
		{"before the horizon", func(r *row) { r.young = true }},
		{"asked once", func(r *row) { r.asked = noOnce }},
		{"the first look-up was before the horizon", func(r *row) { r.asked = noTwiceFirstEarly }},
		{"nine minutes between the look-ups", func(r *row) { r.asked = noTwiceTooClose }},
		{"the last look-up was six minutes ago", func(r *row) { r.asked = noTwiceLastStale }},
		{"no positive control", func(r *row) { r.asked = noControl }},
		{"the answers were about another reference", func(r *row) { r.asked = otherReference }},
		{"the list's end is an operator's word", func(r *row) { r.statement = claimedList }},
		{"the list was not read so far", func(r *row) { r.statement = unreadList }},
		{"a captured object of the same amount belongs to nobody", func(r *row) { r.extra = lookAlike }},
		{"the same, dismissed with a reason", func(r *row) { r.extra = lookAlikeDismissed }},
		{"a stored event names it", func(r *row) { r.extra = capturedEvent }},
	})
}

func manualRows() string {
	base := row{status: unknown, means: evidence.MeansCaptured, asked: periodNotHeld, statement: emptyLedger}
	return list(base, []variation{
		{"nothing: the provider no longer holds the period", func(*row) {}},
		{"a line of proven coverage says captured", func(r *row) { r.statement = provenLine }},
		{"a line of claimed coverage says captured", func(r *row) { r.statement = claimedLine }},
		{"a person saw it absent", func(r *row) { r.extra = sawAbsent }},
		{"the same, seen before the horizon", func(r *row) { r.extra = sawAbsentEarly }},
		{"the same, and a second person approved", func(r *row) { r.extra = sawAbsentApproved }},
		{"the same, and who saw it approved", func(r *row) { r.extra = sawAbsentApprovedByWhoSaw }},
		{"a person saw it captured", func(r *row) { r.extra = sawCaptured }},
		{"a person saw it absent, and a line says captured", func(r *row) { r.statement, r.extra = provenLine, sawAbsent }},
	})
}

// TestThePageOfVerdictsIsCurrent: the tables of docs/verdicts.md are what Decide
// says.
func TestThePageOfVerdictsIsCurrent(t *testing.T) {
	t.Parallel()
	path := filepath.Join("..", "docs", "verdicts.md")
	read, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := string(read)
	for name, table := range map[string]func() string{"grid": grid, "found": foundRows, "ended": endedRows, "absent": absentRows, "manual": manualRows} {
		before, rest, ok := strings.Cut(want, "<!-- "+name+" -->\n\n")
		_, after, ended := strings.Cut(rest, "<!-- end -->")
		if !ok || !ended {
			t.Fatalf("docs/verdicts.md has no place for the table %s", name)
		}
		want = before + "<!-- " + name + " -->\n\n" + table() + "<!-- end -->" + after
	}
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(read) != want {
		t.Error("docs/verdicts.md is not what Decide says; run: go test ./resolve -run Page -update")
	}
}
