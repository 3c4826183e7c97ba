//go:build linux && !race

package cmd

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"desfecho/internal/fakepsp"
	"desfecho/internal/payment"
)

// script is a loopback provider that answers what it is told to: by account
// and key. By any other key it shows what its lists hold.
type script struct {
	t   *testing.T
	url string

	mu       sync.Mutex
	accounts map[string]*scripted // by the path that the account is asked at
}

type scripted struct {
	answers []payment.Lookup
	units   []payment.Unit
}

func listen(t *testing.T) *script {
	t.Helper()
	s := &script{t: t, accounts: map[string]*scripted{}}
	listener, err := fakepsp.Listen(s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	s.url = listener.URL
	return s
}

// answer takes the answers of an account, and gives where it is asked.
func (s *script) answer(account string, answers []payment.Lookup, units []payment.Unit) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.accounts["account-"+account] = &scripted{answers, units}
	return s.url + "/account-" + account
}

func (s *script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	account, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	known := s.accounts[account]
	if r.Method != http.MethodGet || known == nil {
		s.t.Errorf("%s %s: cases are asked by GET, of accounts that answer", r.Method, r.URL)
		return
	}
	key := payment.LookupKey{Kind: payment.KeyUnit, Value: strings.TrimPrefix(path, "objects/")}
	for name, values := range r.URL.Query() {
		key = payment.LookupKey{Kind: payment.KeyReference, Name: strings.TrimPrefix(name, "metadata."), Value: values[0]}
		if name == "key" {
			key = payment.LookupKey{Kind: payment.KeyIdempotency, Value: values[0]}
		}
	}
	status, body := known.says(key)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(body); err != nil {
		s.t.Error(err)
	}
}

// failure is how the provider says no.
func failure(code string) any {
	return map[string]any{"error": map[string]string{"code": code}}
}

// says is the answer to one question.
func (s *scripted) says(key payment.LookupKey) (status int, body any) {
	units := slices.DeleteFunc(slices.Clone(s.units), func(u payment.Unit) bool { return !carries(&u, key) })
	if i := slices.IndexFunc(s.answers, func(l payment.Lookup) bool { return l.Key == key }); i >= 0 {
		units = s.answers[i].Units
		switch l := &s.answers[i]; {
		case l.Outcome == payment.Inconclusive && l.Reason == "period_not_held":
			return http.StatusGone, failure(l.Reason)
		case l.Outcome == payment.Inconclusive && l.Reason == "credentials":
			return http.StatusUnauthorized, failure(l.Reason)
		case l.Outcome == payment.Inconclusive:
			return http.StatusOK, failure(l.Reason) // no object and no list: unparsable
		}
	}
	objects := []fakepsp.Object{}
	for i := range units {
		objects = append(objects, objectOf(&units[i]))
	}
	switch {
	case key.Kind != payment.KeyUnit:
		return http.StatusOK, map[string]any{"data": objects, "through": time.Unix(0, 0).UTC()}
	case len(objects) == 0:
		return http.StatusNotFound, failure("no_such_object")
	}
	return http.StatusOK, objects[0]
}

// carries tells whether a key leads to the unit.
func carries(u *payment.Unit, key payment.LookupKey) bool {
	switch key.Kind {
	case payment.KeyUnit:
		return u.ID == key.Value
	case payment.KeyIdempotency:
		return u.Key == key.Value
	case payment.KeyReference:
	}
	return slices.ContainsFunc(u.References, func(r payment.Reference) bool { return r.Name == key.Name && r.Value == key.Value })
}

// objectOf is a unit in the words of the loopback provider.
func objectOf(u *payment.Unit) fakepsp.Object {
	words := map[payment.State]string{
		payment.StateRequiresAction: fakepsp.Waiting, payment.StateProcessing: fakepsp.Processing, payment.StateAuthorized: fakepsp.Authorized,
		payment.StateCaptured: fakepsp.Paid, payment.StateDeclined: fakepsp.Declined, payment.StateCanceled: fakepsp.Canceled,
		payment.StateExpired: fakepsp.Expired, payment.StateRefunded: fakepsp.Refunded, payment.StateDisputed: fakepsp.ChargedBack,
		payment.StateUnmapped: u.RawState,
	}
	o := fakepsp.Object{
		ID: u.ID, Kind: fakepsp.KindPayment, Account: "acct", Method: u.Method, State: words[u.State], Final: u.Final, Amount: u.Asked.Minor,
		Captured: u.Captured.Minor, Currency: u.Currency.String(), Key: u.Key, Metadata: map[string]string{}, Parent: u.Parent, Reason: u.Reason,
		CreatedAt: u.CreatedAt.Time(),
	}
	if u.Account != "" {
		o.Account = u.Account
	}
	for _, r := range u.References {
		o.Metadata[r.Name] = r.Value
	}
	return o
}
