package postgres

import (
	"fmt"
	"slices"
	"strings"

	"desfecho/internal/store"
)

// Roles is the SQL of the roles that desfecho's commands need, with no more
// than each uses: desfecho_run pulls and reconciles, desfecho_report reads what
// was concluded. Both are groups: a login is made a member of one.
func Roles(attempts *store.Description) string {
	var b strings.Builder
	b.WriteString(`-- Two groups. Make your logins members: GRANT desfecho_run TO your_login;
-- desfecho_run pulls and reconciles: it reads your attempts, and writes
-- desfecho's own tables only.
-- desfecho_report reads what was concluded, and nothing of yours.
DO $$ BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'desfecho_run') THEN CREATE ROLE desfecho_run NOLOGIN; END IF;
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'desfecho_report') THEN CREATE ROLE desfecho_report NOLOGIN; END IF;
    EXECUTE format('GRANT CONNECT, TEMPORARY ON DATABASE %I TO desfecho_run', current_database());
    EXECUTE format('GRANT CONNECT ON DATABASE %I TO desfecho_report', current_database());
END $$;

GRANT USAGE ON SCHEMA desfecho TO desfecho_run, desfecho_report;
GRANT SELECT ON ALL TABLES IN SCHEMA desfecho TO desfecho_run, desfecho_report;
GRANT INSERT ON ALL TABLES IN SCHEMA desfecho TO desfecho_run;
REVOKE INSERT ON desfecho.migrations FROM desfecho_run;
GRANT UPDATE ON desfecho.leases, desfecho.cursors, desfecho.units, desfecho.heads, desfecho.divergences,
    desfecho.dismissals TO desfecho_run;
GRANT DELETE ON desfecho.transit TO desfecho_run;
`)
	if attempts == nil {
		b.WriteString("\n-- No attempts table is configured: grant SELECT on it to desfecho_run yourself.\n")
		return b.String()
	}
	relations := []string{attempts.Read}
	for _, j := range attempts.Joins {
		relations = append(relations, j.Table)
	}
	slices.Sort(relations)
	b.WriteString("\n")
	for _, relation := range slices.Compact(relations) {
		parts := store.SplitName(relation)
		if len(parts) > 1 {
			fmt.Fprintf(&b, "GRANT USAGE ON SCHEMA %s TO desfecho_run;\n", quoted(parts[:1]))
		}
		fmt.Fprintf(&b, "GRANT SELECT ON %s TO desfecho_run;\n", quoted(parts))
	}
	return b.String()
}

func quoted(parts []string) string {
	names := make([]string, len(parts))
	for i, part := range parts {
		names[i] = `"` + strings.ReplaceAll(part, `"`, `""`) + `"`
	}
	return strings.Join(names, ".")
}
