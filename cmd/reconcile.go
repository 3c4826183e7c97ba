package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"desfecho/internal/payment"
	"desfecho/reconcile"
)

const reconcileLong = `Compare the attempts that you recorded with the provider's statements, and say
of every line and every attempt where it stands.

--statement may be given several times: an object list and a ledger, or several
providers. --profile, --provider, --account, --mode, --zone, --encoding and --covers
belong to the statements: give each once for all of them, or once per --statement,
in the same order. Without --profile the file's headings tell which built-in one fits.

What a file proves absent depends on what it covers. Without --covers a statement
covers its own first day to the last but one; with it, what you claim. The report
shows which.

Nothing but the report is written, and nothing is sent anywhere.

Without --attempts and --statement the two sides are those of the configured
database: your described attempts and what pull stored, of all providers or of
those that are named. The run and what it found are saved in desfecho's own tables,
so that the next one knows what is new. Without --day or --since and --until it
looks from the oldest day that is not closed to the newest that was read, and at
least relook (7 days) back; open attempts and open divergences are always in it.

Where no person looks, that is without a terminal, -o, --format or --always, a run
over the database prints only what is new: divergences that came, changed or
ended, and open attempts that wait too long. Where there is nothing new it prints
nothing. Its exit code says what stands, new or not.`

const reconcileExample = `  desfecho reconcile --attempts attempts.csv --statement stripe.csv
  desfecho reconcile --attempts attempts.csv --statement stripe.csv \
      --covers 2025-11-01..2025-12-01 --zone America/Sao_Paulo --day 2025-11-29
  desfecho reconcile --attempts attempts.csv --statement list.csv --statement ledger.csv \
      --profile generic --profile asaas-extrato --format json -o report.json
  desfecho reconcile                               over the configured database
  desfecho reconcile stripe --day 2025-11-29 --always`

// reconcileOptions is the command line of reconcile.
type reconcileOptions struct {
	attempts         string
	attemptsProfile  string
	attemptsZone     string
	attemptsEncoding string
	attemptsCover    []string

	statements []string
	profiles   []string
	providers  []string
	accounts   []string
	modes      []string
	zones      []string
	encodings  []string
	covers     []string

	day            string
	since          string
	until          string
	asOf           string
	succeededMeans string
	failOn         string
	always         bool

	parsed parsedOptions
}

// parsedOptions is what validate read out of the texts.
type parsedOptions struct {
	attemptsCover  []span
	covers         []span
	modes          []payment.Mode
	zones          []*time.Location
	attemptsZone   *time.Location
	day            *moment
	since          *moment
	until          *moment
	asOf           payment.Instant // 0: the machine's clock
	succeededMeans reconcile.Means // 0: not said
}

func newReconcileCommand(d *deps) *cobra.Command {
	o := &reconcileOptions{}
	c := &cobra.Command{
		Use:     "reconcile [PROVIDER…] [--attempts FILE --statement FILE…]",
		Short:   "Compare attempts with statements and report what differs",
		Long:    reconcileLong,
		Example: reconcileExample,
		Args:    cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if err := errors.Join(o.validateSource(args, c.Flags()), o.validate()); err != nil {
				return &usageError{err: err, hint: "see `desfecho reconcile --help`"}
			}
			return d.reconcile(c.Context(), o, args, c.Flags())
		},
	}
	o.addFlags(c.Flags())
	return c
}

