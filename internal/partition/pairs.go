package partition

import (
	"hash/maphash"
	"runtime"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"desfecho/internal/payment"
	"desfecho/reconcile"
)

// Pairs finds the plain sales that agree among very many rows: an attempt and a
// line that share keys with each other and with no other row. It keeps no row,
// but a record of some bytes and the hashes of its keys, and what does not fit
// into memory in temporary files as Rows does. Two rows that are called a pair
// share 128 bits of hash of the provider's id, 64 of them under a random seed.
//
// Rows are added through Batches, one for each goroutine.
type Pairs struct {
	seed maphash.Seed

	mutex   sync.Mutex // of all below, until Agreeing
	records disk
	keys    disk
	byUnit  [partitions]stream // records, by the hash of the provider's id
	byHash  [partitions]stream // the keys of all rows: hash, row
	n       uint32
	sorts   dictionary
}

// Place is where a row stands: the number of its file and its line there.
type Place uint64

// PlaceOf a line of a file.
func PlaceOf(file, line int) Place { return Place(uint64(file)<<40 | uint64(line)) }

// In gives file and line back.
func (p Place) In() (file, line int) { return int(p >> 40), int(p & (1<<40 - 1)) }

// NewPairs makes an empty set. Whoever makes it closes it.
func NewPairs(o Options) *Pairs {
	if o.Memory == 0 {
		o.Memory = 8 << 20
	}
	return &Pairs{
		seed:    maphash.MakeSeed(),
		records: disk{block: rowBlock, room: o.Memory / 2 / rowBlock, parent: o.Folder},
		keys:    disk{block: keyBlock, room: o.Memory / 2 / keyBlock, parent: o.Folder},
		sorts:   dictionary{numbers: map[saleSort]uint32{}},
	}
}

// Close removes the temporary files.
func (p *Pairs) Close() error {
	err := p.records.close()
	if closed := p.keys.close(); err == nil {
		err = closed
	}
	return err
}

// saleSort is what many rows have alike.
type saleSort struct {
	provider, account, statement string
	mode                         payment.Mode
	currency                     [3]byte
}

type dictionary struct {
	numbers map[saleSort]uint32
	all     []saleSort
}

func (d *dictionary) number(s saleSort) uint32 {
	n, known := d.numbers[s]
	if !known {
		n = uint32(len(d.all))
		d.numbers[s], d.all = n, append(d.all, s)
	}
	return n
}

// Agreeing sums up the sales that agree, and gives the place of each attempt
// and line of them to each, from several goroutines. No row can be added any
// more.
func (p *Pairs) Agreeing(each func(attempt, line Place)) ([]reconcile.Sales, error) {
	partner, err := p.partners()
	if err != nil {
		return nil, err
	}
	if err := p.keys.close(); err != nil { // their room is wanted
		return nil, err
	}
	var next atomic.Int64
	var group errgroup.Group
	sums := make([]map[reconcile.SalesOf]*reconcile.Sales, runtime.GOMAXPROCS(0))
	for w := range sums {
		sums[w] = map[reconcile.SalesOf]*reconcile.Sales{}
		group.Go(func() error {
			s := summing{pairs: p, partner: partner, sums: sums[w], each: each}
			for {
				i := int(next.Add(1)) - 1
				if i >= partitions {
					return nil
				}
				if err := s.partition(i); err != nil {
					return err
				}
			}
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return merged(sums), nil
}

func merged(sums []map[reconcile.SalesOf]*reconcile.Sales) (all []reconcile.Sales) {
	for _, other := range sums[1:] {
		for of, s := range other {
			if into := sums[0][of]; into != nil {
				into.Merge(s)
			} else {
				sums[0][of] = s
			}
		}
	}
	for _, s := range sums[0] {
		all = append(all, *s)
	}
	return all
}

// summing adds up the pairs of one partition after the other.
type summing struct {
	pairs    *Pairs
	partner  partners
	attempts []record // of the partition
	byRow    table    // their places among them
	sums     map[reconcile.SalesOf]*reconcile.Sales
	last     *reconcile.Sales
	each     func(attempt, line Place)
}

// partition reads its attempts and then its lines, of each those that have one
// partner.
func (s *summing) partition(i int) error {
	s.attempts = s.attempts[:0]
	err := s.records(i, false, func(r *record, _ uint32) { s.attempts = append(s.attempts, *r) })
	if err != nil {
		return err
	}
	s.byRow.reset(len(s.attempts))
	for i := range s.attempts {
		s.byRow.first(uint64(s.attempts[i].row)+1, int32(i))
	}
	return s.records(i, true, func(r *record, partner uint32) {
		if i := s.byRow.first(uint64(partner)+1, -1); i >= 0 {
			s.pair(&s.attempts[i], r)
		}
	})
}

func (s *summing) records(i int, lines bool, each func(r *record, partner uint32)) error {
	in := s.pairs.byUnit[i].reader(&s.pairs.records, false)
	var r record
	for {
		more, err := r.next(in)
		if err != nil || !more {
			return err
		}
		if r.line != lines {
			continue
		}
		if other := s.partner[r.row]; other != alone && other != many {
			each(&r, other-1)
		}
	}
}

// pair adds a line and the attempt up that is the only one to share keys with
// it, if they agree.
func (s *summing) pair(a, l *record) {
	asked, shown := &s.pairs.sorts.all[a.sort], &s.pairs.sorts.all[l.sort]
	attempt := payment.Attempt{Provider: asked.provider, Account: asked.account}
	attempt.Amount.Minor, attempt.Amount.Currency = a.minor, asked.currency
	line := payment.Line{Provider: shown.provider, Account: shown.account, Statement: shown.statement, Mode: shown.mode, Gross: l.minor, Currency: shown.currency, Day: l.day}
	if a.check != l.check || !reconcile.SameSale(&attempt, &line) {
		return
	}
	if of := reconcile.SalesOfPair(&attempt, &line); s.last == nil || s.last.SalesOf != of {
		if s.last = s.sums[of]; s.last == nil {
			s.last = &reconcile.Sales{SalesOf: of}
			s.sums[of] = s.last
		}
	}
	s.last.Add(l.sale)
	s.each(a.place, l.place)
}
