package partition

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"reflect"
	"slices"
	"sort"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"desfecho/internal/payment"
	"desfecho/reconcile"
)

// ShardRows is about how many rows a part holds: they stay in a processor's
// cache while they are judged.
const ShardRows = 20_000

// Parts gives all rows in parts of about so many, each component whole, to each
// in so many goroutines. What a part holds is valid until each returns, its
// texts for good. The rows are gone afterwards. The first error ends all.
func (r *Rows) Parts(target, workers int, each func(reconcile.Part) error) error {
	shards, err := r.shards(target)
	if err != nil {
		return err
	}
	var next atomic.Int64
	var group errgroup.Group
	for range workers {
		group.Go(func() error {
			var p shard
			for {
				i := int(next.Add(1)) - 1
				if i >= len(shards) {
					return nil
				}
				err := p.read(shards[i].reader(&r.rows, false))
				if err == nil {
					err = each(p.Part)
				}
				if err != nil {
					next.Store(int64(len(shards)))
					return err
				}
			}
		})
	}
	return group.Wait()
}

// Replay gives the rows that are there now, as they were added; rows may be
// added meanwhile. A nil function leaves its sort out. What is given holds
// until the next.
func (r *Rows) Replay(attempt func(*payment.Attempt) error, line func(*payment.Line) error, unit func(*payment.Unit) error) error {
	there := stream{blocks: slices.Clone(r.written.blocks), last: slices.Clone(r.written.last)}
	rows := rowReader{in: there.reader(&r.rows, false)}
	var p shard
	for {
		more, err := rows.next()
		if err != nil || !more {
			return err
		}
		wanted := rows.kind == sortAttempt && attempt != nil || rows.kind == sortLine && line != nil || rows.kind == sortUnit && unit != nil
		if !wanted {
			continue
		}
		p.reset()
		if err := p.decode(rows.kind, rows.order, rows.row); err != nil {
			return err
		}
		switch rows.kind {
		case sortAttempt:
			err = attempt(&p.Attempts[0])
		case sortLine:
			err = line(&p.Lines[0])
		case sortUnit:
			err = unit(&p.Units[0])
		}
		if err != nil {
			return err
		}
	}
}

// shards deals the components out, so many rows together.
func (r *Rows) shards(target int) ([]stream, error) {
	f, err := r.components()
	if err != nil {
		return nil, err
	}
	if err := r.keys.close(); err != nil { // their room is wanted
		return nil, err
	}
	if n := f.deal(target); n > 1 {
		return r.distribute(f, n)
	}
	return []stream{r.written}, nil
}

// distribute copies each row into the stream of its shard.
func (r *Rows) distribute(f forest, n int) ([]stream, error) {
	shards := make([]stream, n)
	in := rowReader{in: r.written.reader(&r.rows, true)}
	for row := int32(0); ; row++ {
		more, err := in.next()
		if err != nil {
			return nil, err
		}
		if !more {
			return shards, nil
		}
		into := &shards[f.shard(row)]
		if err := into.write(&r.rows, in.head); err != nil {
			return nil, err
		}
		if err := into.write(&r.rows, in.row); err != nil {
			return nil, err
		}
	}
}

// rowReader reads rows one by one.
type rowReader struct {
	in    *reader
	head  []byte // as it was written
	kind  byte
	order int64
	row   []byte // valid until the next
}

// next reads a row; false at the end.
func (r *rowReader) next() (bool, error) {
	r.head = r.head[:0]
	kind, err := r.in.take(1)
	if err != nil || len(kind) == 0 {
		return false, err
	}
	r.head = append(r.head, kind[0])
	r.kind = kind[0]
	order, err := r.number()
	if err != nil {
		return false, err
	}
	r.order = int64(order)
	length, err := r.number()
	if err != nil {
		return false, err
	}
	if r.row, err = r.in.take(int(length)); err == nil && len(r.row) != int(length) {
		err = errShort
	}
	return true, err
}

func (r *rowReader) number() (uint64, error) {
	from := len(r.head)
	for {
		b, err := r.in.take(1)
		if err != nil {
			return 0, err
		}
		if len(b) == 0 || len(r.head)-from == binary.MaxVarintLen64 {
			return 0, errShort
		}
		r.head = append(r.head, b[0])
		if b[0] < 0x80 {
			v, _ := binary.Uvarint(r.head[from:])
			return v, nil
		}
	}
}

// shard is the rows of one part, in memory that is used again.
type shard struct {
	reconcile.Part
	codec codec
	lines []int64        // the order of Part.Lines
	units []int64        // likewise
	seen  map[string]int // attempts by id
}

