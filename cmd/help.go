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
	pages := map[string]func(io.Writer) error{"classes": writeClasses, "profiles": writeProfiles}
	for _, name := range []string{"exit-codes", "environment", "json", "timezones"} {
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
		Long:  "Help about a command, or one of the topics: " + strings.Join(topicNames(), ", ") + ".",
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

func writeProfiles(w io.Writer) error {
	if err := writePage(w, "profiles"); err != nil {
		return err
	}
	var text strings.Builder
	text.WriteString("\n## Built in\n\n")
	for _, p := range profile.Builtins() {
		fmt.Fprintf(&text, "    %s\n", p)
	}
	_, err := io.WriteString(w, text.String())
	return err
}
