// Package httpx is how every adapter speaks HTTP: GET and nothing else, but for
// a token endpoint and for whom a run's news are told; with deadlines by stage, caps on what it reads, a share of
// the provider's limit, and the checks that make an answer one (RULES §2, laws
// 1 and 5).
//
// It follows no redirect, uses no proxy that was not configured, connects to no
// address inside a network, and keeps no cookie. Secrets stand in headers only;
// no error of it holds one, nor a query. It knows no provider.
package httpx

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"

	"desfecho/internal/provider"
	"desfecho/internal/secret"
)

// Options make a Client. BaseURL, UserAgent and Now are needed; the zero value
// of the rest is usable.
type Options struct {
	// BaseURL is where paths begin: https, without query or user. Loopback
	// allows http and https to this machine, and then to nothing else; a
	// configuration can set it only for the loopback provider.
	BaseURL  string
	Loopback bool
	// UserAgent is desfecho/VERSION.
	// Tells: the client is for Tell.
	Tells     bool
	UserAgent string
	// Secrets are headers sent with every request, the credential among them.
	Secrets map[string]secret.Secret
	// Proxy is the only proxy used, "" for none. CA, PEM, replaces the
	// machine's authorities. Certificate and Key, PEM, are ours for mTLS.
	Proxy       secret.Secret
	CA          []byte
	Certificate []byte
	Key         secret.Secret

	Deadlines Deadlines
	Caps      Caps
	Retry     Retry

	// Rate is the provider's published limit; Share the percentage of it that
	// is used, 0: 10. Urgent takes the small part of the share that is kept for
	// a person at resolve; others take the rest.
	Rate   provider.Rate
	Share  int
	Urgent bool

	// Now is the clock. Wait returns when the time has passed, or with the
	// context's cause; nil: it really waits. Jitter gives a duration between
	// half of d and d; nil: d.
	Now    func() time.Time
	Wait   func(ctx context.Context, d time.Duration) error
	Jitter func(d time.Duration) time.Duration
}

// Deadlines of one try of one request, each 0: its default. Whole holds over
// all stages; Body is until the last byte, however slowly they come.
type Deadlines struct {
	Whole, Connect, TLS, Headers, Body time.Duration
}

// Caps on what one answer may be, in bytes, each 0: its default.
type Caps struct {
	Header, Compressed, Body int64
}

// Client asks one provider's API. It may be used from several goroutines.
type Client struct {
	base      *url.URL
	options   Options
	transport *http.Transport
	headers   map[string]string
	hide      []string // secrets and their parts, the longest first
	redact    *strings.Replacer
	pace      *pace
}

const (
	defaultWhole   = 90 * time.Second
	defaultConnect = 10 * time.Second
	defaultTLS     = 10 * time.Second
	defaultHeaders = 60 * time.Second
	defaultBody    = 60 * time.Second

	defaultHeaderCap     = 64 << 10
	defaultCompressedCap = 8 << 20
	defaultBodyCap       = 32 << 20
)

// New checks the options and makes a client; it sends nothing. Its errors name
// no secret.
func New(options Options) (*Client, error) {
	base, err := baseURL(options.BaseURL, options.Loopback)
	if err != nil {
		return nil, err
	}
	if options.Now == nil || options.UserAgent == "" {
		return nil, errors.New("HTTP client: Now and UserAgent are needed")
	}
	options.Deadlines = options.Deadlines.orDefault()
	options.Caps = options.Caps.orDefault()
	options.Retry = options.Retry.orDefault()
	c := &Client{base: base, options: options, pace: newPace(&options)}
	if err := c.keepSecrets(); err != nil {
		return nil, err
	}
	c.transport, err = newTransport(&options)
	return c, err
}

func (d Deadlines) orDefault() Deadlines {
	return Deadlines{
		cmp.Or(d.Whole, defaultWhole), cmp.Or(d.Connect, defaultConnect), cmp.Or(d.TLS, defaultTLS),
		cmp.Or(d.Headers, defaultHeaders), cmp.Or(d.Body, defaultBody),
	}
}

func (c Caps) orDefault() Caps {
	return Caps{cmp.Or(c.Header, defaultHeaderCap), cmp.Or(c.Compressed, defaultCompressedCap), cmp.Or(c.Body, defaultBodyCap)}
}

// baseURL refuses what could carry a secret or lead elsewhere. It does not
// repeat the text: a password may stand in it.
func baseURL(text string, loopback bool) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "":
		return nil, errors.New("base URL: want https://HOST/PATH")
	case u.User != nil:
		return nil, errors.New("base URL: it holds a user or password; a credential goes into key_file")
	case u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("base URL: it holds a query or fragment")
	case u.Scheme != "https" && (!loopback || u.Scheme != "http"):
		return nil, fmt.Errorf("base URL: want https, got %q", u.Scheme)
	}
	u.Path = strings.TrimSuffix(u.Path, "/")
	return u, nil
}

