package reconcile

import "desfecho/internal/payment"

// ceiling tells whether every sum of amounts is far from the limits of int64,
// so that sums need no further check.
type ceiling struct {
	total  uint64
	beyond bool
}

func (c *ceiling) add(amounts ...int64) {
	const limit = 1 << 60
	for _, a := range amounts {
		if a < -limit || a > limit {
			c.beyond = true
			return
		}
		if a < 0 {
			a = -a
		}
		c.total += uint64(a)
	}
	c.beyond = c.beyond || c.total >= limit
}

func (c *ceiling) statements(all []payment.Statement) {
	for _, s := range all {
		c.add(s.Opening.Minor, s.Closing.Minor)
	}
}

func (c *ceiling) part(p *Part) {
	for i := 0; i < len(p.Attempts) && !c.beyond; i++ {
		c.add(p.Attempts[i].Amount.Minor)
	}
	for i := 0; i < len(p.Lines) && !c.beyond; i++ {
		l := &p.Lines[i]
		c.add(l.Gross, l.Fee, l.Tax, l.Net, l.Presented.Minor)
	}
	for i := range p.Units {
		c.unit(&p.Units[i])
	}
	for i := range p.Lookups {
		for k := range p.Lookups[i].Units {
			c.unit(&p.Lookups[i].Units[k])
		}
	}
	for _, charge := range p.Charges {
		c.add(charge.Minor)
	}
}

func (c *ceiling) unit(u *payment.Unit) {
	for i := 0; i < len(u.Plan) && !c.beyond; i++ {
		c.add(u.Plan[i].Minor)
	}
	if !c.beyond {
		c.add(u.Asked.Minor, u.Captured.Minor, u.Principal.Minor)
	}
}
