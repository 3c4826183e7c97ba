package partition_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"desfecho/internal/partition"
	"desfecho/internal/payment"
	"desfecho/internal/world"
	"desfecho/reconcile"
)

// Rows that went through temporary files, in parts of any size, are judged to
// the byte like rows in memory.
func TestPartsOfRowsAreJudgedAsTheWhole(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := input(world.Seeded(rapid.Uint64Range(1, 1<<20).Draw(t, "world")))
		rows := partition.New(partition.Options{Memory: rapid.SampledFrom([]int{1, 100_000, 0}).Draw(t, "memory")})
		defer func() {
			if err := rows.Close(); err != nil {
				t.Fatal(err)
			}
		}()
		fill(t, rows, &in, rapid.Bool().Draw(t, "twice"))
		m := reconcile.Open(in)
		var mutex sync.Mutex
		parts, held := 0, reconcile.Part{}
		err := rows.Parts(rapid.IntRange(1, 40).Draw(t, "target"), rapid.IntRange(1, 3).Draw(t, "workers"), func(p reconcile.Part) error {
			m.Add(p)
			mutex.Lock()
			defer mutex.Unlock()
			parts++
			held.Attempts, held.Lines, held.Units = append(held.Attempts, p.Attempts...), append(held.Lines, p.Lines...), append(held.Units, p.Units...)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(held.Attempts) != len(in.Attempts) || len(held.Lines) != len(in.Lines) || len(held.Units) != len(in.Units) {
			t.Fatalf("%d parts hold %d of %d attempts, %d of %d lines, %d of %d units", parts, len(held.Attempts), len(in.Attempts),
				len(held.Lines), len(in.Lines), len(held.Units), len(in.Units))
		}
		want, got := encoded(t, reconcile.Match(in)), encoded(t, m.Result())
		if !bytes.Equal(want, got) {
			t.Fatalf("%d parts (-whole +parts):\n%s", parts, gocmp.Diff(bytes.Split(want, []byte("\n")), bytes.Split(got, []byte("\n"))))
		}
	})
}

