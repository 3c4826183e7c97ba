// Answers the benchmark's question with DuckDB: attempts and statement as CSV
// files, and optionally a limit of memory. Prints the classes and their numbers.
import { DuckDBInstance } from "@duckdb/node-api";

const [attempts, statement, limit] = process.argv.slice(2);
const database = await DuckDBInstance.create(":memory:", limit ? { memory_limit: limit } : {});
const connection = await database.connect();
const quoted = (path) => `'${path.replaceAll("'", "''")}'`;
await connection.run(`CREATE TABLE a AS FROM read_csv(${quoted(attempts)})`);
await connection.run(`CREATE TABLE l AS FROM read_csv(${quoted(statement)})`);
const answer = await connection.runAndReadAll(`
WITH by_id AS MATERIALIZED (
  SELECT l.provider_charge_id AS unit, l.reference, CAST(round(l.gross * 100) AS BIGINT) AS gross, l.currency AS paid,
    a.id, a.status, a.charge_id AS charge, a.amount_cents AS asked, a.currency AS wanted
  FROM l LEFT JOIN a ON a.provider_charge_id = l.provider_charge_id
), m AS MATERIALIZED (
  SELECT unit, gross, paid, id, status, charge, asked, wanted FROM by_id WHERE id IS NOT NULL
  UNION ALL SELECT unit, gross, paid, a.id, a.status, a.charge_id, a.amount_cents, a.currency
  FROM by_id LEFT JOIN a ON a.idempotency_key = by_id.reference WHERE by_id.id IS NULL
), twice AS (
  SELECT charge FROM m WHERE charge IS NOT NULL GROUP BY charge HAVING count(DISTINCT unit) > 1
), classes AS (
  SELECT CASE WHEN id IS NULL THEN 'unrecorded_charge' WHEN status = 'failed' THEN 'failed_but_charged'
    WHEN paid <> wanted THEN 'currency_mismatch' WHEN gross <> asked THEN 'amount_mismatch' END AS class FROM m
  UNION ALL SELECT 'missing_at_provider' FROM a WHERE status = 'succeeded' AND NOT EXISTS (FROM m WHERE m.id = a.id)
  UNION ALL SELECT 'duplicate_charge' FROM twice
)
SELECT class, count(*) FROM classes WHERE class IS NOT NULL GROUP BY class ORDER BY class`);
for (const [name, count] of answer.getRows()) console.log(`${name} ${count}`);