func (o *reconcileOptions) addFlags(flags *pflag.FlagSet) {
	flags.StringVar(&o.attempts, "attempts", "", "`file` of your attempts; - is the standard input")
	flags.StringArrayVar(&o.statements, "statement", nil, "`file` of the provider's statement; may be given several times")
	flags.StringArrayVar(&o.profiles, "profile", nil, "profile of the statement: a built-in `name` or a YAML file")
	flags.StringVar(&o.attemptsProfile, "attempts-profile", "", "profile of the attempts: a built-in `name` or a YAML file")
	flags.StringArrayVar(&o.providers, "provider", nil, "`name` of the statement's provider, as in your attempts")
	flags.StringArrayVar(&o.accounts, "account", nil, "`id` of the statement's account")
	flags.StringArrayVar(&o.modes, "mode", nil, "live or test: the `mode` of the statement (default live)")
	flags.StringArrayVar(&o.zones, "zone", nil, "IANA `zone` of the account: its days, and text without a zone")
	flags.StringVar(&o.attemptsZone, "attempts-zone", "", "IANA `zone` of instants in the attempts that have none")
	flags.StringArrayVar(&o.encodings, "encoding", nil, "`name` of the statement's encoding, such as windows-1252 (default: found out)")
	flags.StringVar(&o.attemptsEncoding, "attempts-encoding", "", "`name` of the attempts' encoding")
	flags.StringArrayVar(&o.covers, "covers", nil, "`FROM..TO` that the statement was read to the end; TO is not included")
	flags.StringArrayVar(&o.attemptsCover, "attempts-cover", nil, "`FROM..TO` of created_at that the attempts hold whole; may be given several times")
	flags.StringVar(&o.day, "day", "", "compare this `date` in the account's zone")
	flags.StringVar(&o.since, "since", "", "compare from this `moment` on")
	flags.StringVar(&o.until, "until", "", "compare up to this `moment`, which is not included")
	flags.StringVar(&o.asOf, "as-of", "", "`instant` to compare at, such as 2025-11-30T09:00:00-03:00 (default: the machine's clock)")
	flags.StringVar(&o.succeededMeans, "succeeded-means", "", "what `succeeded` says in your attempts: created, authorized or captured")
	flags.StringVar(&o.failOn, "fail-on", "", "exit 3 from this `severity` on: P1 to P4, or never (default P2)")
	flags.BoolVar(&o.always, "always", false, "over the database: print the whole report also where nothing is new")
}

// validate reads every text that needs no file, and refuses contradictions.
func (o *reconcileOptions) validate() error {
	if err := o.validateCounts(); err != nil {
		return err
	}
	if o.day != "" && (o.since != "" || o.until != "") {
		return errors.New("--day contradicts --since and --until: give one or the other")
	}
	for _, parse := range []func() error{o.parseMoments, o.parseSpans, o.parseWords} {
		if err := parse(); err != nil {
			return err
		}
	}
	return nil
}

// overDatabase tells whether the two sides are the configured database's.
func (o *reconcileOptions) overDatabase() bool { return o.attempts == "" && len(o.statements) == 0 }

// validateSource refuses half of the files, and flags of the other source.
func (o *reconcileOptions) validateSource(providers []string, flags *pflag.FlagSet) error {
	if !o.overDatabase() {
		switch {
		case o.attempts == "" || len(o.statements) == 0:
			return errors.New("of files reconcile needs --attempts and at least one --statement")
		case len(providers) > 0:
			return fmt.Errorf("of files the provider is named by --provider, not as %q", providers[0])
		case o.always:
			return errors.New("--always is for runs over the database: of files everything is printed")
		}
		return nil
	}
	var wrong error
	flags.Visit(func(f *pflag.Flag) {
		if slices.Contains(fileFlags(), f.Name) {
			wrong = fmt.Errorf("--%s is for files: give --attempts and --statement too", f.Name)
		}
	})
	return wrong
}

// fileFlags lists the flags that say something of files.
func fileFlags() []string {
	return []string{
		"profile", "attempts-profile", "provider", "account", "mode", "zone", "attempts-zone", "encoding", "attempts-encoding", "covers",
	}
}

// validateCounts wants each list once for all statements or once per statement.
func (o *reconcileOptions) validateCounts() error {
	inputs := 0
	for _, path := range append([]string{o.attempts}, o.statements...) {
		if path == "-" {
			inputs++
		}
	}
	if inputs > 1 {
		return errors.New("the standard input can be only one of the files")
	}
	for _, list := range []struct {
		flag   string
		values []string
	}{
		{"profile", o.profiles},
		{"provider", o.providers},
		{"account", o.accounts},
		{"mode", o.modes},
		{"zone", o.zones},
		{"encoding", o.encodings},
		{"covers", o.covers},
	} {
		if n := len(list.values); n > 1 && n != len(o.statements) {
			return fmt.Errorf("--%s is given %d times for %d statements: give it once for all, or once per --statement", list.flag, n, len(o.statements))
		}
	}
	return nil
}

