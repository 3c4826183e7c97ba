package report

import (
	"desfecho/internal/payment"
	"desfecho/reconcile"
)

func wiredBridge(b reconcile.Bridge) wireBridge {
	row := func(r reconcile.AttemptRow) wireRow { return wireRow{exact(r.Row), r.Minor, r.Count} }
	return wireBridge{
		Provider: exact(b.Provider), Account: exact(b.Account), Mode: b.Mode.String(), Currency: b.Currency.String(),
		LinesSum: b.LinesSum,
		Lines: each(b.Lines, func(r reconcile.LineRow) wireLineRow {
			return wireLineRow{r.Day.String(), exact(r.Row), r.Minor, r.Count}
		}),
		Succeeded: each(b.Succeeded, row), Open: each(b.Open, row), Failed: each(b.Failed, row),
		Tie: wireTie(b.Tie), Roll: wireRoll(b.Roll),
		Balances: each(b.Balances, func(x reconcile.Balance) wireBalance {
			return wireBalance{free(x.Statement), x.Opening, x.NetSum, x.Closing, x.Residual, exactAll(x.LineErrors)}
		}),
		Payouts: each(b.Payouts, func(x reconcile.Payout) wirePayout {
			return wirePayout{exact(x.ID), free(x.Statement), x.Minor, x.MembersNet, x.Residual, x.Unverifiable}
		}),
	}
}

func wiredCoverage(s reconcile.StatementResult) wireCoverage {
	return wireCoverage{
		Statement: free(s.Name), Provider: exact(s.Provider), Account: exact(s.Account), Mode: s.Mode.String(),
		Sort: s.Sort.String(), Grade: s.Grade.String(), From: s.From.String(), Through: s.Through.String(),
		Holes: each(s.Holes, func(w payment.Interval) wireInterval { return wireInterval{w.From.String(), w.To.String()} }),
		Lines: s.Lines, Units: s.Units, NextPullFrom: s.NextPullFrom.String(),
	}
}

func wiredInput(in Input) wireInput {
	w := wireInput{
		Side: exact(in.Side), Name: free(in.Name), Profile: exact(in.Profile), SHA256: exact(in.SHA256),
		Rows: in.Rows, Movements: in.Movements, Information: in.Information, Errors: in.Errors, Repeats: in.Repeats,
		Covers: wiredInterval(in.Covers), Notes: each(in.Notes, free),
	}
	if w.Covers != nil {
		w.Grade = in.Grade.String()
	}
	return w
}
