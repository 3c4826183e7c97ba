package report

import (
	"context"
	"encoding/json"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"desfecho/internal/money"
	"desfecho/reconcile"

	"github.com/google/go-cmp/cmp"
)

// cells finds the divergences in a page: class, then the cells of each row.
func cells(page string) (rows [][]string) {
	class := regexp.MustCompile(`(?s)<details class="class" data-class="([^"]*)".*?</details>`)
	row := regexp.MustCompile(`(?s)<tr[^>]*>(<td>.*?)</tr>`)
	cell := regexp.MustCompile(`(?s)<t[dh][^>]*>(.*?)</t[dh]>`)
	tag := regexp.MustCompile(`<[^>]*>`)
	for _, c := range class.FindAllStringSubmatch(page, -1) {
		for _, r := range row.FindAllStringSubmatch(c[0], -1) {
			one := []string{c[1]}
			for _, x := range cell.FindAllStringSubmatch(r[1], -1) {
				one = append(one, html.UnescapeString(tag.ReplaceAllString(x[1], "")))
			}
			rows = append(rows, one)
		}
	}
	return rows
}

func TestHTMLReadsBack(t *testing.T) {
	t.Parallel()
	d := fileDocument()
	got := map[string]bool{}
	rows := cells(render(t, "html", d, Options{}))
	for _, r := range rows {
		got[strings.Join([]string{r[0], r[1], r[2], r[4], r[6]}, "|")] = true
	}
	for i, x := range toldBy(d) {
		amount := ""
		if c := d.Result.Divergences[i].Currency; !c.IsZero() {
			amount = money.Amount{Minor: x.Minor, Currency: c}.String()
		}
		severity := x.Severity
		if severity == "" {
			severity = "--"
		}
		if row := strings.Join([]string{x.Class, severity, x.Kind + " " + x.Subject, amount, x.Life}, "|"); !got[row] {
			t.Errorf("no row %s in %v", row, got)
		}
	}
	if len(rows) != len(d.Result.Divergences) {
		t.Errorf("%d rows of %d divergences", len(rows), len(d.Result.Divergences))
	}
}

func TestAPageSaysWhatItLeavesOut(t *testing.T) {
	t.Parallel()
	d := manyDivergences(htmlRows + 7)
	page := render(t, "html", d, Options{})
	left := number(len(d.Result.Divergences) - htmlRows)
	if len(cells(page)) != htmlRows || !strings.Contains(page, left+" of "+number(len(d.Result.Divergences))+" divergences are not on this page") {
		t.Errorf("%d rows, and not said that %s are left out", len(cells(page)), left)
	}
}

func TestAPageFetchesNothing(t *testing.T) {
	t.Parallel()
	for name, payload := range payloads() {
		page := render(t, "html", hostileDocument(payload, reconcile.UnknownCharged), Options{})
		for _, attribute := range regexp.MustCompile(`(?i)\s(src|href|style|on[a-z]+|action|srcset|data)\s*=\s*("[^"]*"|[^\s>]+)`).FindAllStringSubmatch(strings.NewReplacer(htmlScript, "", htmlStyle, "").Replace(page), -1) {
			if !strings.HasPrefix(attribute[2], `"#`) {
				t.Errorf("%s: %s", name, attribute[0])
			}
		}
		if n := strings.Count(page, "<script"); n != 1 {
			t.Errorf("%s: %d scripts", name, n)
		}
	}
}

func TestTheCalendarShowsEveryHole(t *testing.T) {
	t.Parallel()
	d := designDocument()
	d.Result.Window.From, d.Result.Window.To = at("2025-11-27T03:00"), at("2025-12-01T03:00")
	s := &d.Result.Statements[0]
	s.From, s.Through = at("2025-11-28T03:00"), at("2025-11-30T18:00")
	s.Holes = append(s.Holes, d.Result.Window)
	s.Holes[0].From, s.Holes[0].To = at("2025-11-29T12:00"), at("2025-11-29T13:00")
	states := func() (all []string) {
		for _, m := range htmlCalendars(d)[0].Months {
			for _, day := range m.Days {
				all = append(all, day.State)
			}
		}
		return all
	}
	if diff := cmp.Diff([]string{"not read", "read whole", "read in part", "read in part"}, states()); diff != "" {
		t.Error(diff)
	}
	other := *s // another statement of the account that fills the hole
	other.Holes, other.From, other.Through = nil, at("2025-11-29T11:00"), at("2025-11-29T14:00")
	d.Result.Statements = append(d.Result.Statements, other)
	if diff := cmp.Diff([]string{"not read", "read whole", "read whole", "read in part"}, states()); diff != "" {
		t.Error(diff)
	}
}

// chromium finds a browser, or leaves the test out and says so.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("no Chromium is installed: pages are not opened (make test-pages)")
	return ""
}

