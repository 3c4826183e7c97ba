package pgtest

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// ticks is how many of the kernel's units of processor time are a second, on
// every Linux that Go runs on.
const ticks = 100

// Busy is how long the server's processes, living and ended, have had a
// processor, to 10 ms; 0 where the system does not tell it as Linux does.
func (c *Cluster) Busy(tb testing.TB) time.Duration {
	tb.Helper()
	lines, err := os.ReadFile(filepath.Join(c.folder, "data", "postmaster.pid"))
	if err != nil {
		tb.Fatalf("pgtest: %v", err)
	}
	number, _, _ := strings.Cut(string(lines), "\n")
	all, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is well formed
	spent := int64(0)
	for _, path := range all {
		stat, err := os.ReadFile(path) //nolint:gosec // the kernel's own file
		if err != nil {
			continue // it has ended meanwhile, and its parent has counted it
		}
		// What follows the name begins with the state and the parent; times are
		// the process's own and then those of children that it has waited for.
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		own := string(fields[1]) == number
		if !own && filepath.Base(filepath.Dir(path)) != number {
			continue
		}
		for i, field := range fields[11:15] {
			if n, err := strconv.ParseInt(string(field), 10, 64); err == nil && (i < 2 || !own) {
				spent += n
			}
		}
	}
	return time.Duration(spent) * (time.Second / ticks)
}
