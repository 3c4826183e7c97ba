package cmd

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"desfecho/internal/audit"
	"desfecho/internal/mask"
	"desfecho/internal/payment"
	"desfecho/internal/settle"
	"desfecho/internal/store"
	"desfecho/internal/ui"
	"desfecho/reconcile"
)

const evidenceLong = `Record what a person saw at the provider, where nothing else can end an attempt:
no look-up exists, a look-alike never goes away, an object never becomes final.

What was seen, where, when and by whom is kept, with the hash of a file that
shows it; the file itself stays with you. With the approval of a second person it
opens a mark that the evidence alone refuses, but never failed against money that
the provider captured. It touches no attempt.`

type evidenceOptions struct {
	seen, where, note, at, attachment, operator string
}

func newEvidenceCommand(d *deps) *cobra.Command {
	o := &evidenceOptions{}
	add := &cobra.Command{
		Use:     "add ID",
		Short:   "Record what a person saw at the provider",
		Long:    evidenceLong,
		Example: "  desfecho evidence add 4711 --seen absent --where \"the provider's support, ticket 88\" --attachment answer.pdf",
		Args:    oneArgument("attempt"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := o.validate(); err != nil {
				return &usageError{err: err, hint: "see `desfecho evidence add --help`"}
			}
			return d.addEvidence(c.Context(), o, args[0], c.Flags())
		},
	}
	flags := add.Flags()
	flags.StringVar(&o.seen, "seen", "", "what was seen: captured, declined or absent")
	flags.StringVar(&o.where, "where", "", "`place` where it was seen")
	flags.StringVar(&o.note, "note", "", "`words` about it")
	flags.StringVar(&o.at, "at", "", "`time` when it was seen, such as 2025-12-01T09:30:00-03:00 (default: now)")
	flags.StringVar(&o.attachment, "attachment", "", "`file` that shows it; its hash is kept")
	flags.StringVar(&o.operator, "operator", "", "`name` of the person who saw it (default: the variable USER)")
	c := &cobra.Command{Use: "evidence", Short: "Record evidence that a person saw", Args: noArguments, RunE: func(*cobra.Command, []string) error {
		return &usageError{err: errors.New("evidence wants a command"), hint: "see `desfecho evidence add --help`"}
	}}
	c.AddCommand(add)
	return c
}

func (o *evidenceOptions) validate() error {
	switch {
	case o.seen != settle.SeenCaptured && o.seen != settle.SeenDeclined && o.seen != settle.SeenAbsent:
		return fmt.Errorf("--seen %q: want captured, declined or absent", o.seen)
	case o.where == "":
		return errors.New("--where is not said: the place where it was seen")
	}
	if o.at != "" {
		if _, err := parseMoment(o.at); err != nil {
			return fmt.Errorf("--at %w", err)
		}
	}
	return nil
}

func (d *deps) addEvidence(ctx context.Context, opts *evidenceOptions, id string, flags *pflag.FlagSet) error {
	config, err := d.settings(flags)
	if err != nil {
		return err
	}
	operator, err := d.operator(opts.operator)
	if err != nil {
		return err
	}
	hash, err := fileHash(opts.attachment)
	if err != nil {
		return &usageError{err: fmt.Errorf("--attachment: %w", err)}
	}
	return d.withStore(ctx, &config, func(s store.Store) error {
		seen, err := s.See(ctx, id)
		if err != nil {
			return attemptNotFound(id, err)
		}
		at := seen.At
		if opts.at != "" {
			moment, err := parseMoment(opts.at)
			if err != nil {
				return &usageError{err: err}
			}
			at = moment.in(config.zoneOf(seen.Attempt.Provider))
		}
		if at > seen.At {
			return &usageError{err: fmt.Errorf("--at %s has not been yet", at)}
		}
		m := store.Manual{
			OpID: newOperation(), Attempt: id, Seen: opts.seen, Place: mask.Text(opts.where), Note: mask.Text(opts.note), Attachment: hash,
			Operator: operator, ObservedAt: at,
		}
		entry, err := s.AddManual(ctx, m, audit.Entry{
			Format: audit.Format, OpID: m.OpID, Kind: audit.Evidence, Attempt: id, Provider: seen.Attempt.Provider, Account: seen.Attempt.Account,
			Mark: opts.seen, Evidence: hash, Reason: m.Place, Operator: operator, Program: thisBuild().Version,
		})
		if err != nil {
			return err
		}
		return d.writeLine(ctx, fmt.Sprintf("attempt %s: %s seen at %s · audit %d", id, opts.seen, m.Place, entry.Seq))
	})
}

