package check

import (
	"context"
	"fmt"
	"strings"
	"time"

	"desfecho/internal/catalog"
)

func (l *look) grants(ctx context.Context) verdict {
	if l.Database.Dialect == catalog.SQLite {
		return unseen("SQLite has no roles; who may write the file may do all")
	}
	name := l.reading.Write
	if name == "" {
		name = l.reading.Read
	}
	rows, err := l.Database.Rows(ctx, `SELECT current_user::text, r.rolsuper::text, (pg_get_userbyid(c.relowner) = current_user)::text,
		has_table_privilege(c.oid, 'SELECT')::text, has_any_column_privilege(c.oid, 'UPDATE')::text,
		concat_ws(', ', CASE WHEN has_table_privilege(c.oid, 'INSERT') THEN 'INSERT' END, CASE WHEN has_table_privilege(c.oid, 'DELETE') THEN 'DELETE' END,
		CASE WHEN has_table_privilege(c.oid, 'TRUNCATE') THEN 'TRUNCATE' END)
		FROM pg_class c, pg_roles r WHERE c.oid = to_regclass(CAST($1 AS text)) AND r.rolname = current_user`, catalog.Quote(name))
	if err != nil {
		return because(err)
	}
	if len(rows) == 0 {
		return unseen("there is no table or view %s that this role can see", name)
	}
	r := rows[0]
	role, yes := r[0].Value, func(i int) bool { return r[i].Value == "true" }
	switch {
	case yes(1):
		return Warning.of(0, "", "role %s is a superuser", role)
	case yes(2):
		return Warning.of(0, "", "role %s owns %s", role, name)
	case r[5].Value != "":
		return Warning.of(0, "", "role %s may %s on %s, which desfecho never needs", role, r[5].Value, name)
	case yes(4) && l.Generated.Wanted:
		return Warning.of(0, "", "role %s may update %s itself, where the function is to be the only writer", role, name)
	case l.Generated.Wanted:
		return good("role %s only reads %s: the function writes it", role, name)
	case yes(4):
		return good("role %s reads and may update %s, as resolve needs", role, name)
	}
	return good("role %s only reads %s: resolve will be refused", role, name)
}

func (l *look) rowSecurity(ctx context.Context) verdict {
	if l.Database.Dialect == catalog.SQLite {
		return good("SQLite has no row-level security")
	}
	if l.read == nil {
		return unseen("there is no %s", l.missing)
	}
	for _, t := range append([]*catalog.Table{l.read, l.written}, l.joined...) {
		if t == nil {
			continue
		}
		rows, err := l.Database.Rows(ctx, `SELECT coalesce(row_security_active(to_regclass(CAST($1 AS text))::oid), false)::text`, catalog.Quote(t.Name))
		if err != nil {
			return because(err)
		}
		if len(rows) > 0 && rows[0][0].Value == "true" {
			return Fault.of(0, "", "row-level security holds on %s for this role: rows may be hidden from it", t.Name)
		}
	}
	return good("no row is hidden from this role")
}

func (l *look) clock(context.Context) verdict {
	switch {
	case l.clockErr != nil:
		return because(l.clockErr)
	case l.own.IsZero():
		return unseen("the program's clock was not given")
	}
	apart := l.own.Sub(l.db)
	switch {
	case apart.Abs() > 2*time.Minute:
		return Fault.of(0, "", "this machine is %s from the database's clock", signed(apart))
	case apart.Abs() > 5*time.Second:
		return Warning.of(0, "", "this machine is %s from the database's clock", signed(apart))
	}
	return good("less than 5 s apart")
}

func signed(d time.Duration) string {
	if d < 0 {
		return "-" + span(-d)
	}
	return "+" + span(d)
}

func (l *look) replicaLag(ctx context.Context) verdict {
	if l.Database.Dialect == catalog.SQLite {
		return good("SQLite has no replica")
	}
	d, what := l.Database, "the database"
	if l.Replica != nil {
		d, what = *l.Replica, "the replica"
	}
	rows, err := d.Rows(ctx, `SELECT pg_is_in_recovery()::text, CASE WHEN pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() THEN '0'
		ELSE coalesce(ceil(extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp()))::bigint::text, '') END`)
	if err != nil {
		return because(err)
	}
	if len(rows) == 0 {
		return because(errNoAnswer)
	}
	return lag(what, rows[0][0].Value == "true", rows[0][1].Value, l.Replica != nil)
}

// lag judges how far a standby is behind: seconds as text, "" where it does not
// know.
func lag(what string, standby bool, seconds string, replica bool) verdict {
	var behind time.Duration
	if _, err := fmt.Sscanf(seconds, "%d", &behind); standby && err != nil {
		return unseen("%s does not tell how far it is behind", what)
	}
	behind *= time.Second
	switch {
	case !standby && replica:
		return Warning.of(0, "", "read_url names a primary, not a replica")
	case !standby:
		return good("what is read is the primary")
	case behind > 10*time.Minute:
		return Warning.of(0, "", "%s is %s behind", what, span(behind))
	case !replica:
		return Warning.of(0, "", "%s is a standby: it serves reports only, and resolve is refused", what)
	}
	return good("%s is %s behind", what, span(behind))
}

// big is the size of desfecho's own tables from which it is worth a look.
const big = 20 << 30

func (l *look) ownSize(ctx context.Context) verdict {
	size := `SELECT CAST(count(*) AS text), coalesce(sum(pg_total_relation_size(c.oid)), 0)::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname = 'desfecho' AND c.relkind IN ('r', 'm')`
	growth := `SELECT coalesce(sum(fresh + later + restated), 0)::text, '' FROM desfecho.pages WHERE stored_at > clock_timestamp() - interval '7 days'`
	if l.Database.Dialect == catalog.SQLite {
		size = `SELECT CAST(count(*) AS text), CAST((SELECT p.page_count * s.page_size FROM pragma_page_count p, pragma_page_size s) AS text)
			FROM sqlite_master WHERE type = 'table' AND name LIKE 'desfecho\_%' ESCAPE '\'`
		growth = `SELECT CAST(coalesce(sum(fresh + later + restated), 0) AS text), '' FROM desfecho_pages
			WHERE stored_at > CAST(strftime('%s', 'now', '-7 days') AS integer) * 1000000`
	}
	tables, bytes, err := counted(l.Database.Rows(ctx, size))
	if err != nil {
		return because(err)
	}
	if tables == 0 {
		return unseen("desfecho's own tables are not here: `desfecho schema --apply` makes them")
	}
	week, _, err := counted(l.Database.Rows(ctx, growth))
	if err != nil {
		return because(err)
	}
	n := int64(0)
	if _, err := fmt.Sscanf(bytes, "%d", &n); err != nil {
		return because(err)
	}
	says := fmt.Sprintf("%d tables, %s, %d lines stored in the last 7 days", tables, bytesFor(n), week)
	if l.Database.Dialect == catalog.SQLite {
		says = strings.Replace(says, ",", " in a file of", 1)
	}
	if n > big {
		return Warning.of(0, "", "%s", says)
	}
	return good("%s", says)
}

// bytesFor is a number of bytes for people.
func bytesFor(n int64) string {
	switch {
	case n >= 10<<30:
		return itoa(n>>30) + " GiB"
	case n >= 10<<20:
		return itoa(n>>20) + " MiB"
	}
	return itoa((n+1023)>>10) + " KiB"
}
