package cmd

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"desfecho/docs"
	"desfecho/internal/profile"
	"desfecho/reconcile"
)

// topics are the pages of `desfecho help TOPIC`.
func topics() map[string]func(io.Writer) error {
	pages := map[string]func(io.Writer) error{"classes": writeClasses}
	for _, name := range []string{"check", "csv", "database", "decisions", "exit-codes", "environment", "json", "profiles", "providers", "report", "resolve", "stats", "timezones"} {
		pages[name] = func(w io.Writer) error { return writePage(w, name) }
	}
	return pages
}

func writePage(w io.Writer, name string) error {
	text, err := docs.Help.ReadFile(name + ".md")
	if err != nil {
		return fmt.Errorf("help page %s: %w", name, err)
	}
	_, err = w.Write(text)
	return err
}

func topicNames() []string { return slices.Sorted(maps.Keys(topics())) }

func newHelpCommand(d *deps) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND | TOPIC]",
		Short: "Help about a command or a topic",
		Long: "Help about a command, or one of the topics: " + strings.Join(topicNames(), ", ") +
			".\n\n`desfecho help profiles NAME` prints a built-in profile, to begin your own with.",
		ValidArgsFunction: func(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			names := topicNames()
			for _, sub := range c.Root().Commands() {
				if sub.IsAvailableCommand() {
					names = append(names, sub.Name())
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return c.Root().Help()
			}
			if len(args) == 2 && args[0] == "profiles" {
				return writeProfile(d.Out, args[1])
			}
			if page, ok := topics()[args[0]]; ok && len(args) == 1 {
				return page(d.Out)
			}
			found, rest, err := c.Root().Find(args)
			if err != nil || len(rest) > 0 || found == c.Root() {
				name := strings.Join(args, " ")
				return &usageError{err: fmt.Errorf("no help on %q", name), hint: didYouMean(name, topicNames())}
			}
			found.InitDefaultHelpFlag()
			return found.Help()
		},
	}
}

func writeClasses(w io.Writer) error {
	var text strings.Builder
	text.WriteString("# Classes of divergences, worst first where severities tie\n\n`desfecho explain CLASS` tells what each means, what to do and what never to do.\n\n")
	for _, class := range reconcile.Classes() {
		fmt.Fprintf(&text, "    %s\n", class)
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// writeProfile is the text of a built-in profile, for a user to begin his own
// with.
func writeProfile(w io.Writer, name string) error {
	if !slices.Contains(profile.Builtins(), name) {
		return &usageError{err: fmt.Errorf("no profile is called %q", name), hint: didYouMean(name, profile.Builtins())}
	}
	text, err := profile.BuiltinText(name)
	if err != nil {
		return &defectError{err}
	}
	_, err = w.Write(text)
	return err
}
