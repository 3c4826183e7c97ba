// Package likeness lets a loopback provider be read as Stripe's and Asaas's APIs
// are: one truth, told in their paths, shapes, words and habits of paging, as
// late as each view of the provider shows it. It is written from what the two
// publish, not from the adapters that read it, and knows none of them.
//
// It answers GET and nothing else, changes nothing, and is for tests: payments
// are made with the loopback provider itself.
package likeness

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"desfecho/internal/fakepsp"
)

// Options say who may read, and how much at once.
type Options struct {
	Key  string // the credential that requests must carry
	Rows int    // of a page at most, however many are asked for; 0: 100
	// Reference is the metadata key that was sent as externalReference; Asaas
	// has no other place.
	Reference string
}

// limit is how many rows a page may have.
func (o *Options) limit(q url.Values) int {
	most := cmp.Or(o.Rows, 100)
	if asked, err := strconv.Atoi(q.Get("limit")); err == nil {
		most = min(most, asked)
	}
	return most
}

// thing is one JSON object.
type thing = map[string]any

// said is an answer.
type said struct {
	status int
	body   any // nil: none
}

// speak serves what answer says. Every answer carries the provider's date; a
// request without the credential gets refusal.
func speak(p *fakepsp.Provider, allowed func(http.Header) bool, refusal any, answer func(path string, q url.Values) said) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", p.Now().UTC().Format(http.TimeFormat))
		out := said{http.StatusUnauthorized, refusal}
		switch {
		case r.Method != http.MethodGet:
			out = said{status: http.StatusMethodNotAllowed}
		case allowed(r.Header):
			out = answer(r.URL.Path, r.URL.Query())
		}
		if out.body == nil {
			w.WriteHeader(out.status)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(out.status)
		_ = json.NewEncoder(w).Encode(out.body) // the client may be gone
	})
}

// with is a copy of a thing and one field more.
func with(o thing, field string, value any) thing {
	more := maps.Clone(o)
	more[field] = value
	return more
}

// find is the thing of an id, nil where there is none.
func find(all []thing, id any) thing {
	if i := slices.IndexFunc(all, func(o thing) bool { return o["id"] == id }); i >= 0 {
		return all[i]
	}
	return nil
}

// decimal writes minor units of two decimals.
func decimal(minor int64) json.Number {
	sign := ""
	if minor < 0 {
		sign, minor = "-", -minor
	}
	return json.Number(fmt.Sprintf("%s%d.%02d", sign, minor/100, minor%100))
}
