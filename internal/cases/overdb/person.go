package overdb

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"desfecho/internal/cases"
	"desfecho/internal/payment"
	"desfecho/internal/store"
	"desfecho/reconcile"
	"desfecho/resolve"
)

// World is what a person at the program needs besides the database.
type World struct {
	Database
	Folder string // for the configuration
	Own    string // what the names of desfecho's own tables begin with
	// Clock sets the database's clock, which goes on from there.
	Clock func(now payment.Instant) error
	// Query gives the rows of a statement, their cells between bars.
	Query func(sql string) ([]string, error)
	// Sit starts the program for a database login, at a terminal of its own.
	Sit func(login, config string, args ...string) (Terminal, error)
	// Script makes the provider give the answers of an account, and show the
	// units to whoever asks by another key; it says where the account is asked.
	Script func(account string, answers []payment.Lookup, units []payment.Unit) (baseURL string)
}

// Terminal is a program at work where a person sits.
type Terminal interface {
	// Asked waits until the program asks for a line, or ends.
	Asked() (screen string, asks bool, err error)
	// Type types a line where the program asks; Ended gives what else stood
	// there and the word of its exit code.
	Type(line string) error
	Ended() (screen, exit string, err error)
}

// Sit gives a person who plays cases with the program, PlayPerson's.
func Sit(ctx context.Context, w World) cases.Person { return &person{ctx: ctx, World: w} }

// The logins: who settles, unless the case names somebody.
const operator = "caio"

type person struct {
	World
	ctx         context.Context //nolint:containedctx // one case's
	description *store.Description
	in          *reconcile.Input
	rules       cases.Rules
}

// Place puts the facts where the program reads them.
func (p *person) Place(in *reconcile.Input, rules cases.Rules) error {
	p.in, p.rules, p.description = in, rules, describe(in)
	for _, to := range resolve.Transitions() {
		t := store.Transition{To: to.String()}
		switch to {
		case resolve.ToFailed:
			t.FollowUp = reserve(payment.ReserveReleased)
		case resolve.ToSucceeded, resolve.ToSucceededDuplicate, resolve.ToSucceededReversed:
			t.FollowUp = reserve(payment.ReserveConsumed)
		case resolve.ToUnknown, resolve.NoTransition:
		}
		p.description.Transitions = append(p.description.Transitions, t)
	}
	if err := p.Clock(in.Now); err != nil {
		return err
	}
	if err := p.Exec(attemptsSQL(in, p.description) + chargesSQL(in) + eventsSQL(in)); err != nil {
		return err
	}
	return p.stored(func(s *stage, opened store.Store) error {
		facts := *in
		facts.Dismissed = nil // a person says so
		for _, account := range accounts(in) {
			facts.Units = append(facts.Units[:len(facts.Units):len(facts.Units)], *p.control(account))
		}
		return s.store(opened, &facts)
	})
}

// stored opens the database for what pulls and look-ups keep.
func (p *person) stored(do func(*stage, store.Store) error) (err error) {
	opened, err := p.Database.Open(p.ctx, p.description)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	return do(&stage{ctx: p.ctx, description: p.description}, opened)
}

// reserve is the follow-up that ends a reserve.
func reserve(as payment.Reserve) []store.FollowUp {
	return []store.FollowUp{{
		SQL:  fmt.Sprintf("UPDATE %s SET reserve = '%s' WHERE id = $id AND reserve = '%s'", table, as, payment.ReserveHeld),
		Rows: "0..1", Zero: "nothing is held",
	}}
}

// controlAge is how long before now the control was created.
const controlAge = 5 * 24 * time.Hour

// control is a unit that is known to exist, of no attempt.
func (p *person) control(account string) *payment.Unit {
	u := &payment.Unit{
		ID: strings.TrimSuffix("control_"+account, "_"), Provider: provider(p.in), Account: account, State: payment.StateCanceled, Final: true,
		Mode: mode(p.in), Asked: payment.Known(1), Currency: p.in.Attempts[0].Amount.Currency, CreatedAt: p.in.Now.Add(-controlAge),
		Precision: time.Microsecond, Source: payment.FromList, ObservedAt: p.in.Now,
	}
	if p.rules.Controlled(payment.LookupKey{Kind: payment.KeyIdempotency}) {
		u.Key = "control"
	}
	for _, r := range references(p.in) {
		if p.rules.Controlled(payment.LookupKey{Kind: payment.KeyReference, Name: r.Name}) {
			u.References = append(u.References, payment.Reference{Name: r.Name, Scope: r.Scope, Value: "control"})
		}
	}
	return u
}

// Change writes the row of one attempt.
func (p *person) Change(a *payment.Attempt) error {
	var set []string
	names := columns(p.description)
	for i, cell := range cells(a, p.description) {
		set = append(set, names[i]+" = "+cell)
	}
	return p.Exec("UPDATE " + table + " SET " + strings.Join(set, ", ") + " WHERE id = " + literal(a.ID))
}

// Hear keeps answers as a probe would have.
func (p *person) Hear(answers []payment.Lookup) error {
	return p.stored(func(_ *stage, opened store.Store) error {
		_, err := opened.StoreLookups(p.ctx, answers)
		return err
	})
}

// configure writes the configuration: an account that answers can be asked.
func (p *person) configure(answers []payment.Lookup) (path string, err error) {
	settled := map[string]any{}
	if p.rules.ApprovalTTL > 0 {
		settled["approval_ttl"] = p.rules.ApprovalTTL.String()
	}
	if above := p.rules.ApprovalAbove; len(above) > 0 {
		settled["approval_above"] = []map[string]string{{"amount": above[0].Decimal(), "currency": above[0].Currency.String()}}
	}
	text, err := configuration(p.in, p.URL, p.description, func(account string, entry map[string]any) {
		own := slices.DeleteFunc(slices.Clone(answers), func(l payment.Lookup) bool { return l.Account != account })
		if len(own) > 0 {
			entry["type"], entry["base_url"] = "loopback", p.Script(account, own, append(slices.Clone(p.in.Units), *p.control(account)))
		}
	}, settled)
	if err != nil {
		return "", err
	}
	path = filepath.Join(p.Folder, "desfecho.yaml")
	return path, os.WriteFile(path, text, 0o600)
}

// Stored is the attempt as its row stands.
func (p *person) Stored(attempt string) (a payment.Attempt, err error) {
	rows, err := p.Query("SELECT status || '|' || coalesce(provider_charge_id, '') || '|' || coalesce(reserve, '') || '|' || version FROM " +
		table + " WHERE id = " + literal(attempt))
	if err != nil || len(rows) != 1 {
		return a, fmt.Errorf("%d rows of attempt %s: %w", len(rows), attempt, err)
	}
	parts := strings.Split(rows[0], "|")
	a.ProviderID, a.Version = parts[1], parts[3]
	if a.Status, err = payment.ParseStatus(parts[0]); err != nil {
		return a, err
	}
	a.Reserve, err = payment.ParseReserve(parts[2])
	return a, err
}

// Settled counts the resolutions of the audit.
func (p *person) Settled() (n int, transition string, err error) {
	rows, err := p.Query("SELECT transition FROM " + p.Own + "audit WHERE kind = 'settled' ORDER BY seq")
	if err != nil || len(rows) == 0 {
		return 0, "", err
	}
	return len(rows), rows[len(rows)-1], nil
}