func (o *reconcileOptions) parseMoments() error {
	for _, m := range []struct {
		flag, text string
		target     **moment
	}{
		{"day", o.day, &o.parsed.day},
		{"since", o.since, &o.parsed.since},
		{"until", o.until, &o.parsed.until},
	} {
		if m.text == "" {
			continue
		}
		read, err := parseMoment(m.text)
		if err != nil {
			return fmt.Errorf("--%s %w", m.flag, err)
		}
		*m.target = &read
	}
	if o.parsed.day != nil && o.parsed.day.day == 0 {
		return fmt.Errorf("--day %q: want a date, such as 2025-11-29", o.day)
	}
	if o.asOf != "" {
		read, err := parseMoment(o.asOf)
		if err != nil || read.day != 0 {
			return fmt.Errorf("--as-of %q: want an instant with its offset, such as 2025-11-30T09:00:00-03:00", o.asOf)
		}
		o.parsed.asOf = read.instant
	}
	return nil
}

func (o *reconcileOptions) parseSpans() error {
	for _, list := range []struct {
		flag   string
		texts  []string
		target *[]span
	}{{"covers", o.covers, &o.parsed.covers}, {"attempts-cover", o.attemptsCover, &o.parsed.attemptsCover}} {
		for _, text := range list.texts {
			read, err := parseSpan(text)
			if err != nil {
				return fmt.Errorf("--%s %w", list.flag, err)
			}
			*list.target = append(*list.target, read)
		}
	}
	return nil
}

func (o *reconcileOptions) parseWords() error {
	for _, word := range o.modes {
		mode, err := payment.ParseMode(word)
		if err != nil {
			return fmt.Errorf("--mode: %w", err)
		}
		o.parsed.modes = append(o.parsed.modes, mode)
	}
	for _, name := range o.zones {
		zone, err := loadZone(name)
		if err != nil {
			return fmt.Errorf("--zone %w", err)
		}
		o.parsed.zones = append(o.parsed.zones, zone)
	}
	if o.attemptsZone != "" {
		zone, err := loadZone(o.attemptsZone)
		if err != nil {
			return fmt.Errorf("--attempts-zone %w", err)
		}
		o.parsed.attemptsZone = zone
	}
	if o.succeededMeans != "" {
		means, err := reconcile.ParseMeans(o.succeededMeans)
		if err != nil {
			return fmt.Errorf("--succeeded-means: %w", err)
		}
		o.parsed.succeededMeans = means
	}
	if o.failOn != "" {
		if _, err := parseFailOn(o.failOn); err != nil {
			return fmt.Errorf("--fail-on: %w", err)
		}
	}
	return nil
}

// each picks the value of statement i from a list that holds one for all or
// one per statement; the zero value where it is empty.
func each[T any](values []T, i int) (value T) {
	switch len(values) {
	case 0:
		return value
	case 1:
		return values[0]
	default:
		return values[i]
	}
}

// reconcile compares under the user's configuration.
func (d *deps) reconcile(ctx context.Context, o *reconcileOptions, providers []string, flags *pflag.FlagSet) error {
	ctx, cancel := d.limited(ctx)
	defer cancel()
	config, err := d.settings(flags)
	if err != nil {
		return err
	}
	if o.overDatabase() {
		return d.reconcileDatabase(ctx, o, config, providers)
	}
	return d.compare(ctx, o, config)
}

// compare reads the files, judges them and writes the report.
func (d *deps) compare(ctx context.Context, o *reconcileOptions, config Config) error {
	run, err := d.newRun(o, config)
	if err != nil {
		return err
	}
	if err := run.read(ctx); err != nil {
		return err
	}
	input, err := run.input()
	if err != nil {
		return err
	}
	if len(run.sales) > 0 && !reconcile.Open(input).AddSales(run.sales) { // a policy has more to ask of them
		if err := run.readWhole(ctx); err != nil {
			return err
		}
		if input, err = run.input(); err != nil {
			return err
		}
	}
	began := d.now()
	result, err := match(ctx, input, func(in reconcile.Input) reconcile.Result {
		return reconcile.MatchBeside(in, run.sales)
	})
	if err != nil {
		return err
	}
	d.log.InfoContext(ctx, "compared", "attempts", result.Counts.Attempts, "lines", result.Counts.Lines, "units", result.Counts.Units,
		"divergences", len(result.Divergences), "took", d.now().Sub(began))
	return run.report(ctx, result)
}
