package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"desfecho/internal/payment"
	"desfecho/internal/provider"
	"desfecho/internal/pull"
	"desfecho/internal/runs"
	"desfecho/internal/store"
	"desfecho/internal/ui"
)

// pulled is what became of one account.
type pulled struct {
	*online
	report *pull.Report
	err    error
}

// pullGCPercent is for pages of which nothing is kept: little is alive at any
// moment, so that to collect it as often as usual is a tenth of all the work.
// With 400 it was no faster, and held 80 MB instead of 57.
const pullGCPercent = 200

// pullOnline asks all named providers at once. What one of them fails at
// touches no other.
func (d *deps) pullOnline(ctx context.Context, o *pullOptions, names []string, flags *pflag.FlagSet) error {
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
	window, err := o.window()
	if err != nil {
		return err
	}
	accounts, closed, err := d.accounts(ctx, &config, entries)
	defer closed()
	if err != nil {
		return err
	}
	all := make([]*pulled, len(accounts))
	for i, made := range accounts {
		all[i] = &pulled{online: made, report: &pull.Report{}}
	}
	return d.withStore(ctx, &config, func(s store.Store) error {
		bar := d.pullBar()
		defer debug.SetGCPercent(debug.SetGCPercent(pullGCPercent))
		var group sync.WaitGroup
		for _, p := range all {
			group.Go(func() { p.err = d.pullOne(ctx, s, p, window, bar) })
		}
		group.Wait()
		bar.done()
		return d.tellPulled(ctx, all)
	})
}

// pullWindow is what the flags say, in no zone yet.
type pullWindow struct{ day, since, until *moment }

func (o *pullOptions) window() (w pullWindow, err error) {
	if o.day != "" && (o.since != "" || o.until != "") {
		return w, &usageError{err: errors.New("--day and --since or --until contradict each other"), hint: "give one of the two"}
	}
	for _, flag := range []struct {
		name, text string
		to         **moment
	}{{"day", o.day, &w.day}, {"since", o.since, &w.since}, {"until", o.until, &w.until}} {
		if flag.text == "" {
			continue
		}
		m, err := parseMoment(flag.text)
		if err == nil && flag.name == "day" && m.day == 0 {
			err = fmt.Errorf("%q is no date", flag.text)
		}
		if err != nil {
			return w, &usageError{err: fmt.Errorf("--%s %w", flag.name, err)}
		}
		*flag.to = &m
	}
	return w, nil
}

// in is the window in an account's zone; what was left open is 0.
func (w pullWindow) in(zone *time.Location) (window payment.Interval) {
	if w.day != nil {
		return payment.Interval{From: w.day.day.Start(zone), To: (w.day.day + 1).Start(zone)}
	}
	if w.since != nil {
		window.From = w.since.in(zone)
	}
	if w.until != nil {
		window.To = w.until.in(zone)
	}
	return window
}

// pullOne reads one account under its lease.
func (d *deps) pullOne(ctx context.Context, s store.Store, p *pulled, window pullWindow, bar *pullBar) (err error) {
	defer caught(&err)
	lease, err := s.Acquire(ctx, p.entry.Name, p.entry.Account, d.owner(), leaseTime)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.release(ctx, s, lease)) }()
	began := d.now()
	p.report, err = pull.Pull(ctx, pull.Options{
		Store: s, Provider: p.provider, Lease: lease, Mode: p.mode, Zone: p.zone, Window: window.in(p.zone), Relook: runs.Relook,
		Since: func() time.Duration { return d.now().Sub(began) }, Progress: func(step pull.Step) { bar.add(p.online, step) },
	})
	d.log.InfoContext(ctx, "pulled", "provider", p.entry.Name, "account", p.entry.Account, "pages", p.report.Pages,
		"rows", p.report.Rows, "took", d.now().Sub(began))
	return err
}

