package cmd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"desfecho/internal/fakepsp"
	"desfecho/internal/payment"
	merchant "desfecho/internal/shop"
	"desfecho/resolve"
)

// What is true of an open attempt, whatever the class that lists it.
const (
	openCharged = "open, carried out there"
	openAbsent  = "open, nothing there"
)

var plainly = map[string]string{
	"unknown_charged": openCharged, "pending_charged": openCharged,
	"unknown_not_found": openAbsent, "pending_stale": openAbsent,
}

// listing is classes and their subjects.
type listing map[string][]string

func (l listing) add(class, subject string) {
	if !slices.Contains(l[class], subject) {
		l[class] = append(l[class], subject)
		slices.Sort(l[class])
	}
}

// attempts are the shop's, of the two providers.
func (m *market) attempts() []payment.Attempt {
	m.t.Helper()
	all, err := m.stage.Shop.Attempts(m.t.Context())
	m.must(err)
	return all
}

// own are the objects that an attempt made.
func (m *market) own(a *payment.Attempt) (own []fakepsp.Object) {
	for _, o := range m.stage.Providers[a.Provider].Objects() {
		byHand := o.Kind == fakepsp.KindRefund && o.Key == ""
		if o.Metadata[merchant.RefKey] == a.Key && !byHand {
			own = append(own, o)
		}
	}
	return own
}

func moved(o fakepsp.Object) bool { return o.PaidAt != nil }

// open tells whether an object may still move money.
func open(o fakepsp.Object) bool {
	return o.State == fakepsp.Waiting || o.State == fakepsp.Processing || o.State == fakepsp.Expired && o.Method != fakepsp.MethodCard
}

// retried tells whether an object is a card's that was refused: at Stripe the
// payer may take another one.
func retried(o fakepsp.Object) bool {
	return o.Kind == fakepsp.KindPayment && o.State == fakepsp.Declined
}

// truth is what really stands between the shop's rows and the providers',
// without a word of the judged code.
func (m *market) truth() listing {
	m.t.Helper()
	all := listing{}
	attempts := m.attempts()
	for i := range attempts {
		a := &attempts[i]
		own := m.own(a)
		paid, alive := slices.ContainsFunc(own, moved), slices.ContainsFunc(own, open)
		refused := slices.ContainsFunc(own, func(o fakepsp.Object) bool { return o.Kind == fakepsp.KindTransfer && o.State == fakepsp.Declined })
		switch {
		case a.Status == payment.Failed && paid:
			all.add("failed_but_charged", a.ID)
		case a.Status == payment.Failed && alive:
			all.add("failed_but_open", a.ID)
		case a.Status == payment.Succeeded && len(own) == 0:
			all.add("missing_at_provider", a.ID)
		case !a.Status.Open():
		case paid:
			all.add(openCharged, a.ID)
		case a.Status == payment.Pending: // unknown first
			all.add(openAbsent, a.ID)
		case alive, slices.ContainsFunc(own, retried):
			all.add("unknown_open", a.ID)
		case refused && a.Provider == merchant.Banco:
			all.add("unknown_declined", a.ID)
		default:
			all.add(openAbsent, a.ID)
		}
		m.charge(a, attempts, all)
	}
	for class, subjects := range map[string][]string{
		"refund_unrecorded": m.byHand, "chargeback_unrecorded": m.disputed, "unrecorded_charge": m.strangers,
	} {
		for _, s := range subjects {
			all.add(class, s)
		}
	}
	return all
}

// charge adds what is true of the charge of an attempt.
func (m *market) charge(a *payment.Attempt, attempts []payment.Attempt, all listing) {
	var taken, times int64
	for _, o := range m.stage.Providers[a.Provider].Objects() {
		byHand := o.Kind == fakepsp.KindRefund && o.Key == ""
		if o.Metadata[merchant.RefCharge] == a.Charge && moved(o) && !byHand {
			taken, times = taken+o.Captured-o.Refunded, times+1
		}
	}
	if times > 1 && taken > a.Amount.Minor {
		all.add("duplicate_charge", a.Charge)
	}
	waiting := 0
	for i := range attempts {
		if b := &attempts[i]; b.Charge == a.Charge && b.Status.Open() {
			waiting++
		}
	}
	if waiting > 1 {
		all.add("two_open_attempts", a.Charge)
	}
}

