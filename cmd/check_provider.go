package cmd

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"desfecho/internal/check"
	"desfecho/internal/payment"
	"desfecho/internal/probe"
	"desfecho/internal/provider"
	"desfecho/internal/pull"
	"desfecho/internal/secret"
)

// checkProviders asks every account a few questions that change nothing, and
// says in words what is wrong. It stores nothing.
func (d *deps) checkProviders(ctx context.Context, names []string, flags *pflag.FlagSet) error {
	ctx, cancel := d.limited(ctx)
	defer cancel()
	config, err := d.settings(flags)
	if err != nil {
		return err
	}
	entries, err := config.onlineEntries(names)
	if err != nil {
		return err
	}
	accounts, done, err := d.accounts(ctx, &config, entries)
	defer done()
	if err != nil {
		return err
	}
	looks := make([]*providerLook, len(accounts))
	for i, on := range accounts {
		looks[i] = &providerLook{online: on, d: d, access: accessOf(&on.entry, on.key)}
	}
	o := &onCall{deps: d, config: config}
	closed, err := o.stored(ctx)
	if err != nil {
		return err
	}
	var group sync.WaitGroup
	for _, l := range looks {
		group.Go(func() { l.err = l.look(ctx, o) })
	}
	group.Wait()
	err = closed()
	found, code := &check.Report{}, exitDone
	for _, l := range looks {
		err = errors.Join(err, l.err)
		found.Findings = append(found.Findings, l.findings...)
		code = worst(code, l.code(len(looks) == 1))
	}
	if err != nil {
		return err
	}
	return d.endCheck(ctx, found, code)
}

// stored opens what was stored, so that what is known can be asked about. There
// is nothing where the tables are not there yet.
func (o *onCall) stored(ctx context.Context) (closed func() error, err error) {
	nothing := func() error { return nil }
	if !o.config.Database.given() {
		return nothing, nil
	}
	s, err := o.openStore(ctx, &o.config, false)
	if err != nil {
		return nil, err
	}
	if err := s.CheckSchema(ctx); err != nil {
		return nothing, errors.Join(ignored(ctx, err), s.Close())
	}
	o.store = s
	return s.Close, nil
}

// providerLook is what is found out about one account.
type providerLook struct {
	*online
	d        *deps
	access   access
	findings []check.Finding
	clock    *time.Duration // how far the provider's is ahead; nil: it told none
	refused  bool
	silent   bool // something was not answered
	err      error
}

func (l *providerLook) add(name string, level check.Level, format string, args ...any) {
	l.findings = append(l.findings, check.Asked(name, l.entry.label(), level, format, args...))
}

// code is the account's: 8 where it is alone and refuses.
func (l *providerLook) code(alone bool) exitCode {
	worse := func(f check.Finding) bool { return f.Level == check.Fault }
	switch {
	case l.refused && alone:
		return exitCredentials
	case l.silent:
		return exitIncomplete
	case slices.ContainsFunc(l.findings, worse):
		return exitDivergences
	}
	return exitDone
}

// look asks. The error is the context's or the database's.
func (l *providerLook) look(ctx context.Context, o *onCall) (err error) {
	defer caught(&err)
	opens, told := l.provider.Identity(ctx)
	if err := context.Cause(ctx); err != nil {
		return err
	}
	asked, _ := errors.AsType[*provider.Error](told)
	switch {
	case told == nil:
		l.add(check.ProviderReach, check.OK, "it answers")
		if err := l.account(ctx, o, opens); err != nil {
			return err
		}
	case asked != nil && asked.Reason == provider.Credentials:
		l.refused, l.silent = true, true
		l.add(check.ProviderReach, check.OK, "it answers")
		l.add(check.ProviderAccount, check.Fault, "the credential is refused: %v", told)
	default:
		l.silent = true
		l.add(check.ProviderReach, check.Fault, "%v", told)
	}
	l.add(check.ProviderAccess, l.access.level, "%s", l.access.says)
	if told != nil {
		return nil
	}
	l.statements(ctx)
	l.clocks()
	return errors.Join(l.lookups(ctx, o), context.Cause(ctx))
}

// account compares whose account it is with whose statements are stored.
func (l *providerLook) account(ctx context.Context, o *onCall, opens provider.Identity) error {
	if opens.Mode != l.mode {
		l.add(check.ProviderAccount, check.Fault, "the credential is of mode %s, %s is configured", opens.Mode, l.mode)
		return nil
	}
	bound := ""
	if o.store != nil {
		view, err := o.store.View(ctx)
		if err != nil {
			return err
		}
		bound, err = pull.Bound(ctx, view, l.entry.Name, l.entry.Account, l.mode)
		if err = errors.Join(err, view.Close()); err != nil {
			return err
		}
	}
	switch bound {
	case opens.Account:
		l.add(check.ProviderAccount, check.OK, "it is %s, whose statements are stored", opens.Account)
	case "":
		l.add(check.ProviderAccount, check.OK, "it is %s; nothing of it is stored yet: the first pull binds it", opens.Account)
	default:
		l.add(check.ProviderAccount, check.Fault, "it is %s, and what is stored is of %s", opens.Account, bound)
	}
	return nil
}

