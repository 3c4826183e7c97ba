package httpx

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
)

var (
	errCap      = errors.New("the answer is larger than allowed")
	errEncoding = errors.New("content encoding")
)

// read takes the body to its end, within the caps. What is over one is lost
// whole: the first part of an answer is none.
func (c Caps) read(got *http.Response) ([]byte, error) {
	wire := &capped{from: got.Body, left: c.Compressed}
	var body io.Reader = wire
	switch encoding := got.Header.Get("Content-Encoding"); encoding {
	case "", "identity":
	case "gzip":
		unpacked, err := gzip.NewReader(wire)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errEncoding, err)
		}
		body = unpacked
	default:
		return nil, fmt.Errorf("%w %q was not asked for", errEncoding, encoding)
	}
	return io.ReadAll(&capped{from: body, left: c.Body})
}

// capped reads up to a number of bytes; one more is an error.
type capped struct {
	from io.Reader
	left int64
}

func (c *capped) Read(p []byte) (int, error) {
	if int64(len(p)) > c.left+1 {
		p = p[:c.left+1]
	}
	n, err := c.from.Read(p)
	if c.left -= int64(n); c.left < 0 {
		return 0, errCap
	}
	return n, err
}

// pathOf is the plain form of an escaped path.
func pathOf(escaped string) (string, error) {
	plain, err := url.PathUnescape(escaped)
	if err != nil {
		return "", errors.New("the path cannot be asked for")
	}
	return plain, nil
}
