//go:build !race

package cmd

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// BenchmarkCheckDatabase runs the audits over the same months, before any run
// closed a day, which is as much as they ever look at.
func BenchmarkCheckDatabase(b *testing.B) {
	program := filepath.Join(b.TempDir(), "desfecho")
	if out, err := exec.CommandContext(b.Context(), "go", "build", "-trimpath", "-o", program, "./desfecho").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	for _, size := range []int{100_000, 1_000_000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			m := newMonth(b, program, size)
			most, busy := int64(0), time.Duration(0)
			for b.Loop() {
				memory, cpu := m.must(3, "check", "-q")
				most, busy = max(most, memory), busy+cpu
			}
			b.ReportMetric(busy.Seconds()/float64(b.N), "cpu-s")
			b.ReportMetric(float64(most)/1024, "MiB")
		})
	}
}
