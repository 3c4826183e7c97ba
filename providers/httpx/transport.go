package httpx

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"syscall"
	"time"
)

func newTransport(o *Options) (*http.Transport, error) {
	secured, err := tlsConfig(o)
	if err != nil {
		return nil, err
	}
	protocols := &http.Protocols{}
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	t := &http.Transport{
		Protocols: protocols, TLSClientConfig: secured, TLSHandshakeTimeout: o.Deadlines.TLS,
		MaxResponseHeaderBytes: o.Caps.Header, MaxConnsPerHost: o.Rate.Concurrent, MaxIdleConnsPerHost: 64, IdleConnTimeout: 90 * time.Second,
	}
	guarded := &net.Dialer{Timeout: o.Deadlines.Connect, ControlContext: guard(o.Loopback)}
	t.DialContext = guarded.DialContext
	if o.Proxy == "" {
		return t, nil
	}
	through, err := url.Parse(o.Proxy.Reveal())
	if err != nil || through.Host == "" || through.Scheme != "http" && through.Scheme != "https" {
		return nil, errors.New("proxy: want http://HOST:PORT or https://HOST:PORT")
	}
	t.Proxy = http.ProxyURL(through)
	// The only address dialed now is the proxy's own, which the configuration
	// names and which may well be inside the network.
	t.DialContext = (&net.Dialer{Timeout: o.Deadlines.Connect}).DialContext
	return t, nil
}

func tlsConfig(o *Options) (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if len(o.CA) > 0 {
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(o.CA) {
			return nil, errors.New("authority: no PEM certificate in it")
		}
	}
	if len(o.Certificate) > 0 || o.Key != "" {
		pair, err := tls.X509KeyPair(o.Certificate, []byte(o.Key.Reveal()))
		if err != nil {
			return nil, errors.New("client certificate: certificate and key are not a PEM pair that belongs together")
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}

var errAddress = errors.New("address refused")

// guard refuses an address after its name was resolved and before anything is
// sent, so that no name can lead inside.
func guard(loopback bool) func(context.Context, string, string, syscall.RawConn) error {
	return func(_ context.Context, _, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil {
			return fmt.Errorf("%w: %s is none", errAddress, address)
		}
		ip := to.Addr().Unmap()
		switch {
		case loopback && ip.IsLoopback(), !loopback && public(ip):
			return nil
		case loopback:
			return fmt.Errorf("%w: %s is not on this machine", errAddress, ip)
		default:
			return fmt.Errorf("%w: %s is not a public address", errAddress, ip)
		}
	}
}

// inside are the blocks that netip does not tell of: they are shared, reserved,
// or carry an inner IPv4 address.
var inside = [...]netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("198.18.0.0/15"), netip.MustParsePrefix("198.51.100.0/24"),
	netip.MustParsePrefix("203.0.113.0/24"), netip.MustParsePrefix("240.0.0.0/4"), netip.MustParsePrefix("64:ff9b::/96"),
	netip.MustParsePrefix("64:ff9b:1::/48"), netip.MustParsePrefix("100::/64"), netip.MustParsePrefix("2001::/23"),
	netip.MustParsePrefix("2001:db8::/32"), netip.MustParsePrefix("2002::/16"), netip.MustParsePrefix("fec0::/10"), netip.MustParsePrefix("::/96"),
}

func public(ip netip.Addr) bool {
	if !ip.IsGlobalUnicast() || ip.IsPrivate() || ip.IsLoopback() || ip.Zone() != "" {
		return false
	}
	for _, block := range inside {
		if block.Contains(ip) {
			return false
		}
	}
	return true
}
