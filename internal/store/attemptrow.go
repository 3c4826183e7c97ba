package store

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/internal/store/file"
)

// Text is one column of a row as the database prints it, or an instant where it
// gave one, and no text.
type Text struct {
	Value string
	Null  bool
	At    payment.Instant
}

// places says where in the selected columns each field stands; -1: nowhere.
type places struct {
	id, charge, key, provider, account, status, providerID, amount, currency int
	createdAt, updatedAt, lastSent, resolvedAt                               int
	lastError, operation, payloadHash, reserve, version, chargeAmount        int
}

func (r *Reading) columns() error {
	c := &r.Columns
	for _, f := range []struct {
		column string
		at     *int
	}{
		{c.ID, &r.at.id},
		{c.Charge, &r.at.charge},
		{c.Key, &r.at.key},
		{c.Provider, &r.at.provider},
		{c.Account, &r.at.account},
		{c.Status, &r.at.status},
		{c.ProviderChargeID, &r.at.providerID},
		{c.Amount, &r.at.amount},
		{c.Currency, &r.at.currency},
		{c.CreatedAt, &r.at.createdAt},
		{c.UpdatedAt, &r.at.updatedAt},
		{c.LastSent, &r.at.lastSent},
		{c.ResolvedAt, &r.at.resolvedAt},
		{c.LastError, &r.at.lastError},
		{c.Operation, &r.at.operation},
		{c.PayloadHash, &r.at.payloadHash},
		{c.Reserve, &r.at.reserve},
		{c.Version, &r.at.version},
		{c.ChargeAmount, &r.at.chargeAmount},
	} {
		*f.at = -1
		if f.column != "" {
			*f.at = r.selects(f.column)
		}
	}
	return nil
}

func (r *Reading) selects(column string) int {
	for i, known := range r.selected {
		if known == column {
			return i
		}
	}
	r.selected = append(r.selected, column)
	return len(r.selected) - 1
}

// Reader turns rows into attempts. It remembers texts that repeat and belongs
// to one goroutine.
type Reader struct {
	*Reading
	row    []Text
	errors map[string]payment.CallError
	intern interned
}

// Reader of rows.
func (r *Reading) Reader() *Reader {
	return &Reader{Reading: r, errors: map[string]payment.CallError{}}
}

// Each reads one row as Attempt does and hands it on where it meets the filter,
// with what its charge wants.
func (r *Reader) Each(filter *AttemptFilter, row []Text, version string, each func(payment.Attempt) error) error {
	a, err := r.Attempt(row, version)
	if err != nil && filter.Bad != nil {
		return filter.Bad(a, err)
	}
	if err != nil || !filter.Keeps(&a) {
		return err
	}
	if err := r.wanted(&a, filter.Wanted); err != nil {
		return err
	}
	return each(a)
}

// wanted tells what the charge of an attempt wants where that is another
// amount. What gives money back carries the charge of the sale, whose amount is
// not its own.
func (r *Reader) wanted(a *payment.Attempt, tell func(charge string, minor int64) error) error {
	text := r.text(r.at.chargeAmount)
	if tell == nil || text == "" || a.Charge == "" || a.Direction() == payment.Out {
		return nil
	}
	minor, err := r.minor(text, a.Amount.Currency)
	if err != nil || minor < 0 {
		return r.bad(r.at.chargeAmount, "is no amount of a charge", "columns.unit says that amounts are in "+r.Columns.Unit+" units")
	}
	if minor == a.Amount.Minor {
		return nil
	}
	return tell(a.Charge, minor)
}

// Attempt reads one row: the texts of Selected in order, and the row's version
// where the database tells one, else "". The error is a *BadRowError; the
// attempt then has its keys all the same.
func (r *Reader) Attempt(row []Text, version string) (payment.Attempt, error) {
	r.row = row
	a := payment.Attempt{
		ID: r.text(r.at.id), Charge: r.text(r.at.charge), Key: r.text(r.at.key), ProviderID: r.text(r.at.providerID),
		PayloadHash: r.text(r.at.payloadHash),
		Provider:    r.intern.of(orElse(r.text(r.at.provider), r.Provider)),
		Account:     r.intern.of(orElse(r.text(r.at.account), r.Account)),
	}
	for _, ref := range r.references {
		if value := r.text(ref.column); value != "" {
			a.References = append(a.References, payment.Reference{Name: ref.name, Scope: ref.scope, Value: ref.prefix + value + ref.suffix})
		}
	}
	if a.ID == "" {
		return a, r.bad(r.at.id, "an attempt without id", "the id column must tell one attempt from all others")
	}
	r.status(&a)
	a.LastError = r.callError(r.text(r.at.lastError))
	for _, step := range []func(*payment.Attempt) error{r.operationOf, r.reserveOf, r.amountOf, r.timesOf} {
		if err := step(&a); err != nil {
			return a, err
		}
	}
	a.Version = r.versionOf(version)
	return a, nil
}

func (r *Reader) text(at int) string {
	if at < 0 || r.row[at].Null {
		return ""
	}
	return r.row[at].Value
}

func orElse(value, otherwise string) string {
	if value == "" {
		return otherwise
	}
	return value
}

func (r *Reader) bad(at int, problem, advice string) error {
	return &BadRowError{Relation: r.Read, ID: r.text(r.at.id), Column: r.selected[at], Value: r.text(at), Problem: problem, Advice: advice}
}

// status keeps the table's own word where it is outside the map: such a row is
// counted and never judged.
func (r *Reader) status(a *payment.Attempt) {
	word := r.text(r.at.status)
	if status, ok := r.statuses[word]; ok {
		a.Status = status
		return
	}
	a.RawStatus = r.intern.of(orElse(word, "NULL"))
}

