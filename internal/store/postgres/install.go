package postgres

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/jackc/pgx/v5"

	"desfecho/internal/store"
)

// settleTypes are the parameters' types of desfecho.settle.
const settleTypes = "text, text, text, text, text, text, text, text, text[], text[]"

// install is the SQL that makes desfecho.settle, all of it or nothing: it runs
// as whoever makes it, so that nobody may call it before PUBLIC was taken out,
// and nobody else may make what it would find by its search path.
func install(body string) string {
	if body == "" {
		return ""
	}
	return fmt.Sprintf(`
-- The only writer of the attempts' outcome, as the configuration declares it
-- now: make it again whenever that changes. It acts as the role that makes it,
-- which must own the schema desfecho or its tables and may write the attempts.
BEGIN;
CREATE OR REPLACE FUNCTION desfecho.settle(p_configuration text, p_op text, p_transition text, p_unit text, p_evidence text, p_reason text, p_program text,
    p_version text, p_row text[], p_siblings text[]) RETURNS desfecho.audit LANGUAGE plpgsql VOLATILE SECURITY DEFINER
    SET lock_timeout = '300ms' SET standard_conforming_strings = on SET timezone = 'UTC' SET datestyle = 'ISO, YMD'
    SET search_path = pg_catalog, pg_temp
    AS %[1]s%[2]s%[1]s;
REVOKE ALL ON FUNCTION desfecho.settle(%[3]s) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION desfecho.settle(%[3]s) TO desfecho_resolve;
DO $$
DECLARE
    place text;
    path text := 'pg_catalog';
BEGIN
    FOREACH place IN ARRAY current_schemas(false) LOOP
        IF has_schema_privilege('desfecho_resolve', place, 'CREATE') THEN
            RAISE EXCEPTION 'desfecho_resolve may create objects in schema %%, which the function would take for yours', place
                USING HINT = format('REVOKE CREATE ON SCHEMA %%I FROM PUBLIC, then run this again', place);
        END IF;
        path := path || ', ' || quote_ident(place);
    END LOOP;
    EXECUTE 'ALTER FUNCTION desfecho.settle(%[3]s) SET search_path = ' || path || ', pg_temp';
END $$;
COMMIT;
`, dollars(body), body, settleTypes)
}

// dollars is a quote that the text does not hold.
func dollars(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "$desfecho_" + hex.EncodeToString(sum[:8]) + "$"
}

// grantVersions lets those who resolve see the versions of the rows that are
// read and written: a table's have one of their own, a view's have none.
func grantVersions(reading *store.Reading) string {
	read := pgx.Identifier(store.SplitName(reading.Read)).Sanitize()
	written := pgx.Identifier(store.SplitName(reading.WriteTable())).Sanitize()
	tables, text := []string{read}, ""
	if written != read {
		_, id := reading.Place(reading.Columns.ID)
		text, tables = fmt.Sprintf("GRANT SELECT (%s) ON %s TO desfecho_resolve;\n", quote(id), written), append(tables, written)
	}
	for _, table := range tables {
		text += fmt.Sprintf(`DO $$
BEGIN
    IF (SELECT relkind FROM pg_class WHERE oid = %[2]s::regclass) = 'r' THEN
        GRANT SELECT (xmin) ON %[1]s TO desfecho_run, desfecho_resolve;
    END IF;
END $$;
`, table, literal(table))
	}
	return text
}
