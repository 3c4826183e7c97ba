package check

import (
	"context"
	"fmt"
	"strings"
	"time"

	"desfecho/internal/catalog"
)

// eventsNeed is a verdict where the events cannot be looked at.
func (l *look) eventsNeed(columns ...named) (verdict, bool) {
	if l.Events == nil {
		return unseen("no table of stored webhook events is described"), true
	}
	return sideNeeds(l.events, l.Events.Read, eventsNamed(l.Events), columns)
}

func (l *look) businessNeed(columns ...named) (verdict, bool) {
	if l.Business == nil {
		return unseen("no table of ledger entries is described"), true
	}
	return sideNeeds(l.business, l.Business.Read, l.Business.named(), columns)
}

func sideNeeds(t *catalog.Table, name string, all, columns []named) (verdict, bool) {
	if t == nil {
		return unseen("there is no table or view %s", name), true
	}
	if gone := absentOf(t, all); gone != "" {
		return unseen("there is no %s", gone), true
	}
	for _, c := range columns {
		if c.column == "" {
			return unseen("no column holds %s", c.key), true
		}
	}
	return verdict{}, false
}

func (l *look) eventsUnique(context.Context) verdict {
	if v, lacking := l.eventsNeed(); lacking {
		return v
	}
	if l.events.View {
		return unseen("%s is a view", l.Events.Read)
	}
	index, broken := unique(l.events, l.Events.Columns.ExternalID, l.Events.Columns.Provider)
	switch {
	case index != nil:
		return good("index %s on %s", index.Name, l.Events.Read)
	case broken != "":
		return Fault.of(0, "", "index %s on %s is not valid: it was not built to its end", broken, l.Events.Read)
	}
	return Fault.of(0, "", "no unique index on %s of %s: an event that comes twice is processed twice", l.Events.Columns.ExternalID, l.Events.Read)
}

func (l *look) eventsStale(ctx context.Context) verdict {
	if v, lacking := l.eventsNeed(); lacking {
		return v
	}
	c := &l.Events.Columns
	if v, lacking := l.eventsNeed(named{"an event's status", c.Status}, named{"the time that an event came", c.CreatedAt}); lacking {
		return v
	}
	if len(l.Events.Pending) == 0 {
		return unseen("events.pending names no word")
	}
	q := &catalog.Query{}
	at := catalog.Identifier(c.CreatedAt)
	rows, err := l.Database.Ask(ctx, q, fmt.Sprintf("SELECT CAST(%s AS text), CAST(%s AS text) FROM %s WHERE %s ORDER BY %s LIMIT %d",
		catalog.Identifier(c.ID), at, catalog.Quote(l.Events.Read),
		q.In("CAST("+catalog.Identifier(c.Status)+" AS text)", l.Events.Pending), at, l.Sample))
	if err != nil {
		return because(err)
	}
	return l.stale(rows)
}

func (l *look) stale(rows []catalog.Row) verdict {
	limit := l.Events.StaleAfter
	if limit == 0 {
		limit = time.Hour
	}
	var hits tally
	oldest := time.Duration(0)
	for _, r := range rows {
		at, zoned, known := catalog.Moment(r[1].Value, l.reading.Zone())
		switch {
		case !known:
			return unseen("%s of event %s is no time: %q", l.Events.Columns.CreatedAt, r[0].Value, r[1].Value)
		case !zoned && l.reading.Zone() == nil:
			return unseen("%s has no zone, and attempts.timezone is not said", l.Events.Columns.CreatedAt)
		}
		if age := l.AsOf.Sub(at); age >= limit {
			hits.add(r[0].Value)
			oldest = max(oldest, age)
		}
	}
	if hits.n > 0 {
		return Warning.of(hits.n, hits.example, "events were stored and never processed, the oldest %s ago", span(oldest))
	}
	return good("no event waits for longer than %s", span(limit))
}

func (l *look) eventsUnsettled(ctx context.Context) verdict {
	if v, lacking := l.eventsNeed(); lacking {
		return v
	}
	c := &l.Events.Columns
	if v, lacking := l.eventsNeed(named{"an event's status", c.Status}, named{"an event's payload", c.Payload}, named{"an event's type", c.Type}); lacking {
		return v
	}
	if v, lacking := l.needs(); lacking {
		return v
	}
	if len(l.Events.Settles) == 0 || len(l.Events.Processed) == 0 {
		return unseen("events.settles or events.processed names no word")
	}
	q := &catalog.Query{}
	var parts []string
	if l.Events.Unit != "" && l.reading.Columns.ProviderChargeID != "" {
		parts = append(parts, l.told(q, l.Events.Unit, l.reading.Columns.ProviderChargeID))
	}
	for _, r := range l.Events.References {
		if _, there := l.read.Column(r.Here); !there {
			return unseen("events.references names %s, which %s has not", r.Here, l.reading.Read)
		}
		parts = append(parts, l.told(q, r.Path, r.Here))
	}
	if len(parts) == 0 {
		return unseen("events names no path of a unit or reference")
	}
	n, example, err := l.countOf(ctx, q, strings.Join(parts, " UNION "))
	switch {
	case err != nil:
		return because(err)
	case n > 0:
		return Fault.of(n, example, "events that end an attempt were processed, and their attempt is still open")
	}
	return good("none was")
}

