package stripe

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"desfecho/internal/payment"
	"desfecho/internal/provider"
	"desfecho/internal/secret"
)

func TestAKeyOfTheWrongKindIsRefusedAndNeverPrinted(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		mode payment.Mode
		key  secret.Secret
		want string // "" where it is taken
	}{
		{payment.Live, "rk_live_7f3a", ""},
		{payment.Test, "rk_test_7f3a", ""},
		{payment.Live, "sk_live_7f3a", ""},
		{payment.Live, "a_key_of_another_form", ""},
		{payment.Live, "rk_test_7f3a", "test mode"},
		{payment.Test, "sk_live_7f3a", "live mode"},
		{payment.Live, "pk_live_7f3a", "publishable"},
		{payment.Live, "whsec_7f3a", "webhook"},
		{payment.Live, "", "empty"},
	} {
		base, headers, err := Connection(test.mode, test.key)
		if test.want == "" {
			if err != nil || base != "https://api.stripe.com" || headers["Authorization"].Reveal() != "Bearer "+test.key.Reveal() {
				t.Errorf("%s: %v", test.key.Reveal(), err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "7f3a") {
			t.Errorf("%s: %v, want %s", test.key.Reveal(), err, test.want)
		}
	}
}

func TestAPlaceThatStripeDoesNotHaveIsRefused(t *testing.T) {
	t.Parallel()
	for there, ok := range map[string]bool{
		"metadata.order": true, "metadata.a.b": true, "idempotency_key": true, "transfer_group": true, "description": true,
		"metadata.": false, "metadata": false, "externalReference": false, "": false,
	} {
		_, err := New(Options{References: []provider.Place{{Name: "try", There: there}}}, nil)
		if (err == nil) != ok {
			t.Errorf("%q: %v", there, err)
		}
	}
	if _, err := New(Options{References: []provider.Place{{There: "metadata.order"}}}, nil); err == nil {
		t.Error("a reference without a name was taken")
	}
}

func TestTheIdentityIsTheAccountAndTheModeOfTheKey(t *testing.T) {
	t.Parallel()
	lacks := `{"error":{"type":"invalid_request_error","message":"The provided key 'rk_test_***abcd' does not have the required permissions for this endpoint on account 'acct_77'. Having the 'rak_accounts_kyc_basic_read' permission would allow this request to continue."}}`
	for name, test := range map[string]struct {
		connected  string
		path, body string
		status     int
		want       provider.Identity
		reason     provider.Reason
	}{
		"account":                       {"", "", "", 0, provider.Identity{Account: "acct_1", Mode: payment.Test}, ""},
		"live":                          {"", "/v1/balance", `{"object":"balance","livemode":true}`, 200, provider.Identity{Account: "acct_1", Mode: payment.Live}, ""},
		"a key that may not read it":    {"", "/v1/account", lacks, 403, provider.Identity{Account: "acct_77", Mode: payment.Test}, ""},
		"a refusal that names none":     {"", "/v1/account", `{"error":{"type":"invalid_request_error","message":"no"}}`, 403, provider.Identity{}, provider.Credentials},
		"a balance that may not":        {"", "/v1/balance", lacks, 403, provider.Identity{}, provider.Credentials},
		"no account":                    {"", "/v1/account", `{"object":"customer","id":"cus_1"}`, 200, provider.Identity{}, provider.Unparsable},
		"a balance of no mode":          {"", "/v1/balance", `{"object":"balance"}`, 200, provider.Identity{}, provider.Unparsable},
		"the connected account":         {"acct_1", "", "", 0, provider.Identity{Account: "acct_1", Mode: payment.Test}, ""},
		"another connected account":     {"acct_2", "", "", 0, provider.Identity{}, provider.OtherAccount},
		"a connected account of nobody": {"acct_2", "/v1/account", lacks, 403, provider.Identity{}, provider.Credentials},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := serve(t)
			f.answer = func(w http.ResponseWriter, r *http.Request) bool {
				if got := r.Header.Get("Stripe-Account"); got != test.connected {
					t.Errorf("connected account %q, want %q", got, test.connected)
				}
				return test.path == r.URL.Path && says(test.status, test.body)(w, r)
			}
			got, err := f.provider(Options{Connected: test.connected}).Identity(t.Context())
			if got != test.want || reason(err) != test.reason {
				t.Errorf("%+v, %v; want %+v, %s", got, err, test.want, test.reason)
			}
		})
	}
}

