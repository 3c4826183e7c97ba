package twopass

import (
	"context"

	"desfecho/internal/money"
	"desfecho/internal/partition"
	"desfecho/internal/payment"
	"desfecho/internal/profile"
	"desfecho/reconcile"
)

// noting is the first pass over one piece.
type noting struct {
	*reading
	piece  *piece
	number int // of the piece; -1: the head alone
	head   int // lines that are not the piece's
	batch  *partition.Batch
	keys   []reconcile.Key
	days   struct{ first, last payment.Day }
	alike  alike  // of the row before
	settle string // how the head showed that columns are read
	bound  *profile.Binding
}

// alike is what a file is asked about besides its rows: the first row of each
// is read again.
type alike struct {
	provider, account string
	currency          money.Currency
	mode              payment.Mode
}

// note reads a piece. How its columns are read must be seen from the head, for
// each piece is read as if it followed it.
func (r *reading) note(ctx context.Context, p *piece, number int) error {
	n := &noting{reading: r, piece: p, number: number, head: r.files[p.file].headLines, batch: r.pairs.Batch()}
	err := r.each(ctx, p, func(b *profile.Binding, _ bool) error {
		n.bound, n.settle = b, b.Style()
		return nil
	}, n.row)
	if err != nil {
		return err
	}
	if n.settle != n.bound.Style() {
		return ErrWhole
	}
	return n.batch.Flush()
}

// row notes one row: as one that may be of a pair, or by its keys alone.
func (n *noting) row(r row) error {
	if r.row.Line <= n.head {
		n.settle = n.bound.Style()
		if n.number < 0 {
			return n.other(r)
		}
		return nil
	}
	if n.stands(r) || n.last(r) || !n.plain(r) {
		return n.other(r)
	}
	at := partition.PlaceOf(n.number, r.row.Line-n.head-1)
	if r.attempt != nil {
		return n.batch.Attempt(at, n.attemptKeys(r.attempt), r.attempt)
	}
	n.keys = reconcile.LineKeys(n.keys[:0], &r.lines[0])
	return n.batch.Line(at, n.keys, &r.lines[0])
}

// last tells whether the row is that of the file's last line, whose end may be
// missing.
func (n *noting) last(r row) bool { return n.piece.last && r.row.Line == n.head+n.piece.lines }

// plain tells whether a row may be one of a pair.
func (r *reading) plain(w row) bool {
	switch {
	case !w.row.OneLine():
		return false
	case w.attempt != nil:
		return w.attempt.Provider != "" && reconcile.PlainSale(w.attempt) && w.attempt.CreatedAt <= r.in.Future
	default:
		return len(w.lines) == 1 && len(w.units) == 0 && w.lines[0].Provider != "" && reconcile.PlainLine(&w.lines[0]) && w.lines[0].At <= r.in.Future
	}
}

// stands tells whether the row says something of the file besides itself: its
// first or last day, or an account, a mode or a currency.
func (n *noting) stands(r row) bool {
	var is alike
	switch {
	case r.attempt != nil:
		is = alike{provider: r.attempt.Provider, account: r.attempt.Account, currency: r.attempt.Amount.Currency}
	case len(r.lines) > 0:
		is = alike{r.lines[0].Provider, r.lines[0].Account, r.lines[0].Currency, r.lines[0].Mode}
	default:
		return true
	}
	news := is != n.alike || n.days.first == 0 || r.day < n.days.first || r.day > n.days.last
	n.alike = is
	if n.days.first == 0 || r.day < n.days.first {
		n.days.first = r.day
	}
	n.days.last = max(n.days.last, r.day)
	return news
}

// other notes a row by its keys alone.
func (n *noting) other(r row) error {
	if r.attempt != nil {
		return n.batch.Other(n.attemptKeys(r.attempt))
	}
	n.keys = n.keys[:0]
	for i := range r.lines {
		n.keys = reconcile.LineKeys(n.keys, &r.lines[i])
	}
	for i := range r.units {
		n.keys = reconcile.UnitKeys(n.keys, &r.units[i])
	}
	return n.batch.Other(n.keys)
}

// attemptKeys are the keys of an attempt that another row may carry: of another
// attempt all, of a statement those that it has a place for.
func (n *noting) attemptKeys(a *payment.Attempt) []reconcile.Key {
	all := reconcile.AttemptKeys(n.keys[:0], a)
	kept := all[:0]
	for _, k := range all {
		switch k.Sort { //nolint:exhaustive // all others are kept
		case reconcile.KeyReference:
			if !n.told[k.Name] {
				continue
			}
		case reconcile.KeyIdempotency:
			if !n.reading.keys && a.PayloadHash == "" {
				continue
			}
		}
		kept = append(kept, k)
	}
	n.keys = all
	return kept
}
