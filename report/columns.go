package report

import (
	"cmp"
	"fmt"
	"strings"

	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/reconcile"
)

// columnSort is the type of a column. It decides how a value is written and whether
// it can be a formula.
type columnSort uint8

const (
	wordColumn    columnSort = iota // a word of this program's own lists
	idColumn                        // an id from outside, never masked
	textColumn                      // other text from outside, masked already
	moneyColumn                     // an amount
	instantColumn                   // a moment
	numberColumn                    // a whole number
)

// value is one cell before it is written. Only the field of its sort counts.
type value struct {
	sort    columnSort
	text    string
	amount  money.Amount
	instant payment.Instant
	empty   bool
}

// csvColumn is one column of csv and csv-br. Their order and names are a
// contract (docs/csv.md): new ones are added at the end.
type csvColumn struct {
	name  string
	br    string
	value func(doc *Document, d *reconcile.Divergence) value
}

func csvColumns() []csvColumn {
	return append(append(subjectColumns(), moneyColumns()...), reasonColumns()...)
}

func word(text string) value { return value{sort: wordColumn, text: text} }

func id(text string) value { return value{sort: idColumn, text: text} }

func ids(list []string) value { return value{sort: idColumn, text: strings.Join(list, "+")} }

func text(masked string) value { return value{sort: textColumn, text: masked} }

func instant(i payment.Instant) value { return value{sort: instantColumn, instant: i} }

// amount of the divergence's currency; where it has none there is no amount.
func amount(d *reconcile.Divergence, minor int64) value {
	return value{sort: moneyColumn, amount: money.Amount{Minor: minor, Currency: d.Currency}, empty: minor == 0 && d.Currency.IsZero()}
}

// some is an amount that most classes do not have: empty instead of 0.
func some(d *reconcile.Divergence, minor int64) value {
	v := amount(d, minor)
	v.empty = minor == 0
	return v
}

// statedValue is what one side states: an amount, or a currency code.
func statedValue(text string, d *reconcile.Divergence) value {
	if a, ok := stated(text, d.Currency); ok {
		return value{sort: moneyColumn, amount: a}
	}
	return value{sort: textColumn, text: freeText(text)}
}

func subjectColumns() []csvColumn {
	type div = *reconcile.Divergence
	return []csvColumn{
		{"schema", "esquema", func(*Document, div) value { return value{sort: numberColumn, text: fmt.Sprint(Schema)} }},
		{"verdict", "veredito", func(doc *Document, _ div) value { return word(doc.Result.Verdict.String()) }},
		{"divergence", "divergencia", func(_ *Document, d div) value { return id(d.ID) }},
		{"severity", "severidade", func(_ *Document, d div) value { return word(d.Severity.String()) }},
		{"class", "classe", func(_ *Document, d div) value { return word(d.Class.String()) }},
		{"also", "tambem", func(_ *Document, d div) value { return word(classNames(d.Also, "+")) }},
		{"provider", "provedor", func(_ *Document, d div) value { return id(d.Provider) }},
		{"account", "conta", func(_ *Document, d div) value { return id(d.Account) }},
		{"mode", "modo", func(_ *Document, d div) value { return word(d.Mode.String()) }},
		{"subject_kind", "tipo_do_objeto", func(_ *Document, d div) value { return word(d.Subject.Kind.String()) }},
		{"subject", "objeto", func(_ *Document, d div) value { return ids(d.Subject.IDs) }},
		{"attempts", "tentativas", func(_ *Document, d div) value { return ids(d.Attempts) }},
		{"unit", "unidade", func(_ *Document, d div) value { return id(cmp.Or(d.Unit, strings.Join(d.Units, "+"))) }},
		{"charge", "cobranca", func(_ *Document, d div) value { return id(d.Charge) }},
		{"linked_charge", "cobranca_nos_metadados", func(_ *Document, d div) value { return id(d.LinkedCharge) }},
		{"lines", "linhas", func(_ *Document, d div) value { return ids(d.Lines) }},
	}
}

func moneyColumns() []csvColumn {
	type div = *reconcile.Divergence
	return []csvColumn{
		{"amount", "valor", func(_ *Document, d div) value { return amount(d, d.Amount) }},
		{"currency", "moeda", func(_ *Document, d div) value { return word(d.Currency.String()) }},
		{"same_money_as", "mesmo_dinheiro_de", func(_ *Document, d div) value { return id(subjectOf(d.SameMoneyAs)) }},
		{"expected", "esperado", func(_ *Document, d div) value { return statedValue(d.Expected, d) }},
		{"actual", "encontrado", func(_ *Document, d div) value { return statedValue(d.Actual, d) }},
		{"surplus", "excedente", func(_ *Document, d div) value { return some(d, d.Surplus) }},
		{"excess", "devolvido_a_mais", func(_ *Document, d div) value { return some(d, d.Excess) }},
		{"returned", "devolvido", func(_ *Document, d div) value { return some(d, d.Returned) }},
	}
}

func reasonColumns() []csvColumn {
	type div = *reconcile.Divergence
	return []csvColumn{
		{"since", "desde", func(_ *Document, d div) value { return instant(d.Since) }},
		{"first_seen", "visto_desde", func(_ *Document, d div) value { return instant(d.FirstSeen) }},
		{"life", "situacao", func(_ *Document, d div) value { return word(d.LifeState.String()) }},
		{"until", "ate", func(_ *Document, d div) value { return instant(d.Until) }},
		{"grade", "grau_da_cobertura", func(_ *Document, d div) value { return word(gradeOf(d)) }},
		{"interval_from", "intervalo_de", func(_ *Document, d div) value { return instant(d.Interval.From) }},
		{"interval_to", "intervalo_ate", func(_ *Document, d div) value { return instant(d.Interval.To) }},
		{"hint", "indicio", func(_ *Document, d div) value { return text(freeText(d.Hint)) }},
		{"reason", "motivo", func(_ *Document, d div) value { return text(freeText(d.Reason)) }},
		{"raw", "palavra_do_provedor", func(_ *Document, d div) value { return text(freeText(d.Raw)) }},
		{"reference", "referencia", func(_ *Document, d div) value { return id(keyText(d.Reference)) }},
		{"key", "chave", func(_ *Document, d div) value { return id(keyText(d.Key)) }},
		{"reserve", "reserva", func(_ *Document, d div) value { return word(d.Reserve.String()) }},
		{"attributes", "atributos", func(_ *Document, d div) value { return text(freeText(strings.Join(d.Attributes, "+"))) }},
		{"next", "proximo_passo", func(doc *Document, d div) value { return text(firstOf(nextStep(doc, d))) }},
	}
}

// decisionColumns are for people to fill in.
func decisionColumns() []csvColumn {
	empty := func(*Document, *reconcile.Divergence) value { return word("") }
	return []csvColumn{{"decision", "decisao", empty}, {"decision_until", "decisao_ate", empty}, {"decision_reason", "decisao_motivo", empty}}
}

func firstOf(s string, _ bool) string { return s }

// subjectOf is "charge:c1", or nothing.
func subjectOf(s *reconcile.Subject) string {
	if s == nil {
		return ""
	}
	return s.String()
}

// gradeOf is the grade of the coverage that an absence rests on; other classes
// claim no absence.
func gradeOf(d *reconcile.Divergence) string {
	if !restsOnAbsence(d) {
		return ""
	}
	return d.Grade.String()
}
