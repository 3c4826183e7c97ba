package store

import (
	"fmt"
	"strings"
	"time"

	"desfecho/internal/money"
	"desfecho/internal/payment"
)

// Description says how the merchant's attempts table is read (DESIGN §3). It is
// configuration: lists, no maps, so that names keep their case. The zero value
// of a word means that the table has no such thing.
type Description struct {
	Read     string `mapstructure:"read" yaml:"read"`                   // table or view, with or without schema
	Joins    []Join `mapstructure:"joins" yaml:"joins,omitempty"`       // further tables, one row each
	Write    string `mapstructure:"write" yaml:"write,omitempty"`       // the table that resolve writes
	WriteBy  string `mapstructure:"write_by" yaml:"write_by,omitempty"` // direct or function; "": direct
	Timezone string `mapstructure:"timezone" yaml:"timezone,omitempty"` // of columns without zone

	Columns    Columns        `mapstructure:"columns" yaml:"columns"`
	References []ReferenceAt  `mapstructure:"references" yaml:"references,omitempty"`
	Status     StatusWords    `mapstructure:"status" yaml:"status"`
	Operations OperationWords `mapstructure:"operations" yaml:"operations,omitempty"`
	Reserves   ReserveWords   `mapstructure:"reserves" yaml:"reserves,omitempty"`

	// What resolve may write besides the attempt's row: locks to take first,
	// and what follows each transition.
	LockBefore  []string     `mapstructure:"lock_first" yaml:"lock_first,omitempty"`
	Transitions []Transition `mapstructure:"transitions" yaml:"transitions,omitempty"`

	// What holds for every row where no column says it.
	Provider  string `mapstructure:"provider" yaml:"provider,omitempty"`
	Account   string `mapstructure:"account" yaml:"account,omitempty"`
	Currency  string `mapstructure:"currency" yaml:"currency,omitempty"`
	Operation string `mapstructure:"operation" yaml:"operation,omitempty"`

	// Events are the stored webhook events beside the attempts; nil: none. They
	// are configured under a key of their own.
	Events *EventsTable `mapstructure:"-" yaml:"-"`
}

// Join adds the columns of a table whose There equals the read table's Here:
// {table: charges, here: charge_id, there: id}. Its columns are written
// table.column, by As where the table has another name here.
type Join struct {
	Table string `mapstructure:"table" yaml:"table"`
	As    string `mapstructure:"as" yaml:"as,omitempty"`
	Here  string `mapstructure:"here" yaml:"here"`
	There string `mapstructure:"there" yaml:"there"`
}

// Name is how columns name the joined table.
func (j Join) Name() string {
	if j.As != "" {
		return j.As
	}
	return j.Table
}

// Columns names the columns of an attempt. Unit says what an amount is in:
// "minor" (12990) or "major" (129.90).
type Columns struct {
	ID               string `mapstructure:"id" yaml:"id"`
	Charge           string `mapstructure:"charge" yaml:"charge,omitempty"`
	Key              string `mapstructure:"key" yaml:"key,omitempty"`
	Provider         string `mapstructure:"provider" yaml:"provider,omitempty"`
	Account          string `mapstructure:"account" yaml:"account,omitempty"`
	Status           string `mapstructure:"status" yaml:"status"`
	ProviderChargeID string `mapstructure:"provider_charge_id" yaml:"provider_charge_id,omitempty"`
	Amount           string `mapstructure:"amount" yaml:"amount"`
	Unit             string `mapstructure:"unit" yaml:"unit"`
	ChargeAmount     string `mapstructure:"charge_amount" yaml:"charge_amount,omitempty"` // what the charge wants in all, where attempts may be of less
	Currency         string `mapstructure:"currency" yaml:"currency,omitempty"`
	CreatedAt        string `mapstructure:"created_at" yaml:"created_at"`
	UpdatedAt        string `mapstructure:"updated_at" yaml:"updated_at,omitempty"`
	LastSent         string `mapstructure:"last_sent" yaml:"last_sent,omitempty"`
	ResolvedAt       string `mapstructure:"resolved_at" yaml:"resolved_at,omitempty"`
	LastError        string `mapstructure:"last_error" yaml:"last_error,omitempty"`
	Operation        string `mapstructure:"operation" yaml:"operation,omitempty"`
	PayloadHash      string `mapstructure:"payload_hash" yaml:"payload_hash,omitempty"`
	Reserve          string `mapstructure:"reserve" yaml:"reserve,omitempty"`
	Version          string `mapstructure:"version" yaml:"version,omitempty"` // else xmin, else every described column
}

// ReferenceAt is one merchant's identifier that went out with the attempt
// (RULES §1): the column it has here, or a template with one column in braces
// such as order-{charge_id}; the place it has there; and what one value of it
// stands for. Name is the word under which statements give it; There where it
// is left out, without a leading "metadata.".
type ReferenceAt struct {
	Here  string `mapstructure:"here" yaml:"here"`
	There string `mapstructure:"there" yaml:"there"`
	Scope string `mapstructure:"scope" yaml:"scope"`
	Name  string `mapstructure:"name" yaml:"name,omitempty"`
}