// note keeps what is true now. What was charged twice and is given back since
// is still listed where nobody could read of it.
func (m *market) note() {
	if m.so == nil {
		m.so = listing{}
	}
	for class, subjects := range m.truth() {
		for _, s := range subjects {
			m.so.add(class, s)
		}
	}
}

// told is what a run lists.
func (m *market) told(report string) listing {
	m.t.Helper()
	if report == "" {
		return nil
	}
	var read struct {
		Divergences []struct {
			Class   string
			Also    []struct{ Class string }
			Subject struct{ IDs []string }
		}
	}
	m.must(json.Unmarshal([]byte(report), &read))
	all := listing{}
	for _, f := range read.Divergences {
		subject := strings.Join(f.Subject.IDs, "+")
		all.add(f.Class, subject)
		for _, also := range f.Also {
			all.add(also.Class, subject)
		}
	}
	return all
}

// notYet are classes that say only that something is not known, or not settled,
// yet.
var notYet = []string{"unknown_inconclusive", "unknown_waiting", "unknown_open", "pending_stale", "succeeded_but_open", "coverage_incomplete"}

// absences are classes that say that something is not there: they must be so
// when they are listed, whatever could be read.
var absences = []string{"missing_at_provider", "unknown_not_found", "unknown_declined", "declined_at_provider"}

// honest demands that nothing is listed that is not so, whatever could not be
// read.
func (m *market) honest(report string) {
	m.t.Helper()
	m.note()
	now := m.truth()
	for class, subjects := range m.told(report) {
		name := class
		if plain, ok := plainly[class]; ok {
			name = plain
		}
		for _, s := range subjects {
			stale := !slices.Contains(absences, class) && slices.Contains(m.so[name], s)
			if !slices.Contains(now[name], s) && !stale && !slices.Contains(notYet, class) {
				m.fail("%s of %s is not so: %s\n%s", class, s, m.tale(s), report)
			}
		}
	}
	m.marks()
}

// tale is what there is of an attempt, for people who look for a bug.
func (m *market) tale(id string) string {
	var out strings.Builder
	attempts := m.attempts()
	for i := range attempts {
		if a := &attempts[i]; a.ID == id || a.Charge == id {
			fmt.Fprintf(&out, "\nattempt %s of %s at %s: %s, sent %s, error %s, unit %s, key %s; %+v", a.ID, a.Charge, a.Provider, a.Status, a.LastSent, a.LastError, a.ProviderID, a.Key, m.own(a))
			for _, l := range m.heard[a.ID] {
				fmt.Fprintf(&out, "\n   asked at %s by %v %s at %s: %s %s, control %v", l.At, l.Key.Kind, l.Key.Name, l.Endpoint, l.Outcome, l.Reason, !l.NoControl)
			}
		}
	}
	return out.String()
}

// marks demands that no attempt may be marked as what it is not.
func (m *market) marks() {
	m.t.Helper()
	var out, told bytes.Buffer
	d := m.deps(&out, &told)
	m.must(d.settle())
	config, err := d.settings(pflag.NewFlagSet("", pflag.ContinueOnError))
	m.must(err)
	attempts := m.attempts()
	m.must(d.withDesk(m.t.Context(), config, false, func(o *onCall) error {
		m.heard = map[string][]payment.Lookup{}
		for i := range attempts {
			a := &attempts[i]
			if !a.Status.Open() {
				continue
			}
			p, err := o.desk.Look(m.t.Context(), a.ID, "")
			if err != nil {
				return err
			}
			m.heard[a.ID] = p.Case.Lookups
			own := m.own(a)
			paid, alive := slices.ContainsFunc(own, moved), slices.ContainsFunc(own, open)
			if p.Verdict.Offers(resolve.Failed).Allowed && (paid || alive) {
				m.fail("failed is offered: %s", m.tale(a.ID))
			}
			if p.Verdict.Offers(resolve.Succeeded).Allowed && !paid && (!alive || a.Provider != merchant.Banco) {
				m.fail("succeeded is offered: %s", m.tale(a.ID))
			}
		}
		return nil
	}))
}
