// Package partition takes the rows of a comparison in any order and number and
// gives them back in parts of whole components, in memory that hardly grows
// with them: what does not fit is kept in temporary files.
//
// It knows no database and no file of a user's, and it judges nothing: which
// rows belong together is what reconcile's keys say, and rows that only share
// a key's hash come together and are told apart there. Its files are private,
// nameless where the system allows it, and gone with the process.
package partition

import (
	"encoding/binary"
	"errors"
	"math"

	"desfecho/internal/payment"
	"desfecho/reconcile"
)

// Rows are the rows of one comparison. They belong to one goroutine. Whoever
// makes them closes them.
type Rows struct {
	rows    disk
	written stream // every row: sort, order, length, bytes
	keys    disk
	byHash  [partitions]stream // the keys of all rows: hash, row
	n       uint32
	counts  Counts
	codec   codec
	scratch []reconcile.Key
}

// Counts of the rows that were added.
type Counts struct{ Attempts, Units, Lines, Lookups, Events int }

// Options of Rows; the zero value is for use.
type Options struct {
	Folder string // where temporary files are made; "": the system's
	Memory int    // bytes that are kept in memory before there is a file; 0: 8 MiB
}

const (
	partitions = 128
	keyBlock   = 680 * keySize // a key stands in one block
	rowBlock   = 16 << 10
	keySize    = 12
	// silent marks in a key's record a row that asks for none (Asked).
	silent = 1 << 31
)

// New makes an empty set of rows.
func New(o Options) *Rows {
	if o.Memory == 0 {
		o.Memory = 8 << 20
	}
	return &Rows{
		rows: disk{block: rowBlock, room: o.Memory * 3 / 4 / rowBlock, parent: o.Folder},
		keys: disk{block: keyBlock, room: o.Memory / 4 / keyBlock, parent: o.Folder},
	}
}

// Close removes the temporary files. It may be called again.
func (r *Rows) Close() error { return errors.Join(r.rows.close(), r.keys.close()) }

// Counts says how many rows there are.
func (r *Rows) Counts() Counts { return r.counts }

// Keys says how many keys they have in all.
func (r *Rows) Keys() int {
	n := int64(0)
	for i := range r.byHash {
		n += r.byHash[i].size / keySize
	}
	return int(n)
}

// The sorts of row.
const (
	sortAttempt = iota
	sortCharge
	sortUnit
	sortLine
	sortLookup
	sortEvent
	sortDismissal
)

// Attempt adds an attempt. One that is added twice is there once.
func (r *Rows) Attempt(a *payment.Attempt) error {
	r.counts.Attempts++
	r.codec.bytes = r.codec.bytes[:0]
	r.codec.attempt(a)
	return r.add(sortAttempt, 0, reconcile.AttemptKeys(r.scratch[:0], a), false)
}

// Charge adds what a charge wants. Where that was said twice the smaller holds.
func (r *Rows) Charge(c *reconcile.Charge) error {
	r.codec.bytes = r.codec.bytes[:0]
	r.codec.charge(c)
	return r.add(sortCharge, 0, reconcile.ChargeKeys(r.scratch[:0], c), true)
}

// Unit adds an observation. Those of a part come in the order that order says.
func (r *Rows) Unit(order int64, u *payment.Unit) error {
	r.counts.Units++
	r.codec.bytes = r.codec.bytes[:0]
	r.codec.unit(u)
	return r.add(sortUnit, order, reconcile.UnitKeys(r.scratch[:0], u), false)
}

// Line adds a line. Those of a part come in the order that order says, which
// also numbers them: all are rows of one file. version is what all versions of
// the line share besides its id, 0 for nothing. A line that does not ask has
// its place by its keys like all others, and Asked leaves them out.
func (r *Rows) Line(order int64, l *payment.Line, version uint64, asks bool) error {
	r.counts.Lines++
	r.codec.bytes = r.codec.bytes[:0]
	r.codec.line(l)
	keys := reconcile.LineKeys(r.scratch[:0], l)
	if version != 0 {
		keys = append(keys, reconcile.Key{Hash: version})
	}
	return r.add(sortLine, order, keys, !asks)
}

// Lookup adds a look-up.
func (r *Rows) Lookup(l *payment.Lookup) error {
	r.counts.Lookups++
	r.codec.bytes = r.codec.bytes[:0]
	r.codec.lookup(l)
	return r.add(sortLookup, 0, reconcile.LookupKeys(r.scratch[:0], l), true)
}

// Event adds a stored event.
func (r *Rows) Event(e *payment.Event) error {
	r.counts.Events++
	r.codec.bytes = r.codec.bytes[:0]
	r.codec.event(e)
	return r.add(sortEvent, 0, reconcile.EventKeys(r.scratch[:0], e), true)
}

// Dismissal adds what was put aside.
func (r *Rows) Dismissal(d *reconcile.Dismissal) error {
	r.codec.bytes = r.codec.bytes[:0]
	r.codec.dismissal(d)
	return r.add(sortDismissal, 0, reconcile.DismissalKeys(r.scratch[:0], d), true)
}

var errTooMany = errors.New("more than 2147483647 rows in one comparison: give it a shorter window")

// add writes the row that the codec holds, and its keys.
func (r *Rows) add(sort byte, order int64, keys []reconcile.Key, asksNot bool) error {
	r.scratch = keys
	if r.n == math.MaxInt32 {
		return errTooMany
	}
	var head [1 + 2*binary.MaxVarintLen64]byte
	head[0] = sort
	n := 1 + binary.PutUvarint(head[1:], uint64(order))
	n += binary.PutUvarint(head[n:], uint64(len(r.codec.bytes)))
	if err := r.written.write(&r.rows, head[:n]); err != nil {
		return err
	}
	if err := r.written.write(&r.rows, r.codec.bytes); err != nil {
		return err
	}
	row := r.n
	if asksNot {
		row |= silent
	}
	r.n++
	for i := range keys {
		var record [keySize]byte
		binary.LittleEndian.PutUint64(record[:], keys[i].Hash)
		binary.LittleEndian.PutUint32(record[8:], row)
		if err := r.byHash[keys[i].Hash>>57].write(&r.keys, record[:]); err != nil {
			return err
		}
	}
	return nil
}
