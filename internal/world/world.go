// Package world makes up merchants and providers whose truth is known.
//
// A world is told from the provider's side: first what happened there
// (events), then what the merchant wrote down, then what statements and
// look-ups show, with at most one fault per charge. What a reconciliation must
// conclude follows from the story that was told, a plain table in the stories
// themselves. The package never judges rows and never imports the packages
// that do, so that it cannot repeat their mistakes.
package world

import (
	"math/rand/v2"
	"time"

	"desfecho/internal/money"
	"desfecho/internal/payment"
)

// Source draws every decision of a world; 0 is always the plainest one, so
// that a property test can shrink towards nothing special. *rand.Rand is one.
type Source interface {
	IntN(n int) int
}

// Terms is what is configured of one provider (RULES §1, §8). Settings that
// are not named keep the defaults of RULES §8.
type Terms struct {
	Provider      string
	Accounts      []string
	Zone          *time.Location
	Means         string // succeeded_means of every operation: created, captured
	LookupBy      []payment.LookupKey
	HasObjectList bool
	LineIDsUnique bool
	CapacityMany  bool // charge_capacity: many
	NoUnknownWord bool // the merchant's table cannot hold `unknown`
	PublishLag    time.Duration
	BooksAfter    time.Duration
	Variation     map[string]int64 // basis points by method
	Expected      []string
}

// ChargeAmount states what a charge wants, in minor units, where it is not the
// amount of its first attempt.
type ChargeAmount struct {
	ID    string
	Minor int64
}

// World is one made-up merchant and its providers: what both sides show, and
// the truth.
type World struct {
	Now      payment.Instant
	Window   payment.Interval
	OwnSide  []payment.Interval
	Terms    []Terms
	Charges  []ChargeAmount
	Attempts []payment.Attempt

	Statements []payment.Statement
	Units      []payment.Unit
	Lines      []payment.Line
	Lookups    []payment.Lookup

	Truth   Truth
	Stories []string // the names of the stories told, in order
}

// maxStories bounds the stories of a seeded world.
const maxStories = 40

// Draw tells a world of the given number of stories, all decisions from source.
func Draw(source Source, stories int) *World {
	s := newScene(source)
	for i := range stories {
		s.tell(i + 1)
	}
	return s.finish()
}

// Seeded tells the world of a seed: the setting and each story have a stream
// of their own, so a story is the same whichever others are told. Without
// `only` all stories are told, 5 to 40; else just those numbers, from 1.
func Seeded(seed uint64, only ...int) *World {
	return SeededMore(seed, 0, only...)
}

// SeededMore is Seeded with more stories after the seed's own: unrelated rows.
func SeededMore(seed uint64, more int, only ...int) *World {
	s := newScene(rand.New(rand.NewPCG(seed, 0)))
	if len(only) == 0 {
		count := 5 + s.IntN(maxStories-4) + more
		for i := range count {
			only = append(only, i+1)
		}
	} else {
		s.IntN(maxStories - 4)
	}
	for _, i := range only {
		s.dice = dice{rand.New(rand.NewPCG(seed, uint64(i)))}
		s.tell(i)
	}
	return s.finish()
}

// dice adds the shapes of a draw to a Source.
type dice struct{ Source }

// oneIn is true once in n draws, and never at 0.
func (d dice) oneIn(n int) bool { return d.IntN(n) == n-1 }

// between draws an instant of [from, to), to the millisecond; from where the
// interval is empty.
func (d dice) between(from, to payment.Instant) payment.Instant {
	if to <= from {
		return from
	}
	seconds := int(to.Sub(from) / time.Second)
	at := from
	if seconds > 0 {
		at = at.Add(time.Duration(d.IntN(seconds)) * time.Second)
	}
	return at.Add(time.Duration(d.IntN(1000)) * time.Millisecond)
}

// minor draws an amount: mostly everyday ones, now and then one minor unit or
// a large one.
func (d dice) minor() int64 {
	switch d.IntN(20) {
	case 18:
		return 1 + int64(d.IntN(3))
	case 19:
		return 1_000_000_00 + int64(d.IntN(1_000_000_000))
	default:
		return 500 + int64(d.IntN(200_000))
	}
}

func pick[T any](d dice, choices ...T) T { return choices[d.IntN(len(choices))] }

// The currencies of worlds; the second is the one that mistakes are made with.
var currencies = [...][2]money.Currency{
	{money.MustCurrency("BRL"), money.MustCurrency("USD")},
	{money.MustCurrency("JPY"), money.MustCurrency("BRL")},
	{money.MustCurrency("KWD"), money.MustCurrency("EUR")},
	{money.MustCurrency("EUR"), money.MustCurrency("GBP")},
}
