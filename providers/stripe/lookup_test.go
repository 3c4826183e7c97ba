package stripe

import (
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"desfecho/internal/payment"
	"desfecho/internal/provider"
)

// at is nine o'clock of the first day, when the attempts of testdata/account
// begin.
var at = time.Date(2026, time.October, 27, 9, 0, 0, 0, time.UTC)

func byUnit(id string) payment.LookupKey {
	return payment.LookupKey{Kind: payment.KeyUnit, Value: id}
}

func byIdempotency(key string) payment.LookupKey {
	return payment.LookupKey{Kind: payment.KeyIdempotency, Value: key}
}

func byAttempt(value string) payment.LookupKey {
	return payment.LookupKey{Kind: payment.KeyReference, Name: "attempt", Value: value}
}

func writtenAnswer(a provider.Answer) string {
	var b strings.Builder
	b.WriteString(a.Endpoint + ": " + a.Outcome.String() + "\n")
	for _, u := range a.Units {
		b.WriteString("    " + writtenUnit(u) + "\n")
	}
	return b.String()
}

// TestEveryKeyFindsWhatCarriesIt asks for all that testdata/account holds, by
// every key, and for what it does not hold.
func TestEveryKeyFindsWhatCarriesIt(t *testing.T) {
	t.Parallel()
	f := serve(t)
	p := f.provider(Options{})
	var got strings.Builder
	for _, ask := range []struct {
		operation payment.Operation
		key       payment.LookupKey
	}{
		{payment.Charge, byUnit("pi_A")},
		{payment.Charge, byUnit("ch_A")},
		{payment.Charge, byUnit("ch_C1")}, // a refused try of a paid intent
		{payment.Charge, byUnit("pi_C")},  // refunded: its refund, too
		{payment.Charge, byUnit("pi_D")},
		{payment.Charge, byUnit("pi_E")}, // captured in part: its rest is no refund
		{payment.Charge, byUnit("pi_F")},
		{payment.Charge, byUnit("pi_G")},
		{payment.Charge, byUnit("ch_M")},
		{payment.Charge, byUnit("py_J")},
		{payment.Charge, byUnit("py_O")},
		{payment.Charge, byUnit("pi_L")},
		{payment.Charge, byUnit("pi_nowhere")},
		{payment.Charge, byUnit("ch_nowhere")},
		{payment.Refund, byUnit("re_C")},
		{payment.Refund, byUnit("re_nowhere")},
		{payment.Transfer, byUnit("tr_1")},
		{payment.Transfer, byUnit("po_2")},
		{payment.Charge, byIdempotency("key_1")},
		{payment.Charge, byIdempotency("key_nowhere")},
		{payment.Refund, byIdempotency("key_r3")},
		{payment.Charge, byAttempt("att_1")},
		{payment.Charge, byAttempt("att_2")}, // two sales of one reference
		{payment.Charge, byAttempt("att_3")},
		{payment.Charge, byAttempt("att_12")},
		{payment.Charge, byAttempt("ATT_1")}, // a search would take it for att_1
		{payment.Charge, byAttempt("it's \"odd\" \\")},
		{payment.Charge, payment.LookupKey{Kind: payment.KeyReference, Name: "charge", Value: "c_2"}},
		{payment.Charge, payment.LookupKey{Kind: payment.KeyReference, Name: "group", Value: "g_1"}},
		{payment.Refund, byAttempt("att_p0")},
		{payment.Transfer, byAttempt("att_t1")},
		{payment.Transfer, payment.LookupKey{Kind: payment.KeyReference, Name: "group", Value: "g_1"}},
	} {
		a := attempt(ask.operation, at)
		a.LastSent = payment.InstantOf(at.Add(2 * time.Hour))
		answer, err := p.LookUp(t.Context(), provider.Question{Attempt: a, Key: ask.key})
		if err != nil {
			t.Errorf("%s by %v: %v", ask.operation, ask.key, err)
			continue
		}
		if answer.Account != "acct_1" || answer.Mode != payment.Test || answer.Date != payment.InstantOf(f.now) || len(answer.Canonical) == 0 || len(answer.Raw) == 0 {
			t.Errorf("%v: %+v", ask.key, answer)
		}
		got.WriteString(ask.operation.String() + " " + ask.key.Name + " " + ask.key.Value + " → " + writtenAnswer(answer))
	}
	golden(t, filepath.Join("testdata", "answers.txt"), got.String())
}

type noAnswer struct {
	operation payment.Operation
	key       payment.LookupKey
	path      string // whose answer is replaced, "" for none
	status    int
	body      string
	want      provider.Reason
}

