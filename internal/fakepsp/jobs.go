package fakepsp

import "time"

// job is something that happens at the provider by itself: an order carried
// out late, or a ledger row that is due.
type job struct {
	At    time.Time `json:"at"`
	Order *order    `json:"order,omitempty"`
	Entry *Entry    `json:"entry,omitempty"`
}

func (p *Provider) schedule(j job) { p.s.Jobs = append(p.s.Jobs, j) }

// settle lets everything happen that is due by now, in order of time. Every
// request and every deed begins with it.
func (p *Provider) settle() {
	now := p.settings.Clock.Now()
	for {
		next, due := p.nextJob(), p.nextPayout()
		switch {
		case p.settings.Payouts && !due.After(now) && (next < 0 || !p.s.Jobs[next].At.Before(due)):
			p.at = due
			p.payOut()
		case next >= 0 && !p.s.Jobs[next].At.After(now):
			j := p.s.Jobs[next]
			p.s.Jobs = append(p.s.Jobs[:next:next], p.s.Jobs[next+1:]...)
			p.at = j.At
			p.run(j)
		default:
			p.at = now
			return
		}
	}
}

// nextJob is the index of the job that is due first, −1 where there is none.
func (p *Provider) nextJob() int {
	first := -1
	for i := range p.s.Jobs {
		if first < 0 || p.s.Jobs[i].At.Before(p.s.Jobs[first].At) {
			first = i
		}
	}
	return first
}

func (p *Provider) run(j job) {
	if j.Entry != nil {
		p.book(*j.Entry)
	}
	if j.Order == nil {
		return
	}
	out := p.do(*j.Order)
	if k := p.s.Keys[j.Order.Key]; k != nil && k.Status == 0 {
		k.Status, k.Body = out.status, out.body
	}
}

// nextPayout is the end of the first day that is not paid out yet.
func (p *Provider) nextPayout() time.Time {
	year, month, day := p.s.PaidOut.In(p.settings.Zone).Date()
	return time.Date(year, month, day+1, 0, 0, 0, 0, p.settings.Zone)
}

// payOut pays out what the day and any day before it left, if it is positive.
func (p *Provider) payOut() {
	p.s.PaidOut = p.at
	var sum int64
	currency := ""
	var held []int
	for i := range p.s.Ledger {
		if e := &p.s.Ledger[i]; e.Payout == "" {
			sum, currency = sum+e.Amount, e.Currency
			held = append(held, i)
		}
	}
	if sum <= 0 {
		return
	}
	id := p.newID("po")
	for _, i := range held {
		p.s.Ledger[i].Payout = id
	}
	p.book(Entry{Type: "payout", Amount: -sum, Currency: currency, Payout: id})
}

// book writes a row into the ledger, at this instant.
func (p *Provider) book(e Entry) {
	e.ID, e.At = p.newID("bt"), p.at
	p.s.Balance += e.Amount
	e.Balance = p.s.Balance
	p.s.Ledger = append(p.s.Ledger, e)
}
