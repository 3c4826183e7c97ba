package statementfile

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"desfecho/internal/hugepage"
	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/internal/profile"
	"desfecho/internal/tabular"
)

// reader turns rows into lines and units. Its state is that of one pass.
type reader struct {
	o      Options
	source *profile.Source
	each   func(lines []payment.Line, units []payment.Unit, row tabular.Row) error // instead of keeping them

	b      *profile.Binding
	p      *profile.Profile
	rules  *profile.StatementRules
	fields columns
	words  words

	lines  []payment.Line
	units  []payment.Unit
	slab   []payment.Reference
	owners owners

	statusNeeded bool // the profile requires the column
	rows         int
	currency     cachedCurrency
	recent       [4]string
	chain        chain
	end          profile.End
	remarked     remarks
}

// columns are the places that do not depend on a line's kind.
type columns struct {
	id, unit, aliases, group, parent, key, kind, text, status, reason, method *profile.Cells
	side, currency, presentedCurrency, payout, installment, installments      *profile.Cells
	recipient, provider, account, mode                                        *profile.Cells

	gross, debit, credit, fee, tax, net, captured, presented, balance *profile.AmountColumn
	at, available, coveredBy                                          *profile.DateColumn

	byKind [payment.KindReserveRelease + 1]named // where unit, parent and payout stand, by kind
}

// named are the columns that name a line's unit, parent and payout.
type named struct{ unit, parent, payout *profile.Cells }

// words are the file's own words.
type words struct {
	kinds                         *profile.Words[payment.Kind]
	states                        *profile.Words[payment.State]
	moves                         *profile.Words[bool]
	sides                         *profile.Words[bool]
	information, opening, closing profile.Prefixes
}

// start begins a pass over the file.
func (r *reader) start(b *profile.Binding) error {
	*r = reader{o: r.o, source: r.source, each: r.each, b: b, p: b.Profile, rules: &b.Profile.Statement}
	s := r.rules
	r.words = words{
		kinds: profile.NewWords(s.Kinds), states: profile.NewWords(s.States),
		moves:       profile.NewWords(map[bool][]string{true: s.Moved, false: s.Still}),
		sides:       profile.NewWords(map[bool][]string{true: r.p.Amounts.DebitWords, false: r.p.Amounts.CreditWords}),
		information: profile.NewPrefixes(s.Information), opening: profile.NewPrefixes(s.Opening), closing: profile.NewPrefixes(s.Closing),
	}
	r.owners = newOwners(b)
	r.statusNeeded = slices.ContainsFunc(r.p.Required, func(group []string) bool { return slices.Contains(group, "status") })
	return r.bindColumns()
}

