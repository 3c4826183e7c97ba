package cmd

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"software.sslmate.com/src/go-pkcs12"

	"desfecho/internal/payment"
	"desfecho/internal/secret"
)

// TestAClientCertificateIsReadAsItIsHandedOut: in PEM, in one file or two, or in
// PKCS#12; whatever it lacks is told without a word of the key or password.
func TestAClientCertificateIsReadAsItIsHandedOut(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for name, content := range made(t) {
		mode := os.FileMode(0o600)
		if name == "open.pem" {
			mode = 0o644
		}
		if err := os.WriteFile(filepath.Join(folder, name), content, mode); err != nil {
			t.Fatal(err)
		}
	}
	in := func(name string) string {
		if name == "" {
			return ""
		}
		return filepath.Join(folder, name)
	}
	for _, c := range []struct {
		file, key, password string
		want                string // "": it is read
	}{
		{"both.pem", "", "", ""},
		{"open.pem", "key.pem", "", ""},
		{"client.p12", "", "password", ""},
		{"bare.pfx", "", "", ""},
		{"open.pem", "", "", "others may read"},
		{"client.p12", "", "", "not opened by its password"},
		{"client.p12", "key.pem", "", "holds its key itself"},
		{"both.pem", "", "password", "must have no password"},
		{"", "key.pem", "", "none is named"},
		{"gone.pem", "", "", "no such file"},
		{"key.p12", "", "", "no such file"},
		{"password.pfx", "", "", "is no PKCS#12 file"},
	} {
		p := ProviderConfig{Name: "pix", CertFile: in(c.file), CertKeyFile: in(c.key), CertPasswordFile: in(c.password)}
		chain, key, err := p.certificate(environment{})
		if c.want != "" {
			if codeOf(err) != exitNotUsable || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "canary") {
				t.Errorf("%+v: %v; want %q", c, err, c.want)
			}
			continue
		}
		if _, err := tls.X509KeyPair(chain, []byte(key.Reveal())); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if chain, key, err := (&ProviderConfig{}).certificate(environment{}); chain != nil || key != "" || err != nil {
		t.Errorf("none: %v, %v", chain, err)
	}
}

// made are the files of a certificate.
func made(t *testing.T) map[string][]byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Date(2099, 1, 1, 0, 0, 0, 0, time.UTC)}
	der, err := x509.CreateCertificate(rand.Reader, about, about, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	locked, err := pkcs12.Modern.Encode(key, leaf, []*x509.Certificate{leaf}, "canary-word")
	if err != nil {
		t.Fatal(err)
	}
	bare, err := pkcs12.Passwordless.Encode(key, leaf, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	chain := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	keyText := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: plain})
	return map[string][]byte{
		"open.pem": chain, "key.pem": keyText, "both.pem": append(append([]byte{}, chain...), keyText...), "client.p12": locked, "bare.pfx": bare,
		"password": []byte("canary-word\n"), "password.pfx": []byte("canary-word"),
	}
}

func TestAnEntryOfPixSaysHowItIsAsked(t *testing.T) {
	t.Parallel()
	given := PixConfig{BaseURL: "https://api.example/v2", TokenURL: "https://api.example/token", CredentialIn: "body", MaxWindow: "1d", Headers: []HeaderConfig{{"X-Conta", "1"}}}
	p := ProviderConfig{Name: "pix", Account: "loja", Pix: given}
	got, err := p.Pix.options(&buildOptions{entry: &p, key: "a:b"})
	if err != nil || got.Token.URL != given.TokenURL || !got.Token.InBody || got.MaxWindow != 24*time.Hour || got.Headers["X-Conta"] != "1" || got.Token.Credential != "a:b" {
		t.Errorf("%+v, %v", got, err)
	}
	url, headers, err := pixAdapter().connect(&p, payment.Live, "a:b")
	if url != given.BaseURL || len(headers) > 0 || err != nil {
		t.Errorf("%s, %v, %v", url, headers, err)
	}
	if _, _, err := pixAdapter().connect(&p, payment.Live, secret.Secret("canary")); err == nil || strings.Contains(err.Error(), "canary") {
		t.Errorf("a key that is no ID:SECRET: %v", err)
	}
	for name, change := range map[string]func(*PixConfig){
		"no address": func(c *PixConfig) { c.BaseURL = "" }, "credential_in": func(c *PixConfig) { c.CredentialIn = "query" },
		"a header of ours": func(c *PixConfig) { c.Headers = []HeaderConfig{{"Authorization", "x"}} }, "half a header": func(c *PixConfig) { c.Headers = []HeaderConfig{{"x", ""}} },
		"max_window": func(c *PixConfig) { c.MaxWindow = "long" }, "participant": func(c *PixConfig) { c.Participant = "banco" },
	} {
		changed := ProviderConfig{Pix: given}
		change(&changed.Pix)
		if _, err := pixAdapter().build(buildOptions{entry: &changed}); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
}

func TestAnEntryOfPagarmeSaysWhoseSignsHold(t *testing.T) {
	t.Parallel()
	for signs, good := range map[string]bool{"": true, "by_type": true, "as_written": true, "written": false} {
		if _, err := pagarmeAdapter().build(buildOptions{entry: &ProviderConfig{Pagarme: PagarmeConfig{Signs: signs}}}); (err == nil) != good {
			t.Errorf("%q: %v", signs, err)
		}
	}
}
