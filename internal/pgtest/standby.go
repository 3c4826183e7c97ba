package pgtest

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
)

// Standby is a server that follows another.
type Standby struct {
	*Cluster
	primary *Cluster
}

// Pair starts a server and a standby of it, both for the test alone.
func Pair(tb testing.TB) (primary *Cluster, standby *Standby) {
	tb.Helper()
	primary, err := start()
	if err != nil {
		tb.Fatalf("pgtest: %v", err)
	}
	tb.Cleanup(func() { _ = primary.stdin.Close() })
	follower := &Cluster{folder: filepath.Join(primary.folder, "standby"), bin: primary.bin}
	if err := follower.copyOf(primary); err != nil {
		tb.Fatalf("pgtest: %v", err)
	}
	tb.Cleanup(func() { _ = follower.stdin.Close() })
	return primary, &Standby{follower, primary}
}

func (c *Cluster) copyOf(primary *Cluster) error {
	cmd, err := Command(context.Background(), filepath.Join(c.bin, "pg_basebackup"), "-h", primary.folder, "-U", "postgres",
		"-D", filepath.Join(c.folder, "data"), "-R", "--checkpoint=fast", "--no-sync")
	if err != nil {
		return err
	}
	cmd.Dir = primary.folder
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("pg_basebackup: %w\n%s", err, out)
	}
	return c.serve()
}

// Primary is the server that it follows.
func (s *Standby) Primary() *Cluster { return s.primary }

// CatchUp waits until the standby has replayed all that was committed so far.
func (s *Standby) CatchUp(tb testing.TB) {
	tb.Helper()
	s.await(tb, "pg_last_wal_replay_lsn() >= '"+s.primary.SQL(tb, "postgres", "SELECT pg_current_wal_insert_lsn()")+"'")
}

// Pause holds the standby where it is, whatever is committed, until Resume.
func (s *Standby) Pause(tb testing.TB) {
	tb.Helper()
	s.SQL(tb, "postgres", "SELECT pg_wal_replay_pause()")
	s.await(tb, "pg_get_wal_replay_pause_state() = 'paused'")
}

// Resume lets the standby follow again.
func (s *Standby) Resume(tb testing.TB) {
	tb.Helper()
	s.SQL(tb, "postgres", "SELECT pg_wal_replay_resume()")
}

// await lets the server wait for a condition of its own, a minute at most.
func (s *Standby) await(tb testing.TB, condition string) {
	tb.Helper()
	s.SQL(tb, "postgres", `DO $$ BEGIN
		FOR i IN 1..6000 LOOP
			IF `+condition+` THEN RETURN; END IF;
			PERFORM pg_sleep(0.01);
		END LOOP;
		RAISE 'the standby never came to it';
	END $$`)
}
