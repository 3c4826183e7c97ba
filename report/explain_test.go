package report

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"desfecho/internal/ui"
	"desfecho/reconcile"
)

func TestEveryClassIsExplainedOnceAndWhole(t *testing.T) {
	t.Parallel()
	seen := 0
	for _, entries := range []map[reconcile.Class]Entry{chargedEntries, brokenEntries, openEntries, bookEntries, runEntries} {
		seen += len(entries)
	}
	if classes := reconcile.Classes(); seen != len(classes) {
		t.Errorf("%d explanations for %d classes", seen, len(classes))
	}
	for _, class := range reconcile.Classes() {
		entry := reflect.ValueOf(Explanation(class))
		for i := range entry.NumField() {
			text := entry.Field(i).String()
			name := entry.Type().Field(i).Name
			if text == "" || text != ui.Clean(text).String() || strings.Contains(text, "  ") {
				t.Errorf("%s: %s is %q", class, name, text)
			}
			if sentence := name != "Severity" && name != "Next"; sentence && !strings.HasSuffix(text, ".") {
				t.Errorf("%s: %s is no sentence: %q", class, name, text)
			}
		}
		if next := Explanation(class).Next; len(next) > 32 || strings.HasSuffix(next, ".") {
			t.Errorf("%s: next step %q is too long for a column", class, next)
		}
		if !strings.HasPrefix(Explanation(class).Never, "Never ") {
			t.Errorf("%s: %q", class, Explanation(class).Never)
		}
	}
}

func TestExplainIsAPageOfAtMost78Columns(t *testing.T) {
	t.Parallel()
	for _, class := range reconcile.Classes() {
		var out bytes.Buffer
		if err := Explain(&out, class); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(out.String(), class.String()+" (") {
			t.Errorf("%s: %s", class, out.String())
		}
		for line := range strings.Lines(out.String()) {
			if len(line) > 79 || strings.TrimRight(line, " \n")+"\n" != line {
				t.Errorf("%s: %q", class, line)
			}
		}
		for _, label := range []string{"\nmeaning   ", "\ncause     ", "\ndo        ", "\nnever     "} {
			if !strings.Contains(out.String(), label) {
				t.Errorf("%s lacks %q", class, label)
			}
		}
	}
}

func TestExplainRefusesWhatIsNoClass(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := Explain(&out, reconcile.NoClass); err == nil || out.Len() > 0 {
		t.Errorf("%v, %q", err, out.String())
	}
	if err := Explain(&failsAfter{3}, reconcile.KeyReused); err == nil {
		t.Error("a full disk is no error")
	}
}
