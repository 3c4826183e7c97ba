package httpx

import (
	"context"
	"errors"
	"net/http/httptrace"
	"sync"
	"time"

	"desfecho/internal/provider"
)

// stage is how far a request has come.
type stage uint8

const (
	stageConnect stage = iota
	stageTLS
	stageHeaders // the request is on its way, its answer awaited
	stageBody
)

var errLate = errors.New("a deadline passed")

// watch holds one request to the deadline of the stage that it is in, and knows
// which that is. Stages only go on: a dial that was given up for another
// connection still reports.
type watch struct {
	ctx    context.Context //nolint:containedctx // it lives as long as one request
	cancel context.CancelCauseFunc
	limits [4]time.Duration

	mu    sync.Mutex
	at    stage
	timer *time.Timer
}

func newWatch(parent context.Context, d *Deadlines) *watch {
	w := &watch{limits: [...]time.Duration{stageConnect: d.Connect, stageTLS: d.TLS, stageHeaders: d.Headers, stageBody: d.Body}}
	w.ctx, w.cancel = context.WithCancelCause(parent)
	w.timer = time.AfterFunc(d.Connect, func() { w.cancel(errLate) })
	return w
}

// context carries the deadlines and reports of the request.
func (w *watch) context() context.Context {
	return httptrace.WithClientTrace(w.ctx, &httptrace.ClientTrace{
		TLSHandshakeStart: func() { w.enter(stageTLS) },
		GotConn:           func(httptrace.GotConnInfo) { w.enter(stageHeaders) },
	})
}

func (w *watch) enter(s stage) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if s <= w.at {
		return
	}
	w.at = s
	w.timer.Reset(w.limits[s])
}

func (w *watch) stop() {
	w.timer.Stop()
	w.cancel(nil)
}

// late tells whether a deadline ended the request: a stage's, the whole's, or
// the caller's.
func (w *watch) late() bool {
	cause := context.Cause(w.ctx)
	return errors.Is(cause, errLate) || errors.Is(cause, context.DeadlineExceeded)
}

func (w *watch) name() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return [...]string{
		stageConnect: provider.StageDial, stageTLS: provider.StageTLS, stageHeaders: provider.StageHeaders, stageBody: provider.StageBody,
	}[w.at]
}
