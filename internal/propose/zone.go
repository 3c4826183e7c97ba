package propose

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"desfecho/internal/catalog"
	"desfecho/internal/payment"
)

// zone finds out whether times have a zone of their own, and if not, in which
// one the newest row could have been written.
func (b *builder) zone(ctx context.Context) error {
	column, _ := b.t.Column(b.columns["created_at"])
	if zoned.MatchString(column.Type) {
		b.because("attempts.timezone", "not needed: %s has a zone of its own", column.Name)
		return nil
	}
	newest, now, own, err := b.times(ctx, column.Name)
	if err != nil {
		return err
	}
	_, hasZone, isTime := catalog.Moment(newest, time.UTC)
	if isTime && hasZone {
		b.because("attempts.timezone", "not needed: the values of %s have a zone of their own", column.Name)
		return nil
	}
	name, why, sure := Zone(newest, now, slices.Concat([]string{"UTC", own}, b.settings.Zones))
	b.because("attempts.timezone", "%s", why)
	if sure {
		b.p.Attempts.Timezone = name
		return nil
	}
	b.ask(Question{
		Key: "attempts.timezone", Ask: "In which zone does your program write times?", Why: column.Name + " has none; " + why, Suggest: name,
		put: func(v string) { b.p.Attempts.Timezone = v },
	})
	return nil
}

func (b *builder) times(ctx context.Context, column string) (newest string, now payment.Instant, own string, err error) {
	query := `SELECT coalesce(CAST(max(%s) AS text), ''), clock_timestamp()::text, current_setting('TimeZone') FROM %s`
	if b.db.Dialect == catalog.SQLite {
		query = `SELECT coalesce(CAST(max(%s) AS text), ''), strftime('%%Y-%%m-%%d %%H:%%M:%%fZ', 'now'), '' FROM %s`
	}
	rows, err := b.db.Rows(ctx, fmt.Sprintf(query, catalog.Identifier(column), catalog.Quote(b.t.Name)))
	if err != nil || len(rows) == 0 {
		return "", 0, "", err
	}
	now, _, _ = catalog.Moment(rows[0][1].Value, time.UTC)
	return rows[0][0].Value, now, rows[0][2].Value, nil
}

// minutes is an age for people, and may lie ahead.
func minutes(d time.Duration) string {
	if d.Abs() >= 72*time.Hour {
		return fmt.Sprintf("%d d", int64(d/(24*time.Hour)))
	}
	return fmt.Sprintf("%d min", int64(d.Round(time.Minute)/time.Minute))
}

// Zone weighs the zones in which a time without zone could have been written
// shortly before now. A zone in which it lies ahead is out. sure is true where
// the newest row is minutes old in exactly one zone; why tells the age in each.
func Zone(newest string, now payment.Instant, zones []string) (name, why string, sure bool) {
	if newest == "" {
		return "", "there is no row to measure", false
	}
	type age struct {
		zone string
		is   time.Duration
	}
	var ages []age
	var said []string
	for _, z := range zones {
		zone, err := time.LoadLocation(z)
		if z == "" || z == "Local" || err != nil || slices.ContainsFunc(ages, func(a age) bool { return a.zone == z }) {
			continue
		}
		at, hasZone, ok := catalog.Moment(newest, zone)
		if !ok || hasZone {
			return "", fmt.Sprintf("%q is no time without zone", newest), false
		}
		ages = append(ages, age{z, now.Sub(at)})
		said = append(said, minutes(now.Sub(at))+" old in "+z)
	}
	why = "the newest row is " + strings.Join(said, ", ")
	const ahead, fresh = -2 * time.Minute, 15 * time.Minute
	best, rivals := -1, 0
	for i, a := range ages {
		if a.is < ahead {
			continue
		}
		if a.is <= fresh && (best < 0 || ages[best].is > fresh || a.is != ages[best].is) {
			rivals++
		}
		if best < 0 || a.is < ages[best].is {
			best = i
		}
	}
	if best < 0 {
		return "", why, false
	}
	return ages[best].zone, why, rivals == 1 && ages[best].is <= fresh
}
