package file

import (
	"errors"
	"fmt"
	"strings"

	"desfecho/internal/hugepage"
	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/internal/profile"
	"desfecho/internal/tabular"
)

// slabSize is how many references are allocated at once.
const slabSize = 8192

// reader turns rows into attempts. Its state is that of one pass.
type reader struct {
	o      Options
	source *profile.Source
	each   func(a *payment.Attempt, day payment.Day, row tabular.Row) error // instead of keeping it

	b      *profile.Binding
	p      *profile.Profile
	fields columns
	words  words

	attempts    []payment.Attempt
	ids         idSet
	slab        []payment.Reference
	recent      [4]string
	currency    money.Currency
	currencyOf  string
	days        profile.Days
	first, last payment.Day
	errors      callErrors
}

type columns struct {
	id, charge, key, provider, account, status, operation, direction *profile.Cells
	providerID, currency, payloadHash, lastError, reserve, version   *profile.Cells

	amount, minor                          *profile.AmountColumn
	created, updated, lastSent, resolvedAt *profile.DateColumn
}

type words struct {
	status     *profile.Words[payment.Status]
	operations *profile.Words[payment.Operation]
	reserves   *profile.Words[payment.Reserve]
}

// start begins a pass over the file.
func (r *reader) start(b *profile.Binding) error {
	*r = reader{o: r.o, source: r.source, each: r.each, b: b, p: b.Profile, days: profile.NewDays(b.Zone)}
	rules := &r.p.Attempts
	r.words = words{profile.NewWords(rules.Status), profile.NewWords(rules.Operations), profile.NewWords(rules.Reserves)}
	f := &r.fields
	for name, cells := range map[string]**profile.Cells{
		"id": &f.id, "charge": &f.charge, "key": &f.key, "provider": &f.provider, "account": &f.account, "status": &f.status,
		"operation": &f.operation, "direction": &f.direction, "provider_charge_id": &f.providerID, "currency": &f.currency,
		"payload_hash": &f.payloadHash, "last_error": &f.lastError, "reserve": &f.reserve, "version": &f.version,
	} {
		*cells = b.Cells(name)
	}
	f.amount, f.minor = b.Amount("amount"), b.MinorAmount("amount_minor")
	f.created, f.updated, f.lastSent, f.resolvedAt = b.Date("created_at"), b.Date("updated_at"), b.Date("last_sent"), b.Date("resolved_at")
	return nil
}

// row reads one attempt.
func (r *reader) row(row tabular.Row) (movement bool, err error) {
	if r.each != nil {
		r.attempts = r.attempts[:0]
	}
	if len(r.attempts) == 4096 && cap(r.attempts) < 8192 {
		whole := make([]payment.Attempt, 0, r.source.Expected(4096))
		hugepage.Advise(whole)
		r.attempts = append(whole, r.attempts...)
	}
	r.attempts = append(r.attempts, payment.Attempt{})
	a, f := &r.attempts[len(r.attempts)-1], &r.fields
	a.ID, a.Charge, a.Key, a.ProviderID = f.id.Exact(row), f.charge.Exact(row), f.key.Exact(row), f.providerID.Exact(row)
	a.Version, a.PayloadHash = f.version.Exact(row), f.payloadHash.Exact(row)
	if a.ID == "" {
		r.attempts = r.attempts[:len(r.attempts)-1] // the set of ids counts on one line each
		return true, r.b.Fault("id", row, "an attempt without id", "every attempt needs the id that it has in its table")
	}
	if r.each == nil {
		if before, taken := r.ids.add(r.attempts, row.Line); taken {
			return true, r.b.Fault("id", row, fmt.Sprintf("the id stands already on line %d", before), "an attempt is one row: export the table once, without a join that repeats it")
		}
	}
	r.provider(a, row)
	if err := r.meaning(a, row); err != nil {
		return true, err
	}
	if err := r.amount(a, row); err != nil {
		return true, err
	}
	if err := r.moments(a, row); err != nil {
		return true, err
	}
	a.LastError = r.errors.classify(f.lastError.Text(row))
	a.References = r.references(row)
	if r.each != nil {
		return true, r.each(a, r.days.Of(a.CreatedAt), row)
	}
	return true, nil
}

