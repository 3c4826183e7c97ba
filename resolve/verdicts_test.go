package resolve_test

import (
	"desfecho/internal/evidence"
	"desfecho/internal/payment"
	"desfecho/resolve"
)

// wordsOf are the marks that a verdict offers, as the page writes them.
func wordsOf(v *resolve.Verdict) []string {
	var words []string
	for i := range v.Marks {
		switch o := &v.Marks[i]; {
		case !o.Allowed:
		case o.ApprovalDue:
			words = append(words, o.Mark.String()+"_with_approval")
		case o.Transition == resolve.ToSucceededDuplicate:
			words = append(words, o.Transition.String())
		default:
			words = append(words, o.Mark.String())
		}
	}
	return words
}

var states = []row{
	{state: payment.StateCaptured},
	{state: payment.StateRefunded},
	{state: payment.StateDisputed},
	{state: payment.StateAuthorized},
	{state: payment.StateProcessing},
	{state: payment.StateRequiresAction},
	{state: payment.StateDeclined},
	{state: payment.StateCanceled},
	{state: payment.StateExpired},
	{state: payment.StateDeclined, notFinal: true},
	{state: payment.StateUnmapped},
}

// rows enumerates the table: every status, meaning, answer, state, statement
// and age; then of unknown attempts every amount, sibling and tie, and all that
// a row may have besides. Where nobody told of an object its state is not
// varied.
func rows(yield func(row) bool) {
	each := func(r row) bool {
		for i, s := range states {
			r.state, r.notFinal = s.state, s.notFinal
			if i > 0 && !r.told() {
				break
			}
			if !yield(r) {
				return false
			}
		}
		return true
	}
	for r := range combine(int(statuses), 2, 3, int(askeds), int(statementEnds), 2) {
		if !each(row{
			status: status(r[0]), out: r[1] == 1, means: evidence.Means(r[2] + 1), asked: asked(r[3]),
			statement: statement(r[4]), young: r[5] == 1,
		}) {
			return
		}
	}
	for r := range combine(2, int(askeds), int(statementEnds), int(amounts), int(siblings), 2) {
		if !each(row{
			status: unknown, out: r[0] == 1, means: evidence.MeansCaptured, asked: asked(r[1]), statement: statement(r[2]),
			amount: amount(r[3]), sibling: sibling(r[4]), byCharge: r[5] == 1,
		}) {
			return
		}
	}
	for r := range combine(2, int(askeds), int(statementEnds), int(extras), 2, 2) {
		if !each(row{
			status: unknown, out: r[0] == 1, means: evidence.MeansCaptured, asked: asked(r[1]), statement: statement(r[2]),
			extra: extra(r[3]), byCharge: r[4] == 1, young: r[5] == 1,
		}) {
			return
		}
	}
}

// combine counts through all combinations of as many values each.
func combine(sizes ...int) func(func([]int) bool) {
	return func(yield func([]int) bool) {
		at := make([]int, len(sizes))
		for {
			if !yield(at) {
				return
			}
			i := 0
			for ; i < len(at); i++ {
				if at[i]++; at[i] < sizes[i] {
					break
				}
				at[i] = 0
			}
			if i == len(at) {
				return
			}
		}
	}
}