// noAnswers are replies that answer nothing, by what is wrong; missing is how a 404 begins.
func noAnswers(missing string) map[string]noAnswer {
	return map[string]noAnswer{
		"the other mode": {
			payment.Charge, byUnit("pi_A"), "/v1/payment_intents/pi_A", 404,
			missing + `; a similar object exists in live mode, but a test mode key was used to make this request."}}`, provider.WrongMode,
		},
		"a 404 of no form":         {payment.Charge, byUnit("pi_A"), "/v1/payment_intents/pi_A", 404, `{}`, provider.Unparsable},
		"a 404 of no body":         {payment.Charge, byUnit("pi_A"), "/v1/payment_intents/pi_A", 404, ``, provider.Unparsable},
		"a 404 for another cause":  {payment.Charge, byUnit("pi_A"), "/v1/payment_intents/pi_A", 404, `{"error":{"type":"invalid_request_error","code":"url_invalid"}}`, provider.HTTP4xx},
		"missing, with a 400":      {payment.Charge, byUnit("pi_A"), "/v1/payment_intents/pi_A", 400, missing + `"}}`, provider.HTTP4xx},
		"another intent":           {payment.Charge, byUnit("pi_A"), "/v1/payment_intents/pi_A", 200, `{"id":"pi_B1","object":"payment_intent","livemode":false}`, provider.OtherReference},
		"another kind":             {payment.Charge, byUnit("pi_A"), "/v1/payment_intents/pi_A", 200, `{"id":"pi_A","object":"charge","livemode":false}`, provider.OtherReference},
		"an object of live mode":   {payment.Charge, byUnit("pi_A"), "/v1/payment_intents/pi_A", 200, `{"id":"pi_A","object":"payment_intent","livemode":true}`, provider.WrongMode},
		"an id of another form":    {payment.Charge, byUnit("4711"), "", 0, "", provider.OtherReference},
		"a customer":               {payment.Charge, byUnit("cus_1"), "", 0, "", provider.OtherReference},
		"nothing":                  {payment.Charge, byUnit(""), "", 0, "", provider.OtherReference},
		"a path in an id":          {payment.Charge, byUnit("pi_/../../account"), "/v1/payment_intents/pi_/../../account", 200, `{"id":"acct_1","object":"account"}`, provider.OtherReference},
		"refunds cannot be asked":  {payment.Charge, byUnit("pi_C"), "/v1/refunds", 500, `{}`, provider.HTTP5xx},
		"refunds of another sale":  {payment.Charge, byUnit("pi_C"), "/v1/refunds", 200, `{"object":"list","has_more":false,"data":[{"id":"re_X","object":"refund","payment_intent":"pi_X"}]}`, provider.OtherReference},
		"disputes cannot be asked": {payment.Charge, byUnit("pi_F"), "/v1/disputes", 403, `{"error":{"type":"invalid_request_error","message":"no"}}`, provider.Credentials},
		"disputes of another sale": {payment.Charge, byUnit("pi_F"), "/v1/disputes", 200, `{"object":"list","has_more":false,"data":[{"id":"du_X","object":"dispute","charge":"ch_X"}]}`, provider.OtherReference},
		"the rest of a capture":    {payment.Refund, byUnit("re_E"), "", 0, "", provider.OtherReference},
		"a charge without intent":  {payment.Charge, byUnit("ch_A"), "/v1/charges/ch_A", 200, `{"id":"ch_A","object":"charge","livemode":false,"payment_intent":"pi_A"}`, provider.Unparsable},

		"events cut off":               {payment.Charge, byIdempotency("key_1"), "/v1/events", 200, `{"object":"list","has_more":true,"data":[]}`, provider.Loop},
		"an event of live mode":        {payment.Charge, byIdempotency("key_1"), "/v1/events", 200, `{"object":"list","has_more":false,"data":[{"id":"evt_1","object":"event","created":1793091659,"livemode":true}]}`, provider.WrongMode},
		"an event of last year":        {payment.Charge, byIdempotency("key_1"), "/v1/events", 200, `{"object":"list","has_more":false,"data":[{"id":"evt_1","object":"event","created":1693091659,"livemode":false}]}`, provider.OtherReference},
		"no event at all":              {payment.Charge, byIdempotency("key_1"), "/v1/events", 200, `{"object":"list","has_more":false,"data":[{"id":"ch_1","object":"charge","created":1793091659,"livemode":false}]}`, provider.Unparsable},
		"an event of what is not":      {payment.Charge, byIdempotency("key_9"), "/v1/events", 200, `{"object":"list","has_more":false,"data":[{"id":"evt_1","object":"event","created":1793091659,"livemode":false,"request":{"idempotency_key":"key_9"},"data":{"object":{"id":"pi_nowhere","object":"payment_intent"}}}]}`, provider.OtherReference},
		"a refund's key, on its sale":  {payment.Refund, byIdempotency("key_9"), "/v1/events", 200, `{"object":"list","has_more":false,"data":[{"id":"evt_1","object":"event","created":1793091659,"livemode":false,"request":{"idempotency_key":"key_9"},"data":{"object":{"id":"ch_C2","object":"charge"}}}]}`, provider.OtherReference},
		"a bill":                       {payment.BillPayment, byIdempotency("key_1"), "", 0, "", provider.OtherReference},
		"a list that cannot be asked":  {payment.Charge, byAttempt("att_nowhere"), "/v1/charges", 429, `{}`, provider.HTTP429},
		"a list of other days":         {payment.Charge, byAttempt("att_1"), "/v1/payment_intents", 200, `{"object":"list","has_more":false,"data":[{"id":"pi_1","object":"payment_intent","created":1693091659}]}`, provider.OtherReference},
		"a search that breaks":         {payment.Charge, byAttempt("att_nowhere"), "/v1/charges/search", 500, `{}`, provider.HTTP5xx},
		"a reference nobody knows":     {payment.Charge, payment.LookupKey{Kind: payment.KeyReference, Name: "order", Value: "1"}, "", 0, "", provider.OtherReference},
		"the reference of a capture":   {payment.Capture, byAttempt("att_1"), "", 0, "", provider.OtherReference},
		"the reference of a bill":      {payment.BillPayment, byAttempt("att_1"), "", 0, "", provider.OtherReference},
		"a kind of key nobody has yet": {payment.Charge, payment.LookupKey{Kind: 9, Value: "1"}, "", 0, "", provider.OtherReference},
	}
}