// tellPulled prints one line for each account and what it lacks, and gives the
// exit code.
func (d *deps) tellPulled(ctx context.Context, all []*pulled) error {
	var errs []error
	code := exitDone
	for _, p := range all {
		if p.err != nil {
			errs = append(errs, p.stopped())
			continue
		}
		code = worst(code, p.code(len(all) == 1))
	}
	if len(errs) < len(all) && (!d.global.quiet || code != exitDone || d.global.toFile()) {
		if err := d.write(ctx, func(w io.Writer) error {
			for _, p := range all {
				if p.err != nil {
					continue
				}
				if err := p.write(w, d.global.jsonAsked()); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			return err
		}
	}
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	if code != exitDone {
		return verdictError(code)
	}
	return nil
}

// stopped says what an error in the middle leaves behind.
func (p *pulled) stopped() error {
	err := fmt.Errorf("%s: %w", p.entry.label(), p.err)
	if p.report.Pages == 0 {
		return err
	}
	return &stoppedError{err, fmt.Sprintf("%d pages of it were stored and stay; run it again, which goes on from there", p.report.Pages)}
}

// code is that of one account: 8 where a command about it alone was refused.
func (p *pulled) code(alone bool) exitCode {
	switch {
	case p.report.Whole():
		return exitDone
	case alone && p.report.Refused():
		return exitCredentials
	default:
		return exitIncomplete
	}
}

// clockOff is how far a provider's clock may be from the database's before it
// is worth a word.
const clockOff = 2 * time.Minute

func (p *pulled) write(w io.Writer, asJSON bool) error {
	if asJSON {
		return p.writeJSON(w)
	}
	r := p.report
	parts := []string{
		p.entry.label(),
		fmt.Sprintf("%d rows: %d lines new, %d later, %d restated, %d repeated", r.Rows, r.Counts.New, r.Counts.Later, r.Counts.Restated, r.Counts.Repeated),
		fmt.Sprintf("%d objects", r.Units),
	}
	parts = append(parts, p.covers()...)
	if r.ClockOff.Abs() > clockOff {
		parts = append(parts, fmt.Sprintf("its clock differs from the database's by %s", r.ClockOff.Round(time.Second)))
	}
	if !r.Whole() {
		parts = append(parts, "incomplete")
	}
	for i := range parts {
		parts[i] = ui.Clean(parts[i]).String()
	}
	if _, err := fmt.Fprintln(w, strings.Join(parts, " · ")); err != nil {
		return err
	}
	for _, text := range p.remarks() {
		if _, err := fmt.Fprintln(w, "  "+ui.Clean(text).String()); err != nil {
			return err
		}
	}
	return nil
}

// covers says up to when each statement was read.
func (p *pulled) covers() (parts []string) {
	for _, s := range p.able.Statements {
		covered := "read to nowhere"
		if reached, grade := p.reached(s.Name); reached != 0 {
			covered = fmt.Sprintf("to %s, %s", reached, grade)
		}
		parts = append(parts, s.Name+" "+covered)
	}
	return parts
}

// reached is the end of what was covered of a statement, and its least grade.
func (p *pulled) reached(statement string) (to payment.Instant, grade payment.Grade) {
	grade = payment.Proven
	for _, c := range p.report.Covered {
		if c.Name == statement {
			to, grade = max(to, c.Through), min(grade, c.Grade)
		}
	}
	return to, grade
}

// remarks are what was not read, and what was read and does not tie.
func (p *pulled) remarks() (texts []string) {
	for _, f := range p.report.Failures {
		if f.Statement == "" {
			texts = append(texts, f.Err.Error())
			continue
		}
		texts = append(texts, fmt.Sprintf("%s %s: %s", f.Statement, f.Slice, f.Err))
	}
	for _, doubt := range p.report.Doubts {
		texts = append(texts, doubt+": taken as assumed")
	}
	return texts
}

// pulledJSON is one account for a program.
type pulledJSON struct {
	Schema   int           `json:"schema"`
	Kind     string        `json:"kind"`
	Provider string        `json:"provider"`
	Account  string        `json:"account"`
	Mode     string        `json:"mode"`
	Rows     int           `json:"rows"`
	New      int           `json:"new"`
	Later    int           `json:"later"`
	Restated int           `json:"restated"`
	Repeated int           `json:"repeated"`
	Objects  int           `json:"objects"`
	Pages    int           `json:"pages"`
	Covers   []coverJSON   `json:"covers"`
	Failures []failureJSON `json:"failures"`
	Doubts   []string      `json:"doubts"`
}

type coverJSON struct {
	Statement string           `json:"statement"`
	Covers    payment.Interval `json:"covers"`
	Grade     string           `json:"grade"`
}

type failureJSON struct {
	Statement string           `json:"statement"`
	Unread    payment.Interval `json:"unread"`
	Reason    provider.Reason  `json:"reason"`
	Message   string           `json:"message"`
}

func (p *pulled) writeJSON(w io.Writer) error {
	r := p.report
	told := pulledJSON{
		Schema: 1, Kind: "pull", Provider: p.entry.Name, Account: p.entry.Account, Mode: p.mode.String(), Rows: r.Rows,
		New: r.Counts.New, Later: r.Counts.Later, Restated: r.Counts.Restated, Repeated: r.Counts.Repeated, Objects: r.Units, Pages: r.Pages,
		Covers: []coverJSON{}, Failures: []failureJSON{}, Doubts: append([]string{}, r.Doubts...),
	}
	for _, c := range r.Covered {
		told.Covers = append(told.Covers, coverJSON{c.Name, payment.Interval{From: c.From, To: c.Through}, c.Grade.String()})
	}
	for _, f := range r.Failures {
		told.Failures = append(told.Failures, failureJSON{f.Statement, f.Slice, f.Err.Reason, f.Err.Error()})
	}
	text, err := json.Marshal(told)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\n", text)
	return err
}

// pullBar is one bar over all accounts: slices read, rows a second, time left.
type pullBar struct {
	d     *deps
	began time.Time

	mu    sync.Mutex
	bar   *ui.Progress
	rows  int64
	total map[*online]int64
}

func (d *deps) pullBar() *pullBar {
	return &pullBar{d: d, began: d.now(), bar: d.Progress("pulling", 1), total: map[*online]int64{}}
}

func (b *pullBar) add(p *online, step pull.Step) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rows += int64(step.Rows)
	b.total[p] = int64(step.Total)
	total := int64(0)
	for _, t := range b.total {
		total += t
	}
	b.bar.Total(total)
	if seconds := int64(b.d.now().Sub(b.began) / time.Second); seconds > 0 {
		b.bar.Describe(fmt.Sprintf("%d rows, %d a second", b.rows, b.rows/seconds))
	}
	b.bar.Add(int64(step.Slices))
}

func (b *pullBar) done() { b.bar.Done() }
