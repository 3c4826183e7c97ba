package report

import (
	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/internal/ui"
	"desfecho/reconcile"
)

// exact is an id as it is; only bytes that JSON cannot hold are escaped.
func exact(s string) string { return ui.ValidUTF8(s) }

func exactAll(list []string) []string { return each(list, exact) }

// free is text from outside, masked.
func free(s string) string { return ui.ValidUTF8(freeText(s)) }

// each never gives nil, so that an empty list is [] in JSON.
func each[T, U any](list []T, f func(T) U) []U {
	out := make([]U, len(list))
	for i, item := range list {
		out[i] = f(item)
	}
	return out
}

func wiredRun(d *Document) (wireRun, error) {
	r := d.Result
	figures, err := headlines(r)
	if err != nil {
		return wireRun{}, err
	}
	bySeverity, fresh := tally(r)
	return wireRun{
		Version: exact(d.Version), ID: exact(d.Run), Now: r.Now.String(), Zone: d.zone().String(), Window: wiredInterval(r.Window),
		Verdict: r.Verdict.String(), Defect: free(r.Defect), FailOn: d.FailOn.String(), Exit: d.ExitCode,
		Counts: wireCounts{r.Counts.Attempts, r.Counts.Units, r.Counts.Lines, r.Counts.Lookups, r.Repeats, r.Counts.OutsideAttempts, r.Counts.OutsideLines},
		Severities: wireSeverities{
			bySeverity[reconcile.P1], bySeverity[reconcile.P2], bySeverity[reconcile.P3],
			bySeverity[reconcile.P4], fresh,
		},
		Money: each(figures, wiredHeadline), Assumptions: each(d.Assumptions, free),
		Items: each(r.Items, wiredItems), Reopened: each(r.Reopened, payment.Day.String),
	}, nil
}

func wiredInterval(w payment.Interval) *wireInterval {
	if w == (payment.Interval{}) {
		return nil
	}
	return &wireInterval{w.From.String(), w.To.String()}
}

func wiredHeadline(h headline) wireHeadline {
	figure := func(kind bucket) wireFigure {
		return wireFigure{money.Amount{Minor: h.minor[kind], Currency: h.currency}, h.count[kind]}
	}
	return wireHeadline{
		Mode: h.mode.String(), Currency: h.currency.String(),
		ChargedNotRecorded: figure(chargedNotRecorded), Doubled: figure(doubled), OutUnexplained: figure(outUnexplained),
		Stuck: figure(stuck), RecordedNotCharged: figure(recordedNotCharged), Other: figure(otherMoney),
	}
}

func wiredItems(row reconcile.ItemsRow) wireItems {
	figure := func(minor int64, count int) wireFigure {
		return wireFigure{money.Amount{Minor: minor, Currency: row.Currency}, count}
	}
	return wireItems{
		Currency: row.Currency.String(), Yesterday: figure(row.Yesterday, row.YesterdayCount), New: figure(row.New, row.NewCount),
		Reopened: figure(row.Reopened, row.ReopenedCount), Resolved: figure(row.Resolved, row.ResolvedCount),
		Lapsed: figure(row.Lapsed, row.LapsedCount), Accepted: figure(row.Accepted, row.AcceptedCount),
		Vanished: figure(row.Vanished, row.VanishedCount), Restated: row.Restated, Open: figure(row.Open, row.OpenCount),
	}
}

func wiredSubject(s reconcile.Subject) wireSubject {
	return wireSubject{s.Kind.String(), exactAll(s.IDs)}
}

func wiredDivergence(doc *Document, d *reconcile.Divergence) wireDivergence {
	next, _ := nextStep(doc, d)
	w := wireDivergence{
		ID: exact(d.ID), Class: d.Class.String(), Severity: d.Severity.String(), Subject: wiredSubject(d.Subject),
		Also: each(d.Also, reconcile.Class.String), Provider: exact(d.Provider), Account: exact(d.Account), Mode: d.Mode.String(),
		Attempts: exactAll(d.Attempts), Unit: exact(d.Unit), Units: exactAll(d.Units), Charge: exact(d.Charge), LinkedCharge: exact(d.LinkedCharge),
		Lines: exactAll(d.Lines), Expected: free(d.Expected), Actual: free(d.Actual),
		Surplus: wiredAmount(d, d.Surplus), Excess: wiredAmount(d, d.Excess), Returned: wiredAmount(d, d.Returned),
		Hint: free(d.Hint), Reason: free(d.Reason), Raw: free(d.Raw),
		Reference: exact(keyText(d.Reference)), Key: exact(keyText(d.Key)), Reserve: d.Reserve.String(),
		Since: d.Since.String(), FirstSeen: d.FirstSeen.String(), Until: d.Until.String(),
		Interval: wiredInterval(d.Interval), Grade: gradeOf(d), Attributes: each(d.Attributes, free),
		Life: d.LifeState.String(), Next: exact(next),
	}
	if d.Amount != 0 || !d.Currency.IsZero() {
		w.Amount = &money.Amount{Minor: d.Amount, Currency: d.Currency}
	}
	if d.SameMoneyAs != nil {
		same := wiredSubject(*d.SameMoneyAs)
		w.SameMoneyAs = &same
	}
	return w
}

func wiredAmount(d *reconcile.Divergence, minor int64) *money.Amount {
	if minor == 0 {
		return nil
	}
	return &money.Amount{Minor: minor, Currency: d.Currency}
}

func wiredGroup(r *reconcile.Result, g reconcile.Group) wireGroup {
	idOf := func(member int) string { return exact(r.Divergences[member].ID) }
	return wireGroup{
		Class: g.Class.String(), Severity: g.Severity.String(), Provider: exact(g.Provider), Attribute: free(g.Attribute),
		Count: g.Count, Amounts: each(g.Amounts, func(a money.Amount) money.Amount { return a }),
		Example: idOf(g.Example), Members: each(g.Members, idOf),
	}
}

func wiredTransit(t reconcile.Transit) wireTransit {
	return wireTransit{exact(t.Attempt), exact(t.Provider), t.BreakOn.String(), t.Amount}
}

func wiredPlaces(r *reconcile.Result) []wirePlace {
	return each(sortedPlaces(r.Places), func(p reconcile.Place) wirePlace {
		return wirePlace{exact(string(p)), r.Places[p]}
	})
}
