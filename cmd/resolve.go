package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"desfecho/internal/audit"
	"desfecho/internal/payment"
	"desfecho/internal/provider"
	"desfecho/internal/settle"
	"desfecho/internal/store"
	"desfecho/internal/ui"
	"desfecho/report"
	"desfecho/resolve"
)

const resolveLong = `Settle one stuck attempt. The provider is asked by every key, the screen shows
both sides, which marks the evidence allows and why, and exactly what would be
written. To confirm, type the mark and the amount as the screen says, such as
"failed 250.00"; anything else leaves the attempt alone.

Right before the write the row and the decisive answer are read once more. The
write is one conditional update of this one attempt, with the follow-ups that
your configuration declares for it, in one transaction with its entry in the
audit. If somebody else was first nothing is written, and the screen says who.
Nothing is ever sent, captured, refunded or canceled at the provider.

There is no --yes, no list and no id on the standard input: a person types on a
terminal. Without one the same screen is printed and the exit code is 6. Without
an ID the stuck attempts come one after the other, in the order of desfecho
stuck; type skip or stop at any of them.

EXIT STATUS
  0  written, or nothing is stuck
  2  there is no such attempt, or the configuration cannot be used
  5  the attempt moved meanwhile, changed or is gone: nothing was written
  6  not confirmed, not offered, or nobody there: nothing was written
  7  sent, and its outcome is not known yet: run it again
  8  the provider refused the credentials, and without its answer no mark is offered`

type resolveOptions struct {
	as       string
	unit     string
	reason   string
	operator string
	dryRun   bool
}

func newResolveCommand(d *deps) *cobra.Command {
	o := &resolveOptions{}
	c := &cobra.Command{
		Use:     "resolve [ID]",
		Short:   "Settle one stuck attempt, on evidence, after a person confirmed it",
		Long:    resolveLong,
		Example: "  desfecho resolve 4711\n  desfecho resolve 4711 --as failed --reason \"provider's support, ticket 88\"\n  desfecho resolve",
		Args:    atMostOne("attempt"),
		RunE: func(c *cobra.Command, args []string) error {
			mark, err := o.mark()
			if err != nil {
				return err
			}
			id := ""
			if len(args) > 0 {
				id = args[0]
			}
			return d.resolve(c.Context(), o, mark, id, c.Flags())
		},
	}
	flags := c.Flags()
	flags.StringVar(&o.as, "as", "", "the only `mark` to offer: succeeded, failed or unknown")
	flags.StringVar(&o.unit, "unit", "", "the `object` of the provider that it is, where several would do")
	flags.StringVar(&o.reason, "reason", "", "`words` that the audit keeps with the mark")
	flags.StringVar(&o.operator, "operator", "", "`name` of the person who settles (default: the variable USER)")
	flags.BoolVar(&o.dryRun, "dry-run", false, "show all of it, and write nothing")
	return c
}

// mark is the one that --as names, Keep where none is.
func (o *resolveOptions) mark() (resolve.Mark, error) {
	if o.as == "" {
		return resolve.Keep, nil
	}
	for mark := range resolve.Keep {
		if mark.String() == o.as {
			return mark, nil
		}
	}
	return 0, &usageError{err: fmt.Errorf("--as %q: want succeeded, failed or unknown", o.as)}
}

func atMostOne(what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) <= 1 {
			return nil
		}
		return &usageError{
			err:  fmt.Errorf("%s takes one %s at a time, got %d", c.CommandPath(), what, len(args)),
			hint: "settle them one after the other: each on its own evidence",
		}
	}
}

// settling is one person at the desk.
type settling struct {
	*onCall
	o        *resolveOptions
	mark     resolve.Mark
	operator string
	terminal *ui.Terminal // nil: nobody is there
	// otherwise says what else than a mark can be typed; "": anything, to leave.
	otherwise string
}

func (d *deps) resolve(ctx context.Context, opts *resolveOptions, mark resolve.Mark, id string, flags *pflag.FlagSet) error {
	config, err := d.settings(flags)
	if err != nil {
		return err
	}
	operator, err := d.operator(opts.operator)
	if err != nil {
		return err
	}
	return d.withDesk(ctx, config, true, func(o *onCall) (err error) {
		if o.desk.Login, err = o.store.Ready(ctx); err != nil {
			return err
		}
		if err := o.settleIntents(ctx); err != nil {
			return err
		}
		s := &settling{onCall: o, o: opts, mark: mark, operator: operator}
		if !opts.dryRun {
			s.terminal, err = ui.OpenTerminal()
			if err != nil && !errors.Is(err, ui.ErrNoTerminal) {
				return err
			}
		}
		if s.terminal != nil {
			defer func() { err = errors.Join(err, s.terminal.Close()) }()
		}
		if id != "" {
			return s.one(ctx, id)
		}
		return s.all(ctx)
	})
}

