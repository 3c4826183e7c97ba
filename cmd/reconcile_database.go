package cmd

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"desfecho/internal/partition"
	"desfecho/internal/payment"
	"desfecho/internal/profile"
	"desfecho/internal/runs"
	"desfecho/internal/store"
	"desfecho/reconcile"
)

// judgeGCPercent is for parts in memory that is used again: what is made on top
// is better collected early than kept beside them.
const judgeGCPercent = 40

// loadGCPercent is for reading rows of which little is kept: to collect often
// is dear, and the judge needs more room anyway.
const loadGCPercent = 200

// databaseRun is one comparison over the database, and what it remembers.
type databaseRun struct {
	d         *deps
	o         *reconcileOptions
	config    Config
	failOn    reconcile.Severity
	format    string
	relook    time.Duration
	providers []string
	began     payment.Instant

	store    store.Store
	policies []reconcile.Policy
	leases   []store.Lease
	loaded   *store.Loaded
	newest   payment.Instant // up to which anything was read
	others   string          // attempts of the window whose provider is not configured, in words
	late     map[string]bool // open attempts past review_after
	result   *reconcile.Result
	changes  runs.Changes
	lapsed   []store.Note // decisions of people that do not hold any more
	id       string       // "": not saved
}

// reconcileDatabase compares what the database holds, saves what was concluded
// and tells what is new.
func (d *deps) reconcileDatabase(ctx context.Context, o *reconcileOptions, config Config, providers []string) error {
	r, err := d.newDatabaseRun(o, config, providers)
	if err != nil {
		return err
	}
	return d.withStore(ctx, &config, func(s store.Store) (err error) {
		r.store = s
		if err := r.lease(ctx); err != nil {
			return err
		}
		defer func() { err = after(err, d.releaseAll(ctx, s, r.leases), "the run was saved and told") }()
		if err := r.conclude(ctx); err != nil {
			return err
		}
		if err := r.report(ctx); err != nil {
			return r.untold(err)
		}
		return after(endWith(r.code()), r.told(ctx), "the run was saved and told; the next one tells it again")
	})
}

func (d *deps) newDatabaseRun(o *reconcileOptions, config Config, providers []string) (*databaseRun, error) {
	r := &databaseRun{d: d, o: o, config: config, providers: distinct(providers), began: payment.InstantOf(d.now())}
	if len(providers) == 0 {
		r.providers = config.providerNames()
	}
	if !config.Database.given() {
		return nil, errNoDatabase()
	}
	if err := config.knows(r.providers...); err != nil {
		return nil, err
	}
	if len(r.providers) == 0 {
		return nil, &usageError{err: errors.New("no provider is configured"), hint: "add one under `providers:`, named as in your attempts"}
	}
	if config.described() == nil {
		return nil, &usageError{err: errors.New("no attempts table is described"), hint: "describe it under `attempts:`; see `desfecho help database`"}
	}
	var err error
	if r.format, err = r.d.reportFormat(config.Format); err != nil {
		return nil, err
	}
	if r.failOn, err = parseFailOn(config.FailOn); err != nil {
		return nil, &usageError{err: err}
	}
	if r.relook, err = parseDuration(config.Relook); err != nil {
		return nil, &usageError{err: fmt.Errorf("configuration, relook %w", err)}
	}
	if err := d.checkOutput(); err != nil {
		return nil, err
	}
	return r, nil
}

// view reads from one snapshot.
func (r *databaseRun) view(ctx context.Context, read func(store.View) error) (err error) {
	view, err := r.store.View(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, view.Close()) }()
	return read(view)
}

// lease takes the accounts that the run is about, so that neither a pull nor
// another run writes them meanwhile.
func (r *databaseRun) lease(ctx context.Context) error {
	var accounts []runs.Account
	err := r.view(ctx, func(view store.View) error {
		if err := r.learn(ctx, view); err != nil {
			return err
		}
		coverage, err := view.Coverage(ctx, r.providers)
		accounts = runs.Accounts(r.policies, coverage)
		return err
	})
	if err != nil {
		return err
	}
	r.leases, err = r.d.acquireAll(ctx, r.store, accounts)
	return err
}

// learn makes the policies anew from what is stored.
func (r *databaseRun) learn(ctx context.Context, view store.View) error {
	r.policies = nil
	for _, name := range r.providers {
		policy, err := r.databasePolicy(ctx, view, name)
		if err != nil {
			return err
		}
		r.policies = append(r.policies, policy)
	}
	return nil
}

// conclude compares and saves. Where another run was saved meanwhile it does
// both once more.
func (r *databaseRun) conclude(ctx context.Context) error {
	err := r.compareAndSave(ctx)
	if errors.Is(err, store.ErrMoved) {
		err = r.compareAndSave(ctx)
	}
	return err
}

func (r *databaseRun) compareAndSave(ctx context.Context) (err error) {
	defer func() { err = errors.Join(err, r.loaded.Close()) }()
	if err := r.load(ctx); err != nil {
		return err
	}
	defer debug.SetGCPercent(debug.SetGCPercent(judgeGCPercent))
	began := r.d.now()
	result, err := r.judge(ctx)
	if err != nil {
		return err
	}
	r.d.log.InfoContext(ctx, "compared", "attempts", result.Counts.Attempts, "lines", result.Counts.Lines, "units", result.Counts.Units,
		"divergences", len(result.Divergences), "took", r.d.now().Sub(began))
	r.result = result
	if err := r.view(ctx, func(view store.View) error {
		notes, err := view.Notes(ctx, runs.IDs(result))
		r.lapsed = runs.Apply(result, notes)
		return err
	}); err != nil {
		return err
	}
	result.PutAside()
	r.changes = runs.Since(r.loaded.Input.Previous, result)
	return r.save(ctx)
}

