package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strings"
)

func ofLaw(test string) bool { return slices.Contains(laws, test) }

// sound demands that every place passes where no bug is planted: else what
// fails tells nothing.
func sound(ctx context.Context, bugs []bug) error {
	var done []string
	for i := range bugs {
		for _, p := range bugs[i].in {
			if slices.Contains(done, p.pkg) {
				continue
			}
			done = append(done, p.pkg)
			failed, err := p.run(ctx, bugs[i].variable, "")
			if err != nil {
				return err
			}
			if len(failed) > 0 {
				return fmt.Errorf("%s fails without any planted bug: %s", p.pkg, strings.Join(failed, ", "))
			}
		}
	}
	return nil
}

// test lists the tests that fail with the bug, in order.
func (b *bug) test(ctx context.Context) (noticed []string, err error) {
	for _, p := range b.in {
		failed, err := p.run(ctx, b.variable, b.name)
		if err != nil {
			return nil, err
		}
		noticed = append(noticed, failed...)
	}
	slices.Sort(noticed)
	return slices.Compact(noticed), nil
}

// run runs the tests of a place with one bug planted, and gives those that
// fail.
func (p *place) run(ctx context.Context, variable, name string) ([]string, error) {
	args := []string{"test", "-count=1", "-tags", "planted", "-ldflags", "-X " + variable + "=" + name, "-json", "-timeout", "5m", "-run", p.tests, p.pkg}
	command := exec.CommandContext(ctx, "go", append(args, p.args...)...) //nolint:gosec // all of it is written here
	var errs bytes.Buffer
	command.Stderr = &errs
	told, err := command.Output()
	if command.ProcessState == nil {
		return nil, fmt.Errorf("run go: %w", err)
	}
	failed, ran := results(told)
	switch {
	case ran == 0:
		return nil, fmt.Errorf("%s with %q: no test ran: %s%s", p.pkg, name, told, errs.String())
	case err != nil && len(failed) == 0:
		return nil, fmt.Errorf("%s with %q: %w, and no test failed: %s", p.pkg, name, err, errs.String())
	}
	return failed, nil
}

// results reads what go test -json tells: the tests that failed, those of the
// stores' suite by their parts, and how many ended.
func results(told []byte) (failed []string, ran int) {
	for s := bufio.NewScanner(bytes.NewReader(told)); s.Scan(); {
		var e struct{ Action, Test string }
		if json.Unmarshal(s.Bytes(), &e) != nil || e.Test == "" || e.Action != "pass" && e.Action != "fail" {
			continue
		}
		ran++
		name, part, nested := strings.Cut(e.Test, "/")
		suite := name == "TestContract"
		if e.Action == "fail" && (!nested && !suite || suite && nested && !strings.Contains(part, "/")) {
			failed = append(failed, e.Test)
		}
	}
	return failed, ran
}
