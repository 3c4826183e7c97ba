package reconcile

import (
	"runtime"
	"sync"

	"desfecho/internal/evidence"
)

// judgeFrom is from how many components a second worker is worth its start.
const judgeFrom = 20_000

// judgeAll judges every component. Components know nothing of each other, so
// each worker takes a stretch of them with books of its own; sums do not care
// in which order they are added, and lists are sorted afterwards.
func judgeAll(g *gathered, s *setting, charges map[string]int64) *books {
	workers := min(runtime.GOMAXPROCS(0), 1+g.components()/judgeFrom)
	all := make([]*books, workers)
	broken := make(chan any, workers)
	var wait sync.WaitGroup
	for w := range workers {
		all[w] = newBooks()
		from, to := g.components()*w/workers, g.components()*(w+1)/workers
		wait.Go(func() {
			defer func() {
				if p := recover(); p != nil { // the caller decides what a defect ends in
					broken <- p
				}
			}()
			j := judge{setting: s, charges: charges, out: all[w]}
			plain := agreed{setting: s, out: all[w]}
			looker := evidence.NewLooker(s.policy, s.now)
			var c evidence.Component
			for i := from; i < to; i++ {
				g.component(i, &c)
				if plain.take(&c) {
					continue
				}
				j.facts, j.split = looker.Look(c), nil
				j.component()
			}
			plain.flush()
		})
	}
	wait.Wait()
	select {
	case p := <-broken:
		panic(p)
	default:
	}
	for _, b := range all[1:] {
		all[0].add(b)
	}
	return all[0]
}

// add takes over what another worker, or another part, found.
func (b *books) add(o *books) {
	for _, a := range o.absent {
		a.divergence += len(b.divergences)
		b.absent = append(b.absent, a)
	}
	b.divergences = append(b.divergences, o.divergences...)
	b.transit = append(b.transit, o.transit...)
	b.suspects = append(b.suspects, o.suspects...)
	b.repeats += o.repeats
	b.outside += o.outside
	b.judged.Attempts += o.judged.Attempts
	b.judged.Units += o.judged.Units
	for day := range o.moving {
		b.moving[day] = true
	}
	for place, n := range o.places {
		b.places[place] += n
	}
	for k, s := range o.bridges {
		b.bridge(k).add(s)
	}
	for k, p := range o.payouts {
		entry(b.payouts, k).add(p)
	}
	for k, n := range o.nets {
		into := entry(b.nets, k)
		into.net += n.net
		into.off += n.off
		into.currency = first(into.currency, n.currency)
		into.lineErrors = append(into.lineErrors, n.lineErrors...)
	}
	for k, r := range o.residuals {
		into := entry(b.residuals, k)
		into.currency = first(into.currency, r.currency)
		into.minor += r.minor
		into.lines = append(into.lines, r.lines...)
	}
	for k, d := range o.days {
		into := entry(b.days, k)
		into.Provider, into.Account, into.Day = k.provider, k.account, k.day
		into.Lines += d.Lines
		into.Hash += d.Hash
	}
}

func (s *sums) add(o *sums) {
	addRows(s.lines, o.lines)
	addRows(s.succeeded, o.succeeded)
	addRows(s.open, o.open)
	addRows(s.failed, o.failed)
	s.linesSum += o.linesSum
	s.linesSeen += o.linesSeen
	for i := range s.stock {
		s.stock[i].minor += o.stock[i].minor
		s.stock[i].count += o.stock[i].count
	}
	s.tie.MatchedLines += o.tie.MatchedLines
	s.tie.NotDue += o.tie.NotDue
	s.tie.MatchedAttempts += o.tie.MatchedAttempts
	s.tie.Differences += o.tie.Differences
}

func addRows[K comparable](into, from map[K]*sum) {
	for k, x := range from {
		put(into, k, x.minor)
		into[k].count += x.count - 1
	}
}

func (p *payoutSums) add(o *payoutSums) {
	p.minor += o.minor
	p.members += o.members
	p.count += o.count
	p.statement = max(p.statement, o.statement)
	p.seen = p.seen || o.seen
	p.at = max(p.at, o.at)
}
