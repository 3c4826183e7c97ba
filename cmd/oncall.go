package cmd

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"desfecho/internal/evidence"
	"desfecho/internal/payment"
	"desfecho/internal/probe"
	"desfecho/internal/provider"
	"desfecho/internal/settle"
	"desfecho/internal/store"
	"desfecho/report"
	"desfecho/resolve"
)

// onCall is what the commands about single attempts share.
type onCall struct {
	*deps
	config Config
	store  store.Store
	desk   *settle.Desk
}

// withDesk opens the database and the desk over it. asking says that the
// providers are to be asked.
func (d *deps) withDesk(ctx context.Context, config Config, asking bool, do func(*onCall) error) error {
	ctx, cancel := d.limited(ctx)
	defer cancel()
	return d.withStore(ctx, &config, func(s store.Store) error {
		o := &onCall{deps: d, config: config, store: s}
		if err := o.open(ctx, asking); err != nil {
			return err
		}
		return do(o)
	})
}

func (o *onCall) open(ctx context.Context, asking bool) error {
	run, err := o.newDatabaseRun(&reconcileOptions{}, o.config, nil)
	if err != nil {
		return err
	}
	run.store = o.store
	var policies []evidence.Policy
	clock := &databaseClock{read: o.now}
	err = run.view(ctx, func(view store.View) error {
		clock.set(view.Now())
		for _, name := range o.config.providerNames() {
			policy, err := run.databasePolicy(ctx, view, name)
			if err != nil {
				return err
			}
			policies = append(policies, policy)
		}
		return nil
	})
	if err != nil {
		return err
	}
	o.desk = &settle.Desk{
		Store: o.store, Policies: policies, Declared: o.declared(), Program: thisBuild().Version, NewID: newOperation,
		Contracts: map[string]map[payment.Operation]resolve.Contract{},
	}
	if err := o.config.Resolve.apply(o.desk); err != nil {
		return err
	}
	return o.askers(ctx, clock, asking)
}

// declared lists the transitions that the configuration declares.
func (o *onCall) declared() (all []resolve.Transition) {
	for _, t := range resolve.Transitions() {
		for _, declared := range o.config.Attempts.Transitions {
			if declared.To == t.String() {
				all = append(all, t)
			}
		}
	}
	return all
}

// databaseClock is the database's clock, read once and carried on by the
// machine's monotonic one.
type databaseClock struct {
	read func() time.Time
	at   time.Time
	then payment.Instant
}

func (c *databaseClock) set(now payment.Instant) { c.then, c.at = now, c.read() }

func (c *databaseClock) now() payment.Instant { return c.then.Add(c.read().Sub(c.at)) }

// askers opens the providers that are to be asked. What they promise about keys
// is known without asking.
func (o *onCall) askers(ctx context.Context, clock *databaseClock, asking bool) error {
	for _, entry := range o.config.Providers {
		if !entry.online() {
			continue
		}
		able, err := able(&o.config, entry)
		if err != nil {
			return err
		}
		contracts := map[payment.Operation]resolve.Contract{}
		for _, promise := range able.Keys {
			contracts[promise.Operation] = resolve.Contract{Retention: promise.Retention, Documented: promise.Documented}
		}
		o.desk.Contracts[entry.Name] = contracts
		if !asking {
			continue
		}
		on, err := o.online(ctx, &o.config, entry, true)
		if err != nil {
			return err
		}
		o.desk.Askers = append(o.desk.Askers, &probe.Asker{
			Provider: on.provider, Name: entry.Name, Account: entry.Account, Mode: on.mode, Now: clock.now, Known: o.known(entry),
		})
	}
	return nil
}

// able is what a provider can tell; nobody is asked, and no key is read.
func able(config *Config, entry ProviderConfig) (provider.Capabilities, error) {
	kind, ok := adapters()[entry.Type]
	if !ok {
		return provider.Capabilities{}, entry.problem(fmt.Errorf("unknown type %q", entry.Type))
	}
	build := buildOptions{entry: &entry, zone: time.UTC}
	var err error
	if build.places, err = config.places(&entry); err != nil {
		return provider.Capabilities{}, err
	}
	p, err := kind.build(build)
	if err != nil {
		return provider.Capabilities{}, entry.problem(err)
	}
	return p.Capabilities(), nil
}

// newOperation is the id of one operation: random, for nobody may guess one.
func newOperation() string {
	var id [16]byte
	_, _ = rand.Read(id[:]) // never fails
	return hex.EncodeToString(id[:])
}

// screen is the picture for a report.
func (o *onCall) screen(p *settle.Picture, offline bool) (*report.Attempt, error) {
	a := &report.Attempt{
		Now: p.Case.Now, Zone: o.zoneOf(p.Seen.Attempt.Provider), Word: p.Seen.Word, Case: &p.Case, Verdict: &p.Verdict,
		Effects: map[resolve.Mark][]report.Effect{}, Offline: offline, NoLogins: !o.store.Logins(), Links: o.config.Resolve.links(&p.Seen.Attempt, &p.Verdict),
	}
	reading, err := o.config.Attempts.Compile()
	if err != nil {
		return nil, err
	}
	for mark := range resolve.Keep {
		offer := p.Verdict.Offers(mark)
		effect, ok := reading.Effect(offer.Transition.String())
		if !offer.Allowed || !ok {
			continue
		}
		values := (&store.Settlement{
			Intent: store.Intent{OpID: "this operation", Mark: mark.String(), Operator: "you"}, Seen: p.Seen, Transition: offer.Transition.String(), Unit: offer.Unit,
		}).Values()
		for i := range effect.Steps {
			a.Effects[mark] = append(a.Effects[mark], report.Effect{Statement: effect.Steps[i].Shown(values), Optional: effect.Steps[i].Zero})
		}
	}
	for _, m := range p.Manuals {
		a.Manuals = append(a.Manuals, report.Stated{Name: m.Operator, Text: strings.TrimSuffix(m.Seen+" at "+m.Place+", "+m.Note, ", ")})
	}
	return a, nil
}

func (o *onCall) zoneOf(name string) *time.Location {
	for i := range o.desk.Policies {
		if o.desk.Policies[i].Provider == name {
			return o.desk.Policies[i].Zone
		}
	}
	return time.UTC
}

// operator is who the person says to be.
func (d *deps) operator(flag string) (string, error) {
	if flag == "" {
		flag = d.env.get("USER")
	}
	if flag == "" {
		return "", &usageError{err: errors.New("it is not said who does this: the variable USER is empty"), hint: "say who you are with --operator"}
	}
	return flag, nil
}

// drawing is how a screen is drawn on the standard output.
func (d *deps) drawing() report.Options {
	return report.Options{Terminal: d.OutTerminal && !d.global.toFile(), Width: d.Width, Color: d.Color && !d.global.toFile(), ASCII: d.ASCII}
}

func attemptNotFound(id string, err error) error {
	if errors.Is(err, store.ErrNoAttempt) {
		return &usageError{err: fmt.Errorf("there is no attempt %q", id), hint: "`desfecho stuck` lists the open ones; the id is that of the attempts table"}
	}
	return err
}
