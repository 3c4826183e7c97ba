package zoop

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"desfecho/internal/payment"
	"desfecho/internal/provider"
	"desfecho/internal/secret"
	"desfecho/providers/httpx"
)

// over makes the adapter over a server that answers every question so.
func over(t testing.TB, answer func(query map[string][]string) (status int, body string)) *Provider {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			t.Errorf("%s reached the provider", r.Method)
		}
		status, body := answer(r.URL.Query())
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(s.Close)
	client, err := httpx.New(httpx.Options{
		BaseURL: s.URL, Loopback: true, UserAgent: "desfecho/test", Secrets: map[string]secret.Secret{"Authorization": "Basic x"},
		Retry: httpx.Retry{Tries: 1}, Now: func() time.Time { return instant(12).Time() },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return reader(t, client)
}

func wantReason(t *testing.T, what string, err error, want provider.Reason) {
	t.Helper()
	var got *provider.Error
	if !errors.As(err, &got) || got.Reason != want {
		t.Errorf("%s: %v; want the reason %s", what, err, want)
	}
}

var wholeDay = payment.Interval{From: instant(0), To: instant(23)}

// TestPagesOfAnySizeTellTheSame: where pages end has no influence on what is
// known.
func TestPagesOfAnySizeTellTheSame(t *testing.T) {
	t.Parallel()
	var rows []string
	size := 1
	p := over(t, func(query map[string][]string) (int, string) {
		offset := 0
		if given := query["offset"]; given != nil {
			offset, _ = strconv.Atoi(given[0])
		}
		return 200, listOf(offset, len(rows), rows[offset:min(offset+size, len(rows))]...)
	})
	read := func(t *rapid.T) (units []payment.Unit) {
		for cursor := ""; ; {
			page, err := p.Page(t.Context(), provider.Request{Statement: Transactions, Slice: wholeDay, Cursor: cursor})
			if err != nil || page.Total != payment.Known(int64(len(rows))) {
				t.Fatalf("from %q: %v, total %v", cursor, err, page.Total)
			}
			units = append(units, page.Units...)
			if cursor = page.Next; cursor == "" {
				return units
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		rows = nil
		for i := range rapid.IntRange(0, 20).Draw(t, "rows") {
			rows = append(rows, sold(fmt.Sprint("t", i), rapid.SampledFrom([]string{"succeeded", "failed", "new"}).Draw(t, "status"), ""))
		}
		size = 100
		want := read(t)
		size = rapid.IntRange(1, 9).Draw(t, "size")
		if diff := gocmp.Diff(want, read(t)); diff != "" {
			t.Fatalf("by %d rows: %s", size, diff)
		}
	})
}

func TestWhatIsNotTheListThatWasAskedForIsNoAnswer(t *testing.T) {
	t.Parallel()
	one := sold("t1", "succeeded", "")
	for name, c := range map[string]struct {
		body string
		want provider.Reason
	}{
		"another seller":  {listOf(0, 1, strings.Replace(one, "seller1", "seller2", 1)), provider.OtherAccount},
		"another day":     {listOf(0, 1, strings.Replace(one, "2026-05-05", "2026-05-06", 1)), provider.Unparsable},
		"another offset":  {listOf(1, 2, one), provider.Unparsable},
		"more of nothing": {`{"items":[],"has_more":true,"offset":0}`, provider.Unparsable},
		"negative total":  {`{"items":[],"has_more":false,"offset":0,"total":-1}`, provider.Unparsable},
		"a total of half": {`{"items":[],"has_more":false,"offset":0,"total":"0.5"}`, provider.Unparsable},
		"no items":        {`{"has_more":false,"offset":0}`, provider.Unparsable},
		"no has_more":     {`{"items":[],"offset":0}`, provider.Unparsable},
		"no offset":       {`{"items":[],"has_more":false}`, provider.Unparsable},
		"an error":        {notFound, provider.Unparsable},
		"a list, and one": {`{"items":[],"has_more":false,"offset":0,"error":{"category":"x"}}`, provider.Unparsable},
	} {
		p := over(t, func(map[string][]string) (int, string) { return 200, c.body })
		_, err := p.Page(t.Context(), provider.Request{Statement: Transactions, Slice: wholeDay})
		wantReason(t, name, err, c.want)
	}
	p := over(t, func(map[string][]string) (int, string) { t.Error("it was asked"); return 500, "" })
	for name, r := range map[string]provider.Request{
		"cursor":    {Statement: Transactions, Slice: wholeDay, Cursor: "-1"},
		"statement": {Statement: "ledger", Slice: wholeDay},
		"fraction":  {Statement: Transactions, Slice: payment.Interval{From: instant(0) + 1, To: instant(1)}},
		"empty":     {Statement: Transactions},
	} {
		if _, err := p.Page(t.Context(), r); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}

func TestALookUpReadsItsListToTheEnd(t *testing.T) {
	t.Parallel()
	key := payment.LookupKey{Kind: payment.KeyReference, Name: "try", Value: "order-1"}
	one := sold("t1", "succeeded", "")
	for name, c := range map[string]struct {
		answer func(map[string][]string) (int, string)
		want   provider.Reason
	}{
		"fewer than it says": {func(map[string][]string) (int, string) {
			return 200, strings.Replace(listOf(0, 2, one), `"has_more":true`, `"has_more":false`, 1)
		}, provider.Untied},
		"a row twice": {func(q map[string][]string) (int, string) {
			if q["offset"] == nil {
				return 200, listOf(0, 2, one)
			}
			return 200, listOf(1, 2, one)
		}, provider.Shifted},
		"without an end": {func(q map[string][]string) (int, string) {
			offset := 0
			if q["offset"] != nil {
				offset, _ = strconv.Atoi(q["offset"][0])
			}
			return 200, listOf(offset, 9999, sold(fmt.Sprint("t", offset), "new", ""))
		}, provider.Partial},
	} {
		_, err := over(t, c.answer).LookUp(t.Context(), provider.Question{Attempt: attempt(payment.Charge), Key: key})
		wantReason(t, name, err, c.want)
	}
	never := func(map[string][]string) (int, string) { t.Error("it was asked"); return 500, "" }
	for _, q := range []provider.Question{
		{Attempt: attempt(payment.Refund), Key: key},
		{Attempt: attempt(payment.Charge), Key: payment.LookupKey{Kind: payment.KeyIdempotency, Value: "k"}},
		{Attempt: attempt(payment.Charge), Key: payment.LookupKey{Kind: payment.KeyReference, Name: "other", Value: "x"}},
		{Attempt: attempt(payment.Charge), Key: payment.LookupKey{Kind: payment.KeyUnit, Value: "../x"}},
		{Attempt: attempt(payment.Charge), Key: payment.LookupKey{Kind: payment.KeyUnit}},
		{Attempt: &payment.Attempt{}, Key: payment.LookupKey{Kind: payment.KeyReference, Name: "sale", Value: "x"}},
	} {
		_, err := over(t, never).LookUp(t.Context(), q)
		wantReason(t, fmt.Sprint(q.Key), err, provider.OtherReference)
	}
	for body, want := range map[string]provider.Reason{
		`{}`: provider.Unparsable, `{"error":{"status_code":"400"}}`: provider.Unparsable,
		strings.Replace(one, "{", `{"error":{"status_code":404},`, 1): provider.Unparsable,
	} {
		p := over(t, func(map[string][]string) (int, string) { return 404, body })
		_, err := p.LookUp(t.Context(), provider.Question{Attempt: attempt(payment.Charge), Key: payment.LookupKey{Kind: payment.KeyUnit, Value: "t1"}})
		wantReason(t, "404 with "+body[:2], err, want)
	}
	p := over(t, func(map[string][]string) (int, string) { return 200, strings.Replace(one, "seller1", "seller2", 1) })
	_, err := p.LookUp(t.Context(), provider.Question{Attempt: attempt(payment.Charge), Key: payment.LookupKey{Kind: payment.KeyUnit, Value: "t1"}})
	wantReason(t, "another seller's", err, provider.OtherAccount)
}

// FuzzList reads any bytes as a page: what is taken is whole and within bounds.
func FuzzList(f *testing.F) {
	f.Add([]byte(listOf(0, 1, sold("t1", "succeeded", ""))))
	f.Add([]byte(notFound))
	f.Add([]byte(`{"items":[{"id":"t","amount":1,"currency":"BRL","created_at":"9999-12-31T23:59:59Z","metadata":[]}],"has_more":false,"offset":0}`))
	p := reader(f, nil)
	p.o.Centavos = true
	f.Fuzz(func(t *testing.T, body []byte) {
		var l list
		if httpx.Decode(body, &l) != nil {
			return
		}
		a, err := l.answer(0)
		if err != nil {
			return
		}
		for i := range a.rows {
			u, err := p.unit(&a.rows[i])
			if err == nil && (u.ID == "" || u.CreatedAt <= 0 || u.Asked.Minor < 0 || u.Captured.Minor < 0 || u.Final && u.State.Open()) {
				t.Errorf("%+v", u)
			}
		}
	})
}
