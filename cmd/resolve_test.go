//go:build unix

package cmd

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	merchant "desfecho/internal/shop"
)

// stageCommand FOLDER tells the demo's story into FOLDER/shop.db, leaves its
// providers open for the rest of the script, and writes a configuration that
// can ask them. STUCK is the attempt whose answer came too late.
func stageCommand(ts *testscript.TestScript, negated bool, args []string) {
	if negated || len(args) != 1 {
		ts.Fatalf("usage: stage FOLDER")
	}
	folder := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(folder, 0o700))
	db, err := sql.Open("sqlite", "file:"+filepath.Join(folder, "shop.db")+"?_txlock=immediate&_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)")
	ts.Check(err)
	db.SetMaxOpenConns(1)
	story, err := merchant.TellStory(context.Background(), db, merchant.SQLite, nil)
	ts.Check(err)
	ts.Check(db.Close())
	ts.Defer(func() { _ = story.Close() })
	for _, f := range story.Findings {
		if f.Class == "unknown_charged" {
			ts.Setenv("STUCK", strings.TrimPrefix(f.Subject, "attempt:"))
		}
	}
	text := demoText("desfecho.yaml", folder)
	text = strings.Replace(text, "  reserves: {held", stageTransitions+"  reserves: {held", 1)
	for _, r := range story.Readers {
		text = strings.Replace(text, "    account: acct_"+r.Name+"\n", fmt.Sprintf("    account: acct_%s\n    type: loopback\n    base_url: %s/v1\n    key_file: %s\n",
			r.Name, r.URL, filepath.Join(folder, r.Name+".key")), 1)
		ts.Check(os.WriteFile(filepath.Join(folder, r.Name+".key"), []byte(r.Token), 0o600))
	}
	for _, name := range []string{"ledger.yaml", "objects.yaml"} {
		ts.Check(os.WriteFile(filepath.Join(folder, name), []byte(demoText(name, folder)), 0o600))
	}
	ts.Check(os.WriteFile(filepath.Join(folder, "desfecho.yaml"), []byte(text), 0o600))
}


// stageTransitions is what the demo's shop does when an attempt ends.
const stageTransitions = `  transitions:
    - to: succeeded
      follow_up:
        - {sql: "UPDATE charges SET status = 'paid' WHERE id = $charge AND status <> 'paid'", rows: "0..1", zero: "already paid"}
        - {sql: "INSERT INTO ledger_entries (entry_key, charge_id, kind, amount_cents, currency, created_at) VALUES ('charge-' || $charge, $charge, 'credit', $amount, $currency, '2025-11-30 00:00:00')"}
    - {to: failed, follow_up: []}
    - {to: unknown, follow_up: []}
`