// settleIntents finds out what became of operations whose outcome is not
// known, and says so.
func (o *onCall) settleIntents(ctx context.Context) error {
	entries, err := settle.Intents(ctx, o.store, thisBuild().Version)
	for i := range entries {
		e := &entries[i]
		what := "was written"
		if e.Kind == audit.Abandoned {
			what = "was not written, and will not be"
		}
		text := fmt.Sprintf("an earlier operation: attempt %s as %s %s (audit %d)", e.Attempt, e.Mark, what, e.Seq)
		if _, err := fmt.Fprintln(o.Err, ui.Clean(text).String()); err != nil {
			return err
		}
	}
	return err
}

// all walks through the stuck attempts, one at a time.
func (s *settling) all(ctx context.Context) error {
	list, err := s.desk.List(ctx, s.config.providerNames())
	if err != nil {
		return err
	}
	if len(list) == 0 {
		_, err := fmt.Fprintln(s.Err, "no attempt is stuck")
		return err
	}
	if s.terminal == nil && !s.o.dryRun {
		return &refusedError{err: errors.New("there is no terminal, and so nobody who could confirm"), hint: "`desfecho stuck` lists them"}
	}
	w := walk{settling: s, ids: make([]string, len(list))}
	for i := range list {
		w.ids[i] = list[i].Seen.Attempt.ID
	}
	return w.all(ctx)
}

// one leads one attempt to its outcome, or leaves it alone.
func (s *settling) one(ctx context.Context, id string) error {
	picture, err := s.desk.Look(ctx, id, s.o.unit)
	if err != nil {
		return attemptNotFound(id, err)
	}
	for {
		offers, err := s.show(ctx, picture)
		if err != nil {
			return err
		}
		if err := s.stops(picture, offers); err != nil || s.o.dryRun {
			return err
		}
		offer, err := s.confirmed(ctx, id, offers)
		if err != nil {
			return err
		}
		outcome, err := s.desk.Settle(ctx, picture, settle.Confirmation{Mark: offer.Mark, Operator: s.operator, Reason: s.o.reason})
		switch {
		case errors.Is(err, settle.ErrStale):
			if err := s.say("the answers above were too old to be confirmed: the provider was asked again\n\n"); err != nil {
				return err
			}
			continue
		case errors.Is(err, settle.ErrDiffers):
			if _, again := s.show(ctx, picture); again != nil {
				return again
			}
			if refused := keyRefused(picture); refused != nil {
				return refused
			}
			return fmt.Errorf("attempt %s: %w", id, err)
		case err != nil:
			return err
		}
		return s.told(&outcome)
	}
}

// show draws the screen where the person is, and lists the marks that can be
// confirmed.
func (s *settling) show(ctx context.Context, p *settle.Picture) ([]*resolve.Offer, error) {
	screen, err := s.screen(p, false)
	if err != nil {
		return nil, err
	}
	if screen.Business, err = s.business(ctx, p.Seen.Attempt.Charge); err != nil {
		return nil, err
	}
	drawing := s.drawing()
	if s.terminal != nil {
		drawing = report.Options{Terminal: true, Width: s.Width, Color: s.Color, ASCII: s.ASCII}
		err = report.WriteAttempt(s.terminal, screen, drawing, false)
	} else {
		err = s.write(ctx, func(w io.Writer) error { return report.WriteAttempt(w, screen, drawing, false) })
	}
	var offers []*resolve.Offer
	for mark := range resolve.Keep {
		o := p.Verdict.Offers(mark)
		if o.Allowed && (!o.ApprovalDue || o.ApprovedBy != "") && (s.mark == resolve.Keep || s.mark == mark) {
			offers = append(offers, o)
		}
	}
	return offers, err
}