// StatusWords maps the table's own words to those of RULES §1. A word in no
// list is kept and its rows are not judged.
type StatusWords struct {
	Pending   []string `mapstructure:"pending" yaml:"pending,omitempty"`
	Unknown   []string `mapstructure:"unknown" yaml:"unknown,omitempty"`
	Succeeded []string `mapstructure:"succeeded" yaml:"succeeded,omitempty"`
	Failed    []string `mapstructure:"failed" yaml:"failed,omitempty"`
}

// OperationWords maps the words of the operation column; the words of RULES §1
// stand for themselves.
type OperationWords struct {
	Charge      []string `mapstructure:"charge" yaml:"charge,omitempty"`
	Authorize   []string `mapstructure:"authorize" yaml:"authorize,omitempty"`
	Capture     []string `mapstructure:"capture" yaml:"capture,omitempty"`
	Refund      []string `mapstructure:"refund" yaml:"refund,omitempty"`
	Transfer    []string `mapstructure:"transfer" yaml:"transfer,omitempty"`
	BillPayment []string `mapstructure:"bill_payment" yaml:"bill_payment,omitempty"`
}

// ReserveWords maps the words of the reserve column likewise.
type ReserveWords struct {
	Held     []string `mapstructure:"held" yaml:"held,omitempty"`
	Released []string `mapstructure:"released" yaml:"released,omitempty"`
	Consumed []string `mapstructure:"consumed" yaml:"consumed,omitempty"`
}

// NoUnknownWord tells whether the table cannot hold `unknown`, so that an old
// pending attempt is one (RULES §1, status).
func (d *Description) NoUnknownWord() bool { return len(d.Status.Unknown) == 0 }

// Reading is a description that was checked: what to select and what the rows
// mean.
type Reading struct {
	Description
	zone       *time.Location // nil: not declared
	exponent   bool           // amounts are in major units
	currency   money.Currency
	operation  payment.Operation
	statuses   map[string]payment.Status
	operations map[string]payment.Operation
	reserves   map[string]payment.Reserve
	references []referenceAt
	selected   []string      // the described columns, each once
	events     *EventReading // nil: none are described
	effects    []Effect
	locks      []Statement
	at         places
}

type referenceAt struct {
	column         int // into selected
	prefix, suffix string
	name           string
	scope          payment.Scope
}

// Selected lists the described columns, each once, in the order that Attempt
// expects their texts; a joined one as table.column.
func (r *Reading) Selected() []string { return r.selected }

