package cmd

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

const rootLong = `desfecho compares the payment attempts that your system recorded with what the
payment provider says happened, and tells what is wrong, how much money it is
and what to do about it. An attempt that nobody knows the end of it puts on one
screen, with the evidence, for a person to give it its outcome.

It reads files, your database and the providers' interfaces. It never charges,
captures, refunds or cancels anything: providers are asked, by GET alone. Of your
data it changes one stuck attempt at a time, after a person confirmed it on a
terminal.

First steps:

    desfecho demo                       the whole story, on a made-up shop
    desfecho help profiles              which files it reads
    desfecho reconcile --attempts attempts.csv --statement stripe.csv
    desfecho explain unknown_charged    what a finding means, and what never to do
    desfecho help database              the same over your own database, every day
    desfecho help resolve               what to do at three in the morning

Topics of desfecho help: check, classes, csv, database, decisions, environment,
exit-codes, json, profiles, providers, resolve, stats, timezones.`

// newRootCommand builds the whole tree of commands over deps. Nothing is
// opened before a command runs.
func newRootCommand(d *deps) *cobra.Command {
	root := &cobra.Command{
		Use:           "desfecho COMMAND",
		Short:         "Reconcile payment attempts with provider statements",
		Long:          rootLong,
		Args:          cobra.ArbitraryArgs, // else cobra words the unknown command, without our exit code
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				c.SetOut(d.Err)
				return errors.Join(c.Help(), verdictError(exitNotUsable))
			}
			return unknownCommand(c, args[0])
		},
	}
	root.SetIn(d.In)
	root.SetOut(d.Out)
	root.SetErr(d.Err)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return &usageError{err: err, hint: flagHint(c, err)}
	})
	root.PersistentPreRunE = func(*cobra.Command, []string) error { return d.settle() }
	d.global.addFlags(root.PersistentFlags())
	root.AddCommand(newReconcileCommand(d), newExplainCommand(d), newDemoCommand(d), newSchemaCommand(d), newPullCommand(d), newBaselineCommand(d), newReportCommand(d), newCheckCommand(d), newInitCommand(d),
		newStuckCommand(d), newShowCommand(d), newResolveCommand(d), newApproveCommand(d), newProbeCommand(d), newRunCommand(d),
		newEvidenceCommand(d), newDismissCommand(d), newAuditCommand(d), newAcceptCommand(d), newSnoozeCommand(d), newNoteCommand(d), newImportDecisionsCommand(d), newStatsCommand(d), newVersionCommand(d), newCompletionCommand(d), newManCommand(d))
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetHelpCommand(newHelpCommand(d))
	return root
}

// settle checks the global flags and lays them over what was found out about
// the streams.
func (d *deps) settle() error {
	if err := d.global.validate(); err != nil {
		return err
	}
	d.Quiet = d.global.quiet
	d.Color = d.Color && !d.global.noColor
	d.log = newLog(d.Err, d.global)
	return nil
}

func unknownCommand(root *cobra.Command, name string) error {
	hint := "see `desfecho --help`"
	if near := root.SuggestionsFor(name); len(near) > 0 {
		hint = "did you mean `desfecho " + strings.Join(near, "` or `desfecho ") + "`?"
	}
	return &usageError{err: fmt.Errorf("unknown command %q", name), hint: hint}
}

// noArguments is an Args function that ends with exit 2.
func noArguments(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return &usageError{
		err:  fmt.Errorf("%s takes no argument, got %q", c.CommandPath(), args[0]),
		hint: "see `" + c.CommandPath() + " --help`",
	}
}

// oneArgument is an Args function for commands about one named thing.
func oneArgument(what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == 1 {
			return nil
		}
		return &usageError{
			err:  fmt.Errorf("%s wants exactly one %s, got %d", c.CommandPath(), what, len(args)),
			hint: "see `" + c.CommandPath() + " --help`",
		}
	}
}
