package statementfile

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"desfecho/internal/payment"
	"desfecho/internal/profile"
)

// asaasRow is a row of 10.00 on day n of June; the balance of each is 10.00
// more than that of the day before.
func asaasRow(n int) string {
	return fmt.Sprintf(`{"id":"f%d","value":10.00,"balance":%d.00,"type":"PAYMENT_RECEIVED","date":"2026-06-%02d","paymentId":"p%d"}`, n, 100+10*n, n, n)
}

// asaasPage is a page of those rows.
func asaasPage(said string, days ...int) string {
	var rows []string
	for _, n := range days {
		rows = append(rows, asaasRow(n))
	}
	return `{"object":"list",` + said + `"data":[` + strings.Join(rows, ",") + "]}\n"
}

const (
	more1 = `"hasMore":true,"totalCount":4,`
	last1 = `"hasMore":false,"totalCount":4,`
)

type pagedFile struct {
	name, text, profile string
	grade               payment.Grade
	missing             string // in notes and error
}

// pagedFiles are files of pages, and how far each is proven; list is a profile.
func pagedFiles(list string) []pagedFile {
	return []pagedFile{
		{"one page", asaasPage(last1, 1, 2, 3, 4), "", payment.Proven, ""},
		{"two pages", asaasPage(more1, 1, 2) + asaasPage(last1, 3, 4), "", payment.Proven, ""},
		{"facts behind the rows", strings.Replace(asaasPage("", 1, 2), "]}", `],"hasMore":false,"totalCount":2}`, 1), "", payment.Proven, ""},
		{"two lists, one after the other", asaasPage(`"hasMore":false,"totalCount":2,`, 1, 2) + asaasPage(`"hasMore":false,"totalCount":1,`, 3), "", payment.Proven, ""},
		{"an empty last page", asaasPage(more1, 1, 2, 3, 4) + asaasPage(last1), "", payment.Proven, ""},
		{"the last page is not there", asaasPage(more1, 1, 2), "", payment.Assumed, "the last page, of line 1, says hasMore: true"},
		{"the first page is not there", asaasPage(last1, 3, 4), "", payment.Assumed, "totalCount is 4, and the pages up to line 1 have 2 rows"},
		{"the middle is not there", asaasPage(more1, 1) + asaasPage(last1, 3, 4), "", payment.Assumed, "totalCount is 4, and the pages up to line 2 have 3 rows"},
		{"a page twice", asaasPage(more1, 1, 2) + asaasPage(more1, 1, 2) + asaasPage(last1, 3, 4), "", payment.Assumed, "totalCount is 4, and the pages up to line 3 have 6 rows"},
		{"the list grew", asaasPage(more1, 1, 2) + asaasPage(`"hasMore":false,"totalCount":5,`, 3, 4, 5), "", payment.Assumed, "totalCount is 4, and 5 on the page of line 2"},
		{"a page that is no count", asaasPage(`"hasMore":false,"totalCount":"many\u001b",`, 1, 2), "", payment.Assumed, `totalCount is "many\x1b", and the pages`},
		{"nothing said", asaasPage("", 1, 2), "", payment.Assumed, ""},
		{"no count", asaasPage(`"hasMore":false,`, 1, 2), "", payment.Assumed, ""},
		{"no end", asaasPage(`"totalCount":2,`, 1, 2), "", payment.Assumed, ""},
		{"the count alone, and it breaks", asaasPage(`"totalCount":3,`, 1, 2), "", payment.Assumed, "totalCount is 3"},
		{"one page says nothing", asaasPage("", 1, 2) + asaasPage(`"hasMore":false,"totalCount":4,`, 3, 4), "", payment.Assumed, ""},
		{"the balance breaks", asaasPage(last1, 1, 2, 4, 5), "", payment.Assumed, ""},
		{"an array", "[" + asaasRow(1) + "," + asaasRow(2) + "]", "", payment.Assumed, ""},
		{"a list of objects", asaasPage(last1, 1, 2, 3, 4), list, payment.Proven, ""},
		{"a page twice in another's place", asaasPage(more1, 3, 4) + asaasPage(last1, 3, 4), list, payment.Assumed, ""},
		{"two lists that nothing holds together", asaasPage(`"hasMore":false,"totalCount":2,`, 1, 2) + asaasPage(`"hasMore":false,"totalCount":2,`, 8, 9), list, payment.Assumed, ""},
	}
}

