package twopass_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"desfecho/internal/partition"
	"desfecho/internal/payment"
	"desfecho/internal/store/file"
	"desfecho/internal/twopass"
	"desfecho/internal/world"
	"desfecho/providers/statementfile"
	"desfecho/reconcile"
)

// Files that are read twice, in pieces of any size and with hardly any memory,
// say what they say when they are read whole: the result, the hashes, what was
// counted and remarked. Rows are as real files have them: quoted, over two
// lines, twice, blank, of another day, with CRLF.
func TestTwoPassesSayWhatOneSays(t *testing.T) {
	t.Parallel()
	summed, whole := 0, 0
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 7))
		in := files(t, r, []int{rarely, 20, 200}[r.IntN(3)])
		rest, err := twopass.Read(t.Context(), in)
		if errors.Is(err, twopass.ErrWhole) {
			whole++
			continue
		}
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		want, got := readWhole(t, in), said(t, rest, in.Future)
		if !bytes.Equal(want, got) {
			t.Fatalf("seed %d (-whole +twice):\n%s", seed, gocmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(got), "\n")))
		}
		for i := range rest.Sales {
			summed += rest.Sales[i].Count
		}
	}
	t.Logf("%d sales were summed up, %d of 150 pairs of files were left to be read whole", summed, whole)
	if summed < 15_000 || whole > 80 {
		t.Error("the files test too little")
	}
}

// What cannot be read piece by piece is left to be read whole, however small
// what is odd about it is.
func TestOddFilesAreReadWhole(t *testing.T) {
	t.Parallel()
	for name, odd := range map[string]func(lines []string) []string{
		"a line that ends with CR alone": func(l []string) []string { l[len(l)-9] += "\r" + l[len(l)-9]; return l },
		"a NUL":                          func(l []string) []string { l[len(l)-9] += "\x00"; return l },
		"no UTF-8":                       func(l []string) []string { l[len(l)-9] += "\xff"; return l },
		"another mark": func(l []string) []string {
			cells := strings.Split(l[len(l)-9], ",")
			cells[4] = `"` + strings.Replace(cells[4], ".", ",", 1) + `"`
			l[len(l)-9] = strings.Join(cells, ",")
			return l
		},
		"a mark that the beginning does not show": func(l []string) []string {
			for i := range l[1 : len(l)-9] {
				cells := strings.Split(l[i+1], ",")
				cells[4], cells[5], cells[6] = "100", "1", "99"
				l[i+1] = strings.Join(cells, ",")
			}
			return l
		},
		"rows that are not plain": func(l []string) []string {
			for i := range l[1:] {
				l[i+1] = strings.Replace(l[i+1], ",charge,", ",refund,", 1)
			}
			return l
		},
		"rows that are not plain after the beginning": func(l []string) []string {
			for i := range l[60:] {
				l[i+60] = strings.Replace(l[i+60], ",charge,", ",refund,", 1)
			}
			return l
		},
		"a bad amount":    func(l []string) []string { l[len(l)-9] = strings.Replace(l[len(l)-9], ".", "x", 1); return l },
		"a quote is open": func(l []string) []string { l[len(l)-9] = `"` + l[len(l)-9]; return l },
		"too many cells":  func(l []string) []string { l[len(l)-9] += ",more"; return l },
		"no line at all":  func([]string) []string { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := files(t, rand.New(rand.NewPCG(1, 7)), rarely)
			rewrite(t, in.Statements[0].Path, odd)
			if _, err := twopass.Read(t.Context(), in); !errors.Is(err, twopass.ErrWhole) {
				t.Errorf("got %v", err)
			}
		})
	}
	t.Run("an interrupt", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancelCause(t.Context())
		stopped := errors.New("stopped")
		cancel(stopped)
		if _, err := twopass.Read(ctx, files(t, rand.New(rand.NewPCG(1, 7)), rarely)); !errors.Is(err, stopped) {
			t.Errorf("got %v", err)
		}
	})
}

// rarely is never.
const rarely = 1 << 40

// files are a workload as files, with one row in so many as real files have
// them.
func files(t *testing.T, r *rand.Rand, often int) twopass.Input {
	t.Helper()
	folder := t.TempDir()
	var attempts, statement bytes.Buffer
	truth, err := world.Workload{Rows: 200 + r.IntN(400), Seed: r.Uint64(), Rare: 30}.Write(&attempts, &statement)
	if err != nil {
		t.Fatal(err)
	}
	in := twopass.Input{
		Attempts: twopass.Attempts{Path: filepath.Join(folder, "attempts.csv")},
		Head:     600 + r.IntN(4000), Piece: 200 + r.IntN(20_000), Future: truth.AsOf.Add(24 * time.Hour),
		Pairs: partition.Options{Memory: []int{0, 1, 100_000}[r.IntN(3)], Folder: folder},
	}
	write(t, in.Attempts.Path, attempts.String(), r, often)
	lines := strings.SplitAfter(statement.String(), "\n")
	cut := len(lines)
	if r.IntN(3) == 0 { // two files, which share a line
		cut = 2 + r.IntN(len(lines)-2)
	}
	for i, part := range [][]string{lines[:cut], append([]string{lines[0]}, lines[cut-1:]...)} {
		if i == 1 && cut == len(lines) {
			break
		}
		path := filepath.Join(folder, fmt.Sprintf("statement%d.csv", i))
		write(t, path, strings.Join(part, ""), r, often)
		options := statementfile.Options{Provider: "acme", FileIndex: int32(i)}
		if r.IntN(2) == 0 {
			options.Covers = &truth.Covers
		}
		in.Statements = append(in.Statements, twopass.Statement{Path: path, Options: options})
	}
	return in
}