// opened is the page after its scripts ran, as Chromium holds it, and what the
// browser complained about.
func opened(t *testing.T, browser, page string) (dom, complaints string) {
	t.Helper()
	folder := t.TempDir()
	path := filepath.Join(folder, "report.html")
	if err := os.WriteFile(path, []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	run := exec.CommandContext(ctx, browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking",
		"--user-data-dir="+filepath.Join(folder, "profile"), "--enable-logging=stderr", "--virtual-time-budget=5000", "--dump-dom", "file://"+path)
	run.Env = append(os.Environ(), "HOME="+folder)
	var errs strings.Builder
	run.Stderr = &errs
	out, err := run.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, errs.String())
	}
	for line := range strings.Lines(errs.String()) {
		if strings.Contains(line, "CONSOLE") {
			complaints += line
		}
	}
	return string(out), complaints
}

// probed adds a script of the test to the page, and its hash to the policy: it
// uses the page as a person would and writes what it saw into the page.
func probed(page, script string) string {
	was := htmlPolicy()
	now := strings.Replace(was, "script-src ", "script-src "+hashOf(script)+" ", 1)
	page = strings.Replace(page, inAttribute(was), inAttribute(now), 1)
	return strings.Replace(page, "</body>", "<script>"+script+"</script></body>", 1)
}

// inAttribute is text as the page's template escapes it in an attribute.
func inAttribute(text string) string {
	return strings.NewReplacer("'", "&#39;", "+", "&#43;").Replace(text)
}

func TestPagesFilterInChromium(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	d := manyDivergences(3000)
	d.Result.Divergences[5].Subject.IDs = []string{"needle-4711"}
	dom, complaints := opened(t, browser, probed(render(t, "html", d, Options{}), `
const seen = () => [...document.querySelectorAll('.rows tbody tr')].filter(r => !r.hidden && !r.closest('details').hidden).length;
const set = (id, value) => { const f = document.getElementById(id); f.value = value; f.dispatchEvent(new Event('input', {bubbles: true})); };
const out = {all: seen()};
const began = performance.now();
set('f-text', 'NEEDLE-4711'); out.text = seen();
set('f-text', ''); set('f-severity', 'P4'); out.severity = seen();
out.took = performance.now() - began;
out.said = document.getElementById('f-count').textContent;
set('f-severity', ''); set('f-class', 'duplicate_charge'); out.class = seen();
set('f-class', ''); out.again = seen();
document.title = JSON.stringify(out);`))
	if complaints != "" {
		t.Error(complaints)
	}
	_, title, _ := strings.Cut(dom, "<title>")
	title, _, _ = strings.Cut(title, "</title>")
	var saw struct {
		All, Text, Severity, Class, Again int
		Took                              float64
		Said                              string
	}
	if err := json.Unmarshal([]byte(html.UnescapeString(title)), &saw); err != nil {
		t.Fatalf("%v in %q", err, title)
	}
	t.Logf("two filters over %d rows: %.0f ms", saw.All, saw.Took)
	waiting, doubled := 0, 0
	for i := range d.Result.Divergences {
		switch one := &d.Result.Divergences[i]; {
		case one.Severity == reconcile.P4:
			waiting++
		case one.Class == reconcile.DuplicateCharge:
			doubled++
		}
	}
	all := len(d.Result.Divergences)
	if saw.All != all || saw.Text != 1 || saw.Severity != waiting || saw.Class != doubled || saw.Again != all || saw.Said != strconv.Itoa(waiting)+" of "+strconv.Itoa(all) {
		t.Errorf("want %d, 1, %d, %d: %+v", all, waiting, doubled, saw)
	}
}

func TestPagesObeyNoTextInChromium(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	for _, payload := range []string{
		`<script>document.title='OBEYED'</script>`, `"><img src=x onerror="document.title='OBEYED'">`, `'"--></style></script><svg onload=document.title='OBEYED'>`,
		`javascript:document.title='OBEYED'`, `{{.}}</title><script>document.title='OBEYED'</script>`,
	} {
		d := hostileDocument(payload, reconcile.UnknownCharged)
		dom, complaints := opened(t, browser, render(t, "html", d, Options{}))
		if strings.Contains(dom, "<title>OBEYED") || complaints != "" || strings.Count(dom, "<script") != 1 || strings.Contains(dom, "<img") {
			t.Errorf("%s: obeyed, or refused only by the policy: %s", payload, complaints)
		}
		if !strings.Contains(dom, `id="filter" class="filter" role="search" aria-label="Filter the divergences">`) {
			t.Errorf("%s: the page's own script did not run", payload)
		}
	}
	// The policy itself: a script that did get in is not run.
	page := strings.Replace(render(t, "html", fileDocument(), Options{}), "</body>", "<script>document.title='OBEYED'</script></body>", 1)
	if dom, complaints := opened(t, browser, page); strings.Contains(dom, "<title>OBEYED") || !strings.Contains(complaints, "Content Security Policy") {
		t.Errorf("the policy lets a foreign script act: %s", complaints)
	}
}