// TestPagesSayWhetherTheFileIsWhole: proven only where they state the end and
// the number of rows and both tie, with the balance; where they show that rows
// are missing the file covers nothing, whatever was claimed.
func TestPagesSayWhetherTheFileIsWhole(t *testing.T) {
	t.Parallel()
	list := "profile: list\nkind: statement\nsort: objects\nprovider: p\npages: {more: hasMore, total: totalCount}\n" +
		"columns: {unit: id, status: type, gross: value, occurred_at: date}\namounts: {mark: \".\", currency: BRL}\nstates: {captured: [PAYMENT_RECEIVED]}\n"
	for _, c := range pagedFiles(list) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o := Options{Name: "asaas.json"}
			if c.profile != "" {
				p, err := profile.Parse("list.yaml", []byte(c.profile))
				if err != nil {
					t.Fatal(err)
				}
				o.Profile = p
			}
			f, err := ReadFrom(t.Context(), strings.NewReader(c.text), o)
			if err != nil {
				t.Fatal(err)
			}
			s, notes := f.Statements[0], strings.Join(f.Notes, "\n")
			if s.Grade != c.grade || (s.From >= s.Through) != (c.missing != "") {
				t.Errorf("%s %s..%s, want %s\n%s", s.Grade, s.From, s.Through, c.grade, notes)
			}
			if !strings.Contains(notes, c.missing) || strings.Contains(notes, "not whole") != (c.missing != "") {
				t.Errorf("notes lack %q:\n%s", c.missing, notes)
			}
			o.Covers = &payment.Interval{From: 1, To: 2}
			f, err = ReadFrom(t.Context(), strings.NewReader(c.text), o)
			usage, isUsage := errors.AsType[*profile.UsageError](err)
			switch {
			case c.missing == "" && (err != nil || f.Statements[0].Through != 2):
				t.Errorf("claimed: %v", err)
			case c.missing != "" && (f != nil || !isUsage || usage.Advice == "" || !strings.Contains(err.Error(), "asaas.json: ") || !strings.Contains(err.Error(), c.missing)):
				t.Errorf("claimed: %v", err)
			}
		})
	}
}

// TestABrokenBalanceOnOneLongLineNamesItsElements, for the line says nothing.
func TestABrokenBalanceOnOneLongLineNamesItsElements(t *testing.T) {
	t.Parallel()
	f, err := ReadFrom(t.Context(), strings.NewReader(asaasPage(last1, 1, 2, 4, 5)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if notes := strings.Join(f.Notes, "\n"); !strings.Contains(notes, "the balance on line 1, element 3 is not that of line 1, element 2 ") {
		t.Errorf("%s", notes)
	}
}

// TestABadCellOnOneLongLineNamesItsElement.
func TestABadCellOnOneLongLineNamesItsElement(t *testing.T) {
	t.Parallel()
	text := strings.Replace(asaasPage(last1, 1, 2, 3, 4), `"value":10.00,"balance":130.00`, `"value":"ten","balance":130.00`, 1)
	_, err := ReadFrom(t.Context(), strings.NewReader(text), Options{Name: "asaas.json"})
	if err == nil || !strings.Contains(err.Error(), `asaas.json:1: element 3: value "ten": `) {
		t.Errorf("%v", err)
	}
}

// TestAStatedBalanceThatTheRowsDoNotReachProvesNothing.
func TestAStatedBalanceThatTheRowsDoNotReachProvesNothing(t *testing.T) {
	t.Parallel()
	p, err := profile.Parse("own.yaml", []byte("profile: own\nextends: asaas-extrato\nopening: [OPENING]\nclosing: [CLOSING]\n"))
	if err != nil {
		t.Fatal(err)
	}
	row := func(kind string, balance int) string {
		return fmt.Sprintf(`,{"id":"%s","value":0,"balance":%d.00,"type":"%s","date":"2026-06-01"}]`, kind, balance, kind)
	}
	for _, c := range []struct {
		kind    string
		balance int
		want    payment.Grade
	}{
		{"OPENING", 100, payment.Proven},
		{"OPENING", 90, payment.Assumed},
		{"CLOSING", 130, payment.Proven},
		{"CLOSING", 140, payment.Assumed},
	} {
		text := strings.Replace(asaasPage(last1, 1, 2, 3), "]", row(c.kind, c.balance), 1)
		f, err := ReadFrom(t.Context(), strings.NewReader(text), Options{Profile: p})
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Statements[0].Grade; got != c.want {
			t.Errorf("%s %d: %s, want %s (%s)", c.kind, c.balance, got, c.want, f.Notes)
		}
	}
}
