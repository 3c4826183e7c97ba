// Package propose looks at a database and proposes how its attempts table is
// described: which table, which column is what, which word means what, and the
// reason of each. What cannot be known from a database it asks; a question
// that nobody answers stays as a marked blank in the YAML.
//
// It never writes, opens no database, reads no clock, and guesses nothing that
// could make a wrong claim about money: what `succeeded` means is always asked.
package propose

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"desfecho/internal/catalog"
	"desfecho/internal/check"
	"desfecho/internal/payment"
	"desfecho/internal/store"
)

// Blank marks in the YAML what a person must fill in.
const Blank = "???"

// Settings say what is known beforehand. Everything may be left out.
type Settings struct {
	Table   string   // to describe; "": the best of all
	Zones   []string // to try for times without zone, beside UTC and the database's own
	URLFile string   // the file that holds the database's URL
}

// Question is what only a person knows. Key is the place in the configuration.
// Ask, Why and Options hold text of the database: they reach a screen only
// through ui.Clean.
type Question struct {
	Key     string
	Ask     string
	Why     string
	Suggest string   // the likeliest answer, "" for none
	Options []string // the only answers there are; nil: any
	put     func(string)
	done    bool
}

// Answered tells whether Answer was called for it.
func (q *Question) Answered() bool { return q.done }

// Candidate is a table that may be the one of the attempts.
type Candidate struct {
	Table   string
	Points  int
	Reasons []string
}

// Provider is one name of the provider column, or of no column.
type Provider struct {
	Name     string
	Account  string
	Timezone string
	Means    []Means
	place    string // of what is asked about it
}

// Means is what `succeeded` says of one operation: created, authorized or
// captured.
type Means struct{ Operation, Is string }

// Proposal is a description in the making. Attempts compiles once every
// question is answered.
type Proposal struct {
	Candidates []Candidate // best first; the first is described
	Attempts   store.Description
	Events     *store.EventsTable   // nil: no table looks like it
	Business   *check.BusinessTable // likewise
	Providers  []Provider
	Questions  []Question
	reasons    map[string]string // by key
	strange    []string          // status words that nobody knows, as comments
	reserved   []string          // likewise words of the reserve
	urlFile    string
}

// ErrNothing says that no table looks like attempts.
var ErrNothing = errors.New("no table looks like payment attempts: one needs an id, a status, a time of creation, and a key, a provider's id or an amount; name it if it is there")

// Answer fills a question in. An answer that is not one of the options, an
// empty one, or an unknown key is an error and changes nothing.
func (p *Proposal) Answer(key, value string) error {
	for i := range p.Questions {
		q := &p.Questions[i]
		if q.Key != key {
			continue
		}
		if value == "" || len(q.Options) > 0 && !slices.Contains(q.Options, value) {
			return fmt.Errorf("%s: %q is no answer: want one of %s", key, value, strings.Join(q.Options, ", "))
		}
		q.put(value)
		q.done = true
		return nil
	}
	return fmt.Errorf("%s is not asked", key)
}

// Propose looks at the database. ErrNothing where no table will do; else an
// error says that the database could not be read.
func Propose(ctx context.Context, db catalog.Database, s Settings) (*Proposal, error) {
	b := &builder{db: db, settings: s, p: &Proposal{reasons: map[string]string{}, urlFile: s.URLFile}}
	for _, step := range []func(context.Context) error{b.choose, b.database, b.describe, b.amounts, b.charge, b.operations, b.reserve, b.words, b.zone, b.references, b.events, b.business, b.providers} {
		if err := step(ctx); err != nil {
			return nil, fmt.Errorf("propose a description: %w", err)
		}
	}
	return b.p, nil
}

// builder carries what was found so far.
type builder struct {
	db       catalog.Database
	settings Settings
	p        *Proposal
	tables   []*catalog.Table
	t        *catalog.Table // the chosen one
	columns  map[string]string
	how      map[string]string
	spoken   []string // operations that occur
}

func (b *builder) ask(q Question) { b.p.Questions = append(b.p.Questions, q) }

func (b *builder) because(key, format string, args ...any) {
	b.p.reasons[key] = fmt.Sprintf(format, args...)
}

func (b *builder) database(context.Context) error {
	if b.p.urlFile == "" {
		b.ask(Question{
			Key: "database.url_file", Ask: "Which file holds the database's URL?", Why: "a URL with a password in it does not belong into the configuration",
			put: func(v string) { b.p.urlFile = v },
		})
	}
	return nil
}

