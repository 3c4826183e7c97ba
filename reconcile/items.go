package reconcile

import (
	"cmp"
	"maps"
	"slices"

	"desfecho/internal/money"
	"desfecho/internal/payment"
)

// remember compares with what the last run left (RULES §4, life; §5.4, §5.7)
// and leaves what the next one needs.
func (r *Result) remember(matching *Matching) {
	in := &matching.in
	before := map[string]Item{}
	if in.Previous != nil {
		for _, i := range in.Previous.Items {
			before[i.ID] = i
		}
	}
	r.Divergences = append(r.Divergences, unjudged(before, r.Divergences, in)...)
	slices.SortFunc(r.Divergences, compareDivergences)
	m := &Memory{Transit: r.Transit, Days: r.closeDays(in, matching.setting, matching.out)}
	rows := map[money.Currency]*ItemsRow{}
	for i := range r.Divergences {
		d := &r.Divergences[i]
		old, known := before[d.ID]
		delete(before, d.ID)
		d.FirstSeen, d.LifeState = in.Now, LifeNew
		amount := d.amount()
		row := rowOf(rows, d.Currency)
		switch {
		case known && old.State.Aside(): // unless PutAside says that it still is
			d.FirstSeen, d.LifeState = old.FirstSeen, LifeLapsed
			row.Lapsed += amount
			row.LapsedCount++
		case known && !old.State.Ended():
			d.FirstSeen, d.LifeState = old.FirstSeen, LifePersisting
			was := rowOf(rows, old.Amount.Currency)
			was.Yesterday += old.Amount.Minor
			was.YesterdayCount++
			was.Restated -= old.Amount.Minor
			row.Restated += amount
			if was != row {
				was.MovedCount--
				row.MovedCount++
			}
		case known:
			row.Reopened += amount
			row.ReopenedCount++
			d.FirstSeen = old.FirstSeen
		default:
			row.New += amount
			row.NewCount++
		}
		row.Open += amount
		row.OpenCount++
		m.Items = append(m.Items, Item{
			ID: d.ID, Class: d.Class, Severity: d.Severity, Subject: d.Subject, Provider: d.Provider, Account: d.Account, Mode: d.Mode,
			Amount: money.Amount{Minor: amount, Currency: d.Currency}, FirstSeen: d.FirstSeen, State: d.LifeState,
		})
	}
	for _, id := range slices.Sorted(maps.Keys(before)) {
		m.Items = append(m.Items, end(before[id], &matching.present, rows))
	}
	slices.SortFunc(m.Items, func(a, b Item) int { return cmp.Compare(a.ID, b.ID) })
	for _, c := range slices.SortedFunc(maps.Keys(rows), func(a, b money.Currency) int { return cmp.Compare(a.String(), b.String()) }) {
		r.Items = append(r.Items, *rows[c])
	}
	r.Memory = m
	r.roll(in)
}

// unjudged lists again what stood about the balance of a statement whose lines
// are not all here this time: nothing says that it ended (law 14).
func unjudged(before map[string]Item, now []Divergence, in *Input) (still []Divergence) {
	for _, id := range slices.Sorted(maps.Keys(before)) {
		old := before[id]
		if old.State.Ended() || old.Class != Unexplained || old.Subject.Kind != SubjectStatement ||
			slices.ContainsFunc(now, func(d Divergence) bool { return d.ID == id }) ||
			slices.ContainsFunc(in.Statements, func(s payment.Statement) bool {
				return s.Name == old.Subject.IDs[0] && s.Provider == old.Provider && s.Account == old.Account && s.Opening.Known && s.Closing.Known
			}) {
			continue
		}
		still = append(still, Divergence{
			ID: old.ID, Class: old.Class, Severity: old.Severity, Subject: old.Subject, Provider: old.Provider, Account: old.Account, Mode: old.Mode,
			Currency: old.Amount.Currency, Amount: old.Amount.Minor, Reason: "balance_not_loaded",
		})
	}
	return still
}

// amount is what the divergence adds to totals: nothing where another already
// counts the same money.
func (d *Divergence) amount() int64 {
	if d.SameMoneyAs != nil {
		return 0
	}
	return d.Amount
}

func rowOf(rows map[money.Currency]*ItemsRow, c money.Currency) *ItemsRow {
	if rows[c] == nil {
		rows[c] = &ItemsRow{Currency: c}
	}
	return rows[c]
}

// end closes a divergence that no longer stands: resolved by a cause where its
// subject is still there and was judged, vanished where it is gone (law 14).
func end(old Item, present *present, rows map[money.Currency]*ItemsRow) Item {
	if old.State.Ended() {
		return old
	}
	row := &ItemsRow{} // what was put aside was not open, and does not count as closed
	if !old.State.Aside() {
		row = rowOf(rows, old.Amount.Currency)
	}
	row.Yesterday += old.Amount.Minor
	row.YesterdayCount++
	here := slices.ContainsFunc(old.Subject.IDs, func(id string) bool { return present.wanted[id] }) ||
		old.Subject.Kind == SubjectStatement || old.Subject.Kind == SubjectPayout
	if !here {
		old.State = LifeVanished
		row.Vanished += old.Amount.Minor
		row.VanishedCount++
		return old
	}
	old.State, old.Cause = LifeResolved, cause(old, present)
	row.Resolved += old.Amount.Minor
	row.ResolvedCount++
	return old
}

// cause words what ended a divergence.
func cause(old Item, present *present) string {
	switch old.Class { //nolint:exhaustive // all others ended because the sides agree now
	case DuplicateCharge, RefundExceedsCaptured:
		return "returned"
	case ChargebackUnrecorded:
		return "won"
	case CoverageIncomplete:
		return "read"
	case UnknownCharged, UnknownDeclined, UnknownNotFound, UnknownOpen, UnknownInconclusive, UnknownWaiting, PendingCharged, PendingStale:
		if present.settled[old.Subject.IDs[0]] {
			return "settled"
		}
	case UnrecordedCharge, UnrecordedOutflow, RefundUnrecorded, UnlinkedReversal:
		return "recorded"
	}
	return "agreed"
}

func compareTransit(a, b Transit) int {
	return cmp.Or(cmp.Compare(a.BreakOn, b.BreakOn), cmp.Compare(a.Attempt, b.Attempt), cmp.Compare(a.Provider, b.Provider))
}
