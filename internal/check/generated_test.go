package check_test

import (
	"strings"
	"testing"

	"desfecho/internal/check"
)

const madeFunction = "-- configuration sha256: abc\nBEGIN RETURN 1; END"

func madeBy(body, security string) string {
	return "CREATE SCHEMA IF NOT EXISTS desfecho; CREATE FUNCTION desfecho.settle(a text) RETURNS int LANGUAGE plpgsql " + security + " AS $x$" + body + "$x$;"
}

// TestTheFunctionThatWritesIsTheConfigurations: one that is missing where it is
// wanted, of another configuration, changed by hand, or without its owner's
// rights is a fault.
func TestTheFunctionThatWritesIsTheConfigurations(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		sql    string
		wanted bool
		level  check.Level
		says   string
	}{
		"none, none wanted":      {"", false, check.Unknown, "there is none; resolve writes directly"},
		"none, wanted":           {"", true, check.Fault, "resolve can write nothing"},
		"the configuration's":    {madeBy(madeFunction, "SECURITY DEFINER"), true, check.OK, "sha256 abc"},
		"another's":              {madeBy(strings.Replace(madeFunction, "abc", "def", 1), "SECURITY DEFINER"), true, check.Fault, "sha256 def, this one is abc"},
		"another's, none wanted": {madeBy(strings.Replace(madeFunction, "abc", "def", 1), "SECURITY DEFINER"), false, check.Unknown, "made from another configuration, sha256 def"},
		"changed by hand":        {madeBy(strings.Replace(madeFunction, "1", "2", 1), "SECURITY DEFINER"), true, check.Fault, "changed after it was made"},
		"without owner's right":  {madeBy(madeFunction, ""), true, check.Fault, "SECURITY DEFINER"},
		"two":                    {madeBy(madeFunction, "SECURITY DEFINER") + strings.Replace(madeBy(madeFunction, ""), "a text", "a int", 1), true, check.Fault, "2 functions"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := postgresDatabase(t)
			p.sound(t)
			if c.sql != "" {
				p.run(t, c.sql)
			}
			in := input(p.open(t))
			in.Generated = check.Generated{Function: madeFunction, Wanted: c.wanted}
			r := look(t, in)
			if f := r.Find("write_function"); f.Level != c.level || !strings.Contains(f.Says, c.says) {
				t.Errorf("%s: %s", f.Level, f.Says)
			}
		})
	}
}

func TestTheGuardIsSeen(t *testing.T) {
	t.Parallel()
	p := postgresDatabase(t)
	p.sound(t)
	p.run(t, `CREATE SCHEMA desfecho; CREATE FUNCTION desfecho.guard_status() RETURNS trigger LANGUAGE plpgsql AS $x$BEGIN RETURN NULL; END$x$;
		CREATE TRIGGER desfecho_guard_status AFTER UPDATE ON charge_attempts FOR EACH ROW EXECUTE FUNCTION desfecho.guard_status();`)
	in := input(p.open(t))
	guarded := func(want check.Level, says string) {
		t.Helper()
		r := look(t, in)
		if f := r.Find("status_guard"); f.Level != want || !strings.Contains(f.Says, says) {
			t.Errorf("%s: %s", f.Level, f.Says)
		}
	}
	guarded(check.Unknown, "other words")
	in.Generated.Guard = "BEGIN RETURN NULL; END"
	guarded(check.OK, "refuses to change")
	p.run(t, "ALTER TABLE charge_attempts DISABLE TRIGGER desfecho_guard_status")
	guarded(check.Unknown, "disabled")
}
