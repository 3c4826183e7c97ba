package stripe

import (
	"errors"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"desfecho/internal/payment"
	"desfecho/internal/provider"
)

// first and last are the days of testdata/account.
var (
	first = time.Date(2026, time.October, 27, 0, 0, 0, 0, time.UTC)
	last  = time.Date(2026, time.October, 29, 0, 0, 0, 0, time.UTC)
)

// written is all that pages tell, one row to a line, whatever the pages.
func written(pages []provider.Page) string {
	var b strings.Builder
	for _, page := range pages {
		for _, row := range page.Rows {
			b.WriteString("row " + row + "\n")
		}
		for _, u := range page.Units {
			b.WriteString("unit " + writtenUnit(u) + "\n")
		}
		for _, l := range page.Lines {
			b.WriteString("line " + writtenLine(l) + "\n")
		}
	}
	return b.String()
}

// sorted puts rows, units and lines together, so that page ends do not show.
func sorted(text string) string {
	var out strings.Builder
	for _, prefix := range []string{"row ", "unit ", "line "} {
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, prefix) {
				out.WriteString(line)
			}
		}
	}
	return out.String()
}

func TestASliceIsReadToItsEnd(t *testing.T) {
	t.Parallel()
	for _, statement := range []string{Objects, Balance} {
		t.Run(statement, func(t *testing.T) {
			t.Parallel()
			f := serve(t)
			got := sorted(written(slice(t, f.provider(Options{}), statement, first, last)))
			golden(t, filepath.Join("testdata", statement+".txt"), got)
		})
	}
}

func golden(t testing.TB, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Error(diff)
	}
}

// TestPageEndsHaveNoInfluence reads the same days in pages of any length, cut
// into slices anywhere.
func TestPageEndsHaveNoInfluence(t *testing.T) {
	t.Parallel()
	f := serve(t)
	p := f.provider(Options{})
	whole := map[string]string{}
	for _, statement := range []string{Objects, Balance} {
		whole[statement] = written(slice(t, p, statement, first, last))
	}
	rapid.Check(t, func(rt *rapid.T) {
		statement := rapid.SampledFrom([]string{Objects, Balance}).Draw(rt, "statement")
		cut := first.Add(time.Duration(rapid.Int64Range(0, int64(last.Sub(first))).Draw(rt, "cut")))
		f.cap(rapid.IntRange(3, 40).Draw(rt, "page"))
		got := written(append(slice(t, p, statement, cut, last), slice(t, p, statement, first, cut)...))
		if !sameLines(got, whole[statement]) {
			rt.Fatal(cmp.Diff(sorted(whole[statement]), sorted(got)))
		}
	})
}

func sameLines(a, b string) bool {
	count := map[string]int{}
	for line := range strings.Lines(a) {
		count[line]++
	}
	for line := range strings.Lines(b) {
		count[line]--
	}
	for _, n := range count {
		if n != 0 {
			return false
		}
	}
	return true
}

func TestAPayoutIsTheSumOfItsRows(t *testing.T) {
	t.Parallel()
	f := serve(t)
	f.Members["po_2"], f.Members["po_3"] = []string{"txn_A"}, []string{"txn_A"} // not to be asked for
	net, held := map[string]int64{}, map[string]int{}
	for _, page := range slice(t, f.provider(Options{}), Balance, first, last) {
		for _, l := range page.Lines {
			switch {
			case l.Kind == payment.KindPayout && !strings.HasPrefix(page.Rows[0], "po_"):
				net[l.Payout] += l.Net
			case l.Payout != "" && l.Kind != payment.KindPayout:
				net[l.Payout] += l.Net
				held[l.Payout]++
			}
		}
	}
	if net["po_1"] != 0 || held["po_1"] != 19 {
		t.Errorf("payout po_1 leaves %d over its %d rows", net["po_1"], held["po_1"])
	}
	if held["po_2"] != 0 || held["po_3"] != 0 {
		t.Errorf("rows of payouts that Stripe does not tell: %v", held)
	}
}

