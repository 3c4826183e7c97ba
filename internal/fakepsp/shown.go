package fakepsp

import "time"

// Now is the provider's clock.
func (p *Provider) Now() time.Time { return p.settings.Clock.Now() }

// Zone is that of the provider's days.
func (p *Provider) Zone() *time.Location { return p.settings.Zone }

// Account is whose objects these are.
func (p *Provider) Account() string { return p.settings.Account }

// Shown lists the objects that a view shows by now, in order of creation.
func (p *Provider) Shown(v View) []Object {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.settle()
	var shown []Object
	for _, o := range p.s.Objects {
		if p.visible(o, v, p.at) {
			shown = append(shown, *o)
		}
	}
	return shown
}

// Booked lists the rows that the ledger shows by now.
func (p *Provider) Booked() []Entry {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.settle()
	through := p.at.Add(-p.settings.Delay[InLedger])
	var booked []Entry
	for _, e := range p.s.Ledger {
		if e.At.Before(through) {
			booked = append(booked, e)
		}
	}
	return booked
}
