package postgres

import (
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"desfecho/internal/store"
)

// GuardBody is the body of the trigger that keeps a final status final, whoever
// writes. Another word for the same status is no other outcome. The error is a
// *store.DescriptionError.
func GuardBody(description *store.Description) (string, error) {
	reading, err := description.Compile()
	if err != nil {
		return "", err
	}
	_, status := reading.Place(reading.StatusColumn())
	_, id := reading.Place(reading.Columns.ID)
	var b strings.Builder
	fmt.Fprintf(&b, "\n-- A final status never changes (RULES §2, law 3), not even by its owner.\nBEGIN\n")
	for _, final := range [][]string{reading.Status.Succeeded, reading.Status.Failed} {
		fmt.Fprintf(&b, `    IF OLD.%[1]s::text = ANY (%[2]s) AND NOT coalesce(NEW.%[1]s::text, '') = ANY (%[2]s) THEN
        RAISE EXCEPTION 'attempt %% is %%, which is final', OLD.%[3]s, OLD.%[1]s USING ERRCODE = 'DF010';
    END IF;
`, quote(status), array(final), quote(id))
	}
	b.WriteString("    RETURN NULL;\nEND\n")
	return b.String(), nil
}

// Guard is the SQL that puts the trigger on the attempts table. It fires after
// every other trigger had its say, and in a session that replicates, too. It
// may be run again.
func Guard(description *store.Description) (string, error) {
	body, err := GuardBody(description)
	if err != nil {
		return "", err
	}
	reading, err := description.Compile()
	if err != nil {
		return "", err
	}
	_, status := reading.Place(reading.StatusColumn())
	table := pgx.Identifier(store.SplitName(reading.WriteTable())).Sanitize()
	return fmt.Sprintf(`
-- A final status stays final.
BEGIN;
CREATE OR REPLACE FUNCTION desfecho.guard_status() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS %[3]s%[4]s%[3]s;
DROP TRIGGER IF EXISTS desfecho_guard_status ON %[1]s;
CREATE TRIGGER desfecho_guard_status AFTER UPDATE ON %[1]s FOR EACH ROW
    WHEN (OLD.%[2]s IS DISTINCT FROM NEW.%[2]s) EXECUTE FUNCTION desfecho.guard_status();
ALTER TABLE %[1]s ENABLE ALWAYS TRIGGER desfecho_guard_status;
COMMIT;
`, table, quote(status), dollars(body), body), nil
}
