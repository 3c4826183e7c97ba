package zoop

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"desfecho/internal/payment"
	"desfecho/internal/provider"
	"desfecho/internal/secret"
	"desfecho/providers/httpx"
	"desfecho/providers/providertest"
)

// listOf is a page of a list as the API sends it, its numbers as texts.
func listOf(offset, total int, rows ...string) string {
	return fmt.Sprintf(`{"resource":"list","uri":"/v1/x","limit":"100","offset":"%d","has_more":%t,"query_count":%d,"total":"%d","items":[%s]}`,
		offset, offset+len(rows) < total, len(rows), total, strings.Join(rows, ","))
}

const (
	notFound = `{"error":{"status":"Not Found","status_code":404,"type":"invalid_request_error","category":"resource_not_found","message":"Sorry"}}`
	path     = "/sellers/seller1/transactions"
)

func query(pairs ...string) url.Values {
	q := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		q.Set(pairs[i], pairs[i+1])
	}
	return q
}

func instant(hour int) payment.Instant {
	return payment.InstantOf(time.Date(2026, 5, 5, hour, 0, 0, 0, time.UTC))
}

func attempt(o payment.Operation) *payment.Attempt {
	return &payment.Attempt{ID: "a", Operation: o, CreatedAt: instant(14), LastSent: instant(15)}
}

// TestTheContractOfAdapters holds Zoop to what every adapter must do.
func TestTheContractOfAdapters(t *testing.T) {
	t.Parallel()
	providertest.Run(t, providertest.Adapter{
		New: func(client *httpx.Client) (provider.Provider, error) { return reader(t, client), nil },
		Headers: func(key secret.Secret) map[string]secret.Secret {
			return map[string]secret.Secret{"Authorization": "Basic " + key}
		},
		Identity:   providertest.Talk{{Path: path, Query: query("limit", "1"), Body: listOf(0, 1, sold("t1", "succeeded", ""))}},
		Want:       provider.Identity{Account: "mkt_1/seller1"},
		Errors:     []string{notFound, strings.Replace(sold("t1", "succeeded", ""), "{", `{"error":{"category":"x"},`, 1)},
		Statements: []providertest.Statement{suiteStatement()}, Lookups: suiteLookups(),
	})
}

func suiteStatement() providertest.Statement {
	slice := payment.Interval{From: instant(0), To: instant(23)}
	first := []string{
		"date_range[gte]", fmt.Sprint(slice.From.Time().Unix()), "date_range[lt]", fmt.Sprint(slice.To.Time().Unix()),
		"limit", "100", "sort", "time-ascending",
	}
	return providertest.Statement{
		Name: Transactions, Slice: slice, Rows: 2, Units: 2,
		Pages: []providertest.Talk{
			{{Path: path, Query: query(first...), Body: listOf(0, 2, sold("t1", "succeeded", ""))}},
			{{Path: path, Query: query(append(first, "offset", "1")...), Body: listOf(1, 2, sold("t2", "failed", ""))}},
		},
		Empty: providertest.Talk{{Path: path, Query: query(first...), Body: listOf(0, 0)}},
		Variants: []providertest.Variant{
			{
				Name: "AnUnknownStatusIsUnmapped",
				Talk: providertest.Talk{{Path: path, Query: query(first...), Body: listOf(0, 1, sold("t1", "tomorrow", ""))}},
				Check: func(t *testing.T, page provider.Page) {
					t.Helper()
					if u := page.Units[0]; u.State != payment.StateUnmapped || u.RawState != "tomorrow" {
						t.Errorf("%+v", u)
					}
				},
			},
			{
				Name: "AnApostropheThatIsNoJSONIsRead",
				Talk: providertest.Talk{{Path: path, Query: query(first...), Body: listOf(0, 1, strings.Replace(sold("t1", "new", ""), "order-1", `d\'agua`, 1))}},
				Check: func(t *testing.T, page provider.Page) {
					t.Helper()
					if r := page.Units[0].References; r[0].Value != "d'agua" {
						t.Errorf("%+v", r)
					}
				},
			},
		},
	}
}

func suiteLookups() []providertest.Lookup {
	question := func(k payment.LookupKey) provider.Question {
		return provider.Question{Attempt: attempt(payment.Charge), Key: k}
	}
	reference := func(name, value string) payment.LookupKey {
		return payment.LookupKey{Kind: payment.KeyReference, Name: name, Value: value}
	}
	around := []string{
		"date_range[gte]", fmt.Sprint(instant(13).Time().Unix()), "date_range[lt]", fmt.Sprint(instant(15).Add(72 * time.Hour).Time().Unix()),
		"limit", "100", "sort", "time-ascending",
	}
	byReference := query("reference_id", "order-1", "limit", "100")
	one, other := sold("t1", "succeeded", ""), strings.NewReplacer("order-1", "order-2", "c-1", "c-2").Replace(sold("t2", "succeeded", ""))
	return []providertest.Lookup{
		{
			Name: "ByID", Question: question(payment.LookupKey{Kind: payment.KeyUnit, Value: "t1"}), Units: []string{"t1"},
			Found:    providertest.Talk{{Path: "/transactions/t1", Body: one}},
			NotFound: providertest.Talk{{Path: "/transactions/t1", Status: http.StatusNotFound, Body: notFound}},
			Other:    providertest.Talk{{Path: "/transactions/t1", Body: other}},
		},
		{
			Name: "ByReference", Question: question(reference("try", "order-1")), Units: []string{"t1", "t3"},
			Found:    providertest.Talk{{Path: path, Query: byReference, Body: listOf(0, 2, sold("t3", "failed", ""), one)}},
			NotFound: providertest.Talk{{Path: path, Query: byReference, Body: listOf(0, 0)}},
			Other:    providertest.Talk{{Path: path, Query: byReference, Body: listOf(0, 1, other)}},
		},
		{
			Name: "ByMetadata", Question: question(reference("sale", "c-1")), Units: []string{"t1"},
			Found:    providertest.Talk{{Path: path, Query: query(around...), Body: listOf(0, 2, other, one)}},
			NotFound: providertest.Talk{{Path: path, Query: query(around...), Body: listOf(0, 1, other)}},
		},
	}
}
