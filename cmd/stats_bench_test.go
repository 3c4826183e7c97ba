//go:build !race

package cmd

import (
	"os/exec"
	"path/filepath"
	"testing"

	"desfecho/internal/pgtest"
)

// BenchmarkStats runs stats of the program that is built over a month of
// 1,000,000 attempts in PostgreSQL that was compared once, with 40,000 of them
// made within the last day. It is to take less than 2 s.
func BenchmarkStats(b *testing.B) {
	program := filepath.Join(b.TempDir(), "desfecho")
	if out, err := exec.CommandContext(b.Context(), "go", "build", "-trimpath", "-o", program, "./desfecho").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	m := newMonth(b, program, 1_000_000)
	m.reconcile()
	pgtest.Server(b).SQL(b, m.name, `UPDATE charge_attempts SET created_at = now() - interval '1 hour' WHERE id IN (SELECT id FROM charge_attempts LIMIT 40000)`)
	memory := int64(0)
	for b.Loop() {
		most, _ := m.must(0, "stats", "--prometheus", filepath.Join(b.TempDir(), "desfecho.prom"))
		memory = max(memory, most)
	}
	b.ReportMetric(float64(memory)/1024, "MiB")
}