// TestWhatIsNoAnswerIsNotFoundNorAbsent: law 5, for every kind of key.
func TestWhatIsNoAnswerIsNotFoundNorAbsent(t *testing.T) {
	t.Parallel()
	missing := `{"error":{"type":"invalid_request_error","code":"resource_missing","param":"intent","message":"No such payment_intent: 'pi_A'`
	for name, test := range noAnswers(missing) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := serve(t)
			f.answer = func(w http.ResponseWriter, r *http.Request) bool {
				return test.path != "" && r.URL.Path == test.path && says(test.status, test.body)(w, r)
			}
			f.lenient = strings.Contains(test.path, "..")
			answer, err := f.provider(Options{}).LookUp(t.Context(), provider.Question{Attempt: attempt(test.operation, at), Key: test.key})
			if reason(err) != test.want || answer.Outcome != payment.Inconclusive || len(answer.Units) > 0 {
				t.Errorf("%v, want %s; answer %+v", err, test.want, answer)
			}
		})
	}
}

func TestASearchAddsWhatWasCreatedAtAnotherTime(t *testing.T) {
	t.Parallel()
	f := serve(t)
	p := f.provider(Options{})
	late := provider.Question{Attempt: attempt(payment.Charge, at.Add(24*time.Hour)), Key: byAttempt("att_1")}
	answer, err := p.LookUp(t.Context(), late)
	if err != nil || answer.Outcome != payment.Found || answer.Units[0].ID != "pi_A" {
		t.Errorf("found by search: %+v, %v", answer, err)
	}
	f.Lags = true // it lags
	if answer, err = p.LookUp(t.Context(), late); err != nil || answer.Outcome != payment.NotFound {
		t.Errorf("not indexed: %+v, %v", answer, err)
	}
	within := provider.Question{Attempt: attempt(payment.Charge, at), Key: byAttempt("att_1")}
	if answer, err = p.LookUp(t.Context(), within); err != nil || answer.Outcome != payment.Found {
		t.Errorf("not indexed, but listed: %+v, %v", answer, err)
	}
	f.answer = func(w http.ResponseWriter, r *http.Request) bool { // India has no search
		return strings.HasSuffix(r.URL.Path, "/search") && says(400, `{"error":{"type":"invalid_request_error","message":"Search is not available"}}`)(w, r)
	}
	if answer, err = p.LookUp(t.Context(), within); err != nil || answer.Outcome != payment.Found {
		t.Errorf("no search here: %+v, %v", answer, err)
	}
	if answer, err = p.LookUp(t.Context(), late); err != nil || answer.Outcome != payment.NotFound {
		t.Errorf("no search here: %+v, %v", answer, err)
	}
}

