package profile

import "slices"

// The fields that a profile can give columns to, in the order of the docs.
var (
	statementFields = []string{
		"id", "unit", "aliases", "group", "parent", "key", "type", "text", "status", "reason", "method",
		"gross", "debit", "credit", "side", "fee", "tax", "net", "captured", "currency",
		"presented_amount", "presented_currency", "occurred_at", "available_at", "covered_by",
		"payout", "installment", "installments", "recipient", "provider", "account", "mode", "balance",
	}
	attemptFields = []string{
		"id", "charge", "key", "provider", "account", "status", "operation", "direction", "provider_charge_id",
		"amount", "amount_minor", "currency", "created_at", "updated_at", "last_sent", "resolved_at",
		"payload_hash", "last_error", "reserve", "version",
	}
)

// AnyReference stands in Profile.Required for any reference column.
const AnyReference = "reference"

// fieldsFor lists the fields of a kind.
func fieldsFor(kind string) []string {
	if kind == KindAttempts {
		return attemptFields
	}
	return statementFields
}

// columnsOf are the columns that a field or AnyReference is read from.
func (p *Profile) columnsOf(field string) []Column {
	if field != AnyReference {
		return append(slices.Clone(p.Columns[field]), p.unitColumns(field)...)
	}
	var all []Column
	for _, r := range p.References {
		all = append(all, r.Columns...)
	}
	return all
}

// unitColumns are the columns that only unit rules name for a field.
func (p *Profile) unitColumns(field string) []Column {
	var all []Column
	for _, rule := range p.Units {
		for _, c := range rule.list(field) {
			if !slices.Contains(all, c) {
				all = append(all, c)
			}
		}
	}
	return all
}

func (r UnitRule) list(field string) []Column {
	switch field {
	case "unit":
		return r.Unit
	case "parent":
		return r.Parent
	case "payout":
		return r.Payout
	}
	return nil
}
