package asaas

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"desfecho/internal/payment"
	"desfecho/internal/provider"
	"desfecho/providers/providertest"
)

func TestADayIsAskedForAsTheApiTakesIt(t *testing.T) {
	t.Parallel()
	for statement, want := range map[string]string{
		Payments:  "/payments?dateCreated%5Bge%5D=2026-05-04&dateCreated%5Ble%5D=2026-05-06&limit=100&offset=100",
		Transfers: "/transfers?dateCreated%5Bge%5D=2026-05-04&dateCreated%5Ble%5D=2026-05-06&limit=100&offset=100",
		Ledger:    "/financialTransactions?finishDate=2026-05-06&limit=100&offset=100&order=asc&startDate=2026-05-04",
	} {
		s := serve(t)
		asked := ""
		path, _, _ := strings.Cut(want, "?")
		s.paths[path] = func(w http.ResponseWriter, r *http.Request) {
			asked = r.URL.String()
			s.list(w, r.URL.Query(), nil)
		}
		p := s.provider(t)
		page, err := p.Page(t.Context(), provider.Request{Statement: statement, Slice: days(t, "2026-05-04", "2026-05-06"), Cursor: "100"})
		if err != nil || asked != want {
			t.Errorf("%s: asked %s, %v; want %s", statement, asked, err, want)
		}
		if page.Next != "" || page.Total != payment.Known(0) || len(page.Rows)+len(page.Units)+len(page.Lines) > 0 || page.Date.String() != "2026-05-07T12:00:00Z" {
			t.Errorf("%s: an empty page is %+v", statement, page)
		}
	}
}

