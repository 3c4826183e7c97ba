package httpx

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"slices"
	"strings"

	"desfecho/internal/payment"
	"desfecho/internal/provider"
)

// Response is a whole answer of a status that was asked for.
type Response struct {
	Status int
	Date   payment.Instant // the provider's clock, 0 where it told none
	Header http.Header
	Body   []byte

	endpoint string
}

// Decode reads the body into a value, strictly (Decode). Its error is a
// *provider.Error.
func (r *Response) Decode(into any) error {
	if err := Decode(r.Body, into); err != nil {
		return &provider.Error{Reason: provider.Unparsable, Stage: provider.StageBody, Endpoint: r.endpoint, Status: r.Status, Err: err}
	}
	return nil
}

// once sends one request and reads its answer.
func (c *Client) once(ctx context.Context, ask *Ask, method string, body []byte) (*Response, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, c.options.Deadlines.Whole, errLate)
	defer cancel()
	watch := newWatch(ctx, &c.options.Deadlines)
	defer watch.stop()
	request, err := c.request(watch.context(), ask, method, body)
	if err != nil {
		return nil, c.failed(ask.Endpoint, provider.HTTP4xx, "", 0, err)
	}
	got, err := c.transport.RoundTrip(request)
	if err != nil {
		return nil, c.lost(watch, ask.Endpoint, 0, err)
	}
	defer got.Body.Close() //nolint:errcheck // it was read to its end, or the error is told already
	watch.enter(stageBody)
	if err := c.check(ask, got); err != nil {
		return nil, err
	}
	text, err := c.options.Caps.read(got)
	if err != nil {
		return nil, c.lost(watch, ask.Endpoint, got.StatusCode, err)
	}
	if method == http.MethodGet { // what a token endpoint gives is a secret
		text = c.without(ask, text)
	}
	return &Response{Status: got.StatusCode, Date: dateOf(got.Header), Header: got.Header, Body: text, endpoint: ask.Endpoint}, nil
}

func (c *Client) request(ctx context.Context, ask *Ask, method string, body []byte) (*http.Request, error) {
	to := *c.base
	path := c.base.EscapedPath() + ask.Path
	to.RawPath, to.RawQuery = path, ask.Query.Encode()
	plain, err := pathOf(path)
	if err != nil {
		return nil, err
	}
	to.Path = plain
	request, err := http.NewRequestWithContext(ctx, method, to.String(), bytes.NewReader(body))
	if err != nil {
		return nil, errors.New("the path cannot be asked for")
	}
	if len(body) == 0 {
		request.Body, request.GetBody, request.ContentLength = http.NoBody, nil, 0
	}
	request.Header.Set("User-Agent", c.options.UserAgent)
	request.Header.Set("Accept", "application/json")
	request.Header.Set("Accept-Encoding", "gzip")
	for name, value := range ask.Header {
		request.Header.Set(name, value)
	}
	for name, value := range c.headers {
		request.Header.Set(name, value)
	}
	for name, value := range ask.Secrets {
		if !sendable(value.Reveal()) {
			return nil, fmt.Errorf("header %s: the secret for it cannot be sent", name)
		}
		request.Header.Set(name, value.Reveal())
	}
	return request, nil
}

// lost says why no whole answer came, and where it was lost.
func (c *Client) lost(watch *watch, endpoint string, status int, err error) error {
	stage := watch.name()
	switch {
	case watch.late():
		return c.failed(endpoint, provider.Timeout, stage, status, nil)
	case errors.Is(err, errCap), errors.Is(err, io.ErrUnexpectedEOF) && stage == provider.StageBody:
		return c.failed(endpoint, provider.Partial, stage, status, err)
	case errors.Is(err, errEncoding):
		return c.failed(endpoint, provider.Unparsable, stage, status, err)
	case isTimeout(err): // the dialer's own
		return c.failed(endpoint, provider.Timeout, stage, status, nil)
	case stage == provider.StageBody:
		return c.failed(endpoint, provider.Partial, stage, status, err)
	default:
		return c.failed(endpoint, provider.Unreachable, stage, status, err)
	}
}

func isTimeout(err error) bool {
	var timeout net.Error
	return errors.As(err, &timeout) && timeout.Timeout()
}

// check looks at an answer before a byte of its body is parsed.
func (c *Client) check(ask *Ask, got *http.Response) error {
	refuse := func(reason provider.Reason, err error) error {
		return c.failed(ask.Endpoint, reason, provider.StageHeaders, got.StatusCode, err)
	}
	status := got.StatusCode
	if ask.bare && status >= 200 && status < 300 {
		return nil
	}
	if status != http.StatusOK && !slices.Contains(ask.Takes, status) {
		err := refuse(reasonOf(status), nil)
		if after, told := got.Header["Retry-After"]; told && len(after) > 0 {
			return &waitError{err, after[0]}
		}
		return err
	}
	if status != http.StatusOK && got.ContentLength == 0 {
		return nil // a no without a body has no type either: the caller says what it means
	}
	if len(got.Header.Values("Content-Type")) > 1 || !isJSON(got.Header.Get("Content-Type")) {
		return refuse(provider.Unparsable, fmt.Errorf("content type %q, want JSON", got.Header.Get("Content-Type")))
	}
	return nil
}

func reasonOf(status int) provider.Reason {
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return provider.Credentials
	case status == http.StatusTooManyRequests:
		return provider.HTTP429
	case status == http.StatusConflict:
		return provider.HTTP409
	case status >= 500:
		return provider.HTTP5xx
	case status >= 400:
		return provider.HTTP4xx
	case status >= 300:
		return provider.Redirect
	default:
		return provider.Unparsable
	}
}

// isJSON takes application/json and its kin, such as application/problem+json.
func isJSON(contentType string) bool {
	kind, _, err := mime.ParseMediaType(contentType)
	return err == nil && (kind == "application/json" || strings.HasPrefix(kind, "application/") && strings.HasSuffix(kind, "+json"))
}

func dateOf(header http.Header) payment.Instant {
	at, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		return 0
	}
	return payment.InstantOf(at)
}
