package report

import (
	"slices"
	"strings"

	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/reconcile"
)

// nextStep says what to do about a divergence: a command where the document
// offers one that fits, else the few words of its class. A command is safe to
// copy into a shell, whatever the id is made of.
func nextStep(doc *Document, d *reconcile.Divergence) (text string, command bool) {
	if d.Subject.Kind == reconcile.SubjectAttempt && len(d.Subject.IDs) == 1 {
		if verb := verbFor(d.Class); slices.Contains(doc.Commands, verb) {
			return "desfecho " + verb + " " + shellWord(d.Subject.IDs[0]), true
		}
	}
	return Explanation(d.Class).Next, false
}

// verbFor names the command that deals with a class, "" where people must.
func verbFor(class reconcile.Class) string {
	switch class { //nolint:exhaustive // the rest has no command, and a new class has none until it is named here
	case reconcile.UnknownCharged, reconcile.PendingCharged, reconcile.UnknownDeclined, reconcile.PendingStale:
		return "resolve"
	case reconcile.UnknownNotFound, reconcile.UnknownOpen, reconcile.UnknownInconclusive, reconcile.UnknownWaiting,
		reconcile.AmountMismatch, reconcile.CurrencyMismatch, reconcile.UnmappedStatus, reconcile.AmbiguousMatch:
		return "show"
	default:
		return ""
	}
}

// shellWord quotes what a shell would read as more than one plain word, or the
// command as a flag.
func shellWord(id string) string {
	const plain = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-.:/@+,"
	if id != "" && id[0] != '-' && strings.Trim(id, plain) == "" {
		return id
	}
	quoted := "'" + strings.ReplaceAll(id, "'", `'\''`) + "'"
	if strings.HasPrefix(id, "-") {
		return "-- " + quoted
	}
	return quoted
}

// restsOnAbsence tells whether a divergence claims that something is nowhere;
// the report then names the grade of the coverage that bears the claim (law 7).
func restsOnAbsence(d *reconcile.Divergence) bool {
	absent := func(class reconcile.Class) bool {
		return class == reconcile.MissingAtProvider || class == reconcile.UnknownNotFound || class == reconcile.SettlementLate
	}
	return absent(d.Class) || slices.ContainsFunc(d.Also, absent)
}

// stated reads Expected and Actual: minor units as a decimal number, or a
// currency code, or whatever stands there.
func stated(text string, currency money.Currency) (amount money.Amount, ok bool) {
	minor, ok := parseMinor(text)
	return money.Amount{Minor: minor, Currency: currency}, ok
}

// shows tells whether the document can send its reader to the attempt's own
// screen, where the unit and its lines are.
func (d *Document) shows() bool { return slices.Contains(d.Commands, "show") }

// since is when the story of a divergence began.
func since(d *reconcile.Divergence) payment.Instant {
	if d.Since.IsZero() {
		return d.FirstSeen
	}
	return d.Since
}

// aboutLines: the lines themselves are what is wrong.
func aboutLines(d *reconcile.Divergence) bool {
	lines := func(class reconcile.Class) bool {
		return class == reconcile.ConflictingLines || class == reconcile.Unexplained
	}
	return lines(d.Class) || slices.ContainsFunc(d.Also, lines)
}
