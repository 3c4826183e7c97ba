package postgres

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"desfecho/internal/store"
)

// createRoles makes the three roles, which nobody can log in as: grant them to
// the accounts of cron, of finance and of those who resolve.
const createRoles = `DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'desfecho_run') THEN CREATE ROLE desfecho_run NOLOGIN; END IF;
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'desfecho_report') THEN CREATE ROLE desfecho_report NOLOGIN; END IF;
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'desfecho_resolve') THEN CREATE ROLE desfecho_resolve NOLOGIN; END IF;
END $$;
GRANT USAGE ON SCHEMA desfecho TO desfecho_run, desfecho_report, desfecho_resolve;

-- cron: pull, probe, reconcile. It writes desfecho's own tables, and deletes
-- nothing but what is not in transit any more, and coverage that a wider row
-- of its stands for.
GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA desfecho TO desfecho_run;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA desfecho TO desfecho_run;
REVOKE INSERT, UPDATE ON desfecho.migrations FROM desfecho_run;
REVOKE UPDATE ON desfecho.audit, desfecho.intents, desfecho.approvals, desfecho.manual_evidence, desfecho.lookups, desfecho.notes FROM desfecho_run;
REVOKE INSERT ON desfecho.intents, desfecho.approvals, desfecho.manual_evidence, desfecho.notes FROM desfecho_run;
GRANT INSERT (divergence, kind, until, class, minor, currency, words, operator, ends) ON desfecho.notes TO desfecho_run;
GRANT DELETE ON desfecho.transit, desfecho.coverage TO desfecho_run;

-- finance: reports, and what is decided about divergences. No payment, and no
-- answer of a provider, which may hold personal data.
GRANT SELECT ON desfecho.migrations, desfecho.pages, desfecho.coverage, desfecho.runs, desfecho.heads, desfecho.divergences,
    desfecho.life, desfecho.notes, desfecho.transit, desfecho.days TO desfecho_report;
REVOKE INSERT ON desfecho.notes FROM desfecho_report;
GRANT INSERT (divergence, kind, until, class, minor, currency, words, operator, ends) ON desfecho.notes TO desfecho_report;

-- resolve: what a decision rests on. The attempts themselves are only read:
-- they are written by a function of their own, never directly. Who decided, and
-- when, says the database.
GRANT SELECT ON ALL TABLES IN SCHEMA desfecho TO desfecho_resolve;
REVOKE INSERT ON desfecho.intents, desfecho.approvals, desfecho.manual_evidence, desfecho.notes FROM desfecho_resolve;
GRANT INSERT ON desfecho.lookups, desfecho.audit TO desfecho_resolve;
GRANT INSERT (op_id, attempt, mark, digest, operator) ON desfecho.intents TO desfecho_resolve;
GRANT INSERT (divergence, kind, until, class, minor, currency, words, operator, ends) ON desfecho.notes TO desfecho_resolve;
GRANT INSERT (attempt, mark, digest, operator) ON desfecho.approvals TO desfecho_resolve;
GRANT INSERT (op_id, attempt, seen, place, note, attachment, operator, observed_at) ON desfecho.manual_evidence TO desfecho_resolve;
GRANT INSERT, UPDATE ON desfecho.dismissals, desfecho.leases TO desfecho_resolve;
`

// Roles is the SQL that makes the least-privilege roles, with the described
// columns of the merchant's tables and no other, and the function that writes
// the attempts. It may be run again. The error is a *store.DescriptionError.
func Roles(description *store.Description, terms *Terms) (string, error) {
	reading, err := description.Compile()
	if err != nil {
		return "", err
	}
	granted := make([][]string, len(reading.Joins)+1)
	grant := func(join int, name string) {
		for _, known := range granted[join+1] {
			if known == quote(name) {
				return
			}
		}
		granted[join+1] = append(granted[join+1], quote(name))
	}
	for _, column := range reading.Selected() {
		grant(reading.Place(column))
	}
	for i, j := range reading.Joins {
		grant(-1, j.Here)
		grant(i, j.There)
	}
	var b strings.Builder
	b.WriteString(createRoles + "\n-- The attempts, as they are described.\n")
	relations := []string{reading.Read}
	for _, j := range reading.Joins {
		relations = append(relations, j.Table)
	}
	for i, relation := range relations {
		fmt.Fprintf(&b, "GRANT SELECT (%s) ON %s TO desfecho_run, desfecho_resolve;\n", strings.Join(granted[i], ", "),
			pgx.Identifier(store.SplitName(relation)).Sanitize())
	}
	if e := reading.Events(); e != nil {
		selected := e.Selected()
		columns := slices.DeleteFunc(append(selected[:], e.Columns.Payload), func(name string) bool { return name == "" })
		for i := range columns {
			columns[i] = quote(columns[i])
		}
		fmt.Fprintf(&b, "GRANT SELECT (%s) ON %s TO desfecho_run, desfecho_resolve;\n", strings.Join(columns, ", "),
			pgx.Identifier(store.SplitName(e.Read)).Sanitize())
	}
	b.WriteString(grantVersions(reading))
	body, err := Function(description, terms)
	if err != nil {
		return "", err
	}
	b.WriteString(install(body))
	return b.String(), nil
}

func literal(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
