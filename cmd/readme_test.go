package cmd

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"desfecho/internal/ui"
)

// fence finds the fenced blocks of a page: language, title, text.
var fence = regexp.MustCompile("(?ms)^```([a-z]+)(?: ([^\n]*))?\n(.*?)^```$")

// TestPagesAreCurrent runs every command that the pages show, in a folder that
// holds the files they show, and compares what is printed. A block ```csv NAME
// is a file, a block ```sql NAME a SQLite file; in a block ```console the lines after `$ ` are commands and the
// others what they print. With -update the pages are rewritten.
func TestPagesAreCurrent(t *testing.T) {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range []string{"README.md", "docs/getting-started.md", "docs/database.md"} {
		path := filepath.Join(root, page)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Chdir(t.TempDir())
		current := fence.ReplaceAllStringFunc(string(text), func(block string) string {
			part := fence.FindStringSubmatch(block)
			switch {
			case part[2] != "" && part[1] == "sql":
				if err := execSQLite(t.Context(), part[2], part[3]); err != nil {
					t.Fatal(err)
				}
			case part[2] != "" && part[1] != "console":
				if err := os.WriteFile(part[2], []byte(part[3]), 0o600); err != nil {
					t.Fatal(err)
				}
			case part[1] == "console":
				return "```console\n" + replay(t, part[3]) + "```"
			}
			return block
		})
		if *update {
			if err := os.WriteFile(path, []byte(current), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(string(text), current); diff != "" && !*update {
			t.Errorf("%s is not what the program prints; run go test ./cmd -run Current -update\n(-page +program)\n%s", page, diff)
		}
	}
}

// replay runs the commands of one block.
func replay(t *testing.T, block string) string {
	t.Helper()
	var out strings.Builder
	for command := range commands(block) {
		out.WriteString("$ " + command + "\n")
		words := strings.Fields(strings.ReplaceAll(command, "\\\n", " "))
		if len(words) == 0 || words[0] != "desfecho" {
			t.Fatalf("the page shows %q, which is no command of ours", command)
		}
		screen, _ := onTerminal(t, words[1:]...)
		out.WriteString(screen)
	}
	return out.String()
}

// commands yields the commands of a block, with their continuation lines.
func commands(block string) func(func(string) bool) {
	return func(yield func(string) bool) {
		lines := strings.Split(block, "\n")
		for i := 0; i < len(lines); i++ {
			command, ok := strings.CutPrefix(lines[i], "$ ")
			if !ok {
				continue
			}
			for strings.HasSuffix(command, "\\") && i+1 < len(lines) {
				i++
				command += "\n" + lines[i]
			}
			if !yield(command) {
				return
			}
		}
	}
}

// onTerminal runs a command line as a terminal of 80 columns without colour
// shows it.
func onTerminal(t *testing.T, args ...string) (screen string, code exitCode) {
	t.Helper()
	var out bytes.Buffer
	d := &deps{
		program: "desfecho", env: environment{}, global: &globalOptions{},
		now: func() time.Time { return time.Date(2025, 12, 2, 12, 0, 0, 0, time.UTC) },
		Streams: ui.Streams{
			In: strings.NewReader(""), Out: &out, Err: io.Writer(&out), OutTerminal: true, Width: 80,
		},
	}
	code = d.execute(t.Context(), args)
	return out.String(), code
}