// judge compares part by part, and notes which open attempts wait too long.
func (r *databaseRun) judge(ctx context.Context) (result *reconcile.Result, err error) {
	defer caught(&err)
	in := &r.loaded.Input
	r.late = map[string]bool{}
	m := reconcile.Open(*in)
	var mutex sync.Mutex // of r.late
	err = r.loaded.Rows.Parts(partition.ShardRows, runtime.GOMAXPROCS(0), func(p reconcile.Part) (err error) {
		defer caught(&err)
		m.Add(p)
		late := runs.PastReview(p.Attempts, in.Policies, in.Now)
		mutex.Lock()
		defer mutex.Unlock()
		for _, id := range late {
			r.late[id] = true
		}
		return context.Cause(ctx)
	})
	if err != nil {
		return nil, err
	}
	concluded := m.Result()
	return &concluded, nil
}

// load reads what the run is about from one snapshot.
func (r *databaseRun) load(ctx context.Context) error {
	return r.view(ctx, func(view store.View) error {
		if err := r.learn(ctx, view); err != nil {
			return err
		}
		scope := store.Scope{Now: view.Now(), Policies: r.policies}
		if r.o.parsed.asOf != 0 {
			scope.Now = r.o.parsed.asOf
		}
		var err error
		var wanted map[string]payment.Interval
		if scope.Window, wanted, err = r.window(ctx, view, scope.Now); err != nil {
			return err
		}
		if r.others, err = r.strangers(ctx, view, scope.Window); err != nil {
			return err
		}
		began := r.d.now()
		defer debug.SetGCPercent(debug.SetGCPercent(loadGCPercent))
		if r.loaded, err = view.Load(ctx, scope); err != nil {
			return err
		}
		rows := r.loaded.Rows.Counts()
		r.d.log.InfoContext(ctx, "loaded", "window", scope.Window.String(), "attempts", rows.Attempts, "lines", rows.Lines, "took", r.d.now().Sub(began))
		r.loaded.Input.WantedBy = wanted
		r.ownSide(&r.loaded.Input)
		return saysMeans(r.loaded)
	})
}

// ownSide lays --attempts-cover over what the database itself said.
func (r *databaseRun) ownSide(in *reconcile.Input) {
	if len(r.o.parsed.attemptsCover) == 0 {
		in.OwnGrade = payment.Proven // one snapshot of the table
		return
	}
	var said []payment.Interval
	for _, span := range r.o.parsed.attemptsCover {
		covers := span.in(r.policies[0].Zone)
		for _, there := range in.OwnSide {
			covers = payment.Interval{From: max(covers.From, there.From), To: min(covers.To, there.To)}
		}
		said = append(said, covers)
	}
	in.OwnSide, in.OwnGrade = said, payment.Claimed
}

// window is what was asked for, else what RULES §8 says, and of that what each
// provider must hold.
func (r *databaseRun) window(ctx context.Context, view store.View, now payment.Instant) (window payment.Interval, by map[string]payment.Interval, err error) {
	reach := runs.Reach{}
	if reach.Coverage, err = view.Coverage(ctx, r.providers); err != nil {
		return window, nil, err
	}
	r.newest = runs.Newest(reach.Coverage)
	p := r.o.parsed
	if p.day == nil && p.since == nil && p.until == nil {
		if reach.Closed, err = view.ClosedDays(ctx, r.providers); err != nil {
			return window, nil, err
		}
		if reach.Late, err = view.LateDays(ctx, r.providers); err != nil {
			return window, nil, err
		}
		if window, by = runs.Window(reach, r.policies, r.relook, now); window.Empty() {
			return window, nil, &uncoveredError{r.providers}
		}
		return window, by, nil
	}
	zone, err := databaseZone(r.policies)
	if err != nil {
		return window, nil, err
	}
	window, err = r.o.windowIn(zone, held(reach.Coverage), now)
	return window, nil, err
}

// uncoveredError is that there is nothing to compare with yet.
type uncoveredError struct{ providers []string }

func (e *uncoveredError) Error() string {
	return fmt.Sprintf("no statement of %s covers anything yet; nothing was judged", count(e.providers))
}

// Hint says what to do about it.
func (e *uncoveredError) Hint() string {
	return "store one with `desfecho pull`, and say what it covers with --covers"
}

// windowIn is the window that the flags name; what they leave open is taken
// from whole.
func (o *reconcileOptions) windowIn(zone *time.Location, whole payment.Interval, now payment.Instant) (payment.Interval, error) {
	p, text := o.parsed, "--since/--until"
	if p.day != nil {
		text = "--day " + o.day
		whole = payment.Interval{From: p.day.day.Start(zone), To: (p.day.day + 1).Start(zone)}
	}
	if p.since != nil {
		whole.From = p.since.in(zone)
	}
	if p.until != nil {
		whole.To = p.until.in(zone)
	}
	// What lies ahead is empty still: only a window that begins there is none.
	return whole, profile.CheckPeriod(text, payment.Interval{From: whole.From, To: min(whole.To, max(now, whole.From))}, 0)
}

// save writes the run, unless it found a defect of the program: then no
// divergence changes its state (RULES §5).
func (r *databaseRun) save(ctx context.Context) error {
	if r.result.Defect != "" {
		return nil
	}
	saved := store.Run{
		At: r.result.Now, Began: r.began, Program: thisBuild().Version, Providers: r.providers, Loaded: r.loaded.From, Result: r.result,
		Lapsed: r.lapsed,
	}
	var err error
	if saved.ID, err = runs.ID(&saved); err != nil {
		return err
	}
	if err = r.store.SaveRun(ctx, r.leases, saved); err == nil {
		r.id = saved.ID
	}
	return err
}