func encoded(t *rapid.T, r reconcile.Result) []byte {
	t.Helper()
	out, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// input is a world whose lines are all of one file.
func input(w *world.World) reconcile.Input {
	in := reconcile.Input{
		Now: w.Now, Window: w.Window, OwnSide: w.OwnSide, Attempts: w.Attempts, Statements: w.Statements,
		Units: w.Units, Lines: w.Lines, Lookups: w.Lookups,
	}
	for i := range in.Lines {
		in.Lines[i].File, in.Lines[i].Row = 0, int32(i+1)
	}
	for _, terms := range w.Terms {
		p := reconcile.NewPolicy(terms.Provider)
		p.Accounts, p.Zone, p.HasObjectList, p.LineIDsUnique = terms.Accounts, terms.Zone, terms.HasObjectList, terms.LineIDsUnique
		p.LookupBy, p.PublishLag, p.BooksAfter = terms.LookupBy, terms.PublishLag, terms.BooksAfter
		p.SucceededMeans = map[payment.Operation]reconcile.Means{payment.Charge: reconcile.MeansCaptured}
		in.Policies = append(in.Policies, p)
	}
	for _, c := range w.Charges {
		in.Charges = append(in.Charges, reconcile.Charge{ID: c.ID, Minor: c.Minor})
	}
	for i := range in.Attempts {
		a := &in.Attempts[i]
		if a.Status.Open() {
			in.Events = append(in.Events, payment.Event{Provider: a.Provider, Key: a.Key, At: a.CreatedAt})
			in.Dismissed = append(in.Dismissed, reconcile.Dismissal{Attempt: a.ID, Unit: "none", Reason: "no"})
		}
	}
	return in
}

// fill adds all rows, lines from the last to the first, and some twice.
func fill(t *rapid.T, rows *partition.Rows, in *reconcile.Input, twice bool) {
	t.Helper()
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	for i := range in.Attempts {
		must(rows.Attempt(&in.Attempts[i]))
		if twice {
			must(rows.Attempt(&in.Attempts[i]))
		}
	}
	for i := range slices.Backward(in.Lines) {
		must(rows.Line(int64(i), &in.Lines[i], 0, i%3 == 0))
		if twice {
			must(rows.Line(int64(i), &in.Lines[i], 0, true))
		}
	}
	for i := range in.Units {
		must(rows.Unit(int64(i), &in.Units[i]))
	}
	for i := range in.Lookups {
		must(rows.Lookup(&in.Lookups[i]))
	}
	for i := range in.Charges {
		must(rows.Charge(&in.Charges[i]))
	}
	for i := range in.Events {
		must(rows.Event(&in.Events[i]))
	}
	for i := range in.Dismissed {
		must(rows.Dismissal(&in.Dismissed[i]))
	}
}

func line(unit string) *payment.Line { return &payment.Line{ID: "l" + unit, Unit: unit, Provider: "p"} }

// Rows that hang together through a long chain are one part, however small
// parts are to be.
func TestAComponentIsNeverSplit(t *testing.T) {
	t.Parallel()
	rows := partition.New(partition.Options{})
	defer rows.Close()
	const n = 1000
	for i := range n {
		l := line(string(rune('A' + i%7)))
		l.Unit, l.ID, l.Parent = name(i), "", name((i+7)%n)
		if err := rows.Line(int64(i), l, 0, true); err != nil {
			t.Fatal(err)
		}
	}
	parts := 0
	if err := rows.Parts(1, 1, func(p reconcile.Part) error {
		parts++
		if len(p.Lines) != n {
			t.Errorf("a part of %d lines", len(p.Lines))
		}
		return nil
	}); err != nil || parts != 1 {
		t.Fatalf("%d parts, %v", parts, err)
	}
}

func name(i int) string {
	return string([]rune{'u', rune('0' + i/100), rune('0' + i/10%10), rune('0' + i%10)})
}

// Asked tells every key that a row asks by, and none of the rows that ask not.
func TestOnlyRowsThatAskAreAsked(t *testing.T) {
	t.Parallel()
	rows := partition.New(partition.Options{Memory: 1, Folder: t.TempDir()})
	defer rows.Close()
	for i, unit := range []string{"asks", "asks not"} {
		if err := rows.Line(int64(i), line(unit), uint64(77+i), i == 0); err != nil {
			t.Fatal(err)
		}
	}
	var got []uint64
	if err := rows.Asked(func(hash uint64) { got = append(got, hash) }); err != nil {
		t.Fatal(err)
	}
	want := []uint64{77, reconcile.HashKey(reconcile.KeyUnit, "", "asks"), reconcile.HashKey(reconcile.KeyLine, "", "lasks")}
	slices.Sort(got)
	slices.Sort(want)
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Few rows need no file; many leave none behind.
func TestFilesAreGone(t *testing.T) {
	t.Parallel()
	for _, memory := range []int{1, 0} {
		folder := t.TempDir()
		rows := partition.New(partition.Options{Memory: memory, Folder: folder})
		for i := range 5000 {
			if err := rows.Line(int64(i), line(name(i)), 0, true); err != nil {
				t.Fatal(err)
			}
		}
		if err := rows.Close(); err != nil {
			t.Fatal(err)
		}
		if left, _ := filepath.Glob(filepath.Join(folder, "*")); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
		if err := rows.Close(); err != nil {
			t.Errorf("closed twice: %v", err)
		}
	}
	missing := filepath.Join(t.TempDir(), "missing")
	rows := partition.New(partition.Options{Folder: missing})
	for i := range 5000 {
		if err := rows.Line(int64(i), line(name(i)), 0, true); err != nil {
			t.Fatalf("few rows needed a file: %v", err)
		}
	}
	rows = partition.New(partition.Options{Memory: 1, Folder: missing})
	var err error
	for i := 0; i < 5000 && err == nil; i++ {
		err = rows.Line(int64(i), line(name(i)), 0, true)
	}
	if !errors.Is(err, fs.ErrNotExist) || !errors.Is(err, partition.ErrFile) || errors.Join(err, rows.Close()) == nil {
		t.Errorf("without a folder: %v", err)
	}
	if _, err := os.Stat(missing); err == nil {
		t.Error("a folder was made")
	}
}