func (p *shard) reset() {
	p.Attempts, p.Charges, p.Units, p.Lines = p.Attempts[:0], p.Charges[:0], p.Units[:0], p.Lines[:0]
	p.Lookups, p.Events, p.Dismissed = p.Lookups[:0], p.Events[:0], p.Dismissed[:0]
	p.lines, p.units = p.lines[:0], p.units[:0]
	p.codec = codec{reading: true, references: p.codec.references[:0]}
}

func (p *shard) read(in *reader) error {
	p.reset()
	rows := rowReader{in: in}
	for {
		more, err := rows.next()
		if err != nil {
			return err
		}
		if !more {
			break
		}
		if err := p.decode(rows.kind, rows.order, rows.row); err != nil {
			return err
		}
	}
	return p.settle()
}

// TwoRowsError is two rows of the attempts that differ and have one id: neither
// may be lost, and which is the attempt nobody can tell. Nothing was judged.
type TwoRowsError struct{ ID string }

func (e *TwoRowsError) Error() string {
	return fmt.Sprintf("two different rows of the attempts have the id %q: nothing was judged or saved", e.ID)
}

// Hint says what to do next.
func (e *TwoRowsError) Hint() string {
	return "describe under attempts.columns.id what tells one attempt from all others; of a view over several tables, such as a text with the table's name in it"
}

// settle puts the rows in order, each once.
func (p *shard) settle() error {
	if p.seen == nil {
		p.seen = map[string]int{}
	}
	clear(p.seen)
	kept := 0
	for i := range p.Attempts {
		a := &p.Attempts[i]
		if first, known := p.seen[a.ID]; known {
			if !reflect.DeepEqual(*a, p.Attempts[first]) {
				return &TwoRowsError{a.ID}
			}
			continue
		}
		p.seen[a.ID] = kept
		if kept < i {
			p.Attempts[kept] = *a
		}
		kept++
	}
	p.Attempts = p.Attempts[:kept]
	p.Lines = inOrder(p.Lines, p.lines)
	for i := range p.Lines {
		p.Lines[i].File, p.Lines[i].Row = 0, int32(i+1)
	}
	p.Units = inOrder(p.Units, p.units)
	// Of two answers the smaller holds: it hides no surplus.
	slices.SortFunc(p.Charges, func(a, b reconcile.Charge) int {
		return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Minor, b.Minor))
	})
	p.Charges = slices.CompactFunc(p.Charges, func(a, b reconcile.Charge) bool { return a.ID == b.ID })
	slices.SortStableFunc(p.Lookups, func(a, b payment.Lookup) int {
		return cmp.Or(cmp.Compare(a.Attempt, b.Attempt), cmp.Compare(a.At, b.At))
	})
	return nil
}

// inOrder sorts rows by their order, which is nearly always that in which they
// came, and drops those that came twice.
func inOrder[T any](rows []T, order []int64) []T {
	if !slices.IsSorted(order) {
		sort.Sort(byOrder[T]{rows, order})
	}
	kept := 0
	for i := range rows {
		if i > 0 && order[i] == order[i-1] {
			continue
		}
		if kept < i {
			rows[kept] = rows[i]
		}
		kept++
	}
	return rows[:kept]
}

type byOrder[T any] struct {
	rows  []T
	order []int64
}

func (b byOrder[T]) Len() int           { return len(b.rows) }
func (b byOrder[T]) Less(i, j int) bool { return b.order[i] < b.order[j] }
func (b byOrder[T]) Swap(i, j int) {
	b.rows[i], b.rows[j] = b.rows[j], b.rows[i]
	b.order[i], b.order[j] = b.order[j], b.order[i]
}

// grown adds a zero row to the list.
func grown[T any](list *[]T) *T {
	var zero T
	*list = append(*list, zero)
	return &(*list)[len(*list)-1]
}

// decode adds a row to its list.
func (p *shard) decode(kind byte, order int64, row []byte) error {
	c := &p.codec
	c.text = string(row) // one text for all fields of the row
	switch kind {
	case sortAttempt:
		c.attempt(grown(&p.Attempts))
	case sortCharge:
		c.charge(grown(&p.Charges))
	case sortUnit:
		p.units = append(p.units, order)
		c.unit(grown(&p.Units))
	case sortLine:
		p.lines = append(p.lines, order)
		c.line(grown(&p.Lines))
	case sortLookup:
		c.lookup(grown(&p.Lookups))
	case sortEvent:
		c.event(grown(&p.Events))
	case sortDismissal:
		c.dismissal(grown(&p.Dismissed))
	default:
		c.short = true
	}
	if c.short || c.text != "" {
		return errShort
	}
	return nil
}
