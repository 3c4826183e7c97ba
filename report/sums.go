package report

import (
	"fmt"
	"strings"

	"desfecho/internal/money"
	"desfecho/reconcile"
)

// bridgeSums are RULES §5 in the words of DESIGN §6: each sum with everything
// it is made of, and what is left unexplained.
func bridgeSums(r *reconcile.Result) ([]sum, error) {
	var sums []sum
	for i := range r.Bridges {
		b := &r.Bridges[i]
		prefix := ""
		if severalScopes(r.Bridges) {
			prefix = scope{b.Provider, b.Account, b.Mode}.String() + " "
		}
		one, err := bridgeOf(b)
		if err != nil {
			return nil, err
		}
		for _, s := range one {
			s.label = prefix + s.label
			sums = append(sums, s)
		}
	}
	return sums, nil
}

// severalScopes: currencies tell bridges of one account apart by themselves.
func severalScopes(bridges []reconcile.Bridge) bool {
	for i := range bridges {
		b := &bridges[i]
		if (scope{b.Provider, b.Account, b.Mode}) != (scope{bridges[0].Provider, bridges[0].Account, bridges[0].Mode}) {
			return true
		}
	}
	return false
}

func bridgeOf(b *reconcile.Bridge) ([]sum, error) {
	text := func(minor int64) string { return money.Amount{Minor: minor, Currency: b.Currency}.Grouped() }
	lines, err := lineTotals(b)
	if err != nil {
		return nil, err
	}
	sums := []sum{{"lines", money.Amount{Minor: b.LinesSum, Currency: b.Currency}, termsOf(lines, b.Currency)}}
	for _, side := range []struct {
		label string
		rows  []reconcile.AttemptRow
	}{{"succeeded", b.Succeeded}, {"open", b.Open}, {"failed", b.Failed}} {
		if side.label != "succeeded" && !anyMoney(side.rows) {
			continue
		}
		if side.label == "succeeded" && len(side.rows) == 0 {
			side.rows = []reconcile.AttemptRow{{Row: "matched"}}
		}
		total, err := sumRows(side.rows)
		if err != nil {
			return nil, fmt.Errorf("add up the %s attempts in %s: %w", side.label, b.Currency, err)
		}
		s := sum{side.label, money.Amount{Minor: total, Currency: b.Currency}, termsOf(side.rows, b.Currency)}
		if side.label == "succeeded" {
			s.terms = append(s.terms, say("  unexplained "+text(b.Tie.Residual))...)
		}
		sums = append(sums, s)
	}
	if t := b.Tie; t.NotDue != 0 || t.Differences != 0 || t.Residual != 0 {
		sums = append(sums, sum{"tie", money.Amount{Minor: t.MatchedLines, Currency: b.Currency}, say(
			"+ not yet due "+text(t.NotDue), "= matched attempts "+text(t.MatchedAttempts),
			"+ differences "+text(t.Differences), "+ unexplained "+text(t.Residual))})
	}
	return append(sums, statedSums(b)...), nil
}

// statedSums are the sums that a statement states itself.
func statedSums(b *reconcile.Bridge) []sum {
	amount := func(minor int64) money.Amount { return money.Amount{Minor: minor, Currency: b.Currency} }
	var sums []sum
	for _, x := range b.Balances {
		terms := say("+ net "+amount(x.NetSum).Grouped(), "= closing "+amount(x.Closing).Grouped(),
			"  unexplained "+amount(x.Residual).Grouped())
		if len(x.LineErrors) > 0 {
			terms = append(terms, say("net is not gross - fee - tax: "+linesText(x.LineErrors))...)
		}
		sums = append(sums, sum{"balance " + freeText(x.Statement), amount(x.Opening), terms})
	}
	tied, loose := 0, 0
	for _, x := range b.Payouts {
		switch {
		case x.Unverifiable:
			loose++
		case x.Residual == 0:
			tied++
		default:
			sums = append(sums, sum{"payout " + x.ID, amount(x.Minor), say(
				"+ net of its lines "+amount(x.MembersNet).Grouped(), "  unexplained "+amount(x.Residual).Grouped())})
		}
	}
	if tied+loose > 0 {
		sums = append(sums, sum{"payouts", money.Amount{}, say(
			number(tied)+" equal their lines,", number(loose)+" unverifiable: membership is not told")})
	}
	return sums
}

// lineTotals adds equation 1 up over the statement days.
func lineTotals(b *reconcile.Bridge) ([]reconcile.AttemptRow, error) {
	index := map[string]int{}
	var totals []reconcile.AttemptRow
	for _, name := range lineRows {
		index[name] = len(totals)
		totals = append(totals, reconcile.AttemptRow{Row: name})
	}
	for _, row := range b.Lines {
		i, ok := index[row.Row]
		if !ok {
			i = len(totals)
			index[row.Row] = i
			totals = append(totals, reconcile.AttemptRow{Row: row.Row})
		}
		total, ok := money.Sum(totals[i].Minor, row.Minor)
		if !ok {
			return nil, fmt.Errorf("add up the lines in %s: %w", b.Currency, money.ErrOverflow)
		}
		totals[i].Minor = total
		totals[i].Count += row.Count
	}
	return totals, nil
}

// lineRows is the order of equation 1; kinds follow as they come.
var lineRows = []string{
	"matched", "open_attempts", "failed_attempts", "surplus", "unrecorded_in", "unrecorded_out",
	"unbooked_returns", "cannot_be_judged", "own_side_not_covered", "expected_without_attempt",
}

// rowNames shortens two names where the label of the sum says the rest.
var rowNames = map[string]string{"open_attempts": "open", "failed_attempts": "failed"}

// termsOf leaves out what is empty, but never the matched.
func termsOf(rows []reconcile.AttemptRow, currency money.Currency) sentence {
	var terms []string
	for i, row := range rows {
		if row.Minor == 0 && row.Count == 0 && row.Row != "matched" {
			continue
		}
		name, short := rowNames[row.Row]
		if _, class := reconcile.ParseClass(row.Row); class {
			name = row.Row
		} else if !short {
			name = strings.ReplaceAll(row.Row, "_", " ")
		}
		amount := money.Amount{Minor: row.Minor, Currency: currency}
		sign := "+ "
		switch {
		case i == 0 || len(terms) == 0:
			sign = "= "
		case row.Minor < 0:
			sign = "- "
			amount.Minor = money.Magnitude(row.Minor)
		}
		terms = append(terms, sign+name+" "+amount.Grouped())
	}
	return say(terms...)
}

func anyMoney(rows []reconcile.AttemptRow) bool {
	for _, row := range rows {
		if row.Minor != 0 || row.Count != 0 {
			return true
		}
	}
	return false
}

func sumRows(rows []reconcile.AttemptRow) (int64, error) {
	var total int64
	for _, row := range rows {
		next, ok := money.Sum(total, row.Minor)
		if !ok {
			return 0, money.ErrOverflow
		}
		total = next
	}
	return total, nil
}
