package postgres

import (
	"strings"
	"testing"

	"desfecho/internal/pgtest"
	"desfecho/internal/store"
)

// TestAFinalStatusStaysFinalForItsOwnerToo: where the trigger was made, no
// statement of anybody, and no other trigger, takes an outcome back.
func TestAFinalStatusStaysFinalForItsOwnerToo(t *testing.T) {
	t.Parallel()
	d := database{url: pgtest.Database(t)}
	d.Exec(t, weighedTables+"CREATE SCHEMA desfecho; INSERT INTO tries (id, status, made) VALUES (1, 'paid', now()), (2, 'failed', now()), (3, 'unknown', now()), (4, 'captured', now())")
	described := weighedDescription()
	described.Status.Succeeded = []string{"paid", "captured"}
	sql, err := Guard(described)
	if err != nil {
		t.Fatal(err)
	}
	d.Exec(t, sql)
	d.Exec(t, sql) // again
	d.Exec(t, `CREATE FUNCTION turn_back() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NEW.note = 'turn' THEN NEW.status := 'unknown'; END IF; RETURN NEW; END $$;
		CREATE TRIGGER z_turn_back BEFORE UPDATE ON tries FOR EACH ROW EXECUTE FUNCTION turn_back();`)
	owner := opened(t, Options{URL: d.url})
	for sql, allowed := range map[string]bool{
		"UPDATE tries SET status = 'unknown' WHERE id = 1":                             false,
		"UPDATE tries SET status = 'failed' WHERE id = 1":                              false,
		"UPDATE tries SET status = 'refunded' WHERE id = 1":                            false,
		"UPDATE tries SET status = 'paid' WHERE id = 2":                                false,
		"UPDATE tries SET status = 'pending' WHERE id = 2":                             false,
		"UPDATE tries SET note = 'turn' WHERE id = 1":                                  false,
		"SET LOCAL session_replication_role = replica; UPDATE tries SET status = 'x'":  false,
		"ALTER TABLE tries ALTER status DROP NOT NULL; UPDATE tries SET status = NULL": false,
		"UPDATE tries SET note = 'kept' WHERE id = 1":                                  true,
		"UPDATE tries SET status = 'paid' WHERE id = 4":                                true,
		"UPDATE tries SET status = 'unknown' WHERE id = 3":                             true,
	} {
		err := owner.write(t.Context(), "try", func(tx *transaction) error {
			_, err := tx.Exec(t.Context(), sql)
			return err
		})
		switch {
		case allowed && err != nil:
			t.Errorf("%s: %v", sql, err)
		case !allowed && (err == nil || !strings.Contains(err.Error(), "which is final")):
			t.Errorf("%s: %v, want it refused", sql, err)
		}
	}
	if _, err := Guard(&store.Description{}); err == nil {
		t.Error("a trigger was made for no table")
	}
}
