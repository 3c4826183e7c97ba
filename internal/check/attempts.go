package check

import (
	"context"
	"slices"

	"desfecho/internal/catalog"
	"desfecho/internal/payment"
	"desfecho/reconcile"
)

// needs is a verdict where something that the audit looks at is not described.
func (l *look) needs(columns ...named) (verdict, bool) {
	if l.missing != "" {
		return unseen("there is no %s", l.missing), true
	}
	for _, c := range columns {
		if c.column == "" {
			return unseen("no column holds %s", c.key), true
		}
	}
	return verdict{}, false
}

func (l *look) twoOpen(ctx context.Context) verdict {
	if v, lacking := l.needs(named{"the charge", l.reading.Columns.Charge}); lacking {
		return v
	}
	n, example, err := l.groups(ctx, "charge, direction", "state IN ('pending', 'unknown') AND charge IS NOT NULL", "count(*) > 1")
	switch {
	case err != nil:
		return because(err)
	case n > 0:
		return Fault.of(n, example, "charges with two or more open attempts: whichever is sent again may be the second payment")
	}
	return good("no charge has two")
}

func (l *look) severalSucceeded(ctx context.Context) verdict {
	if v, lacking := l.needs(named{"the charge", l.reading.Columns.Charge}); lacking {
		return v
	}
	var accepting []string
	for i := range l.Providers {
		p := &l.Providers[i]
		if p.CapacityMany {
			return good("a charge may be paid several times here")
		}
		if m := p.SucceededMeans[payment.Charge]; m != 0 && m != reconcile.MeansCaptured {
			accepting = append(accepting, p.Provider) // two boletos of a charge are no two payments, and refunds may be parts
		}
	}
	if slices.Contains(accepting, l.reading.Provider) {
		return unseen("succeeded does not mean captured here")
	}
	q := &catalog.Query{}
	n, example, err := l.countOf(ctx, q, "SELECT min(charge) AS example FROM "+l.attemptsAs(q)+
		" WHERE state = 'succeeded' AND operation <> 'refund' AND charge IS NOT NULL AND NOT (operation = 'charge' AND coalesce("+q.In("provider", accepting)+", 1 = 0))"+
		" GROUP BY charge, operation HAVING count(*) > 1")
	switch {
	case err != nil:
		return because(err)
	case n > 0:
		return Fault.of(n, example, "charges with two or more succeeded attempts")
	}
	return good("no charge was")
}

func (l *look) keyReused(ctx context.Context) verdict {
	if v, lacking := l.needs(named{"the key", l.reading.Columns.Key}, named{"the payload's hash", l.reading.Columns.PayloadHash}); lacking {
		return v
	}
	if l.uniqueKey(ctx).level == OK { // the question would read the whole table
		return good("each key stands in one row")
	}
	n, example, err := l.groups(ctx, "key, provider", "key IS NOT NULL AND payload_hash IS NOT NULL", "count(DISTINCT payload_hash) > 1")
	switch {
	case err != nil:
		return because(err)
	case n > 0:
		return Fault.of(n, example, "keys that went out with different payloads")
	}
	return good("no key was")
}

func (l *look) reopened(ctx context.Context) verdict {
	if v, lacking := l.needs(named{"the time of the outcome", l.reading.Columns.ResolvedAt}); lacking {
		return v
	}
	n, example, err := l.where(ctx, "state IN ('pending', 'unknown') AND resolved_at IS NOT NULL")
	switch {
	case err != nil:
		return because(err)
	case n > 0:
		return Fault.of(n, example, "open attempts that had an outcome before: the row was used again, or its status changed back")
	}
	return good("no open attempt had an outcome before")
}

func (l *look) finalsIncomplete(ctx context.Context) verdict {
	c := &l.reading.Columns
	if v, lacking := l.needs(); lacking {
		return v
	}
	condition := "1 = 0"
	if c.ResolvedAt != "" {
		condition += " OR (state IN ('succeeded', 'failed') AND resolved_at IS NULL)"
	}
	if c.ProviderChargeID != "" {
		condition += " OR (state = 'succeeded' AND provider_id IS NULL)"
	}
	if condition == "1 = 0" {
		return unseen("no column holds the time of the outcome or the provider's id")
	}
	n, example, err := l.where(ctx, "("+condition+")")
	switch {
	case err != nil:
		return because(err)
	case n > 0:
		return Warning.of(n, example, "final attempts without the time of their outcome, or successes without the provider's id")
	}
	return good("all have")
}

func (l *look) reserveFreed(ctx context.Context) verdict {
	if v, lacking := l.needs(named{"the reserve", l.reading.Columns.Reserve}); lacking {
		return v
	}
	n, example, err := l.where(ctx, "direction = 'out' AND reserve = 'released' AND state IN ('pending', 'unknown', 'succeeded')")
	switch {
	case err != nil:
		return because(err)
	case n > 0:
		return Fault.of(n, example, "outflows that have not failed and whose reserve is free: the same money can go out twice")
	}
	return good("no reserve was")
}
