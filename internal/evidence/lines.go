package evidence

import (
	"cmp"
	"slices"

	"desfecho/internal/payment"
)

// Lines is what RULES §3.2 makes of the lines of a component.
type Lines struct {
	Held     []*payment.Line   // counted once each
	Conflict [][]*payment.Line // per line id, all its contents; none is counted
	Repeats  int               // dropped as repeats
	// Booked tells, of every line that was read, the one that stands for it in
	// its own statement, so that a statement's balance can be added up.
	Booked []*payment.Line
}

// sift drops repeats, keeps the last version of a line and sets restatements
// apart. It works on lines of one component; policy says whether ids are
// unique.
func sift(lines []*payment.Line, policies func(string) *Policy) Lines {
	if len(lines) == 1 {
		return Lines{Held: lines, Booked: lines}
	}
	sorted := slices.Clone(lines) // rows of one line of JSON keep their order
	slices.SortStableFunc(sorted, func(a, b *payment.Line) int {
		if c := compareIdentity(a, b, policies); c != 0 {
			return c
		}
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Row, b.Row))
	})
	out := Lines{Held: sorted[:0:0], Booked: sorted[:0:0]}
	for start := 0; start < len(sorted); {
		end := start + 1
		for end < len(sorted) && compareIdentity(sorted[start], sorted[end], policies) == 0 {
			end++
		}
		same := sorted[start:end]
		switch {
		case len(same) == 1:
			out.Held, out.Booked = append(out.Held, same[0]), append(out.Booked, same[0])
		case identified(same[0], policies):
			out.versions(same)
		default:
			out.occurrences(same)
		}
		start = end
	}
	return out
}

func identified(l *payment.Line, policies func(string) *Policy) bool {
	return l.ID != "" && policies(l.Provider).LineIDsUnique
}

// compareIdentity orders lines so that those with one identity stand together:
// by id where ids are unique, else by account, day, kind, amount, currency,
// unit and n/N.
func compareIdentity(a, b *payment.Line, policies func(string) *Policy) int {
	ai, bi := identified(a, policies), identified(b, policies)
	if ai != bi {
		if ai {
			return -1
		}
		return 1
	}
	c := cmp.Or(cmp.Compare(a.Provider, b.Provider), cmp.Compare(a.Account, b.Account), cmp.Compare(a.Mode, b.Mode))
	if c != 0 || ai {
		return cmp.Or(c, cmp.Compare(a.ID, b.ID))
	}
	return cmp.Or(
		cmp.Compare(a.Day, b.Day), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Gross, b.Gross),
		cmp.Compare(a.Currency.String(), b.Currency.String()), cmp.Compare(a.Unit, b.Unit),
		cmp.Compare(a.N, b.N), cmp.Compare(a.Of, b.Of))
}

// versions handles lines of one unique id, in order of file and row: equal
// bytes are a repeat, another identity is a restatement, anything else the
// line's later version.
func (out *Lines) versions(same []*payment.Line) {
	restated := false
	contents := same[:1:1]
	for _, l := range same[1:] {
		if slices.ContainsFunc(contents, func(k *payment.Line) bool { return equalBytes(k, l) }) {
			out.Repeats++
			continue
		}
		restated = restated || !sameFacts(contents[0], l)
		contents = append(contents, l)
	}
	if restated {
		out.Conflict = append(out.Conflict, contents)
	} else {
		out.Held = append(out.Held, lastOf(contents))
	}
	byStatement := map[string]*payment.Line{}
	for _, l := range same {
		byStatement[l.Statement] = l
	}
	for _, l := range same {
		if byStatement[l.Statement] == l {
			out.Booked = append(out.Booked, l)
		}
	}
}

// lastOf is the version that holds. Which payout holds a line may be told in
// one place and not in another, and neither is read before the other: a version
// that tells none takes none back.
func lastOf(versions []*payment.Line) *payment.Line {
	last := versions[len(versions)-1]
	for i := len(versions) - 1; i >= 0 && last.Payout == ""; i-- {
		if told := versions[i].Payout; told != "" {
			whole := *last
			whole.Payout, last = told, &whole
		}
	}
	return last
}

// occurrences handles lines without an id of their own: equal rows of one file
// are several, across files the larger count wins.
func (out *Lines) occurrences(same []*payment.Line) {
	var best []*payment.Line
	for start := 0; start < len(same); {
		end := start + 1
		for end < len(same) && same[end].File == same[start].File {
			end++
		}
		if end-start > len(best) {
			best = same[start:end]
		}
		start = end
	}
	out.Held = append(out.Held, best...)
	out.Booked = append(out.Booked, best...)
	out.Repeats += len(same) - len(best)
}

// sameFacts compares what makes a restatement (RULES §3.2): kind, unit,
// reference, gross, fee, net, currency, occurred at.
func sameFacts(a, b *payment.Line) bool {
	return a.Kind == b.Kind && a.Unit == b.Unit && slices.Equal(a.References, b.References) &&
		a.Gross == b.Gross && a.Fee == b.Fee && a.Net == b.Net && a.Currency == b.Currency && a.At == b.At
}

// equalBytes compares all that the provider said, not where it was read.
func equalBytes(a, b *payment.Line) bool {
	return sameFacts(a, b) && a.Parent == b.Parent && a.ForeignCharge == b.ForeignCharge && a.Payout == b.Payout &&
		a.Recipient == b.Recipient && a.Raw == b.Raw && a.Status == b.Status && a.Tax == b.Tax &&
		a.Presented == b.Presented && a.PresentedCurrency == b.PresentedCurrency &&
		a.AvailableAt == b.AvailableAt && a.Day == b.Day && a.N == b.N && a.Of == b.Of && a.Still == b.Still
}
