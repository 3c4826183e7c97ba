package cases

import "desfecho/reconcile"

// equations compares the rows of the bridge that are given, added over days,
// accounts and currencies, and wants every residual of RULES §5 to be 0 that
// is not expected to be anything else.
func (d *differences) equations(r *reconcile.Result, want *bridge) {
	if want == nil {
		want = &bridge{}
	}
	lines, succeeded := map[string]int64{}, map[string]int64{}
	var notDue, tie, balance int64
	for i := range r.Bridges {
		b := &r.Bridges[i]
		notDue += b.Tie.NotDue
		tie += b.Tie.Residual
		for _, row := range b.Succeeded {
			succeeded[row.Row] += row.Minor
		}
		for _, row := range b.Lines {
			lines[row.Row] += row.Minor
		}
		for _, state := range b.Balances {
			balance += state.Residual
		}
		d.partition(b)
		d.payouts(b, want.Payout)
		if want.Tie == nil && b.Tie.Residual != 0 {
			d.addf("bridge.tie %d in %s, want 0", b.Tie.Residual, b.Currency)
		}
		for _, state := range b.Balances {
			if want.Balance == nil && state.Residual != 0 {
				d.addf("bridge.balance of %s %d, want 0", state.Statement, state.Residual)
			}
		}
	}
	d.rows("bridge.lines.", lines, want.Lines)
	d.rows("bridge.succeeded.", succeeded, want.Succeeded)
	d.number("bridge.not_due", notDue, want.NotDue)
	d.number("bridge.tie", tie, want.Tie)
	d.number("bridge.balance", balance, want.Balance)
	d.knownPayouts(r, want)
	d.items(r.Items)
}

func (d *differences) rows(what string, got, want map[string]int64) {
	for _, row := range sortedKeys(want) {
		minor := want[row]
		d.number(what+row, got[row], &minor)
	}
}

// items adds equation 7 once more, in number and in money.
func (d *differences) items(rows []reconcile.ItemsRow) {
	for i := range rows {
		row := &rows[i]
		if open := row.Yesterday + row.New + row.Reopened + row.Lapsed + row.Restated - row.Resolved - row.Accepted - row.Vanished; open != row.Open {
			d.addf("equation 7 in %s: open %d, the rows give %d", row.Currency, row.Open, open)
		}
		count := row.YesterdayCount + row.NewCount + row.ReopenedCount + row.LapsedCount + row.MovedCount - row.ResolvedCount - row.AcceptedCount - row.VanishedCount
		if count != row.OpenCount {
			d.addf("equation 7 in %s: %d items open, the rows give %d", row.Currency, row.OpenCount, count)
		}
	}
}

// partition adds equations 1, 3, 4 and 5 of one bridge once more.
func (d *differences) partition(b *reconcile.Bridge) {
	var sum int64
	for _, row := range b.Lines {
		sum += row.Minor
	}
	if sum != b.LinesSum {
		d.addf("equation 1 in %s: the rows add up to %d, the lines to %d", b.Currency, sum, b.LinesSum)
	}
	t := b.Tie
	if left := t.MatchedLines + t.NotDue - t.MatchedAttempts - t.Differences; left != t.Residual {
		d.addf("equation 3 in %s: the residual is %d, it says %d", b.Currency, left, t.Residual)
	}
	roll := b.Roll
	if today := roll.Yesterday + roll.NewlySucceeded - roll.Matched - roll.Ended + roll.Restated; today != roll.Today {
		d.addf("equation 4 in %s: in transit today %d, the roll gives %d", b.Currency, roll.Today, today)
	}
	for _, state := range b.Balances {
		if left := state.Closing - state.Opening - state.NetSum; left != state.Residual {
			d.addf("equation 5 of %s: the residual is %d, it says %d", state.Statement, left, state.Residual)
		}
	}
}

// payouts compares equation 6; a residual that nothing expects must be 0.
func (d *differences) payouts(b *reconcile.Bridge, want map[string]scalar) {
	for _, p := range b.Payouts {
		said, ok := want[p.ID]
		switch got := payoutResidual(&p); {
		case ok:
			d.text("bridge.payout."+p.ID, got, said.Value)
		case !p.Unverifiable && p.Residual != 0:
			d.addf("bridge.payout.%s %s, want 0", p.ID, got)
		}
	}
}

func payoutResidual(p *reconcile.Payout) string {
	if p.Unverifiable {
		return "unverifiable"
	}
	return decimal(p.Residual)
}

// knownPayouts finds payouts and balances that are expected and nowhere shown.
func (d *differences) knownPayouts(r *reconcile.Result, want *bridge) {
	shown, balances := map[string]bool{}, 0
	for i := range r.Bridges {
		for _, p := range r.Bridges[i].Payouts {
			shown[p.ID] = true
		}
		balances += len(r.Bridges[i].Balances)
	}
	for _, id := range sortedKeys(want.Payout) {
		if !shown[id] {
			d.addf("bridge.payout.%s: no such payout in the result", id)
		}
	}
	if want.Balance != nil && balances == 0 {
		d.addf("bridge.balance: no balance in the result")
	}
}
