package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"desfecho/internal/mask"
	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/internal/ui"
	"desfecho/reconcile"
)

// listedAlone is how many divergences that share nothing but their class are
// still listed one by one: each is a person's payment. More of them, and any
// group that shares a cause, are shown as one row with count, money and one
// example (RULES §8). csv and json list them all.
const listedAlone = 20

// rowsOf lists what a person must look at, worst first, one row per cause.
func rowsOf(doc *Document, v voice) []row {
	r := doc.Result
	grouped := map[int]bool{}
	var rows []row
	for i := range r.Groups {
		g := &r.Groups[i]
		if g.Attribute == "" && len(g.Members) <= listedAlone {
			continue
		}
		for _, member := range g.Members {
			grouped[member] = true
		}
		if left, ok := doc.listedGroup(g); ok {
			rows = append(rows, groupRow(doc, &left))
		}
	}
	for i := range r.Divergences {
		if !grouped[i] && doc.listed(&r.Divergences[i]) {
			rows = append(rows, divergenceRow(doc, &r.Divergences[i], v))
		}
	}
	slices.SortStableFunc(rows, func(a, b row) int {
		return cmp.Or(cmp.Compare(rank(a.severity), rank(b.severity)), cmp.Compare(classRank(a.class), classRank(b.class)))
	})
	return rows
}

// rank puts what has no severity of its own, the holes of coverage, first: they
// say how far the rest can be trusted.
func rank(s reconcile.Severity) int { return int(s) }

func classRank(name string) reconcile.Class {
	class, _ := reconcile.ParseClass(name)
	return class
}

func groupRow(doc *Document, g *reconcile.Group) row {
	first := &doc.Result.Divergences[g.Example]
	next, command := nextStep(doc, first)
	fresh, oldest, weakest := 0, payment.Instant(0), payment.Proven
	for _, member := range g.Members {
		d := &doc.Result.Divergences[member]
		if d.LifeState == reconcile.LifeNew {
			fresh++
		}
		if s := since(d); !s.IsZero() && (oldest.IsZero() || s < oldest) {
			oldest = s
		}
		weakest = min(weakest, d.Grade)
	}
	absence := ""
	if restsOnAbsence(first) {
		absence = "absence rests on " + weakest.String() + " coverage"
	}
	cause := ""
	if g.Attribute != "" && !saysGrade(first) {
		cause = "all with " + freeText(g.Attribute)
	}
	return row{
		severity: g.Severity, class: g.Class.String(), kind: "group", subject: subjectText(first.Subject),
		amounts: g.Amounts, since: oldest, life: number(fresh) + " new", next: next, command: command,
		notes: say(number(g.Count)+" of them, this is one", cause, absence, "each one: --format csv"),
	}
}

func divergenceRow(doc *Document, d *reconcile.Divergence, v voice) row {
	next, command := nextStep(doc, d)
	var amounts []money.Amount
	if d.Amount != 0 || !d.Currency.IsZero() {
		amounts = []money.Amount{{Minor: d.Amount, Currency: d.Currency}}
	}
	return row{
		severity: d.Severity, class: d.Class.String(), kind: d.Subject.Kind.String(), subject: subjectText(d.Subject),
		amounts: amounts, since: since(d), life: d.LifeState.String(), next: next, command: command,
		notes: notesOf(doc, d, v),
	}
}

func subjectText(s reconcile.Subject) ui.Safe { return ui.Clean(strings.Join(s.IDs, "+")) }

// notesOf says what else decides about a divergence, one fact a part.
func notesOf(doc *Document, d *reconcile.Divergence, v voice) sentence {
	var notes []string
	add := func(has bool, format string, args ...any) {
		if has {
			notes = append(notes, fmt.Sprintf(format, args...))
		}
	}
	amount := func(minor int64) string { return money.Amount{Minor: minor, Currency: d.Currency}.String() }

	add(d.Class == reconcile.CoverageIncomplete, "not read %s", v.period(d.Interval))
	add(restsOnAbsence(d), "absence rests on %s coverage", d.Grade)
	add(d.Unit != "" && d.Subject.Kind != reconcile.SubjectUnit && !doc.shows(), "object %s", d.Unit)
	add(d.Expected != "" || d.Actual != "", "expected %s, found %s", statedText(d.Expected, d.Currency), statedText(d.Actual, d.Currency))
	add(d.Hint != "", "%s", freeText(d.Hint))
	add(d.Surplus != 0 && d.Surplus != d.Amount, "surplus %s", amount(d.Surplus))
	add(d.Excess != 0 && d.Excess != d.Amount, "excess %s", amount(d.Excess))
	add(d.Returned != 0, "returned %s", amount(d.Returned))
	add(d.Reason != "" && !saysGrade(d), "%s", freeText(d.Reason))
	add(d.Raw != "", "the provider's word: %s", freeText(d.Raw))
	add(d.Charge != "" && d.Subject.Kind != reconcile.SubjectCharge && len(d.Attempts) != 1, "charge %s", d.Charge)
	add(d.LinkedCharge != "", "metadata names charge %s", d.LinkedCharge)
	add(len(d.Attempts) > 1 && d.Subject.Kind != reconcile.SubjectAttempts, "attempts %s", strings.Join(d.Attempts, ", "))
	add(d.Reference != "", "reference %s", keyText(d.Reference))
	add(d.Key != "", "key %s", keyText(d.Key))
	add(len(d.Units) > 1, "objects %s", strings.Join(d.Units, ", "))
	add(len(d.Lines) > 0 && aboutLines(d), "%s", linesText(d.Lines))
	add(d.Reserve != payment.ReserveNone, "reserve %s", d.Reserve)
	add(!d.Until.IsZero(), "until %s", v.instant(d.Until))
	add(d.SameMoneyAs != nil, "%s", sameMoney(d.SameMoneyAs))
	add(len(d.Also) > 0, "also %s", classNames(d.Also, ", "))
	for _, attribute := range d.Attributes {
		add(true, "%s", freeText(attribute))
	}
	return say(notes...)
}

// saysGrade: the reason only repeats the grade that the note on absence names.
func saysGrade(d *reconcile.Divergence) bool {
	return restsOnAbsence(d) && d.Reason == "coverage_"+d.Grade.String()
}

func sameMoney(s *reconcile.Subject) string {
	if s == nil {
		return ""
	}
	return "same money as " + s.Kind.String() + " " + strings.Join(s.IDs, "+")
}

func statedText(text string, currency money.Currency) string {
	if text == "" {
		return "nothing"
	}
	if amount, ok := stated(text, currency); ok {
		return strings.TrimSpace(amount.String())
	}
	return freeText(text)
}

// maxNoteLines keeps one note readable; csv and json have every line.
const maxNoteLines = 4

func linesText(ids []string) string {
	more := ""
	if len(ids) > maxNoteLines {
		more = fmt.Sprintf(" and %s more", number(len(ids)-maxNoteLines))
		ids = ids[:maxNoteLines]
	}
	return "lines " + strings.Join(ids, ", ") + more
}

func classNames(classes []reconcile.Class, separator string) string {
	names := make([]string, len(classes))
	for i, c := range classes {
		names[i] = c.String()
	}
	return strings.Join(names, separator)
}

// freeText is text that may hold anything a person typed or a provider sent.
func freeText(s string) string { return mask.Text(s) }

// keyText is a value that is an id as a rule, and a CPF or an e-mail address
// now and then.
func keyText(s string) string { return mask.Key(s) }
