package fakepsp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"
)

// delivery is one try to tell the merchant of an event.
type delivery struct {
	At    time.Time `json:"at"`
	Event int       `json:"event"` // index
	Try   int       `json:"try"`
}

const maxTries = 6

// tell records an event about the object and plans its deliveries.
func (p *Provider) tell(what string, o *Object) {
	e := Event{ID: p.newID("evt"), Type: what, CreatedAt: p.at, Object: *o}
	p.s.Events = append(p.s.Events, e)
	after := []time.Duration{0}
	if p.settings.Webhooks != nil {
		after = p.settings.Webhooks(e)
	}
	for _, d := range after {
		p.s.Deliveries = append(p.s.Deliveries, delivery{At: p.at.Add(d), Event: len(p.s.Events) - 1})
	}
}

// Events lists every event so far, delivered or not.
func (p *Provider) Events() []Event {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.settle()
	return append([]Event(nil), p.s.Events...)
}

// Target receives webhooks: it gets an event as JSON and gives the status it
// was answered with.
type Target func(ctx context.Context, event []byte) (status int, err error)

// PostTo delivers to a URL.
func PostTo(client *http.Client, url string) Target {
	return func(ctx context.Context, event []byte) (int, error) {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(event))
		if err != nil {
			return 0, err
		}
		r.Header.Set("Content-Type", "application/json")
		answered, err := client.Do(r)
		if err != nil {
			return 0, err
		}
		defer answered.Body.Close() //nolint:errcheck // nothing is read from it
		_, _ = io.Copy(io.Discard, io.LimitReader(answered.Body, maxBody))
		return answered.StatusCode, nil
	}
}

// Deliver sends every event that is due by the clock, in order of time, and
// returns how many deliveries were made. What is not answered with a 2xx comes
// again, later each time, six times in all.
func (p *Provider) Deliver(ctx context.Context, target Target) (int, error) {
	made := 0
	for {
		body, d, err := p.nextDelivery()
		if err != nil || body == nil {
			return made, err
		}
		status, err := target(ctx, body)
		if ctx.Err() != nil {
			return made, context.Cause(ctx)
		}
		made++
		if err != nil || status < 200 || status > 299 {
			p.again(d)
		}
	}
}

// NextDelivery is when the next delivery is due; ok is false where all are
// made.
func (p *Provider) NextDelivery() (at time.Time, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.settle()
	i := p.firstDelivery()
	if i < 0 {
		return time.Time{}, false
	}
	return p.s.Deliveries[i].At, true
}

func (p *Provider) firstDelivery() int {
	first := -1
	for i := range p.s.Deliveries {
		if first < 0 || p.s.Deliveries[i].At.Before(p.s.Deliveries[first].At) {
			first = i
		}
	}
	return first
}

// nextDelivery takes the first due delivery off the list; a nil body where
// none is due.
func (p *Provider) nextDelivery() ([]byte, delivery, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.settle()
	i := p.firstDelivery()
	if i < 0 || p.s.Deliveries[i].At.After(p.at) {
		return nil, delivery{}, nil
	}
	d := p.s.Deliveries[i]
	p.s.Deliveries = slices.Delete(p.s.Deliveries, i, i+1)
	body, err := json.Marshal(p.s.Events[d.Event])
	if err != nil {
		return nil, d, fmt.Errorf("deliver event %s: %w", p.s.Events[d.Event].ID, err)
	}
	return body, d, nil
}

func (p *Provider) again(d delivery) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if d.Try+1 >= maxTries {
		return
	}
	d.Try++
	d.At = p.settings.Clock.Now().Add(time.Minute << (2 * d.Try))
	p.s.Deliveries = append(p.s.Deliveries, d)
}