// keepSecrets takes the headers of every request, and makes what hides them
// and their parts should an answer echo them.
func (c *Client) keepSecrets() error {
	c.headers = map[string]string{}
	var hide []string
	for name, value := range c.options.Secrets {
		if !sendable(value.Reveal()) {
			return fmt.Errorf("header %s: the secret for it is empty or has a character that cannot be sent, such as a line end", name)
		}
		c.headers[name] = value.Reveal()
		hide = append(hide, parts(value)...)
	}
	hide = append(hide, parts(c.options.Proxy)...)
	c.hide = longestFirst(hide)
	var pairs []string
	for _, h := range c.hide {
		pairs = append(pairs, h, "***")
	}
	c.redact = strings.NewReplacer(pairs...)
	return nil
}

// Ask is one question.
type Ask struct {
	Endpoint string // its name, for errors
	Path     string // below the base URL, escaped
	Query    url.Values
	// Header are further headers that are no secret; Secrets such as are.
	Header  map[string]string
	Secrets map[string]secret.Secret
	// Takes are statuses beside 200 that the caller reads itself, such as a 404
	// that is the provider's own well-formed no. They are checked like a 200,
	// but may come without a body.
	Takes []int

	bare bool // any success will do, whatever the body
}

// Get asks once, and again after what may pass (Retry). It gives an answer of
// status 200, or one that the ask takes, whose body is JSON by its content type
// and whole; else a *provider.Error.
func (c *Client) Get(ctx context.Context, ask Ask) (*Response, error) {
	return c.retry(ctx, ask.Endpoint, func(ctx context.Context) (*Response, error) {
		return c.once(ctx, &ask, http.MethodGet, nil)
	})
}

// Ping asks once, and wants no more than a status of success: who listens there
// is told something and has nothing to say. endpoint is its name for errors,
// path goes below the base URL.
func (c *Client) Ping(ctx context.Context, endpoint, path string) error {
	_, err := c.once(ctx, &Ask{Endpoint: endpoint, Path: path, bare: true}, http.MethodGet, nil)
	return err
}

// Tell posts JSON once to who wants to be told, and wants no more than a status
// of success. A client that was not made for it posts nothing: no adapter's is.
func (c *Client) Tell(ctx context.Context, endpoint string, headers map[string]string, body []byte) error {
	if !c.options.Tells {
		return &provider.Error{Reason: provider.HTTP4xx, Endpoint: endpoint, Err: errors.New("this client tells nobody anything")}
	}
	ask := &Ask{Endpoint: endpoint, bare: true, Header: map[string]string{"Content-Type": "application/json"}}
	maps.Copy(ask.Header, headers)
	_, err := c.once(ctx, ask, http.MethodPost, body)
	return err
}

// TokenAsk asks a token endpoint for a credential: the one thing that is
// posted. URL may be of another host than the client's base.
type TokenAsk struct {
	Endpoint string
	URL      string
	Form     url.Values
	Secrets  map[string]secret.Secret // headers, such as Authorization
}

// Token posts a form to a token endpoint, once. The answer is checked like that
// of Get.
func (c *Client) Token(ctx context.Context, ask TokenAsk) (*Response, error) {
	base, err := baseURL(ask.URL, c.options.Loopback)
	if err != nil {
		return nil, &provider.Error{Reason: provider.Credentials, Endpoint: ask.Endpoint, Err: err}
	}
	if err := c.pace.wait(ctx); err != nil {
		return nil, c.failed(ask.Endpoint, provider.Timeout, "", 0, err)
	}
	to := &Client{base: base, options: c.options, transport: c.transport, hide: c.hide, redact: c.redact}
	return to.once(ctx, &Ask{
		Endpoint: ask.Endpoint, Secrets: ask.Secrets, Header: map[string]string{"Content-Type": "application/x-www-form-urlencoded"},
	}, http.MethodPost, []byte(ask.Form.Encode()))
}

// Close gives the idle connections back.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

// failed makes the error of a request. Its text comes from outside in part, so
// whatever of it is a secret is hidden.
func (c *Client) failed(endpoint string, reason provider.Reason, stage string, status int, err error) error {
	if err != nil {
		if told := err.Error(); c.redact.Replace(told) != told {
			err = errors.New(c.redact.Replace(told))
		}
	}
	return &provider.Error{Reason: reason, Stage: stage, Endpoint: endpoint, Status: status, Err: err}
}