func TestWhatASearchFindsMustStillCarryTheReference(t *testing.T) {
	t.Parallel()
	f := serve(t)
	stale := `{"object":"search_result","has_more":false,"data":[{"id":"pi_B1","object":"payment_intent","created":1793091659,"livemode":false,"metadata":{"attempt_id":"att_1"}}]}`
	f.answer = func(w http.ResponseWriter, r *http.Request) bool {
		return r.URL.Path == "/v1/payment_intents/search" && says(200, stale)(w, r)
	}
	answer, err := f.provider(Options{}).LookUp(t.Context(), provider.Question{Attempt: attempt(payment.Charge, at.Add(24*time.Hour)), Key: byAttempt("att_1")})
	if err != nil || answer.Outcome != payment.Found || len(answer.Units) != 1 || answer.Units[0].ID != "pi_A" {
		t.Errorf("%s %v", writtenAnswer(answer), err)
	}
}

func TestAReferenceThatCannotBeSearchedForIsNotSearchedFor(t *testing.T) {
	t.Parallel()
	f := serve(t)
	answer, err := f.provider(Options{}).LookUp(t.Context(), provider.Question{Attempt: attempt(payment.Charge, at), Key: byAttempt("att\n1")})
	if err != nil || answer.Outcome != payment.NotFound {
		t.Errorf("%+v, %v", answer, err)
	}
	for _, r := range f.requests() {
		if strings.HasSuffix(r.Path, "/search") {
			t.Errorf("searched for %v", r.Query)
		}
	}
}

func TestEventsAnswerForThirtyDays(t *testing.T) {
	t.Parallel()
	f := serve(t)
	p := f.provider(Options{})
	ask := func(key string) (provider.Answer, error) {
		return p.LookUp(t.Context(), provider.Question{Attempt: attempt(payment.Charge, at), Key: byIdempotency(key)})
	}
	f.now = at.Add(29 * day)
	if a, err := ask("key_nowhere"); err != nil || a.Outcome != payment.NotFound {
		t.Errorf("after 29 days: %+v, %v", a, err)
	}
	f.now = at.Add(30 * day)
	if a, err := ask("key_nowhere"); reason(err) != provider.PeriodNotHeld {
		t.Errorf("after 30 days: %+v, %v", a, err)
	}
	if a, err := ask("key_1"); err != nil || a.Outcome != payment.Found || a.Units[0].Key != "key_1" {
		t.Errorf("still listed: %+v, %v", a, err)
	}
}

func TestAReferenceMayBeTheIdempotencyKey(t *testing.T) {
	t.Parallel()
	f := serve(t)
	p := f.provider(Options{References: []provider.Place{{Name: "key", Scope: payment.ScopeAttempt, There: "idempotency_key"}}})
	a, err := p.LookUp(t.Context(), provider.Question{Attempt: attempt(payment.Charge, at), Key: payment.LookupKey{Kind: payment.KeyReference, Name: "key", Value: "key_1"}})
	want := []payment.Reference{{Name: "key", Scope: payment.ScopeAttempt, Value: "key_1"}}
	if err != nil || a.Outcome != payment.Found || !slices.Equal(a.Units[0].References, want) {
		t.Errorf("%+v, %v", a, err)
	}
}

func TestTheWindowOfAnAttemptIsLongerAfterAnErrorOfStripe(t *testing.T) {
	t.Parallel()
	f := serve(t)
	p := f.provider(Options{Before: time.Minute, After: time.Hour})
	a := attempt(payment.Charge, at)
	a.LastSent = payment.InstantOf(at.Add(time.Minute))
	if got := p.around(a); got != (payment.Interval{From: payment.InstantOf(at.Add(-time.Minute)), To: payment.InstantOf(at.Add(61 * time.Minute))}) {
		t.Errorf("around %s", got)
	}
	a.LastError = payment.Error5xx
	if got := p.around(a); got.To != payment.InstantOf(at.Add(time.Minute+72*time.Hour)) {
		t.Errorf("after a 5xx: %s", got)
	}
}

// TestALookUpEndsSomewhere: a list that leads back, or that never ends.
func TestALookUpEndsSomewhere(t *testing.T) {
	t.Parallel()
	f := serve(t)
	f.answer = func(w http.ResponseWriter, r *http.Request) bool {
		return r.URL.Path == "/v1/events" && says(200, `{"object":"list","has_more":true,"data":[{"id":"evt_1","object":"event","created":1793091659,"livemode":false}]}`)(w, r)
	}
	_, err := f.provider(Options{}).LookUp(t.Context(), provider.Question{Attempt: attempt(payment.Charge, at), Key: byIdempotency("key_1")})
	if reason(err) != provider.Loop {
		t.Error(err)
	}
}
