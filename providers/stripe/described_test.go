package stripe

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"desfecho/internal/payment"
	"desfecho/internal/provider"
	"desfecho/providers/providertest"
)

// What Stripe publishes is held against our tests where it is there (make
// published); no test needs it.
var (
	openapi = flag.String("openapi", "", "hold all requests and fixtures against Stripe's OpenAPI description in this `file`")
	mock    = flag.String("stripe-mock", "", "send the requests to this `program`, Stripe's own stripe-mock")
)

var description struct {
	once sync.Once
	is   *providertest.Described
}

// asPublished holds an exchange against what Stripe publishes.
func (f *fake) asPublished(e providertest.Exchange) {
	if *openapi == "" || f.strange {
		return
	}
	description.once.Do(func() { description.is = providertest.Describe(f.t, *openapi) })
	for _, wrong := range slices.Compact(slices.Sorted(slices.Values(description.is.Check(e)))) {
		if !strings.Contains(wrong, "thing_of_next_year") { // which a fixture has on purpose
			f.t.Error(wrong)
		}
	}
}

// TestStripesOwnMockTakesEveryRequest that reading and looking up send: it
// refuses paths and parameters that Stripe does not have.
func TestStripesOwnMockTakesEveryRequest(t *testing.T) {
	t.Parallel()
	if *mock == "" {
		t.Skip("no -stripe-mock")
	}
	address := startMock(t)
	asked := map[string]bool{}
	for _, e := range everyRequest(t) {
		asked["http://"+address+e.Path+"?"+e.Query.Encode()] = true
	}
	if len(asked) < 30 {
		t.Fatalf("only %d requests", len(asked))
	}
	for url := range asked {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+key.Reveal())
		got, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(got.Body)
		if got.Body.Close(); got.StatusCode != http.StatusOK || err != nil {
			t.Errorf("%s: status %d\n%s", url, got.StatusCode, text)
		}
	}
}

// startMock starts the program on a port of its own choice; it ends with the
// test.
func startMock(t *testing.T) (address string) {
	t.Helper()
	run := exec.CommandContext(t.Context(), *mock, "-http-addr", "127.0.0.1:0", "-https-addr", "127.0.0.1:0")
	out, err := run.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = run.Wait() }) // killed when the test's context ended
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if _, address, ok := strings.Cut(lines.Text(), "Listening for HTTP at address: "); ok {
			go func() { _, _ = io.Copy(io.Discard, out) }()
			return address
		}
	}
	t.Fatalf("%s does not say where it listens", *mock)
	return ""
}

// everyRequest reads both statements and looks up by every key.
func everyRequest(t *testing.T) (all []providertest.Exchange) {
	t.Helper()
	for _, s := range []providertest.Statement{suiteObjects(t), suiteBalance(t)} {
		for _, page := range s.Pages {
			all = append(all, page...)
		}
	}
	for _, l := range suiteLookups(t) {
		all = append(append(all, l.Found...), l.NotFound...)
	}
	f := serve(t)
	p := f.provider(Options{})
	if _, err := p.Identity(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, operation := range []payment.Operation{payment.Charge, payment.Refund, payment.Transfer} {
		for _, k := range []payment.LookupKey{byAttempt("att_1"), byIdempotency("key_1"), {Kind: payment.KeyReference, Name: "group", Value: "g_1"}} {
			_, err := p.LookUp(t.Context(), provider.Question{Attempt: attempt(operation, at), Key: k})
			t.Log(fmt.Sprintf("%s by %v", operation, k), err)
		}
	}
	return append(all, f.requests()...)
}