func TestASliceThatIsNoRunOfDaysIsRefused(t *testing.T) {
	t.Parallel()
	s := serve(t)
	p := s.provider(t)
	whole := days(t, "2026-05-04", "2026-05-04")
	for name, r := range map[string]provider.Request{
		"from":      {Statement: Payments, Slice: payment.Interval{From: whole.From + 1, To: whole.To}},
		"to":        {Statement: Payments, Slice: payment.Interval{From: whole.From, To: whole.To - 1}},
		"empty":     {Statement: Payments, Slice: payment.Interval{From: whole.From, To: whole.From}},
		"statement": {Statement: "balance", Slice: whole},
		"cursor":    {Statement: Payments, Slice: whole, Cursor: "abc"},
		"negative":  {Statement: Payments, Slice: whole, Cursor: "-1"},
	} {
		if _, err := p.Page(t.Context(), r); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
	if s.requests() > 0 {
		t.Errorf("%v was asked", s.asked)
	}
}

// drawSales draws payments of one day, some of them parcels, in either order.
func drawSales(t *rapid.T) []map[string]any {
	var rows []map[string]any
	for i := range rapid.IntRange(0, 8).Draw(t, "sales") {
		parcels := rapid.SampledFrom([]int{0, 0, 1, 2, 3, 7}).Draw(t, "parcels")
		if parcels == 0 {
			rows = append(rows, sale(fmt.Sprint("pay_", i), "2026-05-04", fmt.Sprint("order-", i), ""))
		}
		up := rapid.Bool().Draw(t, "up")
		for n := parcels; n > 0; n-- {
			number := n
			if up {
				number = parcels + 1 - n
			}
			rows = append(rows, sale(fmt.Sprintf("pay_%dx%d", i, number), "2026-05-04", fmt.Sprint("order-", i),
				fmt.Sprintf(`,"installment":"00000000-0000-0000-0000-%012d","installmentNumber":%d,"creditDate":"2026-06-%02d"`, i, number, number)))
		}
	}
	return rows
}

// TestPagesOfAnySizeTellTheSame: where pages end has no influence on what is
// known, and after every single page each group that is known of is whole.
func TestPagesOfAnySizeTellTheSame(t *testing.T) {
	t.Parallel()
	s := serve(t)
	p := s.provider(t)
	slice := days(t, "2026-05-04", "2026-05-04")
	rapid.Check(t, func(rt *rapid.T) {
		s.Lists["payments"] = drawSales(rt)
		s.Page = pageRows
		want := toldBy(rt, providertest.Pages(t, p, Payments, slice))
		s.Page = rapid.IntRange(2, 20).Draw(rt, "rows")
		pages := providertest.Pages(t, p, Payments, slice)
		if diff := gocmp.Diff(want, toldBy(rt, pages)); diff != "" {
			rt.Fatalf("by %d rows: %s", s.Page, diff)
		}
		var rows []string
		for _, page := range pages {
			rows = append(rows, page.Rows...)
			if page.Total != payment.Known(int64(len(s.Lists["payments"]))) {
				rt.Fatalf("total %v", page.Total)
			}
		}
		if len(rows) != len(s.Lists["payments"]) {
			rt.Fatalf("%d rows came of %d", len(rows), len(s.Lists["payments"]))
		}
	})
}

// toldBy lists what pages tell, each unit once; two pages that tell of one
// must say the same.
func toldBy(t *rapid.T, pages []provider.Page) []payment.Unit {
	known := map[string]payment.Unit{}
	for _, page := range pages {
		parcels := map[string]int{}
		for _, u := range page.Units {
			if before, twice := known[u.ID]; twice && !gocmp.Equal(before, u) {
				t.Fatalf("two pages differ: %s", gocmp.Diff(before, u))
			}
			known[u.ID] = u
			parcels[u.Group]++
		}
		for _, u := range page.Units {
			if u.Group != "" && u.Of != parcels[u.Group] {
				t.Fatalf("a page tells of %d parcels of %d of %s", parcels[u.Group], u.Of, u.Group)
			}
		}
	}
	var all []payment.Unit
	for _, u := range known {
		all = append(all, u)
	}
	slices.SortFunc(all, func(a, b payment.Unit) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

func TestLedgerPagesOfAnySizeTellTheSame(t *testing.T) {
	t.Parallel()
	s := serve(t)
	p := s.provider(t)
	slice := days(t, "2026-05-04", "2026-05-04")
	rapid.Check(t, func(rt *rapid.T) {
		s.Lists["financialTransactions"] = nil
		for _, e := range drawRows(rt, 0) {
			s.Lists["financialTransactions"] = append(s.Lists["financialTransactions"], providertest.Object(fmt.Sprintf(
				`{"id":%q,"type":%q,"date":%q,"value":%s,"balance":%s}`, e.ID, e.Type, e.Date, e.Value, e.Balance)))
		}
		s.Page = pageRows
		whole := providertest.Pages(t, p, Ledger, slice)[0]
		s.Page = rapid.IntRange(1, 30).Draw(rt, "rows")
		pages := providertest.Pages(t, p, Ledger, slice)
		var lines []payment.Line
		for i, page := range pages {
			lines = append(lines, page.Lines...)
			if i > 0 && page.Opening != pages[i-1].Closing {
				rt.Fatalf("page %d opens with %v, the one before closes with %v", i, page.Opening, pages[i-1].Closing)
			}
		}
		if diff := gocmp.Diff(whole.Lines, lines); diff != "" {
			rt.Fatal(diff)
		}
		if pages[0].Opening != whole.Opening || pages[len(pages)-1].Closing != whole.Closing {
			rt.Fatalf("from %v to %v, whole from %v to %v", pages[0].Opening, pages[len(pages)-1].Closing, whole.Opening, whole.Closing)
		}
	})
}

func TestALedgerPageSaysWhatMoved(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.Lists["financialTransactions"] = []map[string]any{
		providertest.Object(`{"object":"financialTransaction","id":"ftn_101","value":150.00,"balance":1150.00,"type":"PAYMENT_RECEIVED","date":"2026-05-04","description":"fatura nr. 1001 de Maria","paymentId":"pay_1"}`),
		providertest.Object(`{"object":"financialTransaction","id":"ftn_102","value":-1.99,"balance":1148.01,"type":"PAYMENT_FEE","date":"2026-05-04","paymentId":"pay_1"}`),
		providertest.Object(`{"object":"financialTransaction","id":"ftn_103","value":-50.0,"balance":1098.01,"type":"PAYMENT_REVERSAL","date":"2026-05-06","paymentId":"pay_1"}`),
		providertest.Object(`{"object":"financialTransaction","id":"ftn_104","value":0.17,"balance":1098.18,"type":"SOME_FUTURE_TYPE","date":"2026-05-06","description":"?"}`),
		providertest.Object(`{"object":"financialTransaction","id":"ftn_105","value":1,"balance":1,"type":"CREDIT","date":"2026-05-07"}`),
	}
	page := providertest.Pages(t, s.provider(t), Ledger, days(t, "2026-05-04", "2026-05-06"))[0]
	if page.Opening != payment.Known(100000) || page.Closing != payment.Known(109818) || len(page.Lines) != 4 {
		t.Errorf("from %v to %v in %d lines", page.Opening, page.Closing, len(page.Lines))
	}
	last := page.Lines[3]
	if last.Kind != payment.KindOther || last.Raw != "SOME_FUTURE_TYPE" || last.Gross != 17 || last.Row != 4 || last.Statement != Ledger {
		t.Errorf("an unknown type is %+v", last)
	}
	s.Lists["financialTransactions"][2]["balance"] = "1098.02"
	page = providertest.Pages(t, s.provider(t), Ledger, days(t, "2026-05-04", "2026-05-06"))[0]
	if page.Opening.Known || page.Closing.Known || len(page.Lines) != 4 {
		t.Errorf("the balance does not tie, and the page says %v to %v in %d lines", page.Opening, page.Closing, len(page.Lines))
	}
}

// TestWhatIsNotTheListThatWasAskedForIsNoAnswer: law 5, for each statement.
func TestWhatIsNotTheListThatWasAskedForIsNoAnswer(t *testing.T) {
	t.Parallel()
	paths := map[string]string{Payments: "/payments", Transfers: "/transfers", Ledger: "/financialTransactions"}
	list := func(data string) string {
		return `{"object":"list","hasMore":false,"totalCount":1,"limit":100,"offset":0,"data":` + data + `}`
	}
	const kind = "application/json"
	for name, c := range map[string]struct {
		status     int
		kind, body string
		want       provider.Reason
	}{
		"401":              {401, kind, `{"errors":[{"code":"invalid_access_token","description":"A chave é inválida"}]}`, provider.Credentials},
		"403 of the edge":  {403, "text/html", "<html>Request blocked</html>", provider.Credentials},
		"400":              {400, kind, `{"errors":[{"code":"invalid_value","description":"?"}]}`, provider.HTTP4xx},
		"404":              {404, kind, `{}`, provider.HTTP4xx},
		"429":              {429, kind, `{}`, provider.HTTP429},
		"500":              {500, kind, `{}`, provider.HTTP5xx},
		"302":              {302, kind, `{}`, provider.Redirect},
		"HTML":             {200, "text/html", "<html>", provider.Unparsable},
		"empty":            {200, kind, "", provider.Unparsable},
		"cut":              {200, kind, list("[")[:40], provider.Unparsable},
		"error in a 200":   {200, kind, `{"object":"list","hasMore":false,"totalCount":0,"limit":100,"offset":0,"data":[],"errors":[{"code":"x","description":"CPF 529.982.247-25"}]}`, provider.Unparsable},
		"no data":          {200, kind, `{"object":"list","hasMore":false,"totalCount":0,"limit":100,"offset":0}`, provider.Unparsable},
		"null data":        {200, kind, list("null"), provider.Unparsable},
		"no hasMore":       {200, kind, `{"object":"list","totalCount":0,"limit":100,"offset":0,"data":[]}`, provider.Unparsable},
		"no total":         {200, kind, `{"object":"list","hasMore":false,"limit":100,"offset":0,"data":[]}`, provider.Unparsable},
		"negative total":   {200, kind, `{"object":"list","hasMore":false,"totalCount":-1,"limit":100,"offset":0,"data":[]}`, provider.Unparsable},
		"no offset":        {200, kind, `{"object":"list","hasMore":false,"totalCount":0,"limit":100,"data":[]}`, provider.Unparsable},
		"another offset":   {200, kind, `{"object":"list","hasMore":false,"totalCount":0,"limit":100,"offset":100,"data":[]}`, provider.Unparsable},
		"more of nothing":  {200, kind, `{"object":"list","hasMore":true,"totalCount":9,"limit":100,"offset":0,"data":[]}`, provider.Unparsable},
		"an object":        {200, kind, `{"object":"payment","id":"pay_1"}`, provider.Unparsable},
		"an array":         {200, kind, `[]`, provider.Unparsable},
		"null row":         {200, kind, list("[null]"), provider.Unparsable},
		"row without id":   {200, kind, list(`[{"value":1,"dateCreated":"2026-05-04","date":"2026-05-04"}]`), provider.Unparsable},
		"row of null":      {200, kind, list(`[{"id":"x","value":null,"dateCreated":"2026-05-04","date":"2026-05-04"}]`), provider.Unparsable},
		"amount as a word": {200, kind, list(`[{"id":"x","value":"dez","dateCreated":"2026-05-04","date":"2026-05-04"}]`), provider.Unparsable},
		"id as a number":   {200, kind, list(`[{"id":1,"value":1,"dateCreated":"2026-05-04","date":"2026-05-04"}]`), provider.Unparsable},
		"another day":      {200, kind, list(`[{"id":"x","value":1,"dateCreated":"2026-05-05","date":"2026-05-05"}]`), provider.Unparsable},
		"no day":           {200, kind, list(`[{"id":"x","value":1}]`), provider.Unparsable},
		"key twice":        {200, kind, list(`[{"id":"x","id":"y","value":1,"dateCreated":"2026-05-04","date":"2026-05-04"}]`), provider.Unparsable},
		"key in capitals":  {200, kind, list(`[{"ID":"x","value":1,"dateCreated":"2026-05-04","date":"2026-05-04"}]`), provider.Unparsable},
	} {
		for statement, path := range paths {
			s := serve(t)
			s.paths[path] = says(c.status, c.kind, c.body)
			page, err := s.provider(t).Page(t.Context(), provider.Request{Statement: statement, Slice: days(t, "2026-05-04", "2026-05-04")})
			wantReason(t, name+" of "+statement, err, c.want)
			if len(page.Rows)+len(page.Units)+len(page.Lines) > 0 {
				t.Errorf("%s of %s: part of an answer came: %+v", name, statement, page)
			}
			if err != nil && (strings.Contains(err.Error(), "529.982") || strings.Contains(err.Error(), "canary")) {
				t.Errorf("%s of %s: the error tells too much: %v", name, statement, err)
			}
		}
	}
}

func TestTransfersAreUnitsOfTheirDay(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.Lists["transfers"] = []map[string]any{
		providertest.Object(`{"object":"transfer","id":"t-1","dateCreated":"2026-05-04","value":500.0,"status":"DONE","externalReference":"payout-77","operationType":"TED"}`),
		providertest.Object(`{"object":"transfer","id":"t-2","dateCreated":"2026-05-05","value":1.0,"status":"PENDING","operationType":"PIX"}`),
	}
	page := providertest.Pages(t, s.provider(t), Transfers, days(t, "2026-05-04", "2026-05-04"))[0]
	if len(page.Units) != 1 || page.Units[0].ID != "t-1" || page.Units[0].Statement != Transfers || page.Units[0].Source != payment.FromList {
		t.Errorf("%+v", page.Units)
	}
}

func TestParcelsThatAreGoneShiftThePage(t *testing.T) {
	t.Parallel()
	s := serve(t)
	asks := 0
	s.paths["/payments"] = func(w http.ResponseWriter, r *http.Request) {
		rows := []map[string]any{sale("pay_1", "2026-05-04", "order", `,"installment":"g","installmentNumber":2`)}
		if asks++; asks > 1 {
			rows = nil
		}
		s.list(w, r.URL.Query(), rows)
	}
	_, err := s.provider(t).Page(t.Context(), provider.Request{Statement: Payments, Slice: days(t, "2026-05-04", "2026-05-04")})
	wantReason(t, "gone parcels", err, provider.Shifted)
}
