//go:build unix

package cmd

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"desfecho/internal/ui"
	"desfecho/providers/providertest"
)

// forged is a line that would be believed.
const forged = "P1\tunknown_charged\tattempt\tforged"

// hostileText obeys a terminal, turns text around, hides, forges a line of a
// report and one of a log, and is a formula in a spreadsheet.
const hostileText = "=cmd|' /C calc'!A0\x1b[31m\x1b]52;c;aGk=\x07\u202e\u200b\x7f\u0085\r\n" + forged + "\ntime=2026 level=ERROR msg=forged\n| a | b |"

// TestHostileTextOfAProviderStaysText: in every text of every object of every
// provider, one after the other, and then in all at once that are no cause to
// refuse the page; by every command and in every form.
func TestHostileTextOfAProviderStaysText(t *testing.T) {
	t.Parallel()
	for name := range psps() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			st := openStand(t, sqliteShop(t), false, name)
			p, back := st.plays[name], st.keep("first")
			known := p.book.Lists
			asking, telling := commandLines(name + "-4")
			pull := []string{"pull", "-v", "--since", st.at.Format("2006-01-02"), "--until", st.at.AddDate(0, 0, 1).Format("2006-01-02")}
			var taken []place
			for _, at := range textsOf(known) {
				back()
				p.holds(hostileIn(known, at))
				out, told, code := st.command(pull...)
				plainOnly(t, at.String(), pull, out, told)
				if code == exitDone {
					taken = append(taken, at)
				} else if code != exitIncomplete {
					t.Errorf("%s: exit %d\n%s%s", at, code, out, told)
				}
			}
			if len(taken) == 0 {
				t.Fatal("no text is taken")
			}
			back()
			p.holds(hostileIn(known, taken...))
			for _, args := range slices.Concat([][]string{pull}, asking, telling) {
				out, told, code := st.command(args...)
				if code == exitDefect || code == exitFailed {
					t.Errorf("%q: exit %d", args, code)
				}
				plainOnly(t, "all at once", args, out, told)
			}
			p.goesWrong(func(int, *http.Request, providertest.Exchange) http.HandlerFunc {
				return func(w http.ResponseWriter, _ *http.Request) {
					text := providertest.Row{"message": hostileText, "code": hostileText, "type": hostileText, "description": hostileText, "category": hostileText}
					providertest.Say(w, http.StatusOK, providertest.Row{"error": text, "errors": []any{text}, "message": hostileText, "detail": hostileText, hostileText: 1})
				}
			})
			for _, args := range asking {
				out, told, _ := st.command(args...)
				plainOnly(t, "in an error", args, out, told)
			}
			t.Logf("%d texts, %d of them taken", len(textsOf(known)), len(taken))
		})
	}
}

// place is where a text stands.
type place struct {
	list string
	row  int
	path []any
}

func (p place) String() string {
	text, _ := json.Marshal(p.path)
	return p.list + " " + string(text)
}

// textsOf are the places of all texts of the last row of each list.
func textsOf(lists map[string][]providertest.Row) (all []place) {
	var walk func(v any, at place)
	walk = func(v any, at place) {
		step := func(key, inner any) {
			walk(inner, place{at.list, at.row, append(slices.Clone(at.path), key)})
		}
		switch v := v.(type) {
		case string:
			all = append(all, at)
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(v)) {
				step(key, v[key])
			}
		case []any:
			for i := range v {
				step(i, v[i])
			}
		}
	}
	for _, list := range slices.Sorted(maps.Keys(lists)) {
		if last := len(lists[list]) - 1; last >= 0 {
			walk(lists[list][last], place{list, last, nil})
		}
	}
	return all
}

// hostileIn are the lists with the hostile text in some places.
func hostileIn(lists map[string][]providertest.Row, places ...place) map[string][]providertest.Row {
	text, err := json.Marshal(lists)
	if err != nil {
		panic(err)
	}
	var copied map[string][]providertest.Row
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.UseNumber()
	if err := d.Decode(&copied); err != nil {
		panic(err)
	}
	for _, at := range places {
		var v any = copied[at.list][at.row]
		for _, key := range at.path[:len(at.path)-1] {
			v = inner(v, key)
		}
		switch key := at.path[len(at.path)-1].(type) {
		case string:
			v.(map[string]any)[key] = hostileText
		case int:
			v.([]any)[key] = hostileText
		}
	}
	return copied
}

func inner(v, key any) any {
	if name, ok := key.(string); ok {
		return v.(map[string]any)[name]
	}
	return v.([]any)[key.(int)]
}

// plainOnly holds what was printed to be text: no control character but ends of
// lines and tabs, nothing hidden, no forged line, no formula; JSON that is JSON.
func plainOnly(t *testing.T, what string, args []string, out, told string) {
	t.Helper()
	form := strings.Join(args, " ")
	for l := range strings.Lines(strings.TrimPrefix(out, "\ufeff") + "\n" + told) {
		bare := strings.TrimRight(l, "\r\n")
		if clean := ui.Clean(strings.ReplaceAll(bare, "\t", "")).String(); clean != strings.ReplaceAll(bare, "\t", "") {
			t.Errorf("%s, %s: %q", what, form, bare)
		}
		for _, begins := range []string{forged, "time=2026 level=ERROR msg=forged", "| a | b |"} {
			if strings.HasPrefix(strings.TrimSpace(bare), begins) {
				t.Errorf("%s, %s forges %q", what, form, bare)
			}
		}
	}
	if strings.Contains(form, "csv") {
		formulas(t, what+", "+form, out, strings.Contains(form, "csv-br"))
	}
	if strings.Contains(form, "json") && out != "" {
		d := json.NewDecoder(strings.NewReader(out))
		for {
			var v any
			err := d.Decode(&v)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				if !strings.Contains(form, "resolve") && !strings.Contains(form, "run") {
					t.Errorf("%s, %s is no JSON: %v\n%s", what, form, err, out)
				}
				break
			}
		}
	}
}

// formulas finds cells that a spreadsheet would carry out.
func formulas(t *testing.T, what, out string, semicolons bool) {
	t.Helper()
	r := csv.NewReader(strings.NewReader(strings.TrimPrefix(out, "\ufeff")))
	r.FieldsPerRecord = -1
	if semicolons {
		r.Comma = ';'
	}
	rows, err := r.ReadAll()
	if err != nil {
		t.Errorf("%s is no CSV: %v", what, err)
	}
	for _, row := range rows {
		for _, cell := range row {
			if strings.HasPrefix(cell, "=") || strings.HasPrefix(cell, "@") {
				t.Errorf("%s holds the formula %q", what, cell)
			}
		}
	}
}
