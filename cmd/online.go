package cmd

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"time"

	"desfecho/internal/payment"
	"desfecho/internal/provider"
	"desfecho/internal/secret"
	"desfecho/providers/asaas"
	"desfecho/providers/httpx"
	"desfecho/providers/loopback"
)

// loopbackType is the provider of demonstrations, the only one that may be on
// this machine.
const loopbackType = "loopback"

// adapter makes what asks one type of provider. It is called twice: without a
// client for what the type can do, its limit among it, then with one.
type adapter struct {
	connect func(p *ProviderConfig, mode payment.Mode, key secret.Secret) (baseURL string, headers map[string]secret.Secret, err error)
	build   func(o buildOptions) (provider.Provider, error)
}

type buildOptions struct {
	entry  *ProviderConfig
	mode   payment.Mode
	zone   *time.Location
	places []provider.Place
	now    func() time.Time
	key    secret.Secret // once there is a client
	client *httpx.Client
}

func adapters() map[string]adapter {
	return map[string]adapter{
		"asaas": {
			func(_ *ProviderConfig, mode payment.Mode, key secret.Secret) (string, map[string]secret.Secret, error) {
				return asaas.Connection(mode, key)
			},
			func(o buildOptions) (provider.Provider, error) {
				return asaas.New(asaas.Options{Name: o.entry.Name, Account: o.entry.Account, Mode: o.mode, References: o.places}, o.client)
			},
		},
		"stripe":  stripeAdapter(),
		"pagarme": pagarmeAdapter(),
		"pix":     pixAdapter(),
		"zoop":    zoopAdapter(),
		loopbackType: {
			func(p *ProviderConfig, _ payment.Mode, key secret.Secret) (string, map[string]secret.Secret, error) {
				headers := map[string]secret.Secret{}
				if key != "" {
					headers["Authorization"] = "Bearer " + key
				}
				return p.BaseURL, headers, nil
			},
			func(o buildOptions) (provider.Provider, error) {
				return loopback.New(loopback.Options{
					Name: o.entry.Name, Account: o.entry.Account, Mode: o.mode, Zone: o.zone, References: o.places, By: o.entry.LookupBy,
				}, o.client)
			},
		},
	}
}

// online is one configured account that can be asked.
type online struct {
	entry    ProviderConfig
	mode     payment.Mode
	zone     *time.Location
	able     provider.Capabilities
	provider provider.Provider
	client   *httpx.Client
	key      secret.Secret
}

// online makes what asks the account of an entry. It sends nothing. urgent is
// for a person who waits. Its errors are *usageError and hold no secret.
func (d *deps) online(ctx context.Context, config *Config, entry ProviderConfig, urgent bool) (*online, error) {
	kind, ok := adapters()[entry.Type]
	if !ok {
		return nil, entry.problem(fmt.Errorf("unknown type %q: want one of %v", entry.Type, slices.Sorted(maps.Keys(adapters()))))
	}
	o := &online{entry: entry, zone: time.UTC}
	var err error
	if entry.Mode != "" {
		if o.mode, err = payment.ParseMode(entry.Mode); err != nil {
			return nil, entry.problem(err)
		}
	}
	build := buildOptions{entry: &o.entry, mode: o.mode, zone: o.zone, now: d.now}
	if build.places, err = config.places(&entry); err != nil {
		return nil, err
	}
	unasked, err := kind.build(build)
	if err != nil {
		return nil, entry.problem(err)
	}
	o.able = unasked.Capabilities()
	if o.zone, err = entry.zone(&o.able); err != nil {
		return nil, err
	}
	if o.client, o.key, err = d.client(ctx, config, o, kind, urgent); err != nil {
		return nil, err
	}
	build.zone, build.client, build.key = o.zone, o.client, o.key
	if o.provider, err = kind.build(build); err != nil {
		return nil, entry.problem(err)
	}
	return o, nil
}

// accounts makes what asks each entry, for a job that nobody waits for. done
// gives the connections back, also after an error.
func (d *deps) accounts(ctx context.Context, config *Config, entries []ProviderConfig) (all []*online, done func(), err error) {
	done = func() {
		for _, o := range all {
			o.client.Close()
		}
	}
	for _, entry := range entries {
		made, err := d.online(ctx, config, entry, false)
		if err != nil {
			return all, done, err
		}
		all = append(all, made)
	}
	return all, done, nil
}

// client makes what sends, with the credential that it sends; it sends nothing.
func (d *deps) client(ctx context.Context, config *Config, o *online, kind adapter, urgent bool) (*httpx.Client, secret.Secret, error) {
	p := &o.entry
	if (p.BaseURL != "") != (p.Type == loopbackType) {
		return nil, "", p.problem(errors.New("base_url: the loopback provider needs one, no other takes one"))
	}
	if p.RateShare < 0 || p.RateShare > 100 {
		return nil, "", p.problem(fmt.Errorf("rate_share %d: want 1 to 100 percent", p.RateShare))
	}
	if strings.Contains(p.Proxy, "@") {
		return nil, "", p.problem(errors.New("proxy: a user or password does not belong into the configuration"))
	}
	key, err := config.key(ctx, p, d.env)
	if err != nil {
		return nil, "", err
	}
	if folder, ok := demoFolder(p.BaseURL); ok {
		if p.BaseURL, key, err = d.stages.serve(folder, p.Name); err != nil {
			return nil, "", p.problem(err)
		}
	}
	address, headers, err := kind.connect(p, o.mode, key)
	if err != nil {
		return nil, "", p.problem(err)
	}
	var authority []byte
	if p.CAFile != "" {
		if authority, err = os.ReadFile(os.Expand(p.CAFile, d.env.get)); err != nil {
			return nil, "", p.problem(fmt.Errorf("ca_file: %w", err))
		}
	}
	chain, chainKey, err := p.certificate(d.env)
	if err != nil {
		return nil, "", err
	}
	asking := httpx.Options{
		BaseURL: address, Loopback: p.Type == loopbackType, UserAgent: "desfecho/" + thisBuild().Version, Secrets: headers,
		Proxy: secret.Secret(p.Proxy), CA: authority, Certificate: chain, Key: chainKey, Rate: o.able.Rate, Share: int(p.RateShare), Urgent: urgent, Now: d.now, Jitter: jitter,
	}
	if d.asking != nil {
		d.asking(&asking)
	}
	client, err := httpx.New(asking)
	if err != nil {
		return nil, "", p.problem(err)
	}
	return client, key, nil
}

// jitter keeps many that wait from asking at one moment.
func jitter(d time.Duration) time.Duration {
	return d/2 + rand.N(d/2+1)
}

// onlineEntries are the entries that a command is about: of the named
// providers, else all that can be asked.
func (c *Config) onlineEntries(names []string) ([]ProviderConfig, error) {
	if err := c.knows(names...); err != nil {
		return nil, err
	}
	var entries []ProviderConfig
	for _, p := range c.Providers {
		if p.online() && (len(names) == 0 || slices.Contains(names, p.Name)) {
			entries = append(entries, p)
		}
	}
	for _, name := range names {
		if !slices.ContainsFunc(entries, func(p ProviderConfig) bool { return p.Name == name }) {
			return nil, &usageError{
				err:  fmt.Errorf("provider %s has no type, so that it cannot be asked", name),
				hint: "say `type:` in its entry, or store a statement that you downloaded with --file",
			}
		}
	}
	if len(entries) == 0 {
		return nil, &usageError{
			err:  errors.New("no provider that can be asked is configured"),
			hint: "say `type:` in its entry under `providers:`, or store a statement that you downloaded with --file",
		}
	}
	return entries, nil
}
