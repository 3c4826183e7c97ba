package overdb

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"desfecho/internal/payment"
	"desfecho/internal/runs"
	"desfecho/internal/store"
	"desfecho/reconcile"
)

// table is the merchant's table of a case.
const table = "case_attempts"

// metadata is where the provider keeps the references.
const metadata = "metadata."

// describe says how the table of a case is read.
func describe(in *reconcile.Input) *store.Description {
	d := &store.Description{
		Read: table, Provider: provider(in),
		Columns: store.Columns{
			ID: "id", Charge: "charge_id", Key: "idempotency_key", Account: "account", Status: "status", ProviderChargeID: "provider_charge_id",
			Amount: "amount", Unit: "minor", Currency: "currency", CreatedAt: "created_at", LastSent: "last_sent", LastError: "last_error",
			Operation: "operation", PayloadHash: "payload_hash", Reserve: "reserve", Version: "version",
		},
		Status: store.StatusWords{
			Pending: []string{"pending"}, Unknown: []string{"unknown"}, Succeeded: []string{"succeeded"}, Failed: []string{"failed"},
		},
	}
	if in.Policies[0].NoUnknownWord {
		d.Status.Unknown = nil
	}
	for _, r := range references(in) {
		d.References = append(d.References, store.ReferenceAt{Here: "ref_" + r.Name, There: metadata + r.Name, Scope: r.Scope.String()})
	}
	if len(in.Charges) > 0 {
		d.Joins = []store.Join{{Table: chargesTable, Here: "charge_id", There: "id"}}
		d.Columns.ChargeAmount = chargesTable + ".amount"
	}
	if len(in.Events) > 0 {
		d.Events = describeEvents(d)
	}
	return d
}