// write writes a file's rows.
func write(t *testing.T, path, text string, r *rand.Rand, often int) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	rewrite(t, path, func(lines []string) (out []string) {
		hashed := strings.HasPrefix(lines[0], "id,") && r.IntN(2) == 0
		if out = lines[:1:1]; hashed {
			out[0] += ",payload_hash"
		}
		before := ""
		for _, line := range lines[1:] {
			if hashed {
				line += ",hash" + strconv.Itoa(r.IntN(2))
			}
			cells := strings.Split(line, ",")
			was := cells[2]
			out = asReal(out, line, cells, before, r.IntN(often))
			before = was
			out = append(out, strings.Join(cells, ","))
		}
		if r.IntN(4) == 0 {
			for i := range out {
				out[i] += "\r"
			}
		}
		return out
	})
	if r.IntN(3) == 0 { // no end of the last line
		rewritten, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(path, bytes.TrimRight(rewritten, "\r\n"), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// asReal changes a row into one of a real file, or adds one before it.
func asReal(out []string, line string, cells []string, before string, how int) []string {
	statement := strings.HasPrefix(out[0], "line_id")
	switch how {
	case 0:
		cells[0] = `"` + cells[0] + `"`
	case 1:
		cells[2] = "\"two\nlines " + cells[2] + `"`
	case 2:
		cells[2] = ""
	case 3:
		if statement {
			out = append(out, line) // a line twice
		}
	case 4:
		out = append(out, "")
	case 5:
		cells[1] = `"with, a comma"`
	case 6:
		cells[9] = strings.Replace(cells[9], "2025-03", "2025-01", 1)
	case 7:
		cells[3] = strings.Replace(cells[3], "charge", "gift", 1)
	case 8:
		cells[2] = before // another's key or reference
	case 9:
		cells[8] = strings.Replace(cells[8], "available", "odd", 1)
	case 10:
		if statement && len(out) > 4 {
			out = append(out, out[1+len(out)%3]) // a line of the beginning once more
		}
	}
	return out
}

func rewrite(t *testing.T, path string, change func([]string) []string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := change(strings.Split(strings.TrimSuffix(string(text), "\n"), "\n"))
	out := strings.Join(lines, "\n")
	if len(lines) > 0 {
		out += "\n"
	}
	if err := os.WriteFile(path, []byte(out), 0o600); err != nil {
		t.Fatal(err)
	}
}

func readWhole(t *testing.T, in twopass.Input) []byte {
	t.Helper()
	rest := &twopass.Rest{}
	var err error
	if rest.Attempts, err = file.ReadAttempts(t.Context(), in.Attempts.Path, in.Attempts.Options); err != nil {
		t.Fatal(err)
	}
	for _, s := range in.Statements {
		f, err := statementfile.Read(t.Context(), s.Path, s.Options)
		if err != nil {
			t.Fatal(err)
		}
		rest.Statements = append(rest.Statements, f)
	}
	return said(t, rest, in.Future)
}

// said is all that the files say.
func said(t *testing.T, rest *twopass.Rest, now payment.Instant) []byte {
	t.Helper()
	policy := reconcile.NewPolicy("acme")
	policy.SucceededMeans = map[payment.Operation]reconcile.Means{payment.Charge: reconcile.MeansCaptured}
	in := reconcile.Input{
		Now: now, Policies: []reconcile.Policy{policy}, Attempts: rest.Attempts.Attempts, OwnSide: rest.Attempts.Cover, OwnGrade: rest.Attempts.CoverGrade,
		Window: payment.Interval{From: 1, To: now},
	}
	all := []any{rest.Attempts.Tally, rest.Attempts.SHA256, rest.Attempts.Notes}
	for _, f := range rest.Statements {
		in.Statements, in.Lines, in.Units = append(in.Statements, f.Statements...), append(in.Lines, f.Lines...), append(in.Units, f.Units...)
		all = append(all, f.Tally, f.SHA256, slices.Clone(f.Notes), f.Statements)
	}
	out, err := json.MarshalIndent(append(all, reconcile.MatchBeside(in, rest.Sales)), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return out
}