// TestEveryLookUpThatIsOfferedAnswers holds Capabilities against LookUp: what
// is offered for an operation gives an answer, by the endpoint it names, and
// what is not offered gives none.
func TestEveryLookUpThatIsOfferedAnswers(t *testing.T) {
	t.Parallel()
	f := serve(t)
	p := f.provider(Options{References: []provider.Place{
		{Name: "attempt", There: "metadata.attempt_id"}, {Name: "key", There: "idempotency_key"}, {Name: "group", There: "transfer_group"},
	}})
	ids := map[string]string{kindIntent: "pi_A", kindCharge: "ch_A", kindRefund: "re_C", kindTransfer: "tr_1", kindPayout: "po_1"}
	offered := map[string]bool{}
	for _, l := range p.Capabilities().Lookups {
		for _, operation := range l.Operations {
			q := provider.Question{Attempt: attempt(operation, at), Key: l.Key}
			q.Key.Value = "none"
			if l.Key.Kind == payment.KeyUnit {
				q.Key.Value = ids[l.Endpoint]
			}
			a, err := p.LookUp(t.Context(), q)
			if err != nil || a.Endpoint != l.Endpoint {
				t.Errorf("%s by %v: %q, %v; want %q", operation, l.Key, a.Endpoint, err, l.Endpoint)
			}
			offered[fmt.Sprint(operation, l.Key.Kind, l.Key.Name)] = true
		}
	}
	for operation := payment.Charge; operation <= payment.BillPayment; operation++ {
		for _, k := range []payment.LookupKey{byIdempotency("none"), byAttempt("none"), {Kind: payment.KeyReference, Name: "key", Value: "none"}} {
			_, err := p.LookUp(t.Context(), provider.Question{Attempt: attempt(operation, at), Key: k})
			if (err == nil) != offered[fmt.Sprint(operation, k.Kind, k.Name)] {
				t.Errorf("%s by %v: %v, offered %v", operation, k, err, offered[fmt.Sprint(operation, k.Kind, k.Name)])
			}
		}
	}
}

func TestEveryEventThatIsAskedForIsPublished(t *testing.T) {
	t.Parallel()
	known := published(t).Enums["event.type"]
	for operation := payment.Charge; operation <= payment.BillPayment; operation++ {
		types := eventTypes(operation)
		if len(types) > 20 {
			t.Errorf("%s: %d types, Stripe takes 20", operation, len(types))
		}
		for _, typ := range types {
			if !strings.Contains(" "+strings.Join(known, " ")+" ", " "+typ+" ") {
				t.Errorf("%s: Stripe has no event %s", operation, typ)
			}
		}
	}
}

func TestStatusesThatStripePublishesAreMapped(t *testing.T) {
	t.Parallel()
	enums, a := published(t).Enums, testAccount()
	for _, status := range enums["payment_intent.status"] {
		if u := a.intentUnit(&object{ID: "pi_1", Status: status, Currency: "usd"}, nil); u.State == payment.StateUnmapped {
			t.Errorf("payment intent %s is unmapped", status)
		}
	}
	for _, status := range enums["charge.status"] {
		if u := a.chargeUnit(&object{ID: "ch_1", Status: status, Currency: "usd"}, nil); u.State == payment.StateUnmapped {
			t.Errorf("charge %s is unmapped", status)
		}
	}
	for _, status := range enums["dispute.status"] {
		if disputeEffect(status) == unknownEffect {
			t.Errorf("dispute %s is unmapped", status)
		}
	}
}

func TestDefaultsCanBeChanged(t *testing.T) {
	t.Parallel()
	p, err := New(Options{Reread: 30 * day, Before: time.Hour, After: 2 * time.Hour}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range p.Capabilities().Statements {
		if s.Reread != 30*day {
			t.Errorf("%s is read again for %s", s.Name, s.Reread)
		}
	}
	if p.o.Before != time.Hour || p.o.After != 2*time.Hour || p.zone != time.UTC {
		t.Errorf("%+v", p.o)
	}
}