// provider says where the attempt was sent: our own table may hold attempts at
// several providers, and only a row that names none takes the one that was said.
func (r *reader) provider(a *payment.Attempt, row tabular.Row) {
	a.Provider = r.again(0, r.fields.provider.Text(row))
	if a.Provider == "" {
		a.Provider = r.o.Provider
	}
	if a.Provider == "" {
		a.Provider = r.p.Provider
	}
	a.Account = r.again(1, r.fields.account.Text(row))
	if a.Account == "" {
		a.Account = r.p.Account
	}
}

// meaning maps the merchant's own words. One that the profile does not know is
// a gap in the configuration: it is never guessed.
func (r *reader) meaning(a *payment.Attempt, row tabular.Row) error {
	f, rules := &r.fields, &r.p.Attempts
	text := f.status.Text(row)
	status, known := r.words.status.Find(text)
	if !known {
		return r.b.Fault("status", row, "not a status of the profile "+r.p.Name+", which knows "+strings.Join(profile.Known(rules.Status), ", "),
			fmt.Sprintf("say what it means in a profile: `status: {pending|unknown|succeeded|failed: [%q, …]}`", text))
	}
	a.Status = status
	operation, err := r.operation(row)
	if err != nil {
		return err
	}
	a.Operation = operation
	if text = f.reserve.Text(row); text == "" {
		return nil
	}
	if reserve, known := r.words.reserves.Find(text); known {
		a.Reserve = reserve
		return nil
	}
	a.Reserve, err = payment.ParseReserve(strings.ToLower(text))
	if err != nil {
		return r.b.Fault("reserve", row, err.Error(), "say what it means in a profile: `reserves: {held|released|consumed: […]}`")
	}
	return nil
}

func (r *reader) operation(row tabular.Row) (payment.Operation, error) {
	f := &r.fields
	operation, stated := payment.Charge, false
	if text := f.operation.Text(row); text != "" {
		own, known := r.words.operations.Find(text)
		if operation = own; !known {
			var err error
			if operation, err = payment.ParseOperation(strings.ToLower(text)); err != nil {
				return 0, r.b.Fault("operation", row, err.Error(), "say what it means in a profile: `operations: {charge: […], refund: […]}`")
			}
		}
		stated = true
	}
	switch text := strings.ToLower(f.direction.Text(row)); {
	case text == "":
		return operation, nil
	case text != payment.In.String() && text != payment.Out.String():
		return 0, r.b.Fault("direction", row, "neither in nor out", "write in, or out for refunds, transfers and bills paid")
	case !stated && text == payment.Out.String():
		return payment.Transfer, nil
	case operation.Direction().String() != text:
		return 0, r.b.Fault("direction", row, fmt.Sprintf("a %s goes %s", operation, operation.Direction()), "correct operation or direction")
	}
	return operation, nil
}

func (r *reader) amount(a *payment.Attempt, row tabular.Row) error {
	currency, err := r.rowCurrency(row)
	if err != nil {
		return err
	}
	field := "amount_minor"
	minor, currency, ok, err := r.fields.minor.Read(row, currency)
	if err == nil && !ok {
		field = "amount"
		minor, currency, ok, err = r.fields.amount.Read(row, currency)
	}
	if err == nil && ok && field == "amount_minor" {
		field, err = "amount", r.sameAmount(row, minor, currency)
	}
	textual, isText := errors.AsType[*money.TextError](err)
	switch {
	case isText:
		return r.b.Fault(field, row, textual.Problem, textual.Hint)
	case err != nil:
		return err //nolint:wrapcheck // asks for another pass
	case !ok:
		return r.b.Fault(field, row, "the row has no amount", "every attempt needs the amount that was asked for")
	case currency.IsZero():
		return r.b.Fault("currency", row, "the row has no currency", "add a currency column, or say it in a profile: `amounts: {currency: BRL}`")
	case minor < 0:
		return r.b.Fault(field, row, "a negative amount", "amounts of attempts have no sign: operation or direction say which way the money goes")
	}
	a.Amount = money.Amount{Minor: minor, Currency: currency}
	return nil
}

