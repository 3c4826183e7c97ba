package datetext

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func observe(cells ...string) *Proof {
	p := &Proof{}
	for i, cell := range cells {
		p.Observe(cell, i+2)
	}
	return p
}

func TestProofNeedsAPartAboveTwelve(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		cells    []string
		layouts  []string
		evidence string
	}{
		{nil, nil, ""},
		{[]string{"", " "}, nil, ""},
		{[]string{"01/02/2026", "25/01/2026"}, []string{"dd/mm/yyyy"}, "line 3: 25/01/2026"},
		{[]string{"01/02/2026", "01/25/2026 10:00"}, []string{"mm/dd/yyyy"}, "line 3: 01/25/2026 10:00"},
		{[]string{"1.2.26", "31.1.26"}, []string{"dd.mm.yyyy"}, "line 3: 31.1.26"},
		{[]string{"01-02-2026", "", "12-31-2026"}, []string{"mm-dd-yyyy"}, "line 4: 12-31-2026"},
		{[]string{"2026-01-02", "2026-01-02T10:00:00Z"}, []string{"iso"}, ""},
		{[]string{"05/05/2026"}, []string{"dd/mm/yyyy"}, ""},
		{[]string{"20260131"}, []string{"yyyymmdd"}, "line 2: 20260131"},
		{[]string{"31012026"}, []string{"ddmmyyyy"}, "line 2: 31012026"},
		{[]string{"2 Jan 2026", "2026-01-02"}, []string{"iso", "dd mon yyyy"}, ""},
	} {
		p := observe(row.cells...)
		layouts, err := p.Layouts()
		if err != nil || !slices.Equal(layouts, row.layouts) || p.Evidence() != row.evidence {
			t.Errorf("%q prove %q by %q, %v; want %q by %q", row.cells, layouts, p.Evidence(), err, row.layouts, row.evidence)
		}
	}
}

func TestProofStopsWhereNothingOrTooMuchIsProven(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		cells []string
		line  int // that the error is about
		words []string
	}{
		{[]string{"01/02/2026", "03/04/2026"}, 2, []string{"ambiguous", "line 2", `"01/02/2026"`}},
		{[]string{"05/05/2026", "03/04/2026"}, 3, []string{"ambiguous", "line 3"}},
		{[]string{"25/01/2026", "01/26/2026"}, 3, []string{"two date layouts", "line 2", "line 3", `"25/01/2026"`, `"01/26/2026"`}},
		{[]string{"2026-01-01", "1764547200"}, 3, []string{"line 3", "1764547200"}},
		{[]string{"TOTAL"}, 2, []string{"line 2", "TOTAL"}},
		{[]string{"32/01/2026"}, 2, []string{"line 2"}},
	} {
		p := observe(row.cells...)
		layouts, err := p.Layouts()
		if err == nil {
			t.Errorf("%q prove %q", row.cells, layouts)
			continue
		}
		if cell, line := p.Where(); line != row.line || cell != row.cells[line-2] {
			t.Errorf("%q: the error is about %q on line %d, want line %d", row.cells, cell, line, row.line)
		}
		for _, words := range row.words {
			if !strings.Contains(err.Error(), words) {
				t.Errorf("%q: %q lacks %q", row.cells, err, words)
			}
		}
	}
	_, err := observe("01/02/2026").Layouts()
	if e, ok := err.(*Error); !ok || !strings.Contains(e.Hint, "dates: {layouts: [dd/mm/yyyy]}") { //nolint:errorlint // the very type is asked for
		t.Errorf("the hint of %v names no profile line", err)
	}
}

func TestWhatIsProvenReadsEveryCellThatProvedIt(t *testing.T) {
	t.Parallel()
	for day := time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC); day.Year() == 2026; day = day.AddDate(0, 0, 1) {
		for layout, printed := range map[string]string{"dd/mm/yyyy": "02/01/2006", "mm/dd/yyyy": "1/2/2006"} {
			p := observe(day.Format(printed), time.Date(2026, time.March, 14, 0, 0, 0, 0, time.UTC).Format(printed))
			if layouts, err := p.Layouts(); err != nil || !slices.Equal(layouts, []string{layout}) {
				t.Fatalf("%s proves %q, %v", day.Format(printed), layouts, err)
			}
		}
	}
}
