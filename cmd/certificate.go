package cmd

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"software.sslmate.com/src/go-pkcs12"

	"desfecho/internal/secret"
)

// certificate reads the client certificate of an entry, and its key: from two
// files in PEM, one that holds both, or a PKCS#12 file. Without cert_file there
// is none.
func (p *ProviderConfig) certificate(env environment) (chain []byte, key secret.Secret, err error) {
	switch {
	case p.CertFile == "" && (p.CertKeyFile != "" || p.CertPasswordFile != ""):
		return nil, "", p.problem(errors.New("cert_key_file, cert_password_file: they belong to a cert_file, and none is named"))
	case p.CertFile == "":
		return nil, "", nil
	}
	path := os.Expand(p.CertFile, env.get)
	switch strings.ToLower(filepath.Ext(path)) {
	case ".p12", ".pfx":
		chain, key, err = p.packed(path, env)
	default:
		chain, key, err = p.plain(path, env)
	}
	if err != nil {
		return nil, "", p.problem(err)
	}
	return chain, key, nil
}

// plain reads PEM. The file that holds the key must be its owner's alone.
func (p *ProviderConfig) plain(path string, env environment) ([]byte, secret.Secret, error) {
	if p.CertPasswordFile != "" {
		return nil, "", errors.New("cert_password_file: it is for a .p12 or .pfx file; a key in PEM must have no password")
	}
	keyPath, name := os.Expand(p.CertKeyFile, env.get), "cert_key_file"
	if keyPath == "" {
		keyPath, name = path, "cert_file"
	}
	key, err := readOwn(name, keyPath)
	if err != nil {
		return nil, "", err
	}
	chain, err := os.ReadFile(path) //nolint:gosec // the user names the file
	if err != nil {
		return nil, "", fmt.Errorf("cert_file: %w", err)
	}
	return chain, secret.Secret(key), nil
}

// packed reads PKCS#12, as banks hand it out. Its errors hold no password.
func (p *ProviderConfig) packed(path string, env environment) ([]byte, secret.Secret, error) {
	if p.CertKeyFile != "" {
		return nil, "", errors.New("cert_key_file: a .p12 or .pfx file holds its key itself")
	}
	content, err := readOwn("cert_file", path)
	if err != nil {
		return nil, "", err
	}
	password := ""
	if p.CertPasswordFile != "" {
		if password, err = readOwn("cert_password_file", os.Expand(p.CertPasswordFile, env.get)); err != nil {
			return nil, "", err
		}
	}
	key, leaf, above, err := pkcs12.DecodeChain([]byte(content), strings.TrimRight(password, "\r\n"))
	if err != nil {
		return nil, "", fmt.Errorf("cert_file: %s is not opened by its password, or is no PKCS#12 file", path)
	}
	plain, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, "", fmt.Errorf("cert_file: %s holds a key of a kind that TLS has not", path)
	}
	var chain bytes.Buffer
	for _, c := range append([]*x509.Certificate{leaf}, above...) {
		chain.Write(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Raw}))
	}
	return chain.Bytes(), secret.Secret(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: plain})), nil
}
