package check

import (
	"context"
	"strings"

	"desfecho/internal/catalog"
)

// Generated is what the configuration makes for the database: the bodies of the
// function that writes, "" where no transition is declared, and of the trigger
// that keeps a final status. Wanted: the function is the only writer.
type Generated struct {
	Function string
	Guard    string
	Wanted   bool
}

// writeFunction compares the installed function with what the configuration
// makes: another one would write by other rules than those on the screen.
func (l *look) writeFunction(ctx context.Context) verdict {
	if l.Database.Dialect == catalog.SQLite {
		return unseen("SQLite has no functions; resolve writes directly")
	}
	rows, err := l.Database.Rows(ctx, `SELECT p.prosrc, p.prosecdef::text FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
		WHERE n.nspname = 'desfecho' AND p.proname = 'settle'`)
	if err != nil {
		return because(err)
	}
	want := l.Generated
	switch {
	case len(rows) == 0 && want.Wanted:
		return Fault.of(0, "", "attempts.write_by says function, and there is none: resolve can write nothing")
	case len(rows) == 0:
		return unseen("there is none; resolve writes directly")
	case len(rows) > 1:
		return Fault.of(0, "", "there are %d functions desfecho.settle", len(rows))
	case rows[0][1].Value != "true":
		return Fault.of(0, "", "desfecho.settle does not act as its owner any more (SECURITY DEFINER)")
	}
	installed, wanted := configured(rows[0][0].Value), configured(want.Function)
	switch {
	case rows[0][0].Value == want.Function:
		return good("it is the configuration's, sha256 %.12s", wanted)
	case !want.Wanted:
		return unseen("resolve writes directly; desfecho.settle was made from another configuration, sha256 %.12s", installed)
	case installed == wanted:
		return Fault.of(0, "", "its text was changed after it was made from this configuration")
	}
	return Fault.of(0, "", "it was made from another configuration: sha256 %.12s, this one is %.12s", installed, wanted)
}

// configured is the hash that the text of the function names.
func configured(text string) string {
	_, after, _ := strings.Cut(text, "configuration sha256: ")
	hash, _, _ := strings.Cut(after, "\n")
	return hash
}

// statusGuard says whether the database itself keeps a final status final.
func (l *look) statusGuard(ctx context.Context) verdict {
	if l.Database.Dialect == catalog.SQLite {
		return unseen("desfecho makes no triggers in SQLite")
	}
	name := l.reading.WriteTable()
	rows, err := l.Database.Rows(ctx, `SELECT p.prosrc, t.tgenabled::text FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
		WHERE t.tgrelid = to_regclass(CAST($1 AS text)) AND t.tgname = 'desfecho_guard_status'`, catalog.Quote(name))
	switch {
	case err != nil:
		return because(err)
	case len(rows) == 0:
		return unseen("no trigger of desfecho on %s; `desfecho schema --roles --guard` makes one", name)
	case rows[0][1].Value == "D":
		return unseen("the trigger on %s is disabled", name)
	case rows[0][0].Value != l.Generated.Guard:
		return unseen("the trigger on %s was made for other words of attempts.status", name)
	}
	return good("a trigger on %s refuses to change a final status", name)
}
