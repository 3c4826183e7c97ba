package reconcile

import (
	"slices"

	"desfecho/internal/evidence"
	"desfecho/internal/payment"
)

// The rows of equation 1 that are no kind of line (RULES §5).
const (
	rowOpenAttempts   = "open_attempts"
	rowFailedAttempts = "failed_attempts"
	rowUnrecordedIn   = "unrecorded_in"
	rowUnrecordedOut  = "unrecorded_out"
	rowUnbooked       = "unbooked_returns"
)

// lines gives every line of the scope its row. Restated lines and lines of the
// other mode stay outside the sum.
func (j *judge) lines() {
	for _, u := range j.facts.Units {
		if !j.unitInScope(u) {
			for _, l := range u.Lines {
				if evidence.Moves(l.Kind) || !j.lineInWindow(l) {
					j.out.outside++
					continue
				}
				j.out.see(l)
				j.kindRow(l)
			}
			continue
		}
		if !u.Other() {
			for _, l := range u.Lines {
				j.out.see(l)
			}
			j.unitLines(u)
		}
	}
	for _, l := range j.facts.Loose {
		if !j.lineInWindow(l) {
			j.out.outside++
			continue
		}
		if l.Mode == j.policy(l.Provider).Mode {
			j.out.see(l)
			j.kindRow(l)
		}
	}
	for _, l := range j.facts.Lines.Held {
		j.out.checkNet(l)
		if l.Payout != "" || l.Kind == payment.KindPayout {
			j.out.payout(l, j.lineInWindow(l))
		}
	}
	for _, l := range j.facts.Lines.Booked {
		j.out.booked(l, j.balanced)
	}
}

// kindRow counts a line that is no attempt's.
func (j *judge) kindRow(l *payment.Line) {
	if l.Still {
		return
	}
	j.out.places[Place(l.Kind.String())]++
	j.out.line(l, l.Kind.String(), l.Gross)
}

// unitLines places the lines of one unit: its own money, what came back of it,
// and what is booked under it besides.
func (j *judge) unitLines(u *evidence.Unit) {
	own, back := j.unitRows(u)
	sale, undone := u, own // whose capture a charge_reversal undoes
	if u.Link == evidence.Follower {
		sale = u.Parent
		undone, _ = j.unitRows(sale)
	}
	surplus, short := j.surplusLines(u), int64(0)
	if sale.Link == evidence.Linked || sale.Link == evidence.LinkedTwice {
		short = sale.Attempts[0].Shortfall(sale)
	}
	if u.Money.Converted && (surplus > 0 || short > 0) {
		surplus, short = 0, 0
	}
	for _, l := range slices.Backward(u.Lines) {
		if l.Still {
			continue
		}
		switch l.Kind {
		case payment.KindCharge, payment.KindTransferOut:
			surplus = j.part(l, rowSurplus, own, surplus)
		case payment.KindRefund, payment.KindPayout:
			if u.Flow() == evidence.FlowOut {
				surplus = j.ownOr(u, l, own, surplus)
				continue
			}
			j.out.line(l, back, l.Gross)
		case payment.KindChargeReversal:
			if undone == rowMatched {
				short = j.part(l, rowUnbooked, undone, short)
				continue
			}
			j.out.line(l, undone, l.Gross)
		case payment.KindRefundReversal, payment.KindChargeback, payment.KindChargebackReversal,
			payment.KindTransferReversal:
			j.out.line(l, back, l.Gross)
		case payment.KindPayoutReversal:
			j.ownOr(u, l, back, 0)
		case payment.KindOther, payment.KindFee, payment.KindFeeReversal, payment.KindTax, payment.KindTransferIn,
			payment.KindAdjustment, payment.KindAnticipation, payment.KindReserveHold, payment.KindReserveRelease:
			j.kindRow(l)
		}
	}
}

// ownOr places a payout under its attempt where it has one; a payout that
// nobody asked for as an attempt is counted by its kind.
func (j *judge) ownOr(u *evidence.Unit, l *payment.Line, row string, surplus int64) int64 {
	if l.Kind != payment.KindRefund && u.Link == evidence.Unlinked {
		j.kindRow(l)
		return surplus
	}
	return j.part(l, rowSurplus, row, surplus)
}

// part puts at most rest of a line into one row and what remains into another;
// it gives what of rest is left for the next line.
func (j *judge) part(l *payment.Line, row, otherwise string, rest int64) int64 {
	sign := int64(1)
	if l.Gross < 0 {
		sign = -1
	}
	taken := min(rest, sign*l.Gross)
	if taken > 0 {
		j.out.line(l, row, sign*taken)
	}
	switch remain := l.Gross - sign*max(taken, 0); {
	case taken <= 0:
		j.out.line(l, otherwise, remain)
	case remain != 0:
		j.out.rest(l, otherwise, remain)
	}
	return rest - max(taken, 0)
}

// surplusLines is what of the unit's lines is surplus: of an attempt's units
// the last ones first.
func (j *judge) surplusLines(u *evidence.Unit) int64 {
	if len(j.split) == 0 || len(u.Attempts) != 1 || u.Link != evidence.Linked {
		return 0
	}
	a := u.Attempts[0]
	rest := j.split[a].lines
	for _, o := range slices.Backward(a.Units) {
		part := min(rest, max(o.Money.Captured.Minor, 0))
		if o == u {
			return part
		}
		rest -= part
	}
	return 0
}

// unitRows says where the unit's own money and its returns stand.
func (j *judge) unitRows(u *evidence.Unit) (own, back string) {
	switch u.Link {
	case evidence.Ambiguous, evidence.Collision:
		return rowCannotBeJudged, rowCannotBeJudged
	case evidence.Follower:
		_, back = j.unitRows(u.Parent)
		return back, back
	case evidence.Linked, evidence.LinkedTwice:
		switch a := u.Attempts[0]; {
		case a.Status.Open():
			return rowOpenAttempts, rowOpenAttempts
		case a.Status == payment.Failed:
			return rowFailedAttempts, rowFailedAttempts
		case j.undecidable(a):
			return rowCannotBeJudged, rowCannotBeJudged
		}
		return rowMatched, rowUnbooked
	case evidence.Unlinked:
	}
	switch {
	case j.expected(u):
		return string(ExpectedWithoutAttempt), string(ExpectedWithoutAttempt)
	case !j.own(u):
		return string(OwnSideNotCovered), string(OwnSideNotCovered)
	case u.State == payment.StateUnmapped, !j.coverage.NamesTold(u):
		return rowCannotBeJudged, rowCannotBeJudged
	case u.Flow() == evidence.FlowOut:
		if refund, _ := u.GaveBack(); refund > 0 {
			return rowUnrecordedOut, rowUnrecordedOut
		}
		return rowUnrecordedOut, rowUnbooked
	case !u.Money.HasLines:
		return rowUnbooked, rowUnbooked
	default:
		return rowUnrecordedIn, rowUnbooked
	}
}

// undecidable: the attempt's money cannot be held against its units'.
func (j *judge) undecidable(a *evidence.Attempt) bool {
	s := evidence.Sort(a.Units)
	return a.Status == payment.StatusNone || len(s.Unmapped) > 0 || len(s.Money) > 0 && j.compare(a, s.Money).class == CurrencyMismatch
}