// stops says why nothing can be confirmed here.
func (s *settling) stops(p *settle.Picture, offers []*resolve.Offer) error {
	id := p.Verdict.Attempt
	switch {
	case p.Seen.Attempt.Status.Final():
		return &refusedError{err: fmt.Errorf("attempt %s is %s: a final status never changes", id, p.Seen.Word)}
	case len(offers) == 0 && keyRefused(p) != nil:
		return keyRefused(p)
	case len(offers) == 0 && s.awaiting(p) != "" && !s.store.Logins():
		return &refusedError{
			err:  fmt.Errorf("attempt %s: %s needs the approval of a second person, and this database is a file that knows no logins; nothing was written", id, s.awaiting(p)),
			hint: "decide it in your own system; approvals need PostgreSQL",
		}
	case len(offers) == 0 && s.awaiting(p) != "":
		return &refusedError{
			err:  fmt.Errorf("attempt %s: %s waits for the approval of a second person; nothing was written", id, s.awaiting(p)),
			hint: "who is logged in to the database by another name runs `desfecho approve " + id + "`",
		}
	case len(offers) == 0 && s.mark != resolve.Keep:
		return &refusedError{err: fmt.Errorf("attempt %s: %s is not offered: %s; nothing was written", id, s.mark, p.Verdict.Offers(s.mark).Sentence)}
	case len(offers) == 0:
		return &refusedError{err: fmt.Errorf("attempt %s: no mark is offered; nothing was written", id), hint: "`desfecho show " + id + "` says what is known and when that can change"}
	case s.terminal == nil && !s.o.dryRun:
		return &refusedError{err: fmt.Errorf("attempt %s: there is no terminal, and so nobody who could confirm; nothing was written", id)}
	}
	return nil
}

// awaiting is the mark that only lacks an approval, "" where none does.
func (s *settling) awaiting(p *settle.Picture) string {
	for mark := range resolve.Keep {
		if o := p.Verdict.Offers(mark); o.Allowed && o.ApprovalDue && o.ApprovedBy == "" && (s.mark == resolve.Keep || s.mark == mark) {
			return mark.String()
		}
	}
	return ""
}

// keyRefused is the error of a provider that took no question with the
// credential that it was asked with; nil where none refused it now.
func keyRefused(p *settle.Picture) error {
	for i := range p.Asked {
		l := &p.Asked[i]
		if l.Outcome != payment.Inconclusive || l.Reason != string(provider.Credentials) {
			continue
		}
		return &credentialsError{
			err:  fmt.Errorf("attempt %s: %s refused the credentials (%s); nothing was written", p.Verdict.Attempt, l.Provider, l.Endpoint),
			hint: fmt.Sprintf("give its entry under `providers:` a key that is valid and may read: key_file, key_command or %s", keyVariable(l.Provider)),
		}
	}
	return nil
}

// confirmed asks the person, who types the mark and the amount.
func (s *settling) confirmed(ctx context.Context, id string, offers []*resolve.Offer) (*resolve.Offer, error) {
	var words []string
	for _, o := range offers {
		words = append(words, "`"+report.Typed(o)+"`")
	}
	if err := s.say("\n"); err != nil {
		return nil, err
	}
	typed, err := s.terminal.Ask(ctx, ui.Clean("type "+strings.Join(words, " or ")+" to confirm, "+cmp.Or(s.otherwise, "anything else to leave:")))
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	for _, o := range offers {
		if err == nil && typed == report.Typed(o) {
			return o, nil
		}
	}
	if s.otherwise != "" && typed == "stop" {
		return nil, errStop
	}
	return nil, &refusedError{err: fmt.Errorf("attempt %s: not confirmed; nothing was written", id), answered: true}
}

// say shows a line where the person is.
func (s *settling) say(text string) error {
	if s.terminal != nil {
		_, err := io.WriteString(s.terminal, text)
		return err
	}
	_, err := io.WriteString(s.Err, text)
	return err
}

// told says what happened.
func (s *settling) told(outcome *settle.Outcome) error {
	e := &outcome.Entry
	found := ""
	if outcome.Claimed {
		found = "; the reply was lost, and this is what the database holds"
	}
	if e.Kind == audit.Abandoned {
		return &store.MovedError{Cause: store.CauseAbandoned, Attempt: e.Attempt, Detail: "the reply was lost"}
	}
	return s.say(ui.Clean(fmt.Sprintf("attempt %s: %s → %s · audit %d:%s%s", e.Attempt, strings.TrimSpace(e.Before), strings.TrimSpace(e.After), e.Seq, e.Hash[:12], found)).String() + "\n")
}

// credentialsError is a provider that refused the credentials (exit 8). Nothing
// was written to any attempt.
type credentialsError struct {
	err  error
	hint string
}

func (e *credentialsError) Error() string { return e.err.Error() }
func (e *credentialsError) Unwrap() error { return e.err }
func (e *credentialsError) Hint() string  { return e.hint }

// refusedError is a mark that was not confirmed or not offered (exit 6).
// Nothing was written.
type refusedError struct {
	err      error
	hint     string
	answered bool // by a person, who saw the screen
}

func (e *refusedError) Error() string { return e.err.Error() }
func (e *refusedError) Unwrap() error { return e.err }
func (e *refusedError) Hint() string  { return e.hint }
