package postgres

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"text/template"
	"time"

	"github.com/jackc/pgx/v5"

	"desfecho/internal/audit"
	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/internal/store"
	"desfecho/reconcile"
)

// Terms are what the function that writes holds an attempt's evidence against,
// as they are configured when it is made (RULES §6, §8).
type Terms struct {
	Policies      []reconcile.Policy
	ApprovalTTL   time.Duration
	ApprovalAbove []money.Amount
}

//go:embed function.sql
var functionText string

// Function is the body of desfecho.settle for a configuration: the same
// configuration, the same bytes. "" where no transition is declared, for then
// nothing may be written. Nil terms name no provider, so that all is refused.
// The error is a *store.DescriptionError.
func Function(description *store.Description, terms *Terms) (string, error) {
	reading, err := description.Compile()
	if err != nil || len(reading.Transitions) == 0 {
		return "", err
	}
	text, err := template.New("function").Parse(functionText)
	if err != nil {
		panic(err) // the text is the program's own
	}
	if terms == nil {
		terms = &Terms{}
	}
	f := &function{reading: reading, terms: terms}
	f.values()
	f.table()
	f.marks()
	f.policies()
	f.effects()
	var b bytes.Buffer
	// The hash covers the whole body with nothing in its own place.
	for range 2 {
		sum := sha256.Sum256(b.Bytes())
		if b.Len() > 0 {
			f.Hash = hex.EncodeToString(sum[:])
		}
		b.Reset()
		if err := text.Execute(&b, f); err != nil {
			panic(err) // likewise
		}
	}
	return b.String(), nil
}

// configurationOf is the hash that the function names as its configuration's.
func configurationOf(body string) string {
	_, after, _ := strings.Cut(body, "-- configuration sha256: ")
	hash, _, _ := strings.Cut(after, "\n")
	return hash
}

// function is what the text of the function is filled with: SQL, each field an
// expression or a list of them.
type function struct {
	reading *store.Reading
	terms   *Terms

	Hash                                                                  string
	Word, ProviderID, ID, Charge, Key, Provider, Account, Currency        string
	Amount, Scale, Created, Updated, LastSent, ServerError, Outflow, Zone string
	Select, Held, Holder, TableName, Columns, Update, Where, Changes      string
	LockRows, Siblings                                                    string
	Marks, PendingWords, Policies, Money, Dead, Above, ApprovalTTL        string
	Unmapped, AuditLock, Format                                           int64
	ByRow                                                                 bool
	Parameters, Locks                                                     []string
	Values                                                                map[string]string
	AlsoSet                                                               []alsoSet
	Steps                                                                 []followUp
}

type alsoSet struct {
	To  string
	Set []string
}

type followUp struct {
	To, SQL  string
	Number   int
	Optional bool
}

// seen is a described column as it was on the screen, "" where there is none.
func (f *function) seen(column string) string {
	i := slices.Index(f.reading.Selected(), column)
	if i < 0 {
		return "NULL"
	}
	return fmt.Sprintf("p_row[%d]", i+1)
}

// text is seen, or what holds for rows that say nothing.
func (f *function) text(column, otherwise string) string {
	return fmt.Sprintf("coalesce(nullif(%s, ''), %s)", f.seen(column), literal(otherwise))
}

// values are those of the attempt, read as store.Reader reads them.
func (f *function) values() {
	r, c := f.reading, &f.reading.Columns
	f.ID, f.Charge, f.Key = f.text(c.ID, ""), f.text(c.Charge, ""), f.text(c.Key, "")
	f.Provider, f.Account = f.text(c.Provider, r.Provider), f.text(c.Account, r.Account)
	f.Word, f.ProviderID, f.Currency = f.text(c.Status, ""), f.text(c.ProviderChargeID, ""), f.text(c.Currency, r.Currency)
	f.Amount, f.Scale = f.seen(c.Amount), "1"
	if c.Unit == "major" {
		f.Scale = "CASE v_currency"
		for _, exponent := range []int{0, 3, 4} {
			for _, code := range money.Codes(exponent) {
				f.Scale += fmt.Sprintf(" WHEN %s THEN 1e%d", literal(code), exponent)
			}
		}
		f.Scale += " ELSE 100 END"
	}
	f.Created, f.Updated, f.LastSent = nonEmpty(f.seen(c.CreatedAt)), nonEmpty(f.seen(c.UpdatedAt)), nonEmpty(f.seen(c.LastSent))
	f.ServerError = fmt.Sprintf("coalesce(lower(%s) ~ %s, false)", f.seen(c.LastError), literal(serverError))
	zone := time.UTC
	if z := r.Zone(); z != nil {
		zone = z
	}
	f.Zone = literal(zone.String())
	f.Outflow = f.outflow()
	f.Values = map[string]string{
		"id": "v_id", "charge": "v_charge", "key": "v_key", "provider": "v_provider", "account": "v_account", "unit": "p_unit",
		"amount": "v_amount::text", "currency": "v_currency", "mark": "i.mark", "transition": "p_transition", "op_id": "p_op",
		"operator": "i.operator", "reason": "p_reason",
	}
	for name := range f.Values {
		f.Parameters = append(f.Parameters, name)
	}
	slices.Sort(f.Parameters)
}

