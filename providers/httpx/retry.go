package httpx

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"

	"desfecho/internal/provider"
)

// Retry bounds how often and how long one question is asked again. Tries, 0: 4,
// counts the first. Longest, 0: 2 min, is the longest single wait: what the
// provider asks for beyond it ends the question. First, 0: 500 ms, is the first
// wait where the provider names none; each next is twice as long.
type Retry struct {
	Tries          int
	First, Longest time.Duration
}

func (r Retry) orDefault() Retry {
	if r.Tries == 0 {
		r.Tries = 4
	}
	if r.First == 0 {
		r.First = 500 * time.Millisecond
	}
	if r.Longest == 0 {
		r.Longest = 2 * time.Minute
	}
	return r
}

// waitError is an answer that says when to ask again.
type waitError struct {
	error
	after string
}

func (e *waitError) Unwrap() error { return e.error }

// retry asks until there is an answer, an error that will not pass, or enough.
// Waits are ours to make, for the library's loop can wait by its own clock
// only.
func (c *Client) retry(ctx context.Context, endpoint string, ask func(context.Context) (*Response, error)) (*Response, error) {
	steps := &backoff.ExponentialBackOff{InitialInterval: c.options.Retry.First, Multiplier: 2, MaxInterval: c.options.Retry.Longest}
	steps.Reset()
	for try := 1; ; try++ {
		if err := c.pace.wait(ctx); err != nil {
			return nil, c.failed(endpoint, provider.Timeout, "", 0, err)
		}
		got, err := ask(ctx)
		if err == nil {
			return got, nil
		}
		wait, again := c.again(err, c.jitter(steps.NextBackOff()))
		if !again || try >= c.options.Retry.Tries {
			return nil, plain(err)
		}
		c.pace.hold(wait)
	}
}

// plain takes off what only retry needed.
func plain(err error) error {
	var asked *provider.Error
	if errors.As(err, &asked) {
		return asked
	}
	return err
}

// passing are the reasons that may be gone at the next try.
var passing = []provider.Reason{provider.HTTP429, provider.HTTP5xx, provider.Timeout, provider.Unreachable, provider.Partial}

// again tells whether the error may pass, and when to ask again.
func (c *Client) again(err error, step time.Duration) (time.Duration, bool) {
	var asked *provider.Error
	if !errors.As(err, &asked) {
		return 0, false
	}
	if !slices.Contains(passing, asked.Reason) || errors.Is(err, errCap) || errors.Is(err, errAddress) {
		return 0, false
	}
	var told *waitError
	if errors.As(err, &told) {
		if wait, ok := retryAfter(told.after, c.options.Now()); ok {
			return max(wait, step), wait <= c.options.Retry.Longest
		}
	}
	return step, true
}

// retryAfter reads seconds or a date, which may lie in the past. What is neither
// is taken for silence.
func retryAfter(text string, now time.Time) (time.Duration, bool) {
	text = strings.TrimSpace(text)
	if seconds, err := strconv.ParseUint(text, 10, 63); err == nil || errors.Is(err, strconv.ErrRange) {
		return time.Duration(min(seconds, uint64(maxWait/time.Second))) * time.Second, true
	}
	at, err := http.ParseTime(text)
	return at.Sub(now), err == nil
}

// maxWait stands for any wait that is out of the question.
const maxWait = 100 * 365 * 24 * time.Hour

func (c *Client) jitter(d time.Duration) time.Duration {
	if c.options.Jitter == nil {
		return d
	}
	return c.options.Jitter(d)
}
