package httpx

import (
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const (
	defaultShare = 10 // percent of the provider's published limit (RULES §8)
	// reserved is the percentage of the share that is kept for a person at
	// resolve, who may ask as many questions as reserve at once.
	reserved = 10
	reserve  = 20
)

// pace keeps a client within its share of the provider's limit, and quiet
// while the provider asked for it.
type pace struct {
	limiter *rate.Limiter // nil: no limit
	now     func() time.Time
	sleep   func(context.Context, time.Duration) error

	mu    sync.Mutex
	until time.Time // nobody asks before
}

func newPace(o *Options) *pace {
	p := &pace{now: o.Now, sleep: o.Wait}
	if p.sleep == nil {
		p.sleep = sleep
	}
	if o.Rate.Requests <= 0 {
		return p
	}
	share := o.Share
	if share == 0 {
		share = defaultShare
	}
	part, burst := 100-reserved, 1
	if o.Urgent {
		part, burst = reserved, reserve
	}
	// One request every …: the published interval, stretched by both percentages.
	every := o.Rate.Per * 100 * 100 / time.Duration(o.Rate.Requests*share*part)
	p.limiter = rate.NewLimiter(rate.Every(every), burst)
	return p
}

// wait returns when a request may be sent.
func (p *pace) wait(ctx context.Context) error {
	p.mu.Lock()
	quiet := p.until.Sub(p.now())
	p.mu.Unlock()
	if err := p.rest(ctx, quiet); err != nil || p.limiter == nil {
		return err
	}
	now := p.now()
	return p.rest(ctx, p.limiter.ReserveN(now, 1).DelayFrom(now))
}

func (p *pace) rest(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return context.Cause(ctx)
	}
	return p.sleep(ctx, d)
}

// hold keeps everybody who shares the client quiet: the provider's limit is the
// account's, not the request's.
func (p *pace) hold(d time.Duration) {
	until := p.now().Add(d)
	p.mu.Lock()
	defer p.mu.Unlock()
	if until.After(p.until) {
		p.until = until
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
