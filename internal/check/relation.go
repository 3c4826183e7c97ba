package check

import (
	"context"
	"fmt"

	"desfecho/internal/catalog"
)

// attemptsAs is the described relation as a subquery with columns of our own
// names, the same in both databases: id, charge, key, provider, provider_id,
// resolved_at, payload_hash, state, operation, direction, reserve, and joined,
// which is NULL where a join found no row. What is not described is NULL; so
// is an empty text. extra adds described columns by other names.
func (l *look) attemptsAs(q *catalog.Query, extra ...named) string {
	c := &l.reading.Columns
	statement := "(SELECT "
	for _, n := range append([]named{
		{"id", c.ID},
		{"charge", c.Charge},
		{"key", c.Key},
		{"provider", c.Provider},
		{"provider_id", c.ProviderChargeID},
		{"resolved_at", c.ResolvedAt},
		{"payload_hash", c.PayloadHash},
	}, extra...) {
		value := "CAST(NULL AS text)"
		if n.column != "" {
			value = l.text(n.column)
		}
		statement += value + " AS " + n.key + ", "
	}
	statement += l.state(q) + " AS state, " + l.operation(q) + " AS operation, " + l.direction(q) + " AS direction, " + l.reserve(q) + " AS reserve"
	return statement + " FROM " + l.from() + ") a"
}

func (l *look) text(column string) string {
	return "NULLIF(CAST(" + l.place(column) + " AS text), '')"
}

type meaning struct {
	is    string
	words []string
}

func cases(q *catalog.Query, value string, meanings []meaning, otherwise string) string {
	text := "CASE"
	for _, m := range meanings {
		text += " WHEN " + q.In(value, m.words) + " THEN '" + m.is + "'"
	}
	return text + " ELSE " + otherwise + " END"
}

func (l *look) state(q *catalog.Query) string {
	s := &l.reading.Status
	return cases(q, "CAST("+l.place(l.reading.Columns.Status)+" AS text)", []meaning{
		{"pending", s.Pending},
		{"unknown", s.Unknown},
		{"succeeded", s.Succeeded},
		{"failed", s.Failed},
	}, "'unmapped'")
}

func (l *look) meanings() []meaning {
	o := &l.reading.Operations
	return []meaning{
		{"charge", append([]string{"charge"}, o.Charge...)},
		{"authorize", append([]string{"authorize"}, o.Authorize...)},
		{"capture", append([]string{"capture"}, o.Capture...)},
		{"refund", append([]string{"refund"}, o.Refund...)},
		{"transfer", append([]string{"transfer"}, o.Transfer...)},
		{"bill_payment", append([]string{"bill_payment"}, o.BillPayment...)},
	}
}

func (l *look) operation(q *catalog.Query) string {
	if l.reading.Columns.Operation == "" {
		if l.reading.Operation == "" {
			return "'charge'"
		}
		return q.Value(l.reading.Operation)
	}
	return cases(q, "CAST("+l.place(l.reading.Columns.Operation)+" AS text)", l.meanings(), "'charge'")
}

func (l *look) direction(q *catalog.Query) string {
	return "CASE WHEN " + l.operation(q) + " IN ('refund', 'transfer', 'bill_payment') THEN 'out' ELSE 'in' END"
}

func (l *look) reserve(q *catalog.Query) string {
	if l.reading.Columns.Reserve == "" {
		return "CAST(NULL AS text)"
	}
	r := &l.reading.Reserves
	return cases(q, "CAST("+l.place(l.reading.Columns.Reserve)+" AS text)", []meaning{
		{"held", append([]string{"held"}, r.Held...)},
		{"released", append([]string{"released"}, r.Released...)},
		{"consumed", append([]string{"consumed"}, r.Consumed...)},
	}, "NULL")
}

// countOf counts the rows of a subquery that give one example each.
func (l *look) countOf(ctx context.Context, q *catalog.Query, subquery string) (int64, string, error) {
	return counted(l.Database.Ask(ctx, q, "SELECT CAST(count(*) AS text), min(example) FROM ("+subquery+") found"))
}

// groups counts what several rows share that they must not share.
func (l *look) groups(ctx context.Context, shared, where, having string) (int64, string, error) {
	q := &catalog.Query{}
	return l.countOf(ctx, q, fmt.Sprintf("SELECT min(%s) AS example FROM %s WHERE %s GROUP BY %s HAVING %s",
		shared[:firstComma(shared)], l.attemptsAs(q), where, shared, having))
}

func firstComma(s string) int {
	for i := range len(s) {
		if s[i] == ',' {
			return i
		}
	}
	return len(s)
}

// where counts attempts of a condition.
func (l *look) where(ctx context.Context, condition string) (int64, string, error) {
	q := &catalog.Query{}
	return l.countOf(ctx, q, "SELECT id AS example FROM "+l.attemptsAs(q)+" WHERE "+condition)
}