func (r *Reader) callError(text string) payment.CallError {
	if text == "" {
		return payment.ErrorNone
	}
	if class, ok := r.errors[text]; ok {
		return class
	}
	class := file.Classify(plain(text))
	if len(r.errors) < 4096 && len(text) < 512 {
		r.errors[text] = class
	}
	return class
}

// plain turns a last_error that is a JSON object into the words in it:
// {"status":503} is status=503.
func plain(text string) string {
	if text[0] != '{' {
		return text
	}
	var object map[string]any
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if decoder.Decode(&object) != nil {
		return text
	}
	var words []string
	var walk func(object map[string]any)
	walk = func(object map[string]any) {
		for _, key := range slices.Sorted(maps.Keys(object)) {
			switch v := object[key].(type) {
			case map[string]any:
				walk(v)
			case nil:
			default:
				words = append(words, fmt.Sprintf("%s=%v", key, v))
			}
		}
	}
	walk(object)
	return strings.Join(words, "; ")
}

func (r *Reader) operationOf(a *payment.Attempt) error {
	a.Operation = r.operation
	word := r.text(r.at.operation)
	if word == "" {
		return nil
	}
	var known bool
	if a.Operation, known = r.operations[word]; known {
		return nil
	}
	var err error
	if a.Operation, err = payment.ParseOperation(word); err != nil {
		return r.bad(r.at.operation, "is no operation that the description knows", "add the word under attempts.operations")
	}
	return nil
}

func (r *Reader) reserveOf(a *payment.Attempt) error {
	word := r.text(r.at.reserve)
	var known bool
	if a.Reserve, known = r.reserves[word]; known || word == "" {
		return nil
	}
	var err error
	if a.Reserve, err = payment.ParseReserve(word); err != nil {
		return r.bad(r.at.reserve, "is no state of a reserve that the description knows", "add the word under attempts.reserves")
	}
	return nil
}

func (r *Reader) amountOf(a *payment.Attempt) error {
	c := r.currency
	if code := r.text(r.at.currency); code != "" {
		var err error
		if c, err = money.ParseCurrency(code); err != nil {
			return r.bad(r.at.currency, err.Error(), "")
		}
	}
	if c.IsZero() {
		return r.bad(r.at.currency, "an attempt without currency", "say attempts.currency for rows that have none")
	}
	minor, err := r.minor(r.text(r.at.amount), c)
	if err != nil {
		return r.bad(r.at.amount, err.Error(), "columns.unit says that amounts are in "+r.Columns.Unit+" units")
	}
	if minor < 0 && a.Direction() == payment.In {
		return r.bad(r.at.amount, "money that comes in with a minus", "describe the operation's column, or leave such rows out with a view")
	}
	a.Amount = money.Amount{Minor: money.Magnitude(minor), Currency: c}
	return nil
}

// minor reads an amount in the unit that the description says.
func (r *Reader) minor(text string, c money.Currency) (int64, error) {
	exponent := 0
	if r.exponent {
		exponent = c.Exponent()
	}
	return decimal(text, exponent)
}

// decimal reads digits with a dot as whole units of 10^-exponent. Further
// decimals must be zeros.
func decimal(text string, exponent int) (int64, error) {
	whole, fraction, _ := strings.Cut(strings.TrimPrefix(text, "-"), ".")
	fraction = strings.TrimRight(fraction, "0")
	switch {
	case text == "":
		return 0, errors.New("an attempt without amount")
	case len(fraction) > exponent:
		return 0, fmt.Errorf("has more than %d decimals", exponent)
	}
	digits := strings.TrimLeft(whole, "0") + fraction + strings.Repeat("0", exponent-len(fraction))
	if whole == "" || len(digits) > 18 {
		return 0, errors.New("is no amount that fits")
	}
	minor := int64(0)
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return 0, errors.New("is no decimal number")
		}
		minor = minor*10 + int64(digits[i]-'0')
	}
	if text[0] == '-' {
		minor = -minor
	}
	return minor, nil
}

// timesOf reads the instants. Without a column of its own, last_sent is the
// later of created_at and updated_at (RULES §1).
func (r *Reader) timesOf(a *payment.Attempt) error {
	var updated payment.Instant
	for _, t := range []struct {
		at int
		to *payment.Instant
	}{{r.at.createdAt, &a.CreatedAt}, {r.at.updatedAt, &updated}, {r.at.lastSent, &a.LastSent}, {r.at.resolvedAt, &a.ResolvedAt}} {
		text := r.text(t.at)
		if text == "" {
			if t.at >= 0 {
				*t.to = r.row[t.at].At
			}
			continue
		}
		var err error
		if *t.to, err = moment(text, r.zone); err != nil {
			advice := ""
			if errors.Is(err, errNoZone) {
				advice = "say attempts.timezone, the zone in which the application writes this column"
			}
			return r.bad(t.at, err.Error(), advice)
		}
	}
	if a.CreatedAt.IsZero() {
		return r.bad(r.at.createdAt, "an attempt without time of creation", "fill the column, or describe another one")
	}
	if a.LastSent.IsZero() {
		a.LastSent = max(a.CreatedAt, updated)
	}
	return nil
}

// versionOf is the configured column, else what the database tells, else a
// hash of every described column.
func (r *Reader) versionOf(told string) string {
	if r.at.version >= 0 {
		return r.text(r.at.version)
	}
	if told != "" {
		return told
	}
	var d digest
	for _, t := range r.row {
		d.flag(t.Null)
		d.text(t.Value)
	}
	sum := sha256.Sum256(d.buffer)
	return "row:" + hex.EncodeToString(sum[:12])
}