// serverError finds a provider's 5xx in last_error. It takes too many texts for
// one rather than too few: after a 5xx the horizon is the longest.
const serverError = `5xx|gateway time-?out|bad gateway|service unavailable|internal server error` +
	`|(^|http[ /]?[0-9.]* *|status([ _]?code)?[" =:]*|code[" =:]*|error[" =:]*|\()5[0-9][0-9]($|[^0-9.,])`

func nonEmpty(expression string) string { return "nullif(" + expression + ", '')" }

// outflow tells money that goes out by the operation's word.
func (f *function) outflow() string {
	r := f.reading
	o := &r.Operations
	words := slices.Concat(o.Refund, o.Transfer, o.BillPayment)
	mapped := slices.Concat(words, o.Charge, o.Authorize, o.Capture)
	for _, operation := range []payment.Operation{payment.Refund, payment.Transfer, payment.BillPayment} {
		if word := operation.String(); !slices.Contains(mapped, word) {
			words = append(words, word)
		}
	}
	return fmt.Sprintf("%s = ANY (%s)", f.text(r.Columns.Operation, cmp.Or(r.Operation, payment.Charge.String())), array(words))
}

// table says where the row is read, and where it is written.
func (f *function) table() {
	r, c := f.reading, &f.reading.Columns
	place := func(column string) string {
		join, name := r.Place(column)
		return fmt.Sprintf("t%d.%s", join+1, quote(name))
	}
	from := fromClause(r)
	var selected, columns []string
	for _, column := range r.Selected() {
		selected = append(selected, place(column)+"::text")
		join, name := r.Place(column)
		if join >= 0 {
			columns = append(columns, "NULL")
			continue
		}
		columns = append(columns, literal(name))
	}
	f.Select = literal("SELECT ARRAY[" + strings.Join(selected, ", ") + "] FROM " + from + " WHERE " + place(c.ID) + " = ")
	f.Held = "false"
	if c.ProviderChargeID != "" {
		f.Held = fmt.Sprintf("EXISTS (SELECT FROM %s WHERE %s::text = u ->> 'ID' AND %s::text <> v_id)", from, place(c.ProviderChargeID), place(c.ID))
		f.Holder = fmt.Sprintf("SELECT %[2]s::text INTO v_problem FROM %[1]s WHERE %[3]s::text = v_after AND %[2]s::text <> v_id LIMIT 1", from, place(c.ID), place(c.ProviderChargeID))
	}
	table := pgx.Identifier(store.SplitName(r.WriteTable())).Sanitize()
	_, id := r.Place(c.ID)
	if c.Charge != "" {
		f.siblings(from, table, place)
	}
	f.TableName, f.Columns = literal(table), "ARRAY["+strings.Join(columns, ", ")+"]::text[]"
	f.Update, f.Where, f.ByRow = literal("UPDATE "+table+" SET "), literal(" WHERE "+quote(id)+" = "), c.Version == ""
}

// siblings are the charge's other attempts: how they are locked, and what they
// say, one after the other.
func (f *function) siblings(from, table string, place func(string) string) {
	c := &f.reading.Columns
	_, id := f.reading.Place(c.ID)
	f.LockRows = literal("SELECT FROM "+table+" WHERE "+quote(id)+" IN (") +
		" || quote_literal(v_id) || (SELECT string_agg(', ' || quote_literal(p_siblings[x]), '') FROM generate_series(1, cardinality(p_siblings), 3) x) || " +
		literal(") ORDER BY "+quote(id)+" FOR NO KEY UPDATE")
	object := "''"
	if c.ProviderChargeID != "" {
		object = "coalesce(" + place(c.ProviderChargeID) + "::text, '')"
	}
	f.Siblings = literal(fmt.Sprintf("SELECT array_agg(x.told ORDER BY o.id COLLATE \"C\", x.nth) FROM (SELECT %s::text AS id, %s::text AS word, %s AS object FROM %s WHERE %s = ",
		place(c.ID), place(c.Status), object, from, place(c.Charge))) + " || quote_literal(v_charge) || " +
		literal(") o, unnest(ARRAY[o.id, o.word, o.object]) WITH ORDINALITY x (told, nth) WHERE o.id <> ") + " || quote_literal(v_id)"
}