// sameAmount refuses a row that states its amount twice and not alike.
func (r *reader) sameAmount(row tabular.Row, minor int64, currency money.Currency) error {
	other, _, ok, err := r.fields.amount.Read(row, currency)
	if err == nil && ok && other != minor {
		err = &money.TextError{
			Problem: fmt.Sprintf("another amount than the %d minor units of the same row", minor),
			Hint:    "which of the two was asked for? take the other column out, or correct it",
		}
	}
	return err //nolint:wrapcheck // the caller adds file, line and heading
}

func (r *reader) rowCurrency(row tabular.Row) (money.Currency, error) {
	text := r.fields.currency.Text(row)
	if text == "" {
		text = r.p.Amounts.Currency
	}
	if text == "" {
		return money.Currency{}, nil
	}
	if text != r.currencyOf {
		currency, err := money.ParseCurrency(text)
		if err != nil {
			return currency, r.b.Fault("currency", row, "unknown currency", "want an ISO 4217 code such as BRL")
		}
		r.currency, r.currencyOf = currency, strings.Clone(text)
	}
	return r.currency, nil
}

// moments reads the instants; the last sending is the later of creation and
// update where no column says it (RULES §1).
func (r *reader) moments(a *payment.Attempt, row tabular.Row) error {
	f := &r.fields
	var updated payment.Instant
	for _, m := range [...]struct {
		field  string
		column *profile.DateColumn
		at     *payment.Instant
	}{{"created_at", f.created, &a.CreatedAt}, {"updated_at", f.updated, &updated}, {"last_sent", f.lastSent, &a.LastSent}, {"resolved_at", f.resolvedAt, &a.ResolvedAt}} {
		if !m.column.Has() {
			continue
		}
		value, ok, err := m.column.Read(row)
		switch {
		case profile.IsUnproven(err):
			return err //nolint:wrapcheck // asks for another pass
		case err != nil:
			return r.b.Fault(m.field, row, err.Error(), profile.HintOf(err))
		case ok:
			*m.at = value.At
		case m.field == "created_at":
			return r.b.Fault(m.field, row, "the row has no creation time", "every attempt needs the time it was created")
		}
	}
	if a.LastSent == 0 {
		a.LastSent = max(a.CreatedAt, updated)
	}
	day := r.days.Of(a.CreatedAt)
	if r.first == 0 || day < r.first {
		r.first = day
	}
	r.last = max(r.last, day)
	return nil
}

// references are what went out with the attempt.
func (r *reader) references(row tabular.Row) []payment.Reference {
	bound := r.b.References
	if cap(r.slab)-len(r.slab) < len(bound) {
		r.slab = make([]payment.Reference, 0, max(slabSize, len(bound)))
	}
	start := len(r.slab)
	for i := range bound {
		if value := bound[i].Cells.Exact(row); value != "" {
			r.slab = append(r.slab, payment.Reference{Name: bound[i].Name, Scope: bound[i].Scope, Value: value})
		}
	}
	if len(r.slab) == start {
		return nil
	}
	return r.slab[start:len(r.slab):len(r.slab)]
}

// again gives the text of the last row itself where a cell repeats it, so that
// a column of one word is one string.
func (r *reader) again(slot int, text string) string {
	if r.recent[slot] != text {
		r.recent[slot] = strings.Clone(text)
	}
	return r.recent[slot]
}