// fileHash is the SHA-256 of a file, "" where none is named.
func fileHash(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	f, err := os.Open(path) //nolint:gosec // the user names the file
	if err != nil {
		return "", err
	}
	defer f.Close() //nolint:errcheck // only read
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func (d *deps) writeLine(ctx context.Context, text string) error {
	return d.write(ctx, func(w io.Writer) error {
		_, err := fmt.Fprintln(w, ui.Clean(text).String())
		return err
	})
}

const dismissLong = `Put a look-alike of one attempt aside, with a reason: an object or line of the
same amount and currency near the attempt that nothing links to it, and that is
known to be something else. Until each of them is dismissed the attempt is not
offered failed. It touches no attempt.`

func newDismissCommand(d *deps) *cobra.Command {
	var reason, operator string
	c := &cobra.Command{
		Use:     "dismiss ID LINE",
		Short:   "Put one look-alike of an attempt aside, with a reason",
		Long:    dismissLong,
		Example: "  desfecho dismiss 4711 pay_000042 --reason \"a sale at the counter, receipt 12\"",
		Args:    exactly(2, "an attempt and a line or object"),
		RunE: func(c *cobra.Command, args []string) error {
			if reason == "" {
				return &usageError{err: errors.New("dismiss needs --reason"), hint: "say what it is instead"}
			}
			return d.dismiss(c.Context(), args[0], args[1], reason, operator, c.Flags())
		},
	}
	c.Flags().StringVar(&reason, "reason", "", "`words` that say what it is instead")
	c.Flags().StringVar(&operator, "operator", "", "`name` of the person who knows (default: the variable USER)")
	return c
}

func exactly(n int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == n {
			return nil
		}
		return &usageError{err: fmt.Errorf("%s wants %s, got %d arguments", c.CommandPath(), what, len(args)), hint: "see `" + c.CommandPath() + " --help`"}
	}
}

func (d *deps) dismiss(ctx context.Context, id, line, reason, operator string, flags *pflag.FlagSet) error {
	config, err := d.settings(flags)
	if err != nil {
		return err
	}
	if operator, err = d.operator(operator); err != nil {
		return err
	}
	return d.withDesk(ctx, config, false, func(o *onCall) error {
		picture, err := o.desk.Look(ctx, id, "")
		if err != nil {
			return attemptNotFound(id, err)
		}
		unit, found := unitOf(line, picture.Case.Units, picture.Case.Lines)
		if !found {
			return &usageError{
				err:  fmt.Errorf("nothing known as %q is near attempt %s", line, id),
				hint: "name a look-alike as `desfecho show " + id + "` does: the object's id, or the line's",
			}
		}
		now := picture.Case.Now
		entry, err := o.store.Dismiss(ctx, reconcile.Dismissal{Attempt: id, Unit: unit, Reason: mask.Text(reason), By: operator, At: now}, audit.Entry{
			Format: audit.Format, OpID: newOperation(), Kind: audit.Dismissed, Attempt: id, Provider: picture.Seen.Attempt.Provider,
			Account: picture.Seen.Attempt.Account, Unit: unit, Reason: mask.Text(reason), Operator: operator, Program: thisBuild().Version,
		})
		if err != nil {
			return err
		}
		return d.writeLine(ctx, fmt.Sprintf("attempt %s: %s put aside · audit %d", id, unit, entry.Seq))
	})
}

// unitOf finds the object that a line or an object's id names.
func unitOf(name string, units []payment.Unit, lines []payment.Line) (string, bool) {
	for i := range units {
		if units[i].ID == name {
			return name, true
		}
	}
	for i := range lines {
		if l := &lines[i]; l.ID == name || l.Unit == name {
			if l.Unit == "" {
				return l.ID, true
			}
			return l.Unit, true
		}
	}
	return "", false
}
