package loopback

import (
	"errors"
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

const (
	through = `"through":"2026-05-05T12:00:00Z"`
	first   = `{"id":"pay_1","kind":"payment","account":"acct_1","method":"card","state":"paid","final":false,"amount":12990,"captured":12990,"refunded":0,
		"currency":"BRL","idempotency_key":"key-1","metadata":{"charge":"c1"},"created_at":"2026-05-04T01:00:00Z","paid_at":"2026-05-04T01:00:00Z"}`
	second = `{"id":"pay_2","kind":"payment","account":"acct_1","method":"pix","state":"waiting","final":false,"amount":100,"captured":0,"refunded":0,
		"currency":"BRL","metadata":{"charge":"c2"},"created_at":"2026-05-04T02:00:00Z"}`
	entry1 = `{"id":"bt_1","type":"charge","object":"pay_1","method":"card","amount":12990,"currency":"BRL","balance":12990,"metadata":{"charge":"c1"},"at":"2026-05-04T01:00:00Z"}`
	entry2 = `{"id":"bt_2","type":"fee","object":"pay_1","amount":-390,"currency":"BRL","balance":12600,"at":"2026-05-04T01:00:00Z"}`
)

// window is what is asked for of the day.
func window(cursor string) url.Values {
	q := url.Values{"from": {"2026-05-04T00:00:00Z"}, "to": {"2026-05-05T00:00:00Z"}}
	if cursor != "" {
		q.Set("cursor", cursor)
	}
	return q
}

// lookups are by each sort of key, and what each must give.
func lookups() []providertest.Lookup {
	attempt := &payment.Attempt{ID: "1"}
	question := func(kind payment.KeyKind, name, value string) provider.Question {
		return provider.Question{Attempt: attempt, Key: payment.LookupKey{Kind: kind, Name: name, Value: value}}
	}
	found := func(query url.Values, rows string) providertest.Talk {
		return providertest.Talk{{Path: "/objects", Query: query, Body: `{"data":[` + rows + `],` + through + `}`}}
	}
	byKey, byCharge := url.Values{"key": {"key-1"}}, url.Values{"metadata.charge": {"c1"}}
	return []providertest.Lookup{
		{
			Name: "by id", Question: question(payment.KeyUnit, "", "pay_1"), Units: []string{"pay_1"},
			Found:    providertest.Talk{{Path: "/objects/pay_1", Body: first}},
			NotFound: providertest.Talk{{Path: "/objects/pay_1", Status: 404, Body: `{"error":{"code":"no_such_object","message":"pay_1"}}`}},
			Other:    providertest.Talk{{Path: "/objects/pay_1", Body: second}},
		},
		{
			Name: "by key", Question: question(payment.KeyIdempotency, "", "key-1"), Units: []string{"pay_1"},
			Found: found(byKey, first), NotFound: found(byKey, ""), Other: found(byKey, first+","+second),
		},
		{
			Name: "by reference", Question: question(payment.KeyReference, "charge", "c1"), Units: []string{"pay_1"},
			Found: found(byCharge, first), NotFound: found(byCharge, ""), Other: found(byCharge, second),
		},
	}
}

// TestContract runs the suite of all adapters.
func TestContract(t *testing.T) {
	t.Parallel()
	day := payment.DayOfDate(2026, time.May, 4)
	slice := payment.Interval{From: day.Start(time.UTC), To: (day + 1).Start(time.UTC)}
	list := func(path, cursor, next, rows string) providertest.Talk {
		if next != "" {
			next = `"next":"` + next + `",`
		}
		return providertest.Talk{{Path: path, Query: window(cursor), Body: `{"data":[` + rows + `],` + next + through + `}`}}
	}
	providertest.Run(t, providertest.Adapter{
		New: func(client *httpx.Client) (provider.Provider, error) {
			return New(Options{
				Name: "shop", Account: "acct_1", Zone: time.UTC, References: []provider.Place{{Name: "charge", There: "metadata.charge", Scope: payment.ScopeCharge}},
			}, client)
		},
		Headers: func(key secret.Secret) map[string]secret.Secret {
			return map[string]secret.Secret{"Authorization": "Bearer " + key}
		},
		Identity: providertest.Talk{{Path: "/account", Body: `{"account":"acct_1","mode":"live"}`}},
		Want:     provider.Identity{Account: "acct_1"},
		Errors:   []string{`{"error":{"code":"internal","message":"x"},"object":{"id":"pay_1"}}`},
		Statements: []providertest.Statement{
			{
				Name: "objects", Slice: slice, Rows: 2, Units: 2, Empty: list("/objects", "", "", ""),
				Pages: []providertest.Talk{list("/objects", "", "c1", first), list("/objects", "c1", "", second)},
				Variants: []providertest.Variant{{
					Name: "AStateWithoutWordIsUnmapped",
					Talk: list("/objects", "", "", `{"id":"pay_3","account":"acct_1","state":"on_the_moon","amount":1,"currency":"BRL","created_at":"2026-05-04T02:00:00Z"}`),
					Check: func(t *testing.T, page provider.Page) {
						t.Helper()
						if u := page.Units[0]; u.State != payment.StateUnmapped || u.RawState != "on_the_moon" || u.Captured.Known {
							t.Errorf("%+v", u)
						}
					},
				}},
			},
			{
				Name: "ledger", Slice: slice, Rows: 2, Lines: 2, Empty: list("/ledger", "", "", ""),
				Pages: []providertest.Talk{list("/ledger", "", "c1", entry1), list("/ledger", "c1", "", entry2)},
				Variants: []providertest.Variant{{
					Name: "ATypeWithoutWordIsOther",
					Talk: list("/ledger", "", "", `{"id":"bt_3","type":"moon_tax","amount":-5,"currency":"BRL","balance":-5,"at":"2026-05-04T02:00:00Z"}`),
					Check: func(t *testing.T, page provider.Page) {
						t.Helper()
						if l := page.Lines[0]; l.Kind != payment.KindOther || l.Raw != "moon_tax" || l.Net != -5 || page.Opening != payment.Known(0) {
							t.Errorf("%+v", l)
						}
					},
				}},
			},
		},
		Lookups: lookups(),
	})
}

// TestItCanStandInForOneThatKnowsLess: by fewer keys, and for fewer days.
func TestItCanStandInForOneThatKnowsLess(t *testing.T) {
	t.Parallel()
	p, err := New(Options{Name: "shop", References: []provider.Place{{Name: "charge", There: "metadata.charge"}}, By: []string{"unit", "charge"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	for _, way := range p.Capabilities().Lookups {
		words = append(words, word(way.Key))
	}
	if strings.Join(words, " ") != "unit charge" {
		t.Errorf("it can be asked by %v", words)
	}
	for body, want := range map[string]provider.Reason{
		`{"error":{"code":"period_not_held"}}`: provider.PeriodNotHeld, `{"error":{"code":"no_such_object"}}`: provider.Unparsable,
	} {
		err := p.no("object", &httpx.Response{Status: 410, Body: []byte(body)})
		if told, ok := errors.AsType[*provider.Error](err); !ok || told.Reason != want {
			t.Errorf("410 with %s: %v, want %s", body, err, want)
		}
	}
}
