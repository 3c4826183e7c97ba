package report

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/reconcile"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

func render(t testing.TB, format string, d *Document, o Options) string {
	t.Helper()
	var out bytes.Buffer
	if err := Write(&out, format, d, o); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// groupedDocument has many divergences of one cause and two currencies.
func groupedDocument() *Document {
	d := designDocument()
	r := d.Result
	usd := money.MustCurrency("USD")
	var members []int
	for _, id := range []string{"101", "102", "103", "104", "105", "106", "107"} {
		missing := attemptDivergence(reconcile.MissingAtProvider, reconcile.P1, id, 10000, at("2025-11-29T08:00"))
		missing.Grade, missing.Currency = payment.Claimed, usd
		members = append(members, len(r.Divergences))
		r.Divergences = append(r.Divergences, missing)
	}
	r.Groups = []reconcile.Group{{
		Class: reconcile.MissingAtProvider, Severity: reconcile.P1, Provider: "stripe", Attribute: "other account",
		Count: len(members), Amounts: []money.Amount{{Minor: 70000, Currency: usd}}, Example: members[0], Members: members,
	}}
	r.Bridges = append(r.Bridges, reconcile.Bridge{Provider: "stripe", Account: "acct_1", Currency: usd})
	return d
}

func cleanDocument() *Document {
	d := designDocument()
	d.ExitCode = 0
	d.Result.Verdict, d.Result.Divergences = reconcile.Clean, nil
	return d
}

func defectDocument() *Document {
	d := cleanDocument()
	d.ExitCode = 70
	d.Result.Defect = "equation 1 of stripe acct_1 live BRL is off by 1"
	return d
}

func TestGolden(t *testing.T) {
	t.Parallel()
	documents := map[string]func() *Document{
		"design": designDocument, "file": fileDocument, "grouped": groupedDocument,
		"clean": cleanDocument, "defect": defectDocument, "empty": func() *Document { return &Document{Result: &reconcile.Result{}} },
	}
	layouts := map[string]struct {
		format  string
		options Options
	}{
		"80.txt":    {"table", Options{Terminal: true, Width: 80}},
		"140.txt":   {"table", Options{Terminal: true, Width: 140}},
		"40.txt":    {"table", Options{Terminal: true, Width: 40, ASCII: true}},
		"color.txt": {"table", Options{Terminal: true, Color: true}},
		"plain.txt": {"table", Options{}},
		"csv":       {"csv", Options{}},
		"br.csv":    {"csv-br", Options{}},
		"json":      {"json", Options{}},
		"ndjson":    {"ndjson", Options{}},
		"md":        {"md", Options{}},
		"html":      {"html", Options{}},
	}
	for name, build := range documents {
		for suffix, layout := range layouts {
			t.Run(name+"."+suffix, func(t *testing.T) {
				t.Parallel()
				got := withoutStyle(render(t, layout.format, build(), layout.options))
				path := filepath.Join("testdata", name+"."+suffix)
				if *update {
					if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
						t.Fatal(err)
					}
					return
				}
				want, err := os.ReadFile(path)
				if err != nil {
					t.Fatalf("%v: run go test ./report -update and read what it wrote", err)
				}
				if diff := cmp.Diff(string(want), got); diff != "" {
					t.Errorf("%s changed (-golden +now):\n%s", path, diff)
				}
			})
		}
	}
}

// withoutStyle leaves out of a page what is the same in every one.
func withoutStyle(out string) string {
	for _, piece := range []string{htmlStyle, htmlScript, htmlPolicy()} {
		out = strings.Replace(out, inAttribute(piece), "…", 1)
		out = strings.Replace(out, piece, "…", 1)
	}
	return out
}

func TestTheDesignScreenFitsEightyColumns(t *testing.T) {
	t.Parallel()
	screen := render(t, "table", designDocument(), Options{Terminal: true, Width: 80})
	for line := range strings.Lines(screen) {
		if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	for _, want := range []string{
		"stripe acct_1 live · 29 Nov 2025, America/Sao_Paulo · read to the end\n",
		"charged and not recorded 1,045.00 BRL (1) · doubled 0.00 ·", "stuck 209.90 BRL (2)",
		"resolve 4711", "show 4688", "= matched 17,237.40 + open 129.90 + failed 1,045.00", "unexplained 0.00",
		"\n2 P1, 1 P2 (2 new) · exit 3\n",
	} {
		if !strings.Contains(screen, want) {
			t.Errorf("the screen lacks %q", want)
		}
	}
}

func TestTheMoneyComesBeforeAnyTable(t *testing.T) {
	t.Parallel()
	for _, o := range []Options{{Terminal: true, Width: 120}, {}} {
		lines := strings.Split(render(t, "table", designDocument(), o), "\n")
		if !strings.HasPrefix(lines[1], "charged and not recorded 1,045.00 BRL (1)") {
			t.Errorf("second line: %s", lines[1])
		}
	}
}

func TestNoWidthCutsAnID(t *testing.T) {
	t.Parallel()
	d := fileDocument()
	d.Commands = []string{"resolve", "show"}
	d.Result.Divergences = append(d.Result.Divergences,
		attemptDivergence(reconcile.UnknownCharged, reconcile.P1, "two  blanks and "+strings.Repeat("long", 40), 1, at("2025-11-29T08:00")))
	for _, width := range []int{1, 20, 40, 79, 80, 81, 100, 140, 400} {
		screen := render(t, "table", d, Options{Terminal: true, Width: width})
		for i := range d.Result.Divergences {
			id := strings.Join(d.Result.Divergences[i].Subject.IDs, "+")
			if !strings.Contains(screen, id) {
				t.Errorf("width %d: %q is not whole", width, id)
			}
		}
	}
}

func TestAWideScreenIsNotExceededByWords(t *testing.T) {
	t.Parallel()
	for width := 60; width <= 200; width += 7 {
		for line := range strings.Lines(render(t, "table", fileDocument(), Options{Terminal: true, Width: width})) {
			if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > width {
				t.Errorf("width %d: %d columns: %s", width, n, line)
			}
		}
	}
}

func TestAnIncompleteRunNeverLooksClean(t *testing.T) {
	t.Parallel()
	d := cleanDocument()
	d.Result.Verdict, d.ExitCode = reconcile.Incomplete, 4
	for _, format := range Formats() {
		out := strings.ToLower(shown(t, format, d, Options{Terminal: true, Color: true}))
		if !strings.Contains(out, "incomplete") {
			t.Errorf("%s does not say it: %s", format, out)
		}
		if strings.Contains(out, "\x1b[32m") || strings.Contains(out, "read to the end,") {
			t.Errorf("%s looks green: %s", format, out)
		}
	}
}

func TestADefectHeadsEverything(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"table", "csv", "csv-br", "md"} {
		lines := strings.SplitN(render(t, format, defectDocument(), Options{}), "\n", 4)
		if !strings.Contains(strings.Join(lines[:3], "\n"), "DEFECT") {
			t.Errorf("%s: %q", format, lines)
		}
	}
	for _, format := range []string{"json", "ndjson"} {
		if out := render(t, format, defectDocument(), Options{}); !strings.Contains(out, `"defect":"equation 1`) {
			t.Errorf("%s: %s", format, out)
		}
	}
}
