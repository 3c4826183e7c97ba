package asaas

import (
	"strings"
	"testing"

	"desfecho/internal/payment"
	"desfecho/internal/provider"
	"desfecho/internal/secret"
)

func TestAKeyIsSentOnlyToItsOwnEnvironment(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		mode payment.Mode
		key  secret.Secret
		want string
	}{
		{payment.Live, "$aact_prod_canary", "https://api.asaas.com/v3"},
		{payment.Test, "$aact_hmlg_canary", "https://api-sandbox.asaas.com/v3"},
		{payment.Live, "$aact_canary", "https://api.asaas.com/v3"},
		{payment.Test, "$aact_canary", "https://api-sandbox.asaas.com/v3"},
		{payment.Live, "$aact_hmlg_canary", ""},
		{payment.Test, "$aact_prod_canary", ""},
		{payment.Live, "", ""},
	} {
		url, headers, err := Connection(c.mode, c.key)
		if url != c.want || (err == nil) != (c.want != "") || err != nil && strings.Contains(err.Error(), "canary") {
			t.Errorf("%s %s: %q, %v; want %q", c.mode, c.key.Reveal(), url, err, c.want)
		}
		if err == nil && (len(headers) != 1 || headers["access_token"] != c.key) {
			t.Errorf("%s: the key is sent as %v", c.mode, headers)
		}
	}
}

func TestAReferenceNeedsAPlace(t *testing.T) {
	t.Parallel()
	for there, ok := range map[string]bool{"externalReference": true, "payment": true, "description": false, "metadata.charge": false, "": false} {
		_, err := New(Options{Name: "asaas", References: []provider.Place{{Name: "sale", There: there}}}, nil)
		if (err == nil) != ok {
			t.Errorf("%q: %v", there, err)
		}
	}
}

// TestCapabilitiesAreWhole: what the port asks of every adapter.
func TestCapabilitiesAreWhole(t *testing.T) {
	t.Parallel()
	p, err := New(Options{Name: "asaas", References: []provider.Place{{Name: "sale", There: PlaceRefunded}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var _ provider.Provider = p
	c := p.Capabilities()
	for _, s := range c.Statements {
		if s.Name == "" || s.PublishLag == 0 || s.Reread == 0 || !s.Slice.Days || s.PageRows != 100 || s.Chained != (s.Sort == payment.Ledger) {
			t.Errorf("%+v", s)
		}
	}
	if len(c.Keys) != 0 {
		t.Errorf("keys are promised: %v", c.Keys)
	}
	for operation := payment.Charge; operation <= payment.BillPayment; operation++ {
		if len(c.Means[operation]) == 0 {
			t.Errorf("succeeded of %s means nothing", operation)
		}
	}
	if c.Rate.Requests != 25_000 || c.Rate.Per.Hours() != 12 || c.Rate.Concurrent != 50 {
		t.Errorf("%+v", c.Rate)
	}
}
