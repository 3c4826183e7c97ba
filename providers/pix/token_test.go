package pix

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"desfecho/internal/payment"
	"desfecho/internal/provider"
	"desfecho/internal/secret"
)

func wantReason(t *testing.T, what string, err error, want provider.Reason) {
	t.Helper()
	var got *provider.Error
	if !errors.As(err, &got) || got.Reason != want {
		t.Errorf("%s: %v; want the reason %s", what, err, want)
	}
	if err != nil && strings.Contains(fmt.Sprintf("%v %+v", err, err), "canary") {
		t.Errorf("%s: a secret is in the error: %v", what, err)
	}
}

func (s *script) read(t *testing.T, p *Provider) error {
	t.Helper()
	_, err := p.Page(t.Context(), provider.Request{Statement: Received, Slice: wholeDay})
	return err
}

// clock is one that tests move.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// TestOneTokenServesAllQuestionsUntilItsEnd, however many ask at once.
func TestOneTokenServesAllQuestionsUntilItsEnd(t *testing.T) {
	t.Parallel()
	s, c := serve(t), &clock{at: now()}
	o := s.options()
	o.Now = c.now
	p := s.provider(t, o)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			if err := s.read(t, p); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	c.pass(58 * time.Minute)
	if err := s.read(t, p); err != nil || s.posted != 1 {
		t.Errorf("%v, %d tokens in the first hour", err, s.posted)
	}
	c.pass(time.Minute) // less than a minute is left of it
	if err := s.read(t, p); err != nil || s.posted != 2 {
		t.Errorf("%v, %d tokens once it ended", err, s.posted)
	}
}

// TestARefusedTokenIsReplacedOnce, where it had been taken before; after that
// the refusal stands.
func TestARefusedTokenIsReplacedOnce(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		age    time.Duration
		refuse int // how many questions are refused
		posted int
		fails  bool
	}{
		{"made just now", 0, 1, 1, true},
		{"ended early", 2 * time.Minute, 1, 2, false},
		{"the next one too", 2 * time.Minute, 2, 2, true},
	} {
		s, clock := serve(t), &clock{at: now()}
		o := s.options()
		o.Now = clock.now
		refused := 0
		front := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if clock.now().Equal(now().Add(c.age)) && r.Method == http.MethodGet && refused < c.refuse {
				refused++
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			s.ServeHTTP(w, r)
		})
		s.Config.Handler = front
		p := s.provider(t, o)
		if c.age > 0 {
			if err := s.read(t, p); err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			clock.pass(c.age)
		}
		err := s.read(t, p)
		if (err != nil) != c.fails || s.posted != c.posted {
			t.Errorf("%s: %v, %d tokens; want %d", c.name, err, s.posted, c.posted)
		}
		if c.fails {
			wantReason(t, c.name, err, provider.Credentials)
		}
	}
}

// TestARefusedCredentialIsNotTriedAgain: a participant locks a client that
// knocks too often.
func TestARefusedCredentialIsNotTriedAgain(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]provider.Reason{401: provider.Credentials, 400: provider.HTTP4xx} {
		s := serve(t)
		s.token = func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = w.Write([]byte(`{"error":"invalid_client","error_description":"` + credential + `"}`))
		}
		p := s.provider(t, s.options())
		for range 3 {
			wantReason(t, "refused", s.read(t, p), want)
		}
		if s.posted != 1 || len(s.asked) > 0 {
			t.Errorf("%d: %d tokens were asked for, and then %v", status, s.posted, s.asked)
		}
	}
	s := serve(t) // what passes is tried again
	s.token = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }
	p := s.provider(t, s.options())
	wantReason(t, "down", s.read(t, p), provider.HTTP5xx)
	s.token = nil
	if err := s.read(t, p); err != nil {
		t.Error(err)
	}
}

func TestWhatIsNoTokenIsNoAnswer(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]provider.Reason{
		`{}`: provider.Unparsable, `{"access_token":""}`: provider.Unparsable, `[]`: provider.Unparsable, ``: provider.Unparsable,
		`{"access_token":"x","token_type":"mac"}`: provider.Unparsable, `{"access_token":"a\nb"}`: provider.HTTP4xx,
		`{"access_token":"x","Access_Token":"y"}`: provider.Unparsable,
	} {
		s := serve(t)
		s.token = func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) }
		wantReason(t, body, s.read(t, s.provider(t, s.options())), want)
		if len(s.asked) > 0 {
			t.Errorf("%s: asked for %v", body, s.asked)
		}
	}
}