// references lists those that anything of the case carries, by name.
func references(in *reconcile.Input) []payment.Reference {
	var all []payment.Reference
	add := func(list []payment.Reference) {
		for _, r := range list {
			if !slices.ContainsFunc(all, func(known payment.Reference) bool { return known.Name == r.Name }) {
				all = append(all, payment.Reference{Name: r.Name, Scope: r.Scope})
			}
		}
	}
	for i := range in.Attempts {
		add(in.Attempts[i].References)
	}
	for i := range in.Units {
		add(in.Units[i].References)
	}
	for i := range in.Lines {
		add(in.Lines[i].References)
	}
	for i := range in.Events {
		add(in.Events[i].References)
	}
	slices.SortFunc(all, func(a, b payment.Reference) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// attemptsSQL makes the merchant's table anew with the rows of the moment.
func attemptsSQL(in *reconcile.Input, d *store.Description) string {
	var b strings.Builder
	fmt.Fprintf(&b, "DROP TABLE IF EXISTS %s;\nCREATE TABLE %s (", table, table)
	for i, column := range columns(d) {
		kind := " text"
		if column == "amount" {
			kind = " bigint NOT NULL"
		}
		b.WriteString(strings.Repeat(", ", min(i, 1)) + column + kind)
	}
	b.WriteString(");\n")
	for i := range in.Attempts {
		fmt.Fprintf(&b, "INSERT INTO %s VALUES (%s);\n", table, strings.Join(cells(&in.Attempts[i], d), ", "))
	}
	return b.String()
}

// columns are those of the merchant's table.
func columns(d *store.Description) []string {
	names := []string{
		"id", "charge_id", "idempotency_key", "account", "status", "provider_charge_id", "amount", "currency", "created_at", "last_sent",
		"last_error", "operation", "payload_hash", "reserve", "version",
	}
	for _, r := range d.References {
		names = append(names, r.Here)
	}
	return names
}

// cells are the values of an attempt's row, in the order of its columns.
func cells(a *payment.Attempt, d *store.Description) []string {
	values := []string{
		a.ID, a.Charge, a.Key, a.Account, a.Status.String(), a.ProviderID, strconv.FormatInt(a.Amount.Minor, 10), a.Amount.Currency.String(),
		a.CreatedAt.String(), a.LastSent.String(), a.LastError.String(), a.Operation.String(), a.PayloadHash, a.Reserve.String(), a.Version,
	}
	for _, r := range d.References {
		values = append(values, valueOf(a.References, strings.TrimPrefix(r.There, metadata)))
	}
	for i := range values {
		values[i] = literal(values[i])
	}
	return values
}

// chargesTable is the merchant's table of charges of a case.
const chargesTable = "case_charges"

// chargesSQL makes that table anew.
func chargesSQL(in *reconcile.Input) string {
	var b strings.Builder
	fmt.Fprintf(&b, "DROP TABLE IF EXISTS %s;\nCREATE TABLE %s (id text PRIMARY KEY, amount bigint);\n", chargesTable, chargesTable)
	for _, c := range in.Charges {
		fmt.Fprintf(&b, "INSERT INTO %s VALUES (%s, %d);\n", chargesTable, literal(c.ID), c.Minor)
	}
	return b.String()
}

func valueOf(references []payment.Reference, name string) string {
	for _, r := range references {
		if r.Name == name {
			return r.Value
		}
	}
	return ""
}

func literal(text string) string {
	if text == "" {
		return "NULL"
	}
	return "'" + strings.ReplaceAll(text, "'", "''") + "'"
}

// accounts lists those that anything of the case is of.
func accounts(in *reconcile.Input) []string {
	all := slices.Clone(in.Policies[0].Accounts)
	for i := range in.Statements {
		all = append(all, in.Statements[i].Account)
	}
	for i := range in.Units {
		all = append(all, in.Units[i].Account)
	}
	for i := range in.Lookups {
		all = append(all, in.Lookups[i].Account)
	}
	if len(all) == 0 {
		all = []string{""}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// firstSeen is the unit as it was observed first: when the case says so, else
// when its statement was complete.
func firstSeen(in *reconcile.Input, u payment.Unit) payment.Unit {
	for i := range in.Statements {
		if s := &in.Statements[i]; s.Name == u.Statement && !s.Through.IsZero() {
			u.ObservedAt = min(u.ObservedAt, s.Through)
		}
	}
	if !u.FirstSeen.IsZero() {
		u.ObservedAt = u.FirstSeen
	}
	return u
}

// pages is what pulls of the account would store: a page for the units, one for
// each file of each statement, and the coverage last.
func pages(in *reconcile.Input, account string) []store.Page {
	whole := store.Page{Source: "case"}
	for i := range in.Units {
		if in.Units[i].Account == account {
			whole.Units = append(append(whole.Units, firstSeen(in, in.Units[i])), in.Units[i])
		}
	}
	type file struct {
		statement string
		index     int32
	}
	files := map[file][]payment.Line{}
	var order []file
	for i := range in.Lines {
		if l := &in.Lines[i]; l.Account == account {
			f := file{l.Statement, l.File}
			if files[f] == nil {
				order = append(order, f)
			}
			files[f] = append(files[f], *l)
		}
	}
	var all []store.Page
	for _, f := range order {
		numbers := store.NewNumbers(in.Policies[0].LineIDsUnique)
		all = append(all, store.Page{Source: "case", Lines: numbers.Lines(files[f])})
	}
	for i := range in.Statements {
		s := &in.Statements[i]
		if s.Account != account {
			continue
		}
		lines := 0
		for k := range in.Lines {
			if in.Lines[k].Statement == s.Name {
				lines++
			}
		}
		whole.Statements = append(whole.Statements, *s)
		whole.StatementLines = append(whole.StatementLines, lines)
	}
	p := &in.Policies[0]
	readings := runs.Readings{"case": {LineIDsUnique: p.LineIDsUnique, Expected: p.Expected, Variation: p.Variation}}
	if cursor, err := readings.Cursor(mode(in)); err == nil {
		whole.Cursor = cursor
	}
	return append(all, whole)
}

func lookups(in *reconcile.Input, account string) []payment.Lookup {
	var all []payment.Lookup
	for i := range in.Lookups {
		if in.Lookups[i].Account == account {
			all = append(all, in.Lookups[i])
		}
	}
	return all
}
