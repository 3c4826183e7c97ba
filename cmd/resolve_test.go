//go:build unix

package cmd

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
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
	for _, r := range story.Readers {
		entry := regexp.MustCompile(`(account: acct_` + r.Name + `\n    type: loopback[^\n]*\n)    base_url: [^\n]*\n`)
		text = entry.ReplaceAllString(text, fmt.Sprintf("${1}    base_url: %s/v1\n    key_file: %s\n", r.URL, filepath.Join(folder, r.Name+".key")))
		ts.Check(os.WriteFile(filepath.Join(folder, r.Name+".key"), []byte(r.Token), 0o600))
	}
	for _, name := range []string{"ledger.yaml", "objects.yaml"} {
		ts.Check(os.WriteFile(filepath.Join(folder, name), []byte(demoText(name, folder)), 0o600))
	}
	ts.Check(os.WriteFile(filepath.Join(folder, "desfecho.yaml"), []byte(text), 0o600))
}