// told selects the processed events whose payload names, at the path, an
// attempt that is open.
func (l *look) told(q *catalog.Query, path, here string) string {
	c := &l.Events.Columns
	column := func(name string) string { return "CAST(e." + catalog.Identifier(name) + " AS text)" }
	statement := "SELECT " + column(c.ID) + " AS example FROM " + catalog.Quote(l.Events.Read) + " e JOIN " +
		l.attemptsAs(q, named{"told", here}) + " ON a.told = " + l.at(q, "e."+catalog.Identifier(c.Payload), path)
	if c.Provider != "" && l.reading.Columns.Provider != "" {
		statement += " AND a.provider = " + column(c.Provider)
	}
	return statement + " WHERE " + q.In(column(c.Status), l.Events.Processed) + " AND " + q.In(column(c.Type), l.Events.Settles) +
		" AND a.state IN ('pending', 'unknown')"
}

// at is the text at a path of a JSON column, NULL where there is none.
func (l *look) at(q *catalog.Query, column, path string) string {
	steps := strings.Split(path, ".")
	for i, s := range steps {
		steps[i] = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
	}
	if l.Database.Dialect == catalog.SQLite {
		return fmt.Sprintf("CASE WHEN json_valid(%[1]s) THEN CAST(json_extract(%[1]s, %[2]s) AS text) END", column, q.Value("$."+strings.Join(steps, ".")))
	}
	return fmt.Sprintf("(CAST(%s AS jsonb) #>> CAST(%s AS text[]))", column, q.Value("{"+strings.Join(steps, ",")+"}"))
}

// credits is the entries that give a credit, with our own names.
func (l *look) credits(q *catalog.Query) string {
	c := &l.Business.Columns
	statement := fmt.Sprintf("(SELECT CAST(%s AS text) AS id, CAST(%s AS text) AS charge FROM %s",
		catalog.Identifier(c.ID), catalog.Identifier(c.Charge), catalog.Quote(l.Business.Read))
	if c.Kind != "" && len(l.Business.Credits) > 0 {
		statement += " WHERE " + q.In("CAST("+catalog.Identifier(c.Kind)+" AS text)", l.Business.Credits)
	}
	return statement + ") b"
}

func (l *look) doubleCredit(ctx context.Context) verdict {
	if v, lacking := l.businessNeed(); lacking {
		return v
	}
	q := &catalog.Query{}
	n, example, err := l.countOf(ctx, q, "SELECT charge AS example FROM "+l.credits(q)+" WHERE charge IS NOT NULL GROUP BY charge HAVING count(*) > 1")
	switch {
	case err != nil:
		return because(err)
	case n > 0:
		return Fault.of(n, example, "charges that were credited more than once")
	}
	return good("no charge was")
}

func (l *look) creditWithoutPayment(ctx context.Context) verdict {
	if v, lacking := l.businessNeed(); lacking {
		return v
	}
	if v, lacking := l.needs(named{"the charge", l.reading.Columns.Charge}); lacking {
		return v
	}
	q := &catalog.Query{}
	n, example, err := l.countOf(ctx, q, "SELECT id AS example FROM "+l.credits(q)+
		" WHERE charge IS NULL OR NOT EXISTS (SELECT 1 FROM "+l.attemptsAs(q)+" WHERE a.charge = b.charge AND a.state = 'succeeded')")
	switch {
	case err != nil:
		return because(err)
	case n > 0:
		return Fault.of(n, example, "credits of charges that have no succeeded attempt")
	}
	return good("every credit has its payment")
}

func (l *look) creditKey(context.Context) verdict {
	if v, lacking := l.businessNeed(named{"an entry's key", l.Business.keyColumn()}); lacking {
		return v
	}
	if l.business.View {
		return unseen("%s is a view", l.Business.Read)
	}
	index, _ := unique(l.business, l.Business.Columns.Key, l.Business.Columns.Kind)
	if index == nil {
		return Fault.of(0, "", "no unique index on %s of %s", l.Business.Columns.Key, l.Business.Read)
	}
	return good("index %s on %s", index.Name, l.Business.Read)
}

func (b *BusinessTable) keyColumn() string {
	if b == nil {
		return ""
	}
	return b.Columns.Key
}
