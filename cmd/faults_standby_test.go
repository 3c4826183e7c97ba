package cmd

import (
	"strings"
	"testing"

	"desfecho/internal/pgtest"
)

// standbyShop is a merchant of today, whose database has a standby. The first
// attempt is two hours old.
func standbyShop(t *testing.T) (*shop, *pgtest.Standby) {
	t.Helper()
	primary, standby := pgtest.Pair(t)
	primary.SQL(t, "postgres", "CREATE DATABASE shop")
	s := &shop{t: t, url: primary.URL("postgres", "shop")}
	s.exec = func(text string) {
		t.Helper()
		primary.SQL(t, "shop", text)
	}
	s.made()
	s.exec("DELETE FROM attempts; INSERT INTO attempts VALUES (3, 'c3', 'succeeded', 'pi_3', 8000, (now() - interval '2 hours')::text)")
	s.must(0, "schema", "--apply")
	return s, standby
}

// TestWhatAReplicaHasNotReplayedIsNotCalledUnrecorded: of what happened since,
// our side is not covered; what nobody recorded before that is found.
func TestWhatAReplicaHasNotReplayedIsNotCalledUnrecorded(t *testing.T) {
	t.Parallel()
	s, standby := standbyShop(t)
	clock := func(back string) string {
		return standby.Primary().SQL(t, "shop", `SELECT to_char((clock_timestamp() - interval '`+back+`') AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`)
	}
	standby.CatchUp(t)
	standby.Pause(t)
	s.exec("INSERT INTO attempts VALUES (4, 'c4', 'succeeded', 'pi_4', 7000, clock_timestamp()::text)")
	s.file("stripe.csv", strings.Join([]string{
		"line_id,provider_charge_id,reference,type,gross,fee,net,currency,status,occurred_at",
		"l3,pi_3,,charge,80.00,0.00,80.00,BRL,captured," + clock("2 hours"),
		"l5,pi_5,,charge,50.00,0.00,50.00,BRL,captured," + clock("1 hour"),
		"l4,pi_4,,charge,70.00,0.00,70.00,BRL,captured," + clock("0"),
	}, "\n"))
	s.must(0, "pull", "stripe", "--file", s.folder+"/stripe.csv", "--covers", clock("3 hours")+".."+clock("0"))
	s.file("desfecho.yaml", shopConfig+"database: {read_url: '"+standby.URL("postgres", "shop")+"'}\n")
	behind := s.must(3, "reconcile", "--always")
	if !strings.Contains(behind, "unrecorded_charge\tunit\tpi_5") || strings.Contains(behind, "pi_4") ||
		!strings.Contains(behind, "own side not covered 1") || !strings.Contains(behind, "read from a replica that had replayed to ") {
		t.Errorf("behind:\n%s", behind)
	}
	standby.Resume(t)
	standby.CatchUp(t)
	level := s.must(3, "reconcile", "--always")
	if !strings.Contains(level, "unrecorded_charge\tunit\tpi_5") || strings.Contains(level, "pi_4") || strings.Contains(level, "own side not covered") {
		t.Errorf("level:\n%s", level)
	}
}

// TestAStandbyServesReportsOnly: what would write says so before it reads
// anything, and what reads does.
func TestAStandbyServesReportsOnly(t *testing.T) {
	t.Parallel()
	s, standby := standbyShop(t)
	s.pull(0)
	s.reconcile(3)
	said := s.must(0, "report")
	standby.CatchUp(t)
	s.url = standby.URL("postgres", "shop")
	if told := s.must(0, "report"); told != said {
		t.Errorf("the standby's report is\n%s\nand the primary's\n%s", told, said)
	}
	for _, told := range []string{s.pull(1), s.reconcile(1), s.must(1, "baseline", "--from", "2025-12-01")} {
		if !strings.Contains(told, "the database takes no writes here: nothing was written; use the primary") {
			t.Errorf("told %q", told)
		}
	}
	s.must(0, "schema", "--apply") // there is nothing to write
}
