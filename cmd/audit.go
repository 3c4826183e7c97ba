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
	"desfecho/internal/store"
	"desfecho/internal/ui"
)

const auditLong = `Read the audit: every mark that was written, every operation that was given up,
and every approval, piece of evidence and dismissal, one chain in which each
entry's hash covers the one before it.

"verify" names the first entry that does not hold. A chain can only prove itself
against those who do not hold the whole table, so keep its head elsewhere: every
run prints it, and --against compares with one that was kept.

EXIT STATUS
  0  the chain holds
  1  it does not; the first bad entry is named`

func newAuditCommand(d *deps) *cobra.Command {
	c := &cobra.Command{Use: "audit", Short: "Verify or read the audit", Long: auditLong, Args: noArguments, RunE: func(*cobra.Command, []string) error {
		return &usageError{err: errors.New("audit wants a command: verify, head or show"), hint: "see `desfecho audit --help`"}
	}}
	var against string
	verify := &cobra.Command{
		Use: "verify", Short: "Check that the chain holds", Long: auditLong, Args: noArguments,
		Example: "  desfecho audit verify --against 12:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
		RunE: func(c *cobra.Command, _ []string) error {
			return d.auditVerify(c.Context(), against, c.Flags())
		},
	}
	verify.Flags().StringVar(&against, "against", "", "`head` that was kept elsewhere: COUNT:HASH")
	head := &cobra.Command{
		Use: "head", Short: "Print the chain's head, to be kept elsewhere", Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return d.auditHead(c.Context(), c.Flags()) },
	}
	show := &cobra.Command{
		Use: "show [ATTEMPT]", Short: "Print the entries, of one attempt or of all", Args: atMostOne("attempt"),
		RunE: func(c *cobra.Command, args []string) error {
			return d.auditShow(c.Context(), strings.Join(args, ""), c.Flags())
		},
	}
	c.AddCommand(verify, head, show)
	return c
}

func (d *deps) withAudit(ctx context.Context, flags *pflag.FlagSet, use func(store.Store) error) error {
	ctx, cancel := d.limited(ctx)
	defer cancel()
	config, err := d.settings(flags)
	if err != nil {
		return err
	}
	return d.withStore(ctx, &config, use)
}

func (d *deps) auditVerify(ctx context.Context, kept string, flags *pflag.FlagSet) error {
	var against audit.Head
	if kept != "" {
		var err error
		if against, err = audit.ParseHead(kept); err != nil {
			return &usageError{err: fmt.Errorf("--against: %w", err)}
		}
	}
	return d.withAudit(ctx, flags, func(s store.Store) error {
		v := audit.NewVerifier(against)
		if err := s.Audit(ctx, "", v.Add); err != nil {
			return err
		}
		head, err := v.End()
		if err != nil {
			return err
		}
		if d.global.jsonAsked() {
			return d.write(ctx, func(w io.Writer) error {
				return printJSON(w, struct {
					Schema int    `json:"schema"`
					Kind   string `json:"kind"`
					Count  int64  `json:"count"`
					Head   string `json:"head"`
				}{1, "audit", head.Count, head.String()})
			})
		}
		return d.writeLine(ctx, fmt.Sprintf("%d entries hold · head %s", head.Count, head))
	})
}

func (d *deps) auditHead(ctx context.Context, flags *pflag.FlagSet) error {
	return d.withAudit(ctx, flags, func(s store.Store) error {
		head, err := s.Head(ctx)
		if err != nil {
			return err
		}
		return d.writeLine(ctx, head.String())
	})
}

func (d *deps) auditShow(ctx context.Context, attempt string, flags *pflag.FlagSet) error {
	return d.withAudit(ctx, flags, func(s store.Store) error {
		return d.write(ctx, func(w io.Writer) error {
			return s.Audit(ctx, attempt, func(e *audit.Entry) error {
				if d.global.jsonAsked() {
					return printJSON(w, wiredEntry(e))
				}
				parts := []string{fmt.Sprint(e.Seq), e.At.String(), string(e.Kind), "attempt " + e.Attempt}
				for _, p := range []string{e.Mark, e.Unit, strings.TrimSpace(e.Before) + " → " + strings.TrimSpace(e.After), who(e), e.Reason} {
					if p != "" && p != " → " {
						parts = append(parts, p)
					}
				}
				_, err := fmt.Fprintln(w, ui.Clean(strings.Join(parts, " · ")).String())
				return err
			})
		})
	})
}

func who(e *audit.Entry) string {
	if e.Login == "" {
		return "by " + e.Operator
	}
	return "by " + e.Operator + " (login " + e.Login + ")"
}

// wiredEntry is an entry as docs/json.md has it.
func wiredEntry(e *audit.Entry) map[string]any {
	return map[string]any{
		"schema": 1, "kind": "audit_entry", "seq": e.Seq, "format": e.Format, "op_id": e.OpID, "entry": string(e.Kind), "at": e.At, "attempt": e.Attempt,
		"provider": e.Provider, "account": e.Account, "mark": e.Mark, "transition": e.Transition, "object": e.Unit, "amount": e.Amount,
		"currency": e.Currency, "before": e.Before, "after": e.After, "digest": e.Digest, "evidence": e.Evidence, "reason": e.Reason,
		"operator": e.Operator, "login": e.Login, "program": e.Program, "prev_hash": e.PrevHash, "hash": e.Hash,
	}
}
