package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"desfecho/internal/audit"
	"desfecho/internal/settle"
	"desfecho/internal/store"
	"desfecho/internal/ui"
	"desfecho/report"
	"desfecho/resolve"
)

const approveLong = `Say yes, as a second person, to a mark that somebody else will make. The screen is
that of desfecho resolve, from fresh answers; to approve, type "approve", the
mark and the amount. Nothing of the attempt is written.

An approval is for one verdict: if the facts change before the mark is made it
counts for nothing, and after approval_ttl (24 h) neither. Who approves is who is
logged in to the database; it must be another login than the one that makes the
mark.

EXIT STATUS
  0  approved
  2  there is no such attempt, or the database knows no logins
  6  not confirmed, not offered, no approval is due, or nobody there
  8  the provider refused the credentials, and without its answer no approval is due`

func newApproveCommand(d *deps) *cobra.Command {
	o := &resolveOptions{}
	c := &cobra.Command{
		Use:     "approve ID",
		Short:   "Approve, as a second person, a mark that is due for approval",
		Long:    approveLong,
		Example: "  desfecho approve 4711",
		Args:    oneArgument("attempt"),
		RunE: func(c *cobra.Command, args []string) error {
			mark, err := o.mark()
			if err != nil {
				return err
			}
			return d.approve(c.Context(), o, mark, args[0], c.Flags())
		},
	}
	c.Flags().StringVar(&o.as, "as", "", "the only `mark` to approve: succeeded or failed")
	c.Flags().StringVar(&o.unit, "unit", "", "the `object` of the provider that it is, where several would do")
	c.Flags().StringVar(&o.reason, "reason", "", "`words` that the audit keeps")
	c.Flags().StringVar(&o.operator, "operator", "", "`name` of the person who approves (default: the variable USER)")
	return c
}

func (d *deps) approve(ctx context.Context, opts *resolveOptions, mark resolve.Mark, id string, flags *pflag.FlagSet) error {
	config, err := d.settings(flags)
	if err != nil {
		return err
	}
	operator, err := d.operator(opts.operator)
	if err != nil {
		return err
	}
	return d.withDesk(ctx, config, true, func(o *onCall) (err error) {
		login, err := o.store.Ready(ctx)
		if err != nil {
			return err
		}
		if login == "" {
			return &usageError{err: store.ErrNoLogins}
		}
		s := &settling{onCall: o, o: opts, mark: mark, operator: operator}
		if s.terminal, err = ui.OpenTerminal(); err != nil && !errors.Is(err, ui.ErrNoTerminal) {
			return err
		}
		if s.terminal != nil {
			defer func() { err = errors.Join(err, s.terminal.Close()) }()
		}
		return s.approve(ctx, id)
	})
}

// approve leads one verdict to its approval.
func (s *settling) approve(ctx context.Context, id string) error {
	picture, err := s.desk.Look(ctx, id, s.o.unit)
	if err != nil {
		return attemptNotFound(id, err)
	}
	if _, err := s.show(ctx, picture); err != nil {
		return err
	}
	var due []*resolve.Offer
	var words []string
	for mark := range resolve.Keep {
		o := picture.Verdict.Offers(mark)
		if o.Allowed && o.ApprovalDue && o.ApprovedBy == "" && (s.mark == resolve.Keep || s.mark == mark) {
			due = append(due, o)
			words = append(words, "`approve "+report.Typed(o)+"`")
		}
	}
	switch {
	case len(due) == 0 && keyRefused(picture) != nil:
		return keyRefused(picture)
	case len(due) == 0 && approvedBy(picture) != "":
		return &refusedError{
			err:  fmt.Errorf("attempt %s is approved already, by login %s; nothing was written", id, approvedBy(picture)),
			hint: "`desfecho resolve " + id + "` gives it its outcome",
		}
	case len(due) == 0:
		return &refusedError{err: fmt.Errorf("attempt %s: no mark is due for approval; nothing was written", id)}
	case s.terminal == nil:
		return &refusedError{err: fmt.Errorf("attempt %s: there is no terminal, and so nobody who could approve; nothing was written", id)}
	}
	typed, err := s.terminal.Ask(ctx, ui.Clean("type "+strings.Join(words, " or ")+", anything else to leave:"))
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	for _, o := range due {
		if err == nil && typed == "approve "+report.Typed(o) {
			return s.approved(ctx, id, o)
		}
	}
	return &refusedError{err: fmt.Errorf("attempt %s: not approved; nothing was written", id)}
}

// approvedBy is who approved a mark of what is shown, "" where nobody did.
func approvedBy(p *settle.Picture) string {
	for mark := range resolve.Keep {
		if o := p.Verdict.Offers(mark); o.Allowed && o.ApprovedBy != "" {
			return o.ApprovedBy
		}
	}
	return ""
}

func (s *settling) approved(ctx context.Context, id string, o *resolve.Offer) error {
	entry, err := s.store.Approve(ctx, store.Approval{Attempt: id, Mark: o.Mark.String(), Digest: o.Digest, Operator: s.operator}, audit.Entry{
		Format: audit.Format, OpID: newOperation(), Kind: audit.Approved, Attempt: id, Mark: o.Mark.String(), Transition: o.Transition.String(),
		Unit: o.Unit, Amount: o.Amount.Minor, Currency: o.Amount.Currency.String(), Digest: o.Digest, Reason: s.o.reason, Operator: s.operator,
		Program: thisBuild().Version,
	})
	if err != nil {
		return err
	}
	return s.say(ui.Clean(fmt.Sprintf("approved: attempt %s as %s, by login %s · audit %d", id, o.Mark, entry.Login, entry.Seq)).String() + "\n")
}