// marks are the three legal writes, with the words that they begin and end
// with, and the columns that they change.
func (f *function) marks() {
	r, c := f.reading, &f.reading.Columns
	open := r.Status.Unknown
	if r.NoUnknownWord() {
		open = r.Status.Pending
	}
	f.PendingWords = array(r.Status.Pending)
	marks := []string{"(NULL::text, NULL::text, NULL::text, NULL::text[])"}
	for i := range r.Transitions {
		to := r.Transitions[i].To
		status, from := payment.Succeeded, open
		switch to {
		case "failed":
			status = payment.Failed
		case "unknown":
			status, from = payment.Unknown, r.Status.Pending
		}
		if word := r.WordFor(status); word != "" {
			marks = append(marks, fmt.Sprintf("(%s, %s, %s, %s)", literal(status.String()), literal(to), literal(word), array(from)))
		}
	}
	f.Marks = strings.Join(marks, ", ")
	changes := []string{"(" + f.name(c.Status) + ", v_status)"}
	for _, change := range []struct{ column, what string }{
		{c.ProviderChargeID, "CASE WHEN i.mark = 'succeeded' AND p_unit <> '' THEN p_unit END"},
		{c.ResolvedAt, "CASE WHEN i.mark <> 'unknown' THEN 'now' END"},
		{c.UpdatedAt, "'now'"},
	} {
		if change.column != "" {
			changes = append(changes, "("+f.name(change.column)+", "+change.what+")")
		}
	}
	f.Changes = strings.Join(changes, ", ")
}

// name of a described column in the written table, NULL for another table's.
func (f *function) name(column string) string {
	join, name := f.reading.Place(column)
	if join >= 0 {
		return "NULL"
	}
	return literal(name)
}

// policies are what the evidence is held against.
func (f *function) policies() {
	rows := []string{"(NULL::text, NULL::interval, NULL::interval, NULL::interval, NULL::interval, NULL::interval, NULL::interval)"}
	for i := range f.terms.Policies {
		p := &f.terms.Policies[i]
		rows = append(rows, fmt.Sprintf("(%s, %s, %s, %s, %s, %s, %s)", literal(p.Provider), interval(p.OrphanAfter), interval(p.VisibleAfter),
			interval(p.VisibleAfter5xx), interval(p.Skew), interval(p.RecheckGap), interval(p.EvidenceMaxAge)))
	}
	f.Policies = strings.Join(rows, ", ")
	f.Money = states(payment.State.Money)
	f.Dead = states(payment.State.Dead)
	f.Unmapped, f.AuditLock, f.Format = int64(payment.StateUnmapped), auditLock, audit.Format
	f.ApprovalTTL = interval(f.terms.ApprovalTTL)
	f.Above = "false"
	if len(f.terms.ApprovalAbove) > 0 {
		f.Above = "CASE v_currency"
		for _, limit := range f.terms.ApprovalAbove {
			f.Above += fmt.Sprintf(" WHEN %s THEN v_amount > %d", literal(limit.Currency.String()), limit.Minor)
		}
		f.Above += " ELSE true END"
	}
}

// states lists those of which something holds, as look-ups store them.
func states(holds func(payment.State) bool) string {
	var list []string
	for state := range payment.StateUnmapped {
		if holds(state) {
			list = append(list, fmt.Sprint(uint8(state)))
		}
	}
	return "(" + strings.Join(list, ", ") + ")"
}

// effects compiles the declared statements in. Of what is passed to the
// function only values reach them, as literals whose types the server finds out
// from where they stand.
func (f *function) effects() {
	locks := f.reading.LockFirst()
	for i := range locks {
		f.Locks = append(f.Locks, f.statement(&locks[i]))
	}
	for i := range f.reading.Transitions {
		effect, _ := f.reading.Effect(f.reading.Transitions[i].To)
		also := alsoSet{To: literal(effect.To)}
		for _, set := range effect.AlsoSet {
			value := literal(set.Value)
			if name, ok := strings.CutPrefix(set.Value, "$"); ok {
				value = f.Values[name]
			}
			also.Set = append(also.Set, literal(", "+quote(set.Column)+" = ")+" || quote_literal("+value+")")
		}
		if len(also.Set) > 0 {
			f.AlsoSet = append(f.AlsoSet, also)
		}
		for n := range effect.Steps {
			step := &effect.Steps[n]
			f.Steps = append(f.Steps, followUp{To: also.To, SQL: f.statement(&step.Statement), Number: n, Optional: step.Optional})
		}
	}
}

// statement is the expression of a declared statement's text.
func (f *function) statement(s *store.Statement) string {
	const mark = "\x00" // no statement holds one
	text := s.Render(func(name string) string { return mark + name + mark })
	parts := strings.Split(text, mark)
	for i := range parts {
		if i%2 == 1 {
			parts[i] = "q_" + parts[i]
		} else {
			parts[i] = literal(parts[i])
		}
	}
	return strings.Join(parts, " || ")
}

func array(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = literal(word)
	}
	return "ARRAY[" + strings.Join(quoted, ", ") + "]::text[]"
}

func interval(d time.Duration) string {
	return fmt.Sprintf("interval '%d microseconds'", d.Microseconds())
}
