package pix

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"desfecho/internal/money"
	"desfecho/internal/payment"
)

// The provider's words of lines. Those of returns are their nature.
const (
	rawPix    = "pix"
	rawReturn = "devolucao"
)

// observed begins an observation.
func (p *Provider) observed(id string, says meaning, word string, minor int64, created payment.Instant) payment.Unit {
	return payment.Unit{
		ID: id, Provider: p.o.Name, Account: p.o.Account, Mode: p.o.Mode, Currency: brl, State: says.state, Final: says.final, RawState: word,
		Asked: payment.Known(minor), CreatedAt: created, Precision: time.Second,
	}
}

// references are the merchant's own where they stand in one place.
func (p *Provider) references(there, value string) (all []payment.Reference) {
	for _, place := range p.o.References {
		if place.There == there && value != "" {
			all = append(all, payment.Reference{Name: place.Name, Scope: place.Scope, Value: value})
		}
	}
	return all
}

// charge reads a charge: one unit with the Pix that paid it, and one for each
// further Pix of its txid, which is money that nobody asked for.
func (p *Provider) charge(c *charge, now payment.Instant) ([]payment.Unit, error) {
	if c.TxID == "" {
		return nil, errors.New("a charge without txid")
	}
	fail := func(err error) ([]payment.Unit, error) { return nil, fmt.Errorf("charge %q: %w", c.TxID, err) }
	asked, err := minorOf(c.Value.Original)
	if err != nil {
		return fail(fmt.Errorf("valor.original: %w", err))
	}
	created, err := momentOf(c.Calendar.Created)
	if err != nil {
		return fail(fmt.Errorf("calendario.criacao: %w", err))
	}
	says, err := c.unpaid(created, now, p.zone)
	if err != nil {
		return fail(fmt.Errorf("calendario: %w", err))
	}
	u := p.observed(c.TxID, says, c.Status, asked, created)
	u.Method, u.References = methodOf(c.TxID), p.references(PlaceTxID, c.TxID)
	for _, e := range c.Extra {
		u.References = append(u.References, p.references(PlaceExtra+e.Name, e.Value)...)
	}
	if len(c.Received) == 0 {
		if c.Status == paidWord {
			return fail(errUnlisted)
		}
		return []payment.Unit{u}, nil
	}
	all := []payment.Unit{u}
	for i := range c.Received {
		r := &c.Received[i]
		if r.TxID = cmp.Or(r.TxID, c.TxID); r.TxID != c.TxID {
			return fail(fmt.Errorf("it lists a Pix of the txid %q", r.TxID))
		}
		units, err := p.received(r)
		if err != nil {
			return fail(err)
		}
		all = append(all, units...)
	}
	return joined(all), nil
}

// errUnlisted: some participants leave the Pix out of a list of charges.
var errUnlisted = errors.New("it is paid, and the Pix that paid it is not listed")

// joined makes one of a charge, which is the first, and its earliest Pix.
func joined(all []payment.Unit) []payment.Unit {
	first := -1
	for i := range all[1:] {
		if u := &all[i+1]; u.Parent == "" && (first < 0 || u.CreatedAt < all[first].CreatedAt) {
			first = i + 1
		}
	}
	charge, paid := &all[0], all[first]
	charge.Aliases = []string{paid.ID}
	charge.State, charge.Final, charge.Captured, charge.Principal = paid.State, paid.Final, paid.Captured, paid.Principal
	return slices.Delete(all, first, first+1)
}