// describe writes down the columns that were found by name.
func (b *builder) describe(context.Context) error {
	a := &b.p.Attempts
	a.Read = b.t.Name
	if !b.t.View {
		a.Write = b.t.Name
	}
	c := &a.Columns
	for field, to := range map[string]*string{
		"id": &c.ID, "charge": &c.Charge, "key": &c.Key, "provider": &c.Provider, "account": &c.Account, "status": &c.Status,
		"provider_charge_id": &c.ProviderChargeID, "created_at": &c.CreatedAt, "updated_at": &c.UpdatedAt, "last_sent": &c.LastSent,
		"resolved_at": &c.ResolvedAt, "last_error": &c.LastError, "payload_hash": &c.PayloadHash, "version": &c.Version,
	} {
		*to = b.columns[field]
		b.because("attempts.columns."+field, "%s", b.how[field])
	}
	if c.Key == "" {
		b.because("attempts.columns.key", "no column looks like an idempotency key: see RULES §1, and `desfecho check`")
	}
	if c.ProviderChargeID == "" {
		b.because("attempts.columns.provider_charge_id", "no column looks like the provider's id: objects are linked by references alone")
	}
	return nil
}

// values counts the distinct texts of a column, the most frequent first.
func (b *builder) values(ctx context.Context, table, column string) ([]catalog.Row, error) {
	name := "CAST(" + catalog.Identifier(column) + " AS text)"
	return b.db.Rows(ctx, "SELECT "+name+", CAST(count(*) AS text) FROM "+catalog.Quote(table)+" WHERE "+name+" IS NOT NULL GROUP BY "+name+
		" ORDER BY count(*) DESC, "+name+" LIMIT 40")
}

// place is a described column's table and name there.
func (b *builder) place(column string) (table, name string) {
	for _, j := range b.p.Attempts.Joins {
		if rest, ok := strings.CutPrefix(column, j.Name()+"."); ok {
			return j.Table, rest
		}
	}
	return b.t.Name, column
}

// operations keeps a column of operations only if its words are some.
func (b *builder) operations(ctx context.Context) error {
	a := &b.p.Attempts
	if a.Columns.Operation == "" {
		a.Columns.Operation = b.columns["operation"]
	}
	b.spoken = []string{payment.Charge.String()}
	if a.Columns.Operation == "" {
		a.Operation = payment.Charge.String()
		b.because("attempts.operation", "no column tells operations apart; every attempt is taken for a charge")
		return nil
	}
	table, name := b.place(a.Columns.Operation)
	rows, err := b.values(ctx, table, name)
	if err != nil {
		return err
	}
	var heard []string
	for _, r := range rows {
		operation := operationOf(r[0].Value)
		if operation == "" {
			b.because("attempts.operation", "%s is no operation: it says %q", a.Columns.Operation, r[0].Value)
			a.Columns.Operation, a.Operation = "", payment.Charge.String()
			return nil
		}
		heard = append(heard, operation)
		b.hear(operation, r[0].Value)
	}
	if len(heard) > 0 {
		slices.Sort(heard)
		b.spoken = slices.Compact(heard)
	}
	b.because("attempts.columns.operation", "its words are operations")
	return nil
}

func (b *builder) hear(operation, word string) {
	if word == operation {
		return
	}
	o := &b.p.Attempts.Operations
	list := map[string]*[]string{
		"charge": &o.Charge, "authorize": &o.Authorize, "capture": &o.Capture, "refund": &o.Refund, "transfer": &o.Transfer, "bill_payment": &o.BillPayment,
	}[operation]
	*list = append(*list, word)
}

// operationOf knows the words for operations, "" for any other.
func operationOf(word string) string {
	for operation, known := range map[string][]string{
		"charge":       names("charge payment sale cobranca cobrança pagamento venda credito debit"),
		"authorize":    names("authorize authorization autorizacao autorização pre_autorizacao"),
		"capture":      names("capture captura"),
		"refund":       names("refund reversal estorno reembolso devolucao devolução"),
		"transfer":     names("transfer payout transferencia transferência saque repasse pix_out"),
		"bill_payment": names("bill_payment pagamento_conta pagamento_boleto"),
	} {
		if slices.Contains(known, strings.ToLower(word)) {
			return operation
		}
	}
	return ""
}
