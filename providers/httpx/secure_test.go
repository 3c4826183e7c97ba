package httpx

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"desfecho/internal/provider"
	"desfecho/internal/secret"
)

func TestACertificateMustBeOfTheAuthority(t *testing.T) {
	t.Parallel()
	s := prepare(t, func(w http.ResponseWriter, r *http.Request) {
		answer(w, fmt.Sprintf(`{"id":"HTTP/%d"}`, r.ProtoMajor))
	})
	s.EnableHTTP2 = true
	s.StartTLS()
	o := plainOptions(s.URL, newClock())
	_, err := ask(t, client(t, o))
	wantError(t, err, provider.Unreachable, provider.StageTLS)
	o.CA = s.authority()
	if got, err := ask(t, client(t, o)); err != nil || string(got.Body) != `{"id":"HTTP/2"}` {
		t.Errorf("got %v, %v", got, err)
	}
	o.BaseURL = strings.Replace(s.URL, "127.0.0.1", "localhost", 1) // the certificate is not of that name
	_, err = ask(t, client(t, o))
	wantError(t, err, provider.Unreachable, provider.StageTLS)
}

func TestTheClientShowsItsCertificate(t *testing.T) {
	t.Parallel()
	s := prepare(t, func(w http.ResponseWriter, r *http.Request) {
		answer(w, fmt.Sprintf(`{"id":"%d"}`, len(r.TLS.PeerCertificates)))
	})
	ours, key := pair(t)
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(ours)
	s.TLS = &tls.Config{ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: pool, MinVersion: tls.VersionTLS12}
	s.StartTLS()
	o := plainOptions(s.URL, newClock())
	o.CA = s.authority()
	if _, err := ask(t, client(t, o)); err == nil {
		t.Error("the server took a client without certificate")
	}
	o.Certificate, o.Key = ours, key
	if got, err := ask(t, client(t, o)); err != nil || string(got.Body) != `{"id":"1"}` {
		t.Errorf("got %v, %v", got, err)
	}
	o.Key = secret.Secret(canary)
	if _, err := New(o); err == nil || strings.Contains(err.Error(), canary) {
		t.Errorf("a key that is none: %v", err)
	}
}

// pair is a client's certificate, its own authority, and its key.
func pair(t *testing.T) ([]byte, secret.Secret) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Date(2099, time.January, 1, 0, 0, 0, 0, time.UTC), IsCA: true,
		BasicConstraintsValid: true, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	made, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	key, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: made}),
		secret.Secret(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}))
}

// TestAnAddressInsideIsRefusedAtDialTime: by what the name resolves to, and
// before a byte is sent.
func TestAnAddressInsideIsRefusedAtDialTime(t *testing.T) {
	t.Parallel()
	s := prepare(t, func(http.ResponseWriter, *http.Request) { t.Error("it was asked") })
	s.StartTLS()
	for _, host := range []string{"127.0.0.1", "localhost", "[::1]"} {
		o := plainOptions("https://"+host+":"+s.URL[strings.LastIndex(s.URL, ":")+1:], newClock())
		o.Loopback, o.Retry.Tries = false, 4
		clock := newClock()
		o.Wait = clock.wait
		_, err := ask(t, client(t, o))
		wantError(t, err, provider.Unreachable, provider.StageDial)
		if !strings.Contains(err.Error(), "refused") || len(clock.waited()) > 0 {
			t.Errorf("%s: %v, waited %v", host, err, clock.waited())
		}
	}
}

func TestOnlyPublicAddressesAreDialed(t *testing.T) {
	t.Parallel()
	dial := func(loopback bool, address string) bool {
		return guard(loopback)(t.Context(), "tcp", address, nil) == nil
	}
	for _, inner := range []string{
		"127.0.0.1:443", "127.9.9.9:443", "[::1]:443", "10.0.0.1:443", "172.16.0.1:443", "172.31.255.255:443", "192.168.1.1:443",
		"169.254.169.254:80", "[fe80::1]:443", "[fe80::1%eth0]:443", "[fc00::1]:443", "[fd12::1]:443", "0.0.0.0:443", "[::]:443",
		"100.64.0.1:443", "192.0.0.1:443", "198.18.0.1:443", "198.19.255.255:443", "224.0.0.1:443", "[ff02::1]:443", "240.0.0.1:443",
		"255.255.255.255:443", "[::ffff:10.0.0.1]:443", "[::ffff:127.0.0.1]:443", "[::ffff:100.64.0.1]:443", "[64:ff9b::a00:1]:443", "[2002:a00:1::]:443",
		"[2001:db8::1]:443", "[fec0::1]:443", "[::127.0.0.1]:443", "192.0.2.1:443", "203.0.113.9:443", "metadata:80", "",
	} {
		if dial(false, inner) {
			t.Errorf("%s is dialed", inner)
		}
	}
	for _, outer := range []string{"1.1.1.1:443", "172.15.0.1:443", "172.32.0.1:443", "100.63.0.1:443", "[2606:4700::1111]:443", "[2a00:1450::1]:443"} {
		if !dial(false, outer) {
			t.Errorf("%s is refused", outer)
		}
		if dial(true, outer) {
			t.Errorf("%s is dialed by a client for this machine only", outer)
		}
	}
	if !dial(true, "127.0.0.1:8080") || !dial(true, "[::1]:8080") || dial(true, "10.0.0.1:80") {
		t.Error("the loopback client is not for this machine only")
	}
}