// received reads a Pix that came in, and what was given back of it.
func (p *Provider) received(r *received) ([]payment.Unit, error) {
	if r.EndToEnd == "" {
		return nil, errors.New("a Pix without endToEndId")
	}
	fail := func(field string, err error) ([]payment.Unit, error) {
		return nil, fmt.Errorf("pix %q: %s: %w", r.EndToEnd, field, err)
	}
	value, err := minorOf(r.Value)
	if err != nil {
		return fail("valor", err)
	}
	principal := value
	if r.Parts.Original.Value != "" && r.Parts.Cash == (part{}) && r.Parts.Change == (part{}) {
		if principal, err = minorOf(r.Parts.Original.Value); err != nil { // without interest, fine and discount
			return fail("componentesValor.original", err)
		}
	}
	at, err := momentOf(r.At)
	if err != nil {
		return fail("horario", err)
	}
	u := p.observed(r.EndToEnd, meaning{payment.StateCaptured, true}, rawPix, value, at)
	u.Captured, u.Principal = u.Asked, payment.Known(principal)
	u.Method, u.References = methodOf(r.TxID), p.references(PlaceTxID, r.TxID)
	all := []payment.Unit{u}
	var asked, taken int64
	strange := ""
	for i := range r.Returns {
		back, err := p.returned(r.EndToEnd, &r.Returns[i])
		if err != nil {
			return fail(fmt.Sprintf("devolucoes[%d]", i), err)
		}
		switch {
		case back.State == payment.StateUnmapped:
			strange = back.RawState
		case natures[r.Returns[i].Nature] == payment.KindChargeback:
			taken, _ = money.Sum(taken, back.Captured.Minor) // amounts have twelve digits
		default:
			asked, _ = money.Sum(asked, back.Captured.Minor)
		}
		all = append(all, back)
	}
	switch { // what was returned in part is captured still
	case strange != "": // nobody can tell what became of it
		all[0].State, all[0].Final, all[0].RawState = payment.StateUnmapped, false, strange
	case asked+taken < value || asked+taken == 0:
	case taken > 0:
		all[0].State = payment.StateDisputed
	default:
		all[0].State = payment.StateRefunded
	}
	return all, nil
}

// returned reads what was given back of a Pix. The mechanism against fraud
// takes money as a dispute does.
func (p *Provider) returned(endToEnd string, r *returned) (payment.Unit, error) {
	if r.ID == "" {
		return payment.Unit{}, errors.New("no id")
	}
	value, err := minorOf(r.Value)
	if err != nil {
		return payment.Unit{}, fmt.Errorf("valor: %w", err)
	}
	at, err := momentOf(cmp.Or(r.Time.Asked, r.Time.Done))
	if err != nil {
		return payment.Unit{}, fmt.Errorf("horario: %w", err)
	}
	says, known := returnStates[r.Status]
	kind, named := natures[r.Nature]
	word := r.Status
	switch {
	case !known:
		says = meaning{state: payment.StateUnmapped}
	case !named:
		says, word = meaning{state: payment.StateUnmapped}, r.Nature
	case kind == payment.KindChargeback && says.state == payment.StateCaptured:
		says.state = payment.StateDisputed
	}
	u := p.observed(endToEnd+"/"+r.ID, says, word, value, at)
	u.Parent, u.Principal = endToEnd, u.Asked
	if says.state.Money() {
		u.Captured = u.Asked
	}
	if r.RtrID != "" {
		u.Aliases = []string{r.RtrID}
	}
	u.References = append(p.references(PlaceReturn, r.ID), p.references(PlaceReturned, endToEnd)...)
	return u, nil
}

// income is the line of a Pix that came in. It is booked at once.
func (p *Provider) income(r *received) (payment.Line, error) {
	value, err := minorOf(r.Value)
	if err != nil {
		return payment.Line{}, err
	}
	l, err := p.line(r.EndToEnd, r.At, value)
	l.Kind, l.Raw, l.References = payment.KindCharge, rawPix, p.references(PlaceTxID, r.TxID)
	if methodOf(r.TxID) == methodPrinted {
		l.Raw = methodPrinted
	}
	return l, err
}

// outgo is the line of a return that was made; ok: it was.
func (p *Provider) outgo(endToEnd string, r *returned) (l payment.Line, ok bool, err error) {
	if r.Status != "DEVOLVIDO" {
		return l, false, nil
	}
	value, err := minorOf(r.Value)
	if err != nil {
		return l, false, err
	}
	l, err = p.line(endToEnd+"/"+r.ID, cmp.Or(r.Time.Done, r.Time.Asked), -value)
	l.Parent, l.Raw = endToEnd, cmp.Or(r.Nature, rawReturn)
	l.Kind = natures[r.Nature] // KindOther, where the word is new
	return l, true, err
}

func (p *Provider) line(unit, at string, value int64) (payment.Line, error) {
	moment, err := momentOf(at)
	return payment.Line{
		ID: unit, Unit: unit, Provider: p.o.Name, Account: p.o.Account, Mode: p.o.Mode, Gross: value, Net: value, Currency: brl,
		At: moment, AvailableAt: moment, Day: payment.DayOf(moment, p.zone),
	}, err
}
