package report

import (
	"fmt"
	"slices"
	"strings"

	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/internal/ui"
	"desfecho/reconcile"
)

// htmlBridge is RULES §5 for one account and currency, and its lines by day.
type htmlBridge struct {
	Title string
	Sums  []htmlSum
	Names []string // the columns of Days
	Days  []htmlBridgeDay
}

type htmlSum struct {
	Label, Amount, Terms string
	Loose                bool // something of it is not explained
}

type htmlBridgeDay struct {
	Day   string
	Cells []string
	Total string
}

func htmlBridges(r *reconcile.Result, v voice) ([]htmlBridge, error) {
	var all []htmlBridge
	for i := range r.Bridges {
		b := &r.Bridges[i]
		one := htmlBridge{Title: clean(scope{b.Provider, b.Account, b.Mode}.String() + " " + b.Currency.String())}
		sums, err := bridgeOf(b)
		if err != nil {
			return nil, err
		}
		for _, s := range sums {
			terms := ui.Join(s.terms, " ").String()
			_, rest, said := strings.Cut(terms, "unexplained ")
			one.Sums = append(one.Sums, htmlSum{clean(s.label), amountCell(s.amount).String(), terms, said && strings.ContainsAny(rest, "123456789")})
		}
		if err := one.days(b, v); err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

// days lays equation 1 out with a line for each day and a column for each row.
func (h *htmlBridge) days(b *reconcile.Bridge, v voice) error {
	totals, err := lineTotals(b)
	if err != nil {
		return err
	}
	columns := map[string]int{}
	for _, t := range totals {
		if t.Minor != 0 || t.Count != 0 {
			columns[t.Row] = len(h.Names)
			h.Names = append(h.Names, clean(strings.ReplaceAll(t.Row, "_", " ")))
		}
	}
	var days []payment.Day
	cells, sums := map[payment.Day][]string{}, map[payment.Day]int64{}
	for _, row := range b.Lines {
		column, shown := columns[row.Row]
		if !shown {
			continue
		}
		if cells[row.Day] == nil {
			days, cells[row.Day] = append(days, row.Day), make([]string, len(h.Names))
		}
		cells[row.Day][column] = money.Amount{Minor: row.Minor, Currency: b.Currency}.Grouped()
		total, ok := money.Sum(sums[row.Day], row.Minor)
		if !ok {
			return fmt.Errorf("add up the lines of %s in %s: %w", row.Day, b.Currency, money.ErrOverflow)
		}
		sums[row.Day] = total
	}
	slices.Sort(days)
	for _, day := range days {
		h.Days = append(h.Days, htmlBridgeDay{v.day(day), cells[day], money.Amount{Minor: sums[day], Currency: b.Currency}.Grouped()})
	}
	return nil
}

// htmlItems is what became of the divergences since the run before, in one
// currency.
type htmlItems struct {
	Currency string
	Moves    []htmlMove
}

type htmlMove struct{ Label, Money, Count string }

// move is one term of what became of the divergences.
type move struct {
	label string
	minor int64
	count int
}

// movesOf leaves out what did not happen.
func movesOf(row *reconcile.ItemsRow) []move {
	return slices.DeleteFunc([]move{
		{"open before", row.Yesterday, row.YesterdayCount},
		{"new", row.New, row.NewCount},
		{"reopened", row.Reopened, row.ReopenedCount},
		{"lapsed", row.Lapsed, row.LapsedCount},
		{"restated", row.Restated, 0},
		{"resolved", row.Resolved, row.ResolvedCount},
		{"accepted", row.Accepted, row.AcceptedCount},
		{"vanished", row.Vanished, row.VanishedCount},
		{"open now", row.Open, row.OpenCount},
	}, func(m move) bool { return m.minor == 0 && m.count == 0 && !strings.HasPrefix(m.label, "open") })
}

func htmlMoves(r *reconcile.Result) []htmlItems {
	var all []htmlItems
	for i := range r.Items {
		row := &r.Items[i]
		if row.NewCount == row.OpenCount && row.New == row.Open && row.ResolvedCount+row.VanishedCount == 0 {
			continue // there is no run before
		}
		one := htmlItems{Currency: row.Currency.String()}
		for _, m := range movesOf(row) {
			one.Moves = append(one.Moves, htmlMove{m.label, moneyText(m.minor, row.Currency), number(m.count)})
		}
		all = append(all, one)
	}
	return all
}