// statements asks for the first page of yesterday's rows of each.
func (l *providerLook) statements(ctx context.Context) {
	yesterday := payment.DayOf(payment.InstantOf(l.d.now()), l.zone) - 1
	for _, s := range l.able.Statements {
		slice := payment.Interval{From: yesterday.Start(l.zone), To: (yesterday + 1).Start(l.zone)}
		if s.Slice.Max > 0 {
			slice.To = min(slice.To, slice.From.Add(s.Slice.Max))
		}
		sent := l.d.now()
		page, err := l.provider.Page(ctx, provider.Request{Statement: s.Name, Slice: slice})
		if err != nil {
			l.silent = true
			l.add(check.ProviderStatement, check.Fault, "%s: %v", s.Name, err)
			continue
		}
		l.add(check.ProviderStatement, check.OK, "%s is shown", s.Name)
		if page.Date != 0 {
			// The header has whole seconds, and was written between the two.
			middle := sent.Add(l.d.now().Sub(sent) / 2)
			ahead := page.Date.Sub(payment.InstantOf(middle))
			l.clock = &ahead
		}
	}
}

func (l *providerLook) clocks() {
	switch {
	case l.clock == nil:
		l.add(check.ProviderClock, check.Unknown, "cannot be seen: no answer told the time")
	case l.clock.Abs() > clockOff:
		l.add(check.ProviderClock, check.Warning, "its clock differs from this machine's by %s", l.clock.Round(time.Second))
	default:
		l.add(check.ProviderClock, check.OK, "less than %s apart", clockOff)
	}
}

// lookups asks, in each way, about an object that is known to exist.
func (l *providerLook) lookups(ctx context.Context, o *onCall) error {
	asking := &heard{Provider: l.provider}
	asker := &probe.Asker{Provider: asking, Name: l.entry.Name, Account: l.entry.Account, Mode: l.mode}
	if o.store != nil {
		view, err := o.store.View(ctx)
		if err != nil {
			return err
		}
		clock := &databaseClock{read: o.now}
		clock.set(view.Now())
		if err := view.Close(); err != nil {
			return err
		}
		asker.Now, asker.Known = clock.now, o.known(l.entry)
	}
	var done []string
	for _, way := range l.able.Lookups {
		name := way.Endpoint + " by " + wayOf(way.Key)
		if slices.Contains(done, name) {
			continue
		}
		done = append(done, name)
		asking.asked, asking.err = 0, nil
		shown := false
		if asker.Known != nil && ofSales(&way) {
			var err error
			if shown, err = asker.Controlled(ctx, way); err != nil {
				return err
			}
		}
		switch {
		case shown:
			l.add(check.ProviderLookup, check.OK, "%s shows what is known to exist", name)
		case asking.asked == 0:
			l.add(check.ProviderLookup, check.Unknown, "cannot be seen: %s: no object that it must show is known yet", name)
		case asking.err != nil:
			l.silent = true
			l.add(check.ProviderLookup, check.Fault, "%s: %v", name, asking.err)
		default:
			l.add(check.ProviderLookup, check.Fault, "%s does not show an object that exists", name)
		}
	}
	return nil
}

// ofSales tells whether a way to ask is about sales: of those alone objects are
// sure to be known.
func ofSales(way *provider.Lookup) bool {
	return way.Operations == nil || slices.Contains(way.Operations, payment.Charge)
}

// wayOf is what a look-up asks by, in words.
func wayOf(key payment.LookupKey) string {
	switch key.Kind {
	case payment.KeyUnit:
		return "id"
	case payment.KeyIdempotency:
		return "key"
	case payment.KeyReference:
	}
	return "reference " + key.Name
}

// heard is a provider that remembers what it was asked last.
type heard struct {
	provider.Provider
	asked int
	err   error
}

func (h *heard) LookUp(ctx context.Context, q provider.Question) (provider.Answer, error) {
	h.asked++
	answer, err := h.Provider.LookUp(ctx, q)
	h.err = err
	return answer, err
}

// access is what a credential may do, as far as that can be known.
type access struct {
	level check.Level
	says  string
}

// accessOf tells it by the form of the credential, by what the provider has no
// other of, by what a token is asked for, or else by the configuration.
func accessOf(p *ProviderConfig, key secret.Secret) access {
	scopes := func(scope string) bool { return !strings.HasSuffix(scope, ".read") }
	switch {
	case p.Type == "stripe" && strings.HasPrefix(key.Reveal(), "sk_"):
		return access{check.Warning, "a secret key (sk_…) may do everything: a restricted one (rk_…) can be made that only reads"}
	case p.Type == "pagarme", p.Type == "zoop":
		return access{check.Warning, "its keys may charge and refund: the provider has none that may only read"}
	case p.Type == "pix" && slices.ContainsFunc(p.Pix.Scopes, scopes):
		return access{check.Warning, "the token is asked for with a scope that may do more than read"}
	case p.Type == "pix":
		return access{check.OK, "the token is asked for with scopes that only read"}
	case p.KeyAccess == "full":
		return access{check.Warning, "it may do more than read: the configuration says so"}
	case p.KeyAccess == "read":
		return access{check.OK, "it may only read: the configuration says so"}
	}
	return access{check.Unknown, "cannot be seen: the provider does not tell what a credential may do; say it as key_access"}
}
