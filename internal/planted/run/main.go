// Command run builds desfecho with one planted bug after the other and lists
// the tests that notice it. It exits 1 unless each is noticed by two tests, one
// of them of a property, of a model or of an enumeration.
//
//	go run ./internal/planted/run -o docs/testing.md
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

func main() {
	only := flag.String("bug", "", "plant only this `bug`")
	page := flag.String("o", "", "write the table into this `page`, between its marks")
	flag.Parse()
	if err := run(context.Background(), *only, *page, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "planted:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, only, page string, out io.Writer) error {
	bugs, err := planted()
	if err != nil {
		return err
	}
	if only != "" {
		bugs = slices.DeleteFunc(bugs, func(b bug) bool { return b.name != only })
		if len(bugs) == 0 {
			return fmt.Errorf("no bug %q is planted anywhere", only)
		}
	}
	if err := sound(ctx, bugs); err != nil {
		return err
	}
	var missed []error
	for i := range bugs {
		b := &bugs[i]
		if b.noticed, err = b.test(ctx); err != nil {
			return err
		}
		if _, err := fmt.Fprintf(out, "%s: %s\n", b.name, strings.Join(b.noticed, ", ")); err != nil {
			return err
		}
		missed = append(missed, b.enough())
	}
	if err := errors.Join(missed...); err != nil {
		return err
	}
	if page == "" || only != "" {
		return nil
	}
	return write(page, table(bugs))
}

// enough is nil where two tests notice the bug, one of them of a law.
func (b *bug) enough() error {
	switch {
	case len(b.noticed) < 2:
		return fmt.Errorf("%s (%s) is noticed by fewer than two tests: %v", b.name, b.does, b.noticed)
	case !slices.ContainsFunc(b.noticed, ofLaw):
		return fmt.Errorf("%s (%s) is noticed by examples alone: %v", b.name, b.does, b.noticed)
	}
	return nil
}

// table is the page's, one row a bug.
func table(bugs []bug) string {
	var t strings.Builder
	t.WriteString("| bug | what it does | tests that notice |\n|---|---|---|\n")
	for i := range bugs {
		b := &bugs[i]
		var names []string
		for _, name := range b.noticed {
			if ofLaw(name) {
				name = "**" + name + "**"
			}
			names = append(names, name)
		}
		fmt.Fprintf(&t, "| `%s` | %s | %s |\n", b.name, b.does, strings.Join(names, ", "))
	}
	return t.String()
}

const begin, end = "<!-- planted -->\n\n", "<!-- end -->"

// write puts the table between the page's marks.
func write(page, table string) error {
	read, err := os.ReadFile(page) //nolint:gosec // the caller names the page
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(read), begin)
	_, after, ended := strings.Cut(rest, end)
	if !ok || !ended {
		return fmt.Errorf("%s has no place for the table: %q to %q", page, begin, end)
	}
	return os.WriteFile(page, []byte(before+begin+table+"\n"+end+after), 0o644) //nolint:gosec // a page that everybody reads
}
