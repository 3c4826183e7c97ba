package fakepsp

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Clock is time that moves only when it is told to. Everything in a made-up
// world reads the same one, so a client's timeout passes exactly when the
// provider takes too long, and no test ever waits.
type Clock struct {
	mu     sync.Mutex
	now    time.Time
	timers []*timer
}

type timer struct {
	at   time.Time
	fire context.CancelCauseFunc
}

// NewClock starts at the instant.
func NewClock(at time.Time) *Clock { return &Clock{now: at} }

// Now is the present instant.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance moves the clock on. Contexts whose time is up are done when it
// returns.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.move(c.now.Add(d))
}

// Set moves the clock on to the instant; it never goes back.
func (c *Clock) Set(at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at.After(c.now) {
		c.move(at)
	}
}

// Stall is the time that passes before a slow answer: until the last client
// has given up, and at most d.
func (c *Clock) Stall(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	until := c.now.Add(d)
	var last time.Time
	for _, t := range c.timers {
		if !t.at.After(until) && t.at.After(last) {
			last = t.at
		}
	}
	if last.IsZero() {
		last = until
	}
	c.move(last)
}

func (c *Clock) move(to time.Time) {
	c.now = to
	c.timers = slices.DeleteFunc(c.timers, func(t *timer) bool {
		if t.at.After(to) {
			return false
		}
		t.fire(context.DeadlineExceeded)
		return true
	})
}

// WithTimeout is a context that is done, with the cause DeadlineExceeded, once
// the clock has moved on by d.
func (c *Clock) WithTimeout(parent context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(parent)
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &timer{c.now.Add(d), cancel}
	c.timers = append(c.timers, t)
	return ctx, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.timers = slices.DeleteFunc(c.timers, func(o *timer) bool { return o == t })
		cancel(context.Canceled)
	}
}
