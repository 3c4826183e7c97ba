package fakepsp

import (
	"sync"
	"time"
)

// Effect is what becomes of a request that is cut off.
type Effect uint8

// Commits: carried out before the answer goes wrong. Never: the answer goes
// wrong before anything happens. Later: carried out when Fault.Late has
// passed, whatever was answered.
const (
	Commits Effect = iota
	Never
	Later
)

// Answer is how a request is answered.
type Answer uint8

// Normally. Closed: the connection is closed without an answer. Slow: no answer
// comes for Fault.Wait; the clock moves on until the client has given up.
// Error500: the provider's own error, which it stores under the key.
// BadGateway: HTML from a proxy in front of it, which stores nothing. CutBody:
// half of the body. Limited: 429, before anything is looked at.
const (
	Normally Answer = iota
	Closed
	Slow
	Error500
	BadGateway
	CutBody
	Limited
)

// Fault is one thing that goes wrong with one request. The zero value is
// none. Effect matters for requests that would change something only.
type Fault struct {
	Effect Effect
	Answer Answer
	// Wait is how long a slow answer takes; 0: two minutes. Until it has
	// passed, the request is running: its key answers 409.
	Wait time.Duration
	// Late is when a Later effect happens, from now; 0: five minutes.
	Late time.Duration
}

// The faults of one request, by name.
var (
	DropBefore       = Fault{Effect: Never, Answer: Closed}
	DropAfter        = Fault{Effect: Commits, Answer: Closed}
	DropLate         = Fault{Effect: Later, Answer: Closed}
	SlowAfter        = Fault{Effect: Commits, Answer: Slow}
	SlowBefore       = Fault{Effect: Never, Answer: Slow}
	SlowLate         = Fault{Effect: Later, Answer: Slow}
	ErrorBefore      = Fault{Effect: Never, Answer: Error500}
	ErrorAfter       = Fault{Effect: Commits, Answer: Error500}
	ErrorLate        = Fault{Effect: Later, Answer: Error500}
	BadGatewayBefore = Fault{Effect: Never, Answer: BadGateway}
	BadGatewayAfter  = Fault{Effect: Commits, Answer: BadGateway}
	CutAfter         = Fault{Effect: Commits, Answer: CutBody}
	RateLimited      = Fault{Effect: Never, Answer: Limited}
)

const (
	defaultWait = 2 * time.Minute
	defaultLate = 5 * time.Minute
)

// Source draws decisions; *rand.Rand is one.
type Source interface{ IntN(n int) int }

// Locked lets several providers and a shop draw from one source at once.
func Locked(source Source) Source { return &locked{source: source} }

type locked struct {
	mu     sync.Mutex
	source Source
}

func (l *locked) IntN(n int) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.source.IntN(n)
}

// OnOrder gives the requests that would change something these faults, one
// after another, then none. Reading requests go well. Several providers may
// share it.
func OnOrder(faults ...Fault) func(Request) Fault {
	var mu sync.Mutex
	return func(r Request) Fault {
		mu.Lock()
		defer mu.Unlock()
		if r.Method == "GET" || len(faults) == 0 {
			return Fault{}
		}
		next := faults[0]
		faults = faults[1:]
		return next
	}
}

// Roughly gives one of every n requests that would change something one of all
// faults, drawn from source; reading requests go well.
func Roughly(source Source, n int) func(Request) Fault {
	all := []Fault{
		DropBefore, DropAfter, DropLate, SlowAfter, SlowBefore, SlowLate, ErrorBefore, ErrorAfter, ErrorLate,
		BadGatewayBefore, BadGatewayAfter, CutAfter, RateLimited,
	}
	return func(r Request) Fault {
		if r.Method == "GET" || source.IntN(n) != 0 {
			return Fault{}
		}
		return all[source.IntN(len(all))]
	}
}

// RoughWebhooks delivers each event once to three times, up to three hours
// late, so that events overtake each other.
func RoughWebhooks(source Source) func(Event) []time.Duration {
	return func(Event) []time.Duration {
		times := make([]time.Duration, 1+source.IntN(3))
		for i := range times {
			times[i] = time.Duration(source.IntN(3*60*60)) * time.Second
		}
		return times
	}
}