// TestTheCredentialStandsWhereTheParticipantWantsIt, and only the scopes that
// read are asked for.
func TestTheCredentialStandsWhereTheParticipantWantsIt(t *testing.T) {
	t.Parallel()
	for _, inBody := range []bool{false, true} {
		s := serve(t)
		s.token = func(w http.ResponseWriter, r *http.Request) {
			id, word, basic := r.BasicAuth()
			if inBody {
				id, word = r.PostFormValue("client_id"), r.PostFormValue("client_secret")
			}
			if basic == inBody || id+":"+word != credential || r.PostFormValue("grant_type") != "client_credentials" || r.PostFormValue("scope") != "cob.read pix.read" {
				t.Errorf("in the body %v: %v, form %v", inBody, r.Header, r.PostForm)
			}
			_, _ = fmt.Fprintf(w, `{"access_token":%q}`, bearer)
		}
		o := s.options()
		o.Scopes, o.Token.InBody, o.Headers = []string{"cob.read", "pix.read"}, inBody, map[string]string{"X-Conta-Corrente": "1234"}
		front := s.Config.Handler
		s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet && r.Header.Get("X-Conta-Corrente") != "1234" {
				t.Errorf("asked without the configured header: %v", r.Header)
			}
			front.ServeHTTP(w, r)
		})
		if err := s.read(t, s.provider(t, o)); err != nil {
			t.Error(err)
		}
	}
}

func TestOnlyWhatAScopeOpensIsRead(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		scopes     []string
		statements int
		lists      bool
	}{{nil, 4, true}, {[]string{"cob.read", "pix.read"}, 3, true}, {[]string{"pix.read"}, 2, false}} {
		p, err := New(Options{Scopes: c.scopes}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if able := p.Capabilities(); len(able.Statements) != c.statements || able.HasObjectList != c.lists {
			t.Errorf("%v: %d statements, object list %v", c.scopes, len(able.Statements), able.HasObjectList)
		}
	}
	for name, o := range map[string]Options{
		"a scope that writes": {Scopes: []string{"pix.read", "cob.write"}}, "no pix.read": {Scopes: []string{"cob.read"}},
		"a place":     {References: []provider.Place{{There: "solicitacaoPagador"}}},
		"no field":    {References: []provider.Place{{There: PlaceExtra}}},
		"a window":    {MaxWindow: time.Second},
		"of fraction": {MaxWindow: time.Minute + time.Millisecond},
	} {
		if _, err := New(o, nil); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
	s := serve(t)
	o := s.options()
	o.Scopes = []string{"pix.read"}
	_, err := s.provider(t, o).LookUp(t.Context(), provider.Question{Attempt: attempt(payment.Charge), Key: payment.LookupKey{Kind: payment.KeyUnit, Value: tx1}})
	wantReason(t, "a charge without its scope", err, provider.OtherReference)
}

func TestAParticipantIsNamedOrGiven(t *testing.T) {
	t.Parallel()
	given := Address{"https://api.example/v2", "https://api.example/token"}
	for _, c := range []struct {
		name  string
		given Address
		mode  payment.Mode
		want  string
	}{
		{"efi", Address{}, payment.Live, "https://pix.api.efipay.com.br/v2"},
		{"efi", Address{}, payment.Test, "https://pix-h.api.efipay.com.br/v2"},
		{"", given, payment.Live, given.BaseURL},
		{"efi", given, payment.Live, ""},
		{"banco", Address{}, payment.Live, ""},
		{"", Address{}, payment.Live, ""},
		{"", Address{BaseURL: given.BaseURL}, payment.Live, ""},
		{"", Address{TokenURL: given.TokenURL}, payment.Live, ""},
	} {
		got, err := At(c.name, c.given, c.mode)
		if got.BaseURL != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%q, %+v: %+v, %v; want %q", c.name, c.given, got, err, c.want)
		}
	}
	for key, good := range map[secret.Secret]bool{"a:canary": true, "a:canary:b": true, "canary": false, ":canary": false, "canary:": false, "": false} {
		if err := CheckCredential(key); (err == nil) != good || err != nil && strings.Contains(err.Error(), "canary") {
			t.Errorf("%q: %v", key.Reveal(), err)
		}
	}
	for name, good := range map[string]bool{"x-conta-corrente": true, "AUTHORIZATION": false, "Host": false, "Cookie": false} {
		if err := CheckHeaders(map[string]string{name: "1"}); (err == nil) != good {
			t.Errorf("%s: %v", name, err)
		}
	}
}