func TestAPageIsOfTheAccountAndTheProvidersClock(t *testing.T) {
	t.Parallel()
	f := serve(t)
	for _, statement := range []string{Objects, Balance} {
		for _, page := range slice(t, f.provider(Options{}), statement, first, last) {
			if page.Date != payment.InstantOf(f.now) {
				t.Errorf("%s: date %s", statement, page.Date)
			}
			for _, u := range page.Units {
				source := payment.FromList
				if statement == Balance {
					source = payment.FromLedger
				}
				if u.Provider != "stripe" || u.Account != "acct_1" || u.Mode != payment.Test || u.Statement != statement || u.Source != source || u.ObservedAt != 0 {
					t.Errorf("%s: %+v", statement, u)
				}
			}
			for _, l := range page.Lines {
				if l.Provider != "stripe" || l.Account != "acct_1" || l.Mode != payment.Test || l.Statement != statement || len(l.References) > 0 {
					t.Errorf("%s: %+v", statement, l)
				}
			}
		}
	}
}

// TestAnIntervalIsOfWholeSeconds: Stripe's instants are, and each lies in one
// interval alone.
func TestAnIntervalIsOfWholeSeconds(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		from, to payment.Instant
		want     string
	}{
		{5_000_000, 7_000_000, "created[gte]=5&created[lt]=7"},
		{5_000_001, 7_000_001, "created[gte]=6&created[lt]=8"},
		{4_999_999, 6_999_999, "created[gte]=5&created[lt]=7"},
	} {
		got, err := url.QueryUnescape(between(payment.Interval{From: test.from, To: test.to}).Encode())
		if err != nil || got != test.want {
			t.Errorf("[%d, %d) is %s, want %s", test.from, test.to, got, test.want)
		}
	}
}

