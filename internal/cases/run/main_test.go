package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"desfecho/reconcile"
)

const two = `{"id": "good", "now": "2025-03-12T12:00:00Z", "expect": {"verdict": "clean", "parsed": [1]}}
{"id": "bad", "now": "2025-03-12T12:00:00Z", "expect": {"verdict": "breaks"}}
`

// nothing finds nothing in any case.
func nothing(reconcile.Input) reconcile.Result { return reconcile.Result{} }

func file(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "cases.jsonl")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestTheRunnerSaysWhatDiffersAndEndsWithTheCount(t *testing.T) {
	t.Parallel()
	name := file(t, two)
	for _, c := range []struct {
		args []string
		out  string
		code int
	}{
		{[]string{name}, "ok good\nFAIL bad: verdict clean, want breaks\nnot compared yet, by field: parsed 1\n1 passed, 1 failed\n", 1},
		{[]string{"-only", "good", name}, "ok good\nnot compared yet, by field: parsed 1\n1 passed, 0 failed\n", 0},
		{[]string{name, name}, "", 1},
		{[]string{"-v", "-only", "bad", name}, "FAIL bad: verdict clean, want breaks\n    verdict clean, places map[], repeats 0\n0 passed, 1 failed\n", 1},
		{[]string{"-only", "other", name}, "", 2},
		{[]string{name, name + ".absent"}, "", 2},
		{[]string{"-unknown", name}, "", 2},
		{nil, "", 2},
	} {
		var out, errs bytes.Buffer
		code := run(c.args, nothing, &out, &errs)
		if code != c.code || c.out != "" && out.String() != c.out {
			t.Errorf("%v: exit %d, want %d\n%s%s", c.args, code, c.code, out.String(), errs.String())
		}
		if c.code == 2 && (out.Len() > 0 || errs.Len() == 0) {
			t.Errorf("%v: out %q, errors %q; want nothing and a reason", c.args, out.String(), errs.String())
		}
	}
}

func TestACaseThatWaitsIsNeitherPassedNorFailed(t *testing.T) {
	t.Parallel()
	var out, errs bytes.Buffer
	name := file(t, `{"id": "sheet", "now": "2025-03-12T12:00:00Z", "file": {"kind": "sheet"}, "expect": {"rejected": 1}}`)
	if code := run([]string{name}, nothing, &out, &errs); code != 0 || !strings.HasSuffix(out.String(), "\n0 passed, 0 failed\n") {
		t.Errorf("exit %d\n%s", code, out.String())
	}
	if !strings.Contains(out.String(), "waits sheet") || !strings.Contains(out.String(), "cases that wait as a whole: 1") {
		t.Errorf("it is not said that the case waits:\n%s", out.String())
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestAResultThatCannotBeWrittenIsAFailure(t *testing.T) {
	t.Parallel()
	var errs bytes.Buffer
	if code := run([]string{"-only", "good", file(t, two)}, nothing, fullDisk{}, &errs); code != 1 || errs.Len() == 0 {
		t.Errorf("exit %d, errors %q", code, errs.String())
	}
}
