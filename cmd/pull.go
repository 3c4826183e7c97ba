package cmd

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"desfecho/internal/payment"
	"desfecho/internal/store"
)

const pullLong = `Store what providers say in desfecho's own tables, for reconcile to compare your
attempts with.

Without --file the configured providers that have a type are asked, all at once:
what was created, and what moved the balance, page by page. Each page is stored
whole with the place where reading goes on; a pull that was stopped goes on from
there, and one that is repeated changes nothing. What is asked for begins where
the last pull ended, with an overlap for late rows, unless you say otherwise.
What one provider fails at touches no other.

With --file it is a statement that you downloaded. The file is read whole before
anything is stored: a file that cannot be read leaves nothing behind. Storing it
again, or one that overlaps it, adds only what is more. A line that comes back
with another content is kept beside the first.

What the file proves absent depends on what it covers. Without --covers it covers
its own first day to the last but one; with it, what you claim. Coverage is stored
with the last page, so that an interrupted pull claims nothing.`

const pullExample = `  desfecho pull
  desfecho pull stripe --since 2025-11-01 --until 2025-12-01
  desfecho pull stripe --file balance-2025-11.csv --covers 2025-11-01..2025-12-01
  desfecho pull asaas --file extrato.csv --profile asaas-extrato --account acc_1`

// pullOptions is the command line of pull.
type pullOptions struct {
	provider string
	file     string
	profile  string
	account  string
	mode     string
	zone     string
	encoding string
	covers   string
	since    string
	until    string
	day      string
}

func newPullCommand(d *deps) *cobra.Command {
	o := &pullOptions{}
	c := &cobra.Command{
		Use:     "pull [PROVIDER…] | PROVIDER --file FILE",
		Short:   "Store what providers say in the database",
		Long:    pullLong,
		Example: pullExample,
		RunE: func(c *cobra.Command, args []string) error {
			if err := o.validate(); err != nil {
				return err
			}
			if o.file == "" {
				return d.pullOnline(c.Context(), o, args, c.Flags())
			}
			if err := oneArgument("provider")(c, args); err != nil {
				return err
			}
			o.provider = args[0]
			return d.pull(c.Context(), o, c.Flags())
		},
	}
	flags := c.Flags()
	flags.StringVar(&o.file, "file", "", "`file` of the provider's statement; - is the standard input")
	flags.StringVar(&o.profile, "profile", "", "profile of the file: a built-in `name` or a YAML file (default: as configured, else found out)")
	flags.StringVar(&o.account, "account", "", "`id` of the statement's account")
	flags.StringVar(&o.mode, "mode", "", "live or test: the `mode` of the statement")
	flags.StringVar(&o.zone, "zone", "", "IANA `zone` of the account: its days, and text without a zone")
	flags.StringVar(&o.encoding, "encoding", "", "`name` of the file's encoding, such as windows-1252 (default: found out)")
	flags.StringVar(&o.covers, "covers", "", "`FROM..TO` that the file was read to the end; TO is not included")
	flags.StringVar(&o.since, "since", "", "ask from this `DATE` or instant on (default: where the last pull ended)")
	flags.StringVar(&o.until, "until", "", "ask up to this `DATE` or instant, not included (default: now)")
	flags.StringVar(&o.day, "day", "", "ask about this one `DATE`")
	return c
}

// validate refuses flags of a file without one, and those of asking with one.
func (o *pullOptions) validate() error {
	of := map[string]string{
		"profile": o.profile, "account": o.account, "mode": o.mode, "zone": o.zone, "encoding": o.encoding, "covers": o.covers,
	}
	why := "is about a file: name it with --file"
	if o.file != "" {
		of = map[string]string{"since": o.since, "until": o.until, "day": o.day}
		why = "is about asking a provider: a file says with --covers what it holds"
	}
	for _, name := range slices.Sorted(maps.Keys(of)) {
		if of[name] != "" {
			return &usageError{err: fmt.Errorf("--%s %s", name, why), hint: "see `desfecho pull --help`"}
		}
	}
	return nil
}

// asStatement is the same statement as reconcile would be given it.
func (o *pullOptions) asStatement(config *Config) (*reconcileOptions, error) {
	list := func(text string) []string {
		if text == "" {
			return nil
		}
		return []string{text}
	}
	name := o.profile
	if entry, ok := config.provider(o.provider, o.account, o.mode); ok && name == "" && len(entry.Profiles) == 1 {
		name = entry.Profiles[0]
	}
	r := &reconcileOptions{
		statements: []string{o.file}, providers: []string{o.provider}, profiles: list(name), accounts: list(o.account),
		modes: list(o.mode), zones: list(o.zone), encodings: list(o.encoding), covers: list(o.covers),
	}
	if err := errors.Join(r.parseSpans(), r.parseWords()); err != nil {
		return nil, &usageError{err: err, hint: "see `desfecho pull --help`"}
	}
	return r, nil
}

// pull reads the file whole and then stores it.
func (d *deps) pull(ctx context.Context, o *pullOptions, flags *pflag.FlagSet) error {
	ctx, cancel := d.limited(ctx)
	defer cancel()
	config, err := d.settings(flags)
	if err != nil {
		return err
	}
	if err := config.knows(o.provider); err != nil {
		return err
	}
	statement, err := o.asStatement(&config)
	if err != nil {
		return err
	}
	return d.withStore(ctx, &config, func(s store.Store) error {
		r := &run{d: d, o: statement, config: config, now: payment.InstantOf(d.now())}
		source, err := r.planStatement(0, o.file)
		if err != nil {
			return err
		}
		progress := d.Progress("reading", r.bytes())
		file, err := r.readStatement(ctx, source, progress)
		progress.Done()
		if err != nil {
			return err
		}
		file.SetProvider(o.provider)
		for _, statement := range file.Statements {
			if err := config.knowsAccount(o.provider, statement.Account); err != nil {
				return err
			}
		}
		p := &pulling{d: d, store: s, file: file, name: nameOf(o.file), provider: o.provider, mode: source.options.Mode}
		if err := p.keep(ctx); err != nil {
			return err
		}
		return p.tell(ctx)
	})
}