// Compile checks the description. The error is a *DescriptionError.
func (d *Description) Compile() (*Reading, error) {
	r := &Reading{Description: *d}
	for _, step := range []func() error{r.needed, r.constants, r.words, r.columns, r.referenceColumns, r.eventPaths, r.transitions} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func (r *Reading) needed() error {
	for _, n := range []struct{ key, value, advice string }{
		{"read", r.Read, "name the table or view of your attempts"},
		{"columns.id", r.Columns.ID, "name the column that tells one attempt from all others"},
		{"columns.status", r.Columns.Status, "name the column of the status"},
		{"columns.amount", r.Columns.Amount, "name the column of the amount; where it is in another table, join it or read a view"},
		{"columns.created_at", r.Columns.CreatedAt, "name the column of the time the attempt was made"},
	} {
		if n.value == "" {
			return &DescriptionError{"attempts." + n.key, "is not said", n.advice}
		}
	}
	for i, j := range r.Joins {
		if j.Table == "" || j.Here == "" || j.There == "" {
			return &DescriptionError{fmt.Sprintf("attempts.joins[%d]", i), "needs table, here and there", "such as {table: charges, here: charge_id, there: id}"}
		}
	}
	switch {
	case r.Columns.Provider == "" && r.Provider == "":
		return &DescriptionError{"attempts.provider", "is not said", "name the provider, or its column as columns.provider"}
	case r.Columns.Currency == "" && r.Currency == "":
		return &DescriptionError{"attempts.currency", "is not said", "say the currency of all rows, such as BRL, or its column as columns.currency"}
	}
	return nil
}

func (r *Reading) constants() error {
	switch r.Columns.Unit {
	case "minor":
	case "major":
		r.exponent = true
	default:
		return &DescriptionError{"attempts.columns.unit", fmt.Sprintf("is %q", r.Columns.Unit), "say minor (12990 is 129.90) or major (129.90)"}
	}
	var err error
	if r.Timezone != "" {
		if r.zone, err = time.LoadLocation(r.Timezone); err != nil || r.Timezone == "Local" {
			return &DescriptionError{"attempts.timezone", fmt.Sprintf("%q is no time zone", r.Timezone), "write a name such as America/Sao_Paulo or UTC"}
		}
	}
	if r.Currency != "" {
		if r.currency, err = money.ParseCurrency(r.Currency); err != nil {
			return &DescriptionError{"attempts.currency", err.Error(), ""}
		}
	}
	if r.Operation != "" {
		if r.operation, err = payment.ParseOperation(r.Operation); err != nil {
			return &DescriptionError{"attempts.operation", err.Error(), ""}
		}
	}
	return nil
}

// words turns the lists of words into maps and refuses a word in two of them.
func (r *Reading) words() error {
	var err error
	if r.statuses, err = wordMap("attempts.status", [][]string{
		payment.Pending: r.Status.Pending, payment.Unknown: r.Status.Unknown,
		payment.Succeeded: r.Status.Succeeded, payment.Failed: r.Status.Failed,
	}, func(i int) payment.Status { return payment.Status(i) }); err != nil {
		return err
	}
	if len(r.statuses) == 0 {
		return &DescriptionError{"attempts.status", "maps no word", "say which words mean pending, unknown, succeeded and failed"}
	}
	o := &r.Operations
	if r.operations, err = wordMap("attempts.operations", [][]string{o.Charge, o.Authorize, o.Capture, o.Refund, o.Transfer, o.BillPayment},
		func(i int) payment.Operation { return payment.Operation(i) }); err != nil {
		return err
	}
	r.reserves, err = wordMap("attempts.reserves", [][]string{
		payment.ReserveHeld: r.Reserves.Held, payment.ReserveReleased: r.Reserves.Released, payment.ReserveConsumed: r.Reserves.Consumed,
	}, func(i int) payment.Reserve { return payment.Reserve(i) })
	return err
}

func wordMap[T comparable](key string, lists [][]string, of func(int) T) (map[string]T, error) {
	words := map[string]T{}
	for i, list := range lists {
		for _, word := range list {
			if other, twice := words[word]; twice && other != of(i) {
				return nil, &DescriptionError{key, fmt.Sprintf("the word %q is in two lists", word), "a word means one thing"}
			}
			words[word] = of(i)
		}
	}
	return words, nil
}

func (r *Reading) referenceColumns() error {
	for i, ref := range r.References {
		key := fmt.Sprintf("attempts.references[%d]", i)
		scope, err := payment.ParseScope(ref.Scope)
		if err != nil {
			return &DescriptionError{key + ".scope", err.Error(), "attempt: each attempt sends its own; charge: the attempts of a charge share it"}
		}
		at := referenceAt{scope: scope, name: ref.Name}
		if at.name == "" {
			at.name = strings.TrimPrefix(ref.There, "metadata.")
		}
		if at.name == "" || ref.Here == "" {
			return &DescriptionError{key, "needs here and there", "such as {here: charge_id, there: metadata.charge_id, scope: charge}"}
		}
		column := ref.Here
		if before, rest, ok := strings.Cut(ref.Here, "{"); ok {
			inner, after, closed := strings.Cut(rest, "}")
			if !closed || inner == "" || strings.ContainsAny(after, "{}") {
				return &DescriptionError{key + ".here", fmt.Sprintf("%q is no template", ref.Here), "a template has one column in braces: order-{charge_id}"}
			}
			at.prefix, column, at.suffix = before, inner, after
		}
		at.column = r.selects(column)
		r.references = append(r.references, at)
	}
	return nil
}

// Place says which relation a selected column is of, -1 for the read one, else
// the index of the join, and its name there.
func (r *Reading) Place(column string) (join int, name string) {
	for i, j := range r.Joins {
		if rest, ok := strings.CutPrefix(column, j.Name()+"."); ok {
			return i, rest
		}
	}
	return -1, column
}

// Zone is the declared zone of columns without one; nil where none is.
func (r *Reading) Zone() *time.Location { return r.zone }

// OpenWords lists the table's words for pending and unknown.
func (r *Reading) OpenWords() []string {
	return append(append([]string{}, r.Status.Pending...), r.Status.Unknown...)
}

// CreatedColumn is the column of the time of creation.
func (r *Reading) CreatedColumn() string { return r.Columns.CreatedAt }

// StatusColumn is the column of the status.
func (r *Reading) StatusColumn() string { return r.Columns.Status }

// ProviderColumn is the column of the provider, "" where all rows are of
// Description.Provider.
func (r *Reading) ProviderColumn() string { return r.Columns.Provider }

// Keeps tells whether an attempt that was read meets the filter exactly: what
// the database was asked may be wider, where a column has no zone.
func (f *AttemptFilter) Keeps(a *payment.Attempt) bool {
	if f.Outside != nil {
		return !a.Status.Open() && !f.Outside.Contains(a.CreatedAt)
	}
	if len(f.Values) > 0 || f.Created == nil && !f.Open {
		return true
	}
	return f.Open && a.Status.Open() || f.Created != nil && f.Created.Contains(a.CreatedAt)
}

// SplitName takes a name of the configuration apart at its dots, as SQL does: a
// part in double quotes may hold dots, and doubled a quote.
func SplitName(name string) []string {
	var parts []string
	var part strings.Builder
	quoted := false
	for i := 0; i < len(name); i++ {
		c := name[i]
		switch {
		case c == '"' && quoted && i+1 < len(name) && name[i+1] == '"':
			part.WriteByte(c)
			i++
		case c == '"' && (quoted || part.Len() == 0):
			quoted = !quoted
		case c == '.' && !quoted:
			parts = append(parts, part.String())
			part.Reset()
		default:
			part.WriteByte(c)
		}
	}
	return append(parts, part.String())
}
