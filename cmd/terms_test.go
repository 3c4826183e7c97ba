package cmd

import (
	"strings"
	"testing"
)

// byFunction is the shop's configuration with a function that writes.
var byFunction = strings.Replace(shopConfig, "attempts:\n", "attempts:\n  write_by: function\n  transitions: [{to: succeeded}, {to: failed}, {to: unknown}]\n", 1)

// TestCheckComparesTheFunctionWithTheConfiguration: it is missing, made, and
// made from what the configuration said before.
func TestCheckComparesTheFunctionWithTheConfiguration(t *testing.T) {
	t.Parallel()
	s := postgresShop(t)
	s.file("desfecho.yaml", byFunction)
	s.must(0, "schema", "--apply")
	says := func(words ...string) {
		t.Helper()
		out, _, _ := s.run("check")
		for _, word := range words {
			if !strings.Contains(out, word) {
				t.Errorf("%q is missing in\n%s", word, out)
			}
		}
	}
	says("fault\twrite_function\t", "unknown\tstatus_guard\t")
	s.exec(s.must(0, "schema", "--roles", "--guard"))
	says("ok\twrite_function\t", "ok\tstatus_guard\t")
	s.file("desfecho.yaml", strings.Replace(byFunction, "{name: stripe,", "{name: stripe, visible_after: 48h,", 1))
	says("fault\twrite_function\t\t\tit was made from another configuration", "ok\tstatus_guard\t")
	s.file("desfecho.yaml", strings.Replace(byFunction, "failed: [failed]", "failed: [failed, refused]", 1))
	says("ok\twrite_function\t", "unknown\tstatus_guard\t")
}

func TestAFunctionIsRefusedWhereThereIsNone(t *testing.T) {
	t.Parallel()
	s := sqliteShop(t)
	s.file("desfecho.yaml", byFunction)
	if told := s.must(2, "schema", "--apply"); !strings.Contains(told, "attempts.write_by: SQLite has no functions") {
		t.Error(told)
	}
	s.file("desfecho.yaml", strings.Replace(byFunction, "write_by: function", "write_by: trigger", 1))
	if told := s.must(2, "schema", "--apply"); !strings.Contains(told, `attempts.write_by: is "trigger"`) && !strings.Contains(told, "write_by") {
		t.Error(told)
	}
	if told := s.must(2, "schema", "--guard"); !strings.Contains(told, "--guard goes with --roles") {
		t.Error(told)
	}
}
