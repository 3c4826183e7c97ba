package store

import (
	"context"
	"errors"

	"desfecho/internal/partition"
	"desfecho/internal/payment"
	"desfecho/reconcile"
)

// outside finds the rows outside of the scope that share a key with one of its
// own. Where few rows lie outside they are read through, which is many times
// cheaper than to ask for every key of many rows; else the keys are asked for.
func (g *gathering) outside(ctx context.Context) error {
	counts := g.rows.Counts()
	if own := counts.Attempts + counts.Lines + counts.Units; own > g.few {
		limit := own * outsidePerRow
		look := &sifting{rows: g.rows}
		var err error
		if g.attemptsRead, err = within(g.outsideAttempts(ctx, look, limit)); err != nil {
			return err
		}
		if g.storedRead, err = within(g.outsideStored(ctx, look, limit)); err != nil {
			return err
		}
		if err := look.sift(); err != nil {
			return err
		}
	}
	if g.attemptsRead && g.storedRead {
		return nil
	}
	return g.askOwn(ctx)
}

// within tells whether a reading came to its end within its limit.
func within(err error) (bool, error) {
	if errors.Is(err, ErrMore) {
		return false, nil
	}
	return err == nil, err
}

func (g *gathering) outsideAttempts(ctx context.Context, look *sifting, limit int) error {
	var wants []reconcile.Charge // of the row that comes next
	filter := AttemptFilter{Providers: g.providers, Outside: &g.window, Limit: limit, Wanted: func(charge string, minor int64) error {
		wants = append(wants, reconcile.Charge{ID: charge, Minor: minor})
		return nil
	}}
	var keys []reconcile.Key
	filter.Bad = func(a payment.Attempt, err error) error { // of no interest, unless it is asked for
		keys = reconcile.AttemptKeys(keys[:0], &a)
		return look.candidate(keys, 0, func() error { return err })
	}
	return g.source.Attempts(ctx, filter, func(a payment.Attempt) error {
		said := wants
		wants = nil
		keys = reconcile.AttemptKeys(keys[:0], &a)
		return look.candidate(keys, 0, func() error {
			for i := range said {
				if err := g.rows.Charge(&said[i]); err != nil {
					return err
				}
			}
			return g.attempt(a)
		})
	})
}

func (g *gathering) outsideStored(ctx context.Context, look *sifting, limit int) error {
	var keys []reconcile.Key
	lines := LineFilter{Providers: g.providers, Days: g.days, Outside: true, Limit: limit}
	err := g.source.Lines(ctx, lines, func(s StoredLine) error {
		keys = reconcile.LineKeys(keys[:0], &s.Line)
		return look.candidate(keys, storedVersions(&s), func() error { return g.line(s) })
	})
	if err != nil {
		return err
	}
	units := UnitFilter{Providers: g.providers, Created: &g.window, Outside: true, Limit: limit}
	return g.source.Units(ctx, units, func(s StoredUnit) error {
		keys = reconcile.UnitKeys(keys[:0], &s.Unit)
		return look.candidate(keys, 0, func() error { return g.unit(s) })
	})
}

// versionsOf is a key that all versions of one line share; 0 where it has no
// id.
func versionsOf(l *payment.Line) uint64 {
	if l.ID == "" {
		return 0
	}
	return (reconcile.HashKey(reconcile.KeyLine, l.Provider, l.ID) + 3*reconcile.HashKey(reconcile.KeyLine, l.Mode.String(), l.Account)) | 1
}

// storedVersions is that key of a stored line, where it is stored under its id.
func storedVersions(s *StoredLine) uint64 {
	var d digest
	if s.Line.ID == "" || d.identified(&s.Line) != s.Identity {
		return 0
	}
	return versionsOf(&s.Line)
}

// sifting finds among candidates those that a row asks for by its keys. It
// holds few of them at a time.
type sifting struct {
	rows       *partition.Rows
	candidates []func() error // keeps the row
	asked      []bool         // by candidate
	byHash     map[uint64][]int32
	sieve      sieve // of what rows ask for; nil until there are many candidates
}

// siftFrom is how many candidates are looked for at once.
const siftFrom = 8192

// candidate takes a row with the keys that it is found by.
func (s *sifting) candidate(keys []reconcile.Key, version uint64, keep func() error) error {
	n := int32(len(s.candidates))
	if s.byHash == nil {
		s.byHash = map[uint64][]int32{}
	}
	held := false
	add := func(hash uint64) {
		if s.sieve == nil || s.sieve.holds(hash) {
			s.byHash[hash] = append(s.byHash[hash], n)
			held = true
		}
	}
	for _, k := range keys {
		switch k.Sort { //nolint:exhaustive // rows are not looked for by these
		case reconcile.KeyAttempt, reconcile.KeyLine, reconcile.KeyOccurrence:
		default:
			add(k.Hash)
		}
	}
	if version != 0 {
		add(version)
	}
	if !held {
		return nil
	}
	s.candidates, s.asked = append(s.candidates, keep), append(s.asked, false)
	if len(s.candidates) < siftFrom {
		return nil
	}
	return s.sift()
}

// sift keeps those that are asked for, and forgets the others.
func (s *sifting) sift() error {
	if len(s.candidates) == 0 {
		return nil
	}
	many := len(s.candidates) == siftFrom && s.sieve == nil
	if many {
		s.sieve = newSieve(s.rows.Keys())
	}
	if err := s.rows.Asked(func(hash uint64) {
		if many {
			s.sieve.add(hash)
		}
		for _, n := range s.byHash[hash] {
			s.asked[n] = true
		}
	}); err != nil {
		return err
	}
	candidates, asked := s.candidates, s.asked
	s.candidates, s.asked = nil, nil
	clear(s.byHash)
	for n, keep := range candidates {
		if !asked[n] {
			continue
		}
		if err := keep(); err != nil {
			return err
		}
	}
	return nil
}

// sieve holds hashes, and now and then one that was not added.
type sieve []uint64

// newSieve has eight bits for each hash.
func newSieve(hashes int) sieve {
	words := 1
	for words < hashes/8 {
		words *= 2
	}
	return make(sieve, words)
}

func (s sieve) at(hash uint64) (word *uint64, bits uint64) {
	return &s[hash>>32&uint64(len(s)-1)], 1<<(hash>>1&63) | 1<<(hash>>7&63) | 1<<(hash>>13&63) | 1<<(hash>>19&63)
}

func (s sieve) add(hash uint64) {
	word, bits := s.at(hash)
	*word |= bits
}

func (s sieve) holds(hash uint64) bool {
	word, bits := s.at(hash)
	return *word&bits == bits
}