func (r *reader) bindColumns() error {
	b, f := r.b, &r.fields
	for name, cells := range map[string]**profile.Cells{
		"id": &f.id, "unit": &f.unit, "aliases": &f.aliases, "group": &f.group, "parent": &f.parent, "key": &f.key,
		"type": &f.kind, "text": &f.text, "status": &f.status, "reason": &f.reason, "method": &f.method, "side": &f.side,
		"currency": &f.currency, "presented_currency": &f.presentedCurrency, "payout": &f.payout,
		"installment": &f.installment, "installments": &f.installments, "recipient": &f.recipient,
		"provider": &f.provider, "account": &f.account, "mode": &f.mode,
	} {
		*cells = b.Cells(name)
	}
	for name, amount := range map[string]**profile.AmountColumn{
		"gross": &f.gross, "debit": &f.debit, "credit": &f.credit, "fee": &f.fee, "tax": &f.tax, "net": &f.net,
		"captured": &f.captured, "presented_amount": &f.presented, "balance": &f.balance,
	} {
		*amount = b.Amount(name)
	}
	f.at, f.available, f.coveredBy = b.Date("occurred_at"), b.Date("available_at"), b.Date("covered_by")
	for kind := range f.byKind {
		f.byKind[kind] = named{f.unit, f.parent, f.payout}
	}
	for _, rule := range r.p.Units {
		for _, kind := range rule.Kinds {
			if err := r.override(&f.byKind[kind], rule); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *reader) override(n *named, rule profile.UnitRule) error {
	for _, o := range []struct {
		columns []profile.Column
		cells   **profile.Cells
	}{{rule.Unit, &n.unit}, {rule.Parent, &n.parent}, {rule.Payout, &n.payout}} {
		if o.columns == nil {
			continue
		}
		cells, err := r.b.Columns(o.columns)
		if err != nil {
			return fmt.Errorf("unit rule: %w", err)
		}
		*o.cells = cells
	}
	return nil
}

// row reads one row; the result tells a movement from a row of information.
func (r *reader) row(row tabular.Row) (movement bool, err error) {
	r.rows++
	if r.rows == 4096 && r.each == nil {
		r.grow()
	}
	if done, err := r.information(row); done || err != nil {
		return false, err
	}
	if r.rules.Sort == payment.ObjectList {
		err = r.object(row)
	} else {
		err = r.movement(row)
	}
	if err == nil && r.each != nil {
		err = r.each(r.lines, r.units, row)
		r.lines, r.units = r.lines[:0], r.units[:0]
	}
	return true, err
}

// grow makes room for the rest of the file once the length of its rows is known.
func (r *reader) grow() {
	if r.rules.Sort == payment.ObjectList {
		r.units = append(make([]payment.Unit, 0, r.source.Expected(r.rows)), r.units...)
		return
	}
	whole := make([]payment.Line, 0, r.source.Expected(r.rows))
	hugepage.Advise(whole)
	r.lines = append(whole, r.lines...)
}

// information recognizes opening and closing balances, and rows that are no
// movement.
func (r *reader) information(row tabular.Row) (bool, error) {
	w := &r.words
	if len(w.information)+len(w.opening)+len(w.closing) == 0 {
		return false, nil
	}
	for _, text := range [...]string{r.fields.kind.Text(row), r.fields.text.Text(row), firstText(row)} {
		switch {
		case w.opening.Match(text):
			return true, r.stated(row, &r.chain.opening)
		case w.closing.Match(text):
			return true, r.stated(row, &r.chain.closing)
		case w.information.Match(text):
			return true, nil
		}
	}
	return false, nil
}

// stated reads a balance off a row of information.
func (r *reader) stated(row tabular.Row, balance *payment.Stated) error {
	currency, err := r.rowCurrency(row)
	if err != nil {
		return err
	}
	for _, column := range []struct {
		name   string
		amount *profile.AmountColumn
	}{{"balance", r.fields.balance}, {"gross", r.fields.gross}, {"net", r.fields.net}} {
		minor, _, ok, err := column.amount.Read(row, currency)
		if err != nil {
			return r.amountFault(column.name, row, err)
		}
		if ok {
			*balance = payment.Known(minor)
			return nil
		}
	}
	return nil
}

func firstText(row tabular.Row) string {
	for i := range row.Len() {
		if text := strings.TrimSpace(row.Cell(i)); text != "" {
			return text
		}
	}
	return ""
}

// cachedCurrency remembers the last currency: rows mostly repeat it.
type cachedCurrency struct {
	text     string
	currency money.Currency
}

// rowCurrency is the row's currency, zero where only its amounts may say it.
func (r *reader) rowCurrency(row tabular.Row) (money.Currency, error) {
	text := r.fields.currency.Text(row)
	if text == "" {
		text = r.p.Amounts.Currency
	}
	if text == "" {
		return money.Currency{}, nil
	}
	if text != r.currency.text {
		currency, err := money.ParseCurrency(text)
		if err != nil {
			return currency, r.b.Fault("currency", row, "unknown currency", "want an ISO 4217 code such as BRL")
		}
		r.currency = cachedCurrency{strings.Clone(text), currency}
	}
	return r.currency.currency, nil
}

// amountFault places an error of an amount in the file; one that asks for
// another pass is passed on.
func (r *reader) amountFault(field string, row tabular.Row, err error) error {
	textual, ok := errors.AsType[*money.TextError](err)
	if !ok {
		return err
	}
	return r.b.Fault(field, row, textual.Problem, textual.Hint)
}

// again gives the text of the last rows itself where a cell repeats it, so
// that a column of one word is one string.
func (r *reader) again(slot int, text string) string {
	if r.recent[slot] != text {
		r.recent[slot] = strings.Clone(text)
	}
	return r.recent[slot]
}
