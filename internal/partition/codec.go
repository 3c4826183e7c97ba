package partition

import (
	"encoding/binary"
	"errors"

	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/reconcile"
)

// codec turns rows into bytes and back. Each sort of row is described once for
// both ways, so that what is written is what is read.
type codec struct {
	reading bool
	bytes   []byte // what was written
	text    string // what is left to read; the texts of rows are parts of it
	short   bool   // text ended too early
	// references of the rows that were read, side by side.
	references []payment.Reference
}

var errShort = errors.New("a row of the temporary file is not what was written: the file was changed meanwhile")

func (c *codec) length(n int) int {
	v := uint64(n)
	whole(c, &v)
	if c.reading && v > uint64(len(c.text)) { // of whatever it is the length, each takes a byte
		c.short = true
		return 0
	}
	return int(v)
}

func (c *codec) str(s *string) {
	n := c.length(len(*s))
	if !c.reading {
		c.bytes = append(c.bytes, *s...)
		return
	}
	*s, c.text = c.text[:n], c.text[n:]
}

func (c *codec) strs(all ...*string) {
	for _, s := range all {
		c.str(s)
	}
}

// whole is a number that is hardly ever negative.
func whole[T ~uint8 | ~int16 | ~int32 | ~int | ~int64 | ~uint64](c *codec, v *T) {
	if !c.reading {
		c.bytes = binary.AppendUvarint(c.bytes, uint64(*v))
		return
	}
	x, shift := uint64(0), 0
	for i := 0; i < len(c.text) && i < binary.MaxVarintLen64; i++ {
		b := c.text[i]
		x |= uint64(b&0x7f) << shift
		if b < 0x80 {
			*v, c.text = T(x), c.text[i+1:]
			return
		}
		shift += 7
	}
	c.short = true
}

// amount is a number of either sign.
func (c *codec) amount(v *int64) {
	x := uint64(*v)<<1 ^ uint64(*v>>63)
	whole(c, &x)
	if c.reading {
		*v = int64(x>>1) ^ -int64(x&1)
	}
}

func (c *codec) amounts(all ...*int64) {
	for _, v := range all {
		c.amount(v)
	}
}

func (c *codec) flags(all ...*bool) {
	bits := uint8(0)
	for i, v := range all {
		if *v {
			bits |= 1 << i
		}
	}
	whole(c, &bits)
	for i, v := range all {
		*v = bits>>i&1 == 1
	}
}

func (c *codec) currency(v *money.Currency) {
	if !c.reading {
		c.bytes = append(c.bytes, v[:]...)
		return
	}
	if len(c.text) < len(v) {
		c.short = true
		return
	}
	copy(v[:], c.text)
	c.text = c.text[len(v):]
}

func (c *codec) instants(all ...*payment.Instant) {
	for _, v := range all {
		c.amount((*int64)(v))
	}
}

func (c *codec) refs(all *[]payment.Reference) {
	n := c.length(len(*all))
	if c.reading {
		*all = nil
		if n == 0 {
			return
		}
		from := len(c.references)
		for range n {
			c.references = append(c.references, payment.Reference{})
		}
		*all = c.references[from:len(c.references):len(c.references)]
	}
	for i := range *all {
		r := &(*all)[i]
		c.strs(&r.Name, &r.Value)
		whole(c, &r.Scope)
	}
}

// list makes a list of the length that was written.
func list[T any](c *codec, all *[]T) {
	n := c.length(len(*all))
	if c.reading {
		*all = nil
		if n > 0 {
			*all = make([]T, n)
		}
	}
}

func (c *codec) attempt(a *payment.Attempt) {
	c.strs(&a.ID, &a.Charge, &a.Provider, &a.Account, &a.Key, &a.ProviderID, &a.Version, &a.PayloadHash, &a.RawStatus)
	c.refs(&a.References)
	c.amount(&a.Amount.Minor)
	c.currency(&a.Amount.Currency)
	c.instants(&a.CreatedAt, &a.LastSent, &a.ResolvedAt)
	whole(c, &a.Status)
	whole(c, &a.Operation)
	whole(c, &a.LastError)
	whole(c, &a.Reserve)
}

func (c *codec) line(l *payment.Line) {
	c.strs(&l.ID, &l.Unit, &l.Parent, &l.Provider, &l.Account, &l.Statement, &l.ForeignCharge, &l.Payout, &l.Recipient, &l.Raw, &l.Status)
	c.refs(&l.References)
	c.amounts(&l.Gross, &l.Fee, &l.Tax, &l.Net, &l.Presented.Minor)
	c.currency(&l.Currency)
	c.currency(&l.PresentedCurrency)
	c.instants(&l.At, &l.AvailableAt)
	whole(c, &l.Day)
	whole(c, &l.File)
	whole(c, &l.Row)
	whole(c, &l.N)
	whole(c, &l.Of)
	whole(c, &l.Kind)
	whole(c, &l.Mode)
	c.flags(&l.Presented.Known, &l.DayOnly, &l.Still)
}

func (c *codec) unit(u *payment.Unit) {
	c.strs(&u.ID, &u.Group, &u.Provider, &u.Account, &u.Key, &u.ForeignCharge, &u.Parent, &u.RawState, &u.Method, &u.Reason, &u.Statement)
	list(c, &u.Aliases)
	for i := range u.Aliases {
		c.str(&u.Aliases[i])
	}
	c.refs(&u.References)
	c.amounts(&u.Asked.Minor, &u.Captured.Minor, &u.Principal.Minor, (*int64)(&u.Precision))
	c.currency(&u.Currency)
	c.instants(&u.CreatedAt, &u.ObservedAt, &u.FirstSeen)
	list(c, &u.Plan)
	for i := range u.Plan {
		whole(c, &u.Plan[i].N)
		whole(c, &u.Plan[i].Due)
		c.amount(&u.Plan[i].Minor)
	}
	whole(c, &u.N)
	whole(c, &u.Of)
	whole(c, &u.Mode)
	whole(c, &u.State)
	whole(c, &u.Source)
	c.flags(&u.Final, &u.Asked.Known, &u.Captured.Known, &u.Principal.Known)
}

func (c *codec) lookup(l *payment.Lookup) {
	c.strs(&l.Attempt, &l.Provider, &l.Account, &l.Key.Name, &l.Key.Value, &l.Reason, &l.Endpoint, &l.Canonical, &l.RawHash, &l.Raw)
	whole(c, &l.Key.Kind)
	whole(c, &l.Outcome)
	c.instants(&l.At)
	c.flags(&l.NoControl)
	list(c, &l.Units)
	for i := range l.Units {
		c.unit(&l.Units[i])
	}
}

func (c *codec) event(e *payment.Event) {
	c.strs(&e.Provider, &e.Unit, &e.Key)
	c.instants(&e.At)
	c.refs(&e.References)
	whole(c, &e.State)
	whole(c, &e.Mode)
}

func (c *codec) charge(s *reconcile.Charge) {
	c.str(&s.ID)
	c.amount(&s.Minor)
}

func (c *codec) dismissal(d *reconcile.Dismissal) {
	c.strs(&d.Attempt, &d.Unit, &d.Reason, &d.By)
	c.instants(&d.At)
}