// TestOnlyTheConfiguredProxyIsUsed: the environment's is not.
func TestOnlyTheConfiguredProxyIsUsed(t *testing.T) {
	asked := 0
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		if r.URL.Host != "provider.invalid" {
			t.Errorf("the proxy was asked for %s", r.URL)
		}
		answer(w, "{}")
	}))
	t.Cleanup(proxy.Close)
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"} {
		t.Setenv(name, proxy.URL)
	}
	o := plainOptions("http://provider.invalid", newClock())
	_, err := ask(t, client(t, o))
	wantError(t, err, provider.Unreachable, provider.StageDial)
	if asked != 0 {
		t.Fatal("the environment's proxy was used")
	}
	o.Proxy = secret.Secret(proxy.URL)
	if _, err := ask(t, client(t, o)); err != nil || asked != 1 {
		t.Errorf("asked %d times, %v", asked, err)
	}
	o.Proxy = "socks://user:" + canary + "@x"
	if _, err := New(o); err == nil || strings.Contains(err.Error(), canary) {
		t.Errorf("a proxy that is none: %v", err)
	}
}

// TestABaseURLCarriesNothing: no secret, no query, no plain http.
func TestABaseURLCarriesNothing(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{
		"", "api.example.com", "http://api.example.com", "ftp://api.example.com", "https://user:" + canary + "@api.example.com",
		"https://api.example.com?key=" + canary, "https://api.example.com#" + canary, "https://\x7f" + canary, "https:///v1",
	} {
		o := plainOptions(bad, newClock())
		o.Loopback = false
		if _, err := New(o); err == nil || strings.Contains(err.Error(), canary) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	for _, bad := range []secret.Secret{"", "a\nb" + canary, " " + canary, canary + "\r", "ä" + canary} {
		o := plainOptions("https://api.example.com", newClock())
		o.Secrets = map[string]secret.Secret{"Authorization": bad}
		if _, err := New(o); err == nil || strings.Contains(err.Error(), canary) {
			t.Errorf("a secret that cannot be sent: %v", err)
		}
	}
}

// TestAnEchoedSecretIsHidden: what a broken server says may hold the credential.
func TestAnEchoedSecretIsHidden(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Read(make([]byte, 4096))
			_, _ = io.WriteString(conn, "HTTP/1.1 "+canary+" Bearer "+canary+"\r\n\r\n")
			_ = conn.Close()
		}
	}()
	_, err = ask(t, client(t, plainOptions("http://"+l.Addr().String(), newClock())))
	wantError(t, err, provider.Unreachable, provider.StageHeaders)
	if !strings.Contains(err.Error(), "***") {
		t.Errorf("the server's word is not told at all: %v", err)
	}
}

// TestAnAnswerHoldsNoSecretThatWasSent: adapters quote what providers say, and
// keep it for people.
func TestAnAnswerHoldsNoSecretThatWasSent(t *testing.T) {
	t.Parallel()
	word := canary + "/more"
	basic := base64.StdEncoding.EncodeToString([]byte("client:" + canary))
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		answer(w, fmt.Sprintf(`{"a":%q,"b":%q,"c":"%s","d":%q,"e":"kept"}`, basic, canary, strings.ReplaceAll(word, "/", `\/`), "bearer-"+word))
	}))
	t.Cleanup(s.Close)
	o := plainOptions(s.URL, newClock())
	o.Secrets = map[string]secret.Secret{"Authorization": secret.Secret("Basic " + basic)}
	got, err := client(t, o).Get(t.Context(), Ask{Endpoint: "x", Secrets: map[string]secret.Secret{"X-Token": secret.Secret("bearer-" + word)}})
	if err != nil {
		t.Fatal(err)
	}
	if body := string(got.Body); strings.Contains(body, canary) || strings.Contains(body, basic) || !strings.Contains(body, `"e":"kept"`) {
		t.Errorf("%s", body)
	}
}

// TestOnlyATokenEndpointIsPosted is the one exception of law 1.
func TestOnlyATokenEndpointIsPosted(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := r.ParseForm(); err != nil || r.Method != http.MethodPost || r.PostForm.Get("grant_type") != "client_credentials" {
			t.Errorf("%s with %v, %v", r.Method, r.PostForm, err)
		}
		if r.Header.Get("Authorization") != "Basic "+canary {
			t.Errorf("the token endpoint was shown %q", r.Header.Get("Authorization"))
		}
		answer(w, `{"access_token":"x"}`)
	}))
	t.Cleanup(s.Close)
	c := client(t, plainOptions("http://127.0.0.1:1", newClock()))
	got, err := c.Token(t.Context(), TokenAsk{
		Endpoint: "token", URL: s.URL + "/oauth", Form: url.Values{"grant_type": {"client_credentials"}},
		Secrets: map[string]secret.Secret{"Authorization": "Basic " + canary},
	})
	if err != nil || string(got.Body) != `{"access_token":"x"}` {
		t.Errorf("got %v, %v", got, err)
	}
}
