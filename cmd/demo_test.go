package cmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestTheDemoFitsEightyColumnsAndIsTheSameEveryTime(t *testing.T) {
	t.Chdir(t.TempDir())
	first, code := onTerminal(t, "demo")
	if code != exitDone {
		t.Fatalf("exit %d: %s", code, first)
	}
	checked, code := onTerminal(t, "check", "--config", "desfecho-demo/desfecho.yaml")
	if code != exitDivergences || !strings.Contains(checked, "fault    key_per_call, such as attempt 38\n") || !strings.HasSuffix(checked, " · exit 3\n") {
		t.Errorf("exit %d: %s", code, checked)
	}
	for line := range strings.Lines(first + checked) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	if again, _ := onTerminal(t, "demo", "--dir", "desfecho-demo/"); again != first {
		t.Errorf("the second demo says something else:\n%s", again)
	}
	entries, err := os.ReadDir("desfecho-demo")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v, %v; want it for its owner alone", entry.Name(), info.Mode(), err)
		}
	}
}

// A demo that was interrupted leaves a folder that the next one takes.
func TestAnInterruptedDemoIsPlayedAnew(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "demo")
	if _, err := makeDemoFolder(folder); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "shop.db"), []byte("half a database"), 0o600); err != nil {
		t.Fatal(err)
	}
	if screen, code := onTerminal(t, "demo", "--dir", folder); code != exitDone {
		t.Errorf("exit %d: %s", code, screen)
	}
}
