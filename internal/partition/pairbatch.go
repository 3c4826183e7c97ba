package partition

import (
	"encoding/binary"
	"hash/maphash"

	"desfecho/internal/payment"
	"desfecho/reconcile"
)

// Batch gathers rows for Pairs, so that goroutines seldom wait for one another.
// Flush adds the last of them.
type Batch struct {
	pairs *Pairs
	rows  []batchRow
	keys  []uint64
}

type batchRow struct {
	record
	unit uint64 // hash of the provider's id; 0: none of a pair
	sort saleSort
	keys int // how many are its
}

const batchRows = 1024

// Batch makes a batch.
func (p *Pairs) Batch() *Batch { return &Batch{pairs: p} }

// Attempt adds a plain sale.
func (b *Batch) Attempt(at Place, keys []reconcile.Key, a *payment.Attempt) error {
	return b.add(keys, batchRow{
		record: record{place: at, minor: a.Amount.Minor, check: maphash.String(b.pairs.seed, a.ProviderID)},
		unit:   reconcile.HashKey(reconcile.KeyUnit, "", a.ProviderID),
		sort:   saleSort{provider: a.Provider, account: a.Account, currency: a.Amount.Currency},
	})
}

// Line adds a plain line.
func (b *Batch) Line(at Place, keys []reconcile.Key, l *payment.Line) error {
	return b.add(keys, batchRow{
		record: record{place: at, line: true, day: l.Day, minor: l.Gross, sale: reconcile.SaleLineOf(l), check: maphash.String(b.pairs.seed, l.Unit)},
		unit:   reconcile.HashKey(reconcile.KeyUnit, "", l.Unit),
		sort:   saleSort{l.Provider, l.Account, l.Statement, l.Mode, l.Currency},
	})
}

// Other adds a row that is none of a pair, and that makes none of what shares
// a key with it.
func (b *Batch) Other(keys []reconcile.Key) error { return b.add(keys, batchRow{}) }

func (b *Batch) add(keys []reconcile.Key, row batchRow) error {
	row.keys = len(keys)
	b.rows = append(b.rows, row)
	for i := range keys {
		b.keys = append(b.keys, keys[i].Hash)
	}
	if len(b.rows) < batchRows {
		return nil
	}
	return b.Flush()
}

// Flush adds what is left.
func (b *Batch) Flush() error {
	p := b.pairs
	p.mutex.Lock()
	defer p.mutex.Unlock()
	var bytes [recordSize + 32]byte
	keys := b.keys
	for i := range b.rows {
		r := &b.rows[i]
		if p.n == 1<<32-2 {
			return errTooMany
		}
		r.row = p.n
		p.n++
		if r.unit != 0 {
			r.record.sort = p.sorts.number(r.sort)
			if err := p.byUnit[r.unit>>57].write(&p.records, r.append(bytes[:0])); err != nil {
				return err
			}
		}
		for _, hash := range keys[:r.keys] {
			var key [keySize]byte
			binary.LittleEndian.PutUint64(key[:], hash)
			binary.LittleEndian.PutUint32(key[8:], r.row)
			if err := p.byHash[hash>>57].write(&p.keys, key[:]); err != nil {
				return err
			}
		}
		keys = keys[r.keys:]
	}
	b.rows, b.keys = b.rows[:0], b.keys[:0]
	return nil
}