// TestWhatIsNotThePageAskedForIsNoPage: law 5.
func TestWhatIsNotThePageAskedForIsNoPage(t *testing.T) {
	t.Parallel()
	row := `{"id":"pi_A","object":"payment_intent","amount":1,"created":1793091659,"currency":"usd","livemode":false,"status":"processing"}`
	for name, test := range map[string]struct {
		statement, cursor string
		status            int
		body              string
		want              provider.Reason
	}{
		"an object":               {Objects, "", 200, row, provider.Unparsable},
		"no word of more":         {Objects, "", 200, `{"object":"list","data":[` + row + `]}`, provider.Unparsable},
		"more of nothing":         {Objects, "", 200, `{"object":"list","has_more":true,"data":[]}`, provider.Loop},
		"another kind":            {Objects, "", 200, `{"object":"list","has_more":false,"data":[{"id":"ch_A","object":"charge","created":1793091659}]}`, provider.Unparsable},
		"without an id":           {Objects, "", 200, `{"object":"list","has_more":false,"data":[{"object":"payment_intent","created":1793091659}]}`, provider.Unparsable},
		"of another day":          {Objects, "", 200, `{"object":"list","has_more":false,"data":[` + strings.Replace(row, "1793091659", "1693091659", 1) + `]}`, provider.OtherReference},
		"of live mode":            {Objects, "", 200, `{"object":"list","has_more":false,"data":[` + strings.Replace(row, "false", "true", 1) + `]}`, provider.WrongMode},
		"a charge of live mode":   {Objects, "", 200, `{"object":"list","has_more":false,"data":[` + strings.TrimSuffix(row, "}") + `,"latest_charge":{"id":"ch_1","object":"charge","livemode":true}}]}`, provider.WrongMode},
		"cut off":                 {Objects, "", 200, `{"object":"list","has_more":false,"data":[` + row, provider.Unparsable},
		"a key twice":             {Objects, "", 200, `{"object":"list","has_more":false,"has_more":true,"data":[]}`, provider.Unparsable},
		"a key in capitals":       {Objects, "", 200, `{"object":"list","has_more":false,"data":[` + strings.Replace(row, `"status"`, `"Status":"succeeded","status"`, 1) + `]}`, provider.Unparsable},
		"in a source, too":        {Balance, "", 200, `{"object":"list","has_more":false,"data":[{"id":"txn_1","object":"balance_transaction","created":1793091659,"amount":1,"fee":0,"net":1,"currency":"usd","source":{"id":"ch_1","object":"charge","Status":"succeeded"}}]}`, provider.Unparsable},
		"a fraction":              {Balance, "", 200, `{"object":"list","has_more":false,"data":[{"id":"txn_1","object":"balance_transaction","created":1793091659,"amount":1.5,"fee":0,"net":1,"currency":"usd"}]}`, provider.Unparsable},
		"an amount that is none":  {Balance, "", 200, `{"object":"list","has_more":false,"data":[{"id":"txn_1","object":"balance_transaction","created":1793091659,"amount":1,"fee":0,"net":1,"currency":"usdc"}]}`, provider.Unparsable},
		"a source of live mode":   {Balance, "", 200, `{"object":"list","has_more":false,"data":[{"id":"txn_1","object":"balance_transaction","created":1793091659,"amount":1,"fee":0,"net":1,"currency":"usd","source":{"id":"ch_1","object":"charge","livemode":true}}]}`, provider.WrongMode},
		"the key may not":         {Balance, "", 403, `{"error":{"type":"invalid_request_error","message":"The provided key 'rk_test_***abcd' does not have the required permissions for this endpoint on account 'acct_1'. Enabling \"Balance Read\" ('balance_read') permissions on this key would allow this request to continue."}}`, provider.Credentials},
		"no key":                  {Balance, "", 401, `{"error":{"type":"invalid_request_error"}}`, provider.Credentials},
		"a cursor that is gone":   {Objects, "part=charge&after=ch_gone", 400, `{"error":{"type":"invalid_request_error","code":"resource_missing","param":"starting_after","message":"No such charge: 'ch_gone'"}}`, provider.Expired},
		"a parameter refused":     {Objects, "", 400, `{"error":{"type":"invalid_request_error","code":"parameter_unknown","param":"created"}}`, provider.HTTP4xx},
		"404 of a list":           {Objects, "", 404, `{"error":{"type":"invalid_request_error","code":"resource_missing","param":"id"}}`, provider.HTTP4xx},
		"404 of somebody else":    {Objects, "", 404, `{"detail":"not found"}`, provider.Unparsable},
		"409":                     {Objects, "", 409, `{"error":{"type":"idempotency_error"}}`, provider.HTTP409},
		"429":                     {Objects, "", 429, `{"error":{"type":"invalid_request_error","code":"rate_limit"}}`, provider.HTTP429},
		"500":                     {Objects, "", 500, `{"error":{"type":"api_error"}}`, provider.HTTP5xx},
		"an error inside a 200":   {Objects, "", 200, `{"error":{"type":"api_error","message":"An unknown error occurred"}}`, provider.Unparsable},
		"a cursor of nobody":      {Objects, "part=customers", 0, "", provider.Expired},
		"a cursor of nothing":     {Objects, "%zz", 0, "", provider.Expired},
		"another ledger's cursor": {Balance, "part=charge", 0, "", provider.Expired},
		"a statement of nobody":   {"invoices", "", 0, "", provider.Unparsable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := serve(t)
			f.answer = says(test.status, test.body)
			page, err := f.provider(Options{}).Page(t.Context(), provider.Request{
				Statement: test.statement, Cursor: test.cursor, Slice: payment.Interval{From: payment.InstantOf(first), To: payment.InstantOf(last)},
			})
			if reason(err) != test.want || len(page.Rows)+len(page.Lines)+len(page.Units) > 0 {
				t.Errorf("%v, want %s; page %+v", err, test.want, page)
			}
			if err != nil && strings.Contains(err.Error(), "***abcd") {
				t.Errorf("part of the key: %v", err)
			}
		})
	}
}

func says(status int, body string) func(http.ResponseWriter, *http.Request) bool {
	return func(w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
		return true
	}
}

func reason(err error) provider.Reason {
	var asked *provider.Error
	if !errors.As(err, &asked) {
		return ""
	}
	return asked.Reason
}

func TestAKeyWithoutAPermissionIsToldWhichOne(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		`The provided key 'rk_test_***abcd' does not have the required permissions for this endpoint on account 'acct_1'. Enabling "Prices Read" ('plan_read') permissions on this key would allow this request to continue.`: "the key lacks the permission plan_read",
		`The provided key 'rk_test_***abcd' does not have the required permissions for this endpoint on account 'acct_1'. Having the 'rak_charge_read' permission would allow this request to continue.`:                      "the key lacks the permission charge_read",
		`Nothing known`: "the key may not read this",
	} {
		e := envelope{Error: &stripeError{Type: "invalid_request_error", Message: message}}
		if err := e.refusal("charges", http.StatusForbidden, false); reason(err) != provider.Credentials || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
