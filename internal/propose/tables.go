package propose

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"desfecho/internal/catalog"
)

var attemptish = regexp.MustCompile(`attempt|tentativa|charge|cobranca|payment|pagamento|transac|transact`)

// choose looks at every table and takes the best, or the one that is named.
func (b *builder) choose(ctx context.Context) error {
	list, err := b.db.List(ctx)
	if err != nil {
		return err
	}
	if b.settings.Table != "" && !slices.Contains(list, b.settings.Table) {
		list = append(list, b.settings.Table)
	}
	for _, name := range list {
		t, err := b.db.Look(ctx, name)
		if err != nil {
			return err
		}
		if t == nil {
			continue
		}
		b.tables = append(b.tables, t)
		if c, will := score(t); will || name == b.settings.Table {
			b.p.Candidates = append(b.p.Candidates, c)
		}
	}
	named := func(c Candidate) int { // a named table is the first
		if c.Table == b.settings.Table {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(b.p.Candidates, func(x, y Candidate) int {
		return cmp.Or(named(x)-named(y), y.Points-x.Points, strings.Compare(x.Table, y.Table))
	})
	if len(b.p.Candidates) == 0 {
		return ErrNothing
	}
	b.t = b.table(b.p.Candidates[0].Table)
	b.columns, b.how = fields(b.t)
	if b.columns["id"] == "" || b.columns["status"] == "" || b.columns["created_at"] == "" {
		return fmt.Errorf("table %s: %w", b.t.Name, ErrNothing)
	}
	b.because("attempts.read", "%s", strings.Join(b.p.Candidates[0].Reasons, ", "))
	return nil
}

func (b *builder) table(name string) *catalog.Table {
	for _, t := range b.tables {
		if t.Name == name {
			return t
		}
	}
	return nil
}

// score says how much a table looks like attempts, and why. will is false
// where it cannot be one.
func score(t *catalog.Table) (c Candidate, will bool) {
	columns, _ := fields(t)
	c.Table = t.Name
	add := func(points int, format string, args ...any) {
		c.Points += points
		c.Reasons = append(c.Reasons, fmt.Sprintf(format, args...))
	}
	if key := columns["key"]; key != "" {
		add(3, "has %s", key)
		if slices.ContainsFunc(t.Indexes, func(x catalog.Index) bool {
			return x.Unique && len(x.Columns) > 0 && x.Columns[len(x.Columns)-1] == key
		}) {
			add(3, "which is unique")
		}
	}
	for _, f := range []struct {
		field  string
		points int
	}{
		{"status", 3},
		{"provider_charge_id", 2},
		{"charge", 2},
		{"created_at", 2},
		{"provider", 1},
		{"resolved_at", 1},
		{"last_error", 1},
		{"payload_hash", 1},
		{"amount", 1},
	} {
		if columns[f.field] != "" {
			add(f.points, "%s", columns[f.field])
		}
	}
	for _, x := range t.Indexes {
		if _, on := catalog.Demands(x.Predicate, columns["status"]); columns["status"] != "" && on && x.Unique {
			add(2, "a unique index on open ones")
			break
		}
	}
	if attemptish.MatchString(strings.ToLower(t.Name)) {
		add(1, "its name")
	}
	if t.View {
		add(-1, "but it is a view, which resolve cannot write")
	}
	if told(t) {
		add(-6, "but it holds events")
	}
	needed := columns["id"] != "" && columns["status"] != "" && columns["created_at"] != ""
	return c, needed && !told(t) && (columns["key"] != "" || columns["provider_charge_id"] != "" || columns["amount"] != "")
}

// told tells whether a table looks like stored events.
func told(t *catalog.Table) bool {
	name := strings.ToLower(t.Name)
	_, payload := t.Column("payload")
	return payload && (strings.Contains(name, "event") || strings.Contains(name, "webhook") || strings.Contains(name, "notific"))
}
