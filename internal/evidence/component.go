package evidence

import (
	"cmp"
	"slices"

	"desfecho/internal/payment"
)

// Component is all that hangs together: rows that share a charge, a reference,
// a key, a unit or a line id. It may hold more than that; what does not belong
// together is told apart here, by comparing the keys themselves.
type Component struct {
	Attempts []*payment.Attempt
	Units    []*payment.Unit // observations from lists and ledgers
	Lines    []*payment.Line
	Lookups  []*payment.Lookup
	Events   []*payment.Event
}

// Facts is what a component shows. Everything in it is sorted, so that the
// order of the input has no influence.
type Facts struct {
	Attempts []*Attempt // by charge, direction, created_at, id
	Units    []*Unit    // by first name
	Lines    Lines
	Loose    []*payment.Line // held lines that name no unit
}

// Attempt is one attempt with what is known of it.
type Attempt struct {
	*payment.Attempt
	Policy *Policy
	Status payment.Status // as the rules read it at now
	Units  []*Unit        // its own, without returns that follow a sale
	// Doubtful units name this attempt among others and cannot be told apart.
	Doubtful []*Unit
	Answers  Answers
	Events   []*payment.Event
}

// Link says how a unit stands to the attempts.
type Link uint8

// The links of RULES §3.3. A Follower is a return judged with its parent.
const (
	Unlinked Link = iota
	Linked
	LinkedTwice // one provider id on several attempts of one charge
	Ambiguous
	Collision
	Follower
)

// Unit is what all sources together say of one unit.
type Unit struct {
	payment.Unit          // merged; ID is the first of Names
	Names        []string // every id that means this unit, sorted
	Policy       *Policy
	Lines        []*payment.Line // held lines that name it
	Conflict     []*payment.Line // versions of restated lines that name it
	// Stub: nothing is known of it but that something names it.
	Stub bool
	// Nameless: it is one line that names no unit; ID is the line's.
	Nameless bool
	Parent   *Unit
	Children []*Unit // returns that follow it
	Link     Link
	Attempts []*Attempt // whom it belongs to, or whom it cannot be told from
	// Shared is the reference that several charges carry (Collision).
	Shared string
	Money  Money
	// parcels are the objects of a group by id: their lines need not say which
	// of how many parcels they book.
	parcels map[string]parcel
}

// parcel is n of N; N is 0 where nothing tells it.
type parcel struct{ n, of int }

// Other tells whether the unit lives in the mode that is not the policy's.
func (u *Unit) Other() bool { return u.Mode != u.Policy.Mode }

// Look builds the facts of a component as they stand at now. policies gives
// the policy of a provider and is total.
func Look(c Component, policies func(provider string) *Policy, now payment.Instant) *Facts {
	return NewLooker(policies, now).Look(c)
}

// Looker looks at one component after the other in the same memory, for runs
// over millions of them.
type Looker struct {
	policies func(string) *Policy
	now      payment.Instant
	facts    Facts
	names    nameIndex
	keys     keyIndex
	crowds   map[string]bool // shared references that a unit has told of
	rows     map[name]int    // lines without any id, by what identifies them
	drafts   []draft
	attempts []Attempt
	units    []Unit
}

// NewLooker makes a Looker for components as they stand at now.
func NewLooker(policies func(provider string) *Policy, now payment.Instant) *Looker {
	return &Looker{policies: policies, now: now, crowds: map[string]bool{}}
}

// Look gives the facts of a component. They hold until the next call.
func (b *Looker) Look(c Component) *Facts {
	b.facts = Facts{
		Attempts: b.facts.Attempts[:0], Units: b.facts.Units[:0], Loose: b.facts.Loose[:0],
		Lines: sift(c.Lines, b.policies),
	}
	b.names.reset()
	clear(b.crowds)
	clear(b.rows)
	b.readAttempts(c.Attempts)
	b.readUnits(c)
	b.linkAll()
	b.followAll()
	for _, u := range b.facts.Units {
		u.Money = u.count(b.now)
	}
	b.evidence(c)
	return &b.facts
}

func (b *Looker) readAttempts(rows []*payment.Attempt) {
	b.attempts = slices.Grow(b.attempts[:0], len(rows))[:len(rows)]
	for i, a := range rows {
		p := b.policies(a.Provider)
		b.attempts[i] = Attempt{Attempt: a, Policy: p, Status: p.Status(a, b.now), Units: b.attempts[i].Units[:0]}
		b.facts.Attempts = append(b.facts.Attempts, &b.attempts[i])
	}
	if len(rows) > 1 {
		slices.SortFunc(b.facts.Attempts, func(x, y *Attempt) int {
			return cmp.Or(cmp.Compare(x.Charge, y.Charge), cmp.Compare(x.Direction(), y.Direction()),
				cmp.Compare(x.CreatedAt, y.CreatedAt), cmp.Compare(x.ID, y.ID), cmp.Compare(x.Provider, y.Provider))
		})
	}
}

// SameCharge tells whether two attempts are tries of one charge: of one
// direction, too (RULES §1, charge).
func SameCharge(x, y *payment.Attempt) bool {
	return x.Charge == y.Charge && x.Charge != "" && x.Direction() == y.Direction() || x == y
}
