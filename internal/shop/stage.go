package shop

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"desfecho/internal/fakepsp"
	"desfecho/internal/payment"
)

// The providers of a stage: cards, refunds and transfers go through Loja, Pix
// and boletos through Banco, cobranças through Caixa.
const (
	Loja  = "loja"
	Banco = "banco"
	Caixa = "caixa"
)

// StageSettings says where and how a stage plays.
type StageSettings struct {
	DB      *sql.DB
	Dialect Dialect
	Twin    Twin
	Start   time.Time      // the clock begins here
	Zone    *time.Location // of statement days; nil: UTC
	Columns *time.Location // of the shop's columns without zone; nil: UTC
	Dice    fakepsp.Source // draws the keys
	// Tune changes what a provider is like before it opens; nil: nothing.
	Tune func(name string, s *fakepsp.Settings)
	Step func(context.Context, Step) error
}

// Stage is a shop, its providers and their clock, wired over loopback.
type Stage struct {
	Clock     *fakepsp.Clock
	Shop      *Shop
	Providers map[string]*fakepsp.Provider
	Readers   []*fakepsp.Reader

	client    *http.Client
	listeners []*fakepsp.Listener
	hooks     *fakepsp.Listener
	started   time.Time
	zone      *time.Location
}

func newStage(start time.Time, zone *time.Location) *Stage {
	if zone == nil {
		zone = time.UTC
	}
	return &Stage{
		Clock: fakepsp.NewClock(start), Providers: map[string]*fakepsp.Provider{}, started: start, zone: zone,
		client: &http.Client{Transport: &http.Transport{}},
	}
}

// OpenStage installs the shop's tables and starts the providers. Close ends
// it.
func OpenStage(ctx context.Context, s StageSettings) (*Stage, error) {
	if err := Install(ctx, s.DB, s.Dialect, s.Twin); err != nil {
		return nil, err
	}
	st, dice := newStage(s.Start, s.Zone), fakepsp.Locked(s.Dice)
	var endpoints []Endpoint
	for _, name := range []string{Loja, Banco, Caixa} {
		e, err := st.openProvider(name, s.Tune, nil)
		if err != nil {
			return nil, errors.Join(err, st.Close())
		}
		endpoints = append(endpoints, e)
	}
	st.Shop = New(Settings{
		DB: s.DB, Dialect: s.Dialect, Clock: st.Clock, NewKey: func() string { return uuid(dice) }, Client: st.client,
		Providers: endpoints, Cobranca: Caixa, Zone: s.Columns, Twin: s.Twin, Step: s.Step,
	})
	var err error
	if st.hooks, err = fakepsp.Listen(st.Shop); err != nil {
		return nil, errors.Join(err, st.Close())
	}
	return st, nil
}

// openProvider starts a provider, where saved is not nil with what was saved
// of it.
func (st *Stage) openProvider(name string, tune func(string, *fakepsp.Settings), saved []byte) (Endpoint, error) {
	settings := fakepsp.Settings{Account: "acct_" + name, Token: "token_" + name, Zone: st.zone, Clock: st.Clock}
	settings.NewID = func(prefix string, n int) string { return fmt.Sprintf("%s_%s%06d", prefix, name, n) }
	if tune != nil {
		tune(name, &settings)
	}
	p := fakepsp.New(settings)
	if saved != nil {
		if err := p.Restore(saved); err != nil {
			return Endpoint{}, fmt.Errorf("open provider %s: %w", name, err)
		}
	}
	l, err := fakepsp.Listen(p)
	if err != nil {
		return Endpoint{}, err
	}
	st.Providers[name] = p
	st.listeners = append(st.listeners, l)
	st.Readers = append(st.Readers, &fakepsp.Reader{
		Name: name, URL: l.URL, Token: settings.Token, Client: st.client, Zone: st.zone, Places: Places(),
	})
	return Endpoint{Name: name, URL: l.URL, Token: settings.Token}, nil
}

// Save gives the state of each provider, to be opened again with Reopen.
func (st *Stage) Save() (map[string][]byte, error) {
	saved := map[string][]byte{}
	for name, p := range st.Providers {
		state, err := p.Snapshot()
		if err != nil {
			return nil, fmt.Errorf("save provider %s: %w", name, err)
		}
		saved[name] = state
	}
	return saved, nil
}

// Reopen serves saved providers again, without a shop: start is when their
// stage began, now where its clock stood. Close ends it.
func Reopen(saved map[string][]byte, start, now time.Time, zone *time.Location) (*Stage, error) {
	st := newStage(start, zone)
	st.Clock.Set(now)
	for _, name := range slices.Sorted(maps.Keys(saved)) {
		if _, err := st.openProvider(name, nil, saved[name]); err != nil {
			return nil, errors.Join(err, st.Close())
		}
	}
	return st, nil
}

// Places says where the shop's references stand at its providers.
func Places() []fakepsp.Place {
	return []fakepsp.Place{
		{Name: RefCharge, Metadata: RefCharge, Scope: payment.ScopeCharge},
		{Name: RefKey, Metadata: RefKey, Scope: payment.ScopeAttempt},
		{Name: RefPedido, Metadata: RefPedido, Scope: payment.ScopeCharge},
	}
}

// Close ends the listeners; the database stays open.
func (st *Stage) Close() error {
	st.client.CloseIdleConnections()
	var all []error
	for _, l := range st.listeners {
		all = append(all, l.Close())
	}
	if st.hooks != nil {
		all = append(all, st.hooks.Close())
	}
	return errors.Join(all...)
}

// URL is where the provider of the name listens, "" where there is none.
func (st *Stage) URL(name string) string {
	for _, r := range st.Readers {
		if r.Name == name {
			return r.URL
		}
	}
	return ""
}

// Deliver sends the webhooks that are due, provider by provider.
func (st *Stage) Deliver(ctx context.Context) error {
	for _, r := range st.Readers {
		target := fakepsp.PostTo(st.client, st.hooks.URL+"/webhooks/"+r.Name)
		if _, err := st.Providers[r.Name].Deliver(ctx, target); err != nil {
			return err
		}
	}
	return nil
}

// DeliverAll moves the clock from delivery to delivery until none is left.
func (st *Stage) DeliverAll(ctx context.Context) error {
	for {
		var next time.Time
		for _, r := range st.Readers {
			if at, ok := st.Providers[r.Name].NextDelivery(); ok && (next.IsZero() || at.Before(next)) {
				next = at
			}
		}
		if next.IsZero() {
			return nil
		}
		st.Clock.Set(next)
		if err := st.Deliver(ctx); err != nil {
			return err
		}
	}
}

// uuid draws a random UUID (version 4).
func uuid(dice fakepsp.Source) string {
	var b [16]byte
	for i := range b {
		b[i] = byte(dice.IntN(256))
	}
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
