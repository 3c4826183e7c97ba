package cmd

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func newManCommand(d *deps) *cobra.Command {
	return &cobra.Command{
		Use:   "man DIR",
		Short: "Write the manual pages into a folder",
		Long: `Write one manual page per command into a folder that exists, as packages want
them. The date on the pages is that of SOURCE_DATE_EPOCH, else none, so that the
same program writes the same bytes.`,
		Args: oneArgument("folder"),
		RunE: func(c *cobra.Command, args []string) error { return d.writeManual(c.Root(), args[0]) },
	}
}

func (d *deps) writeManual(root *cobra.Command, folder string) error {
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return &usageError{err: fmt.Errorf("%s is no folder", folder), hint: "make it first: nothing was written"}
	}
	var day string
	if epoch := d.env.get("SOURCE_DATE_EPOCH"); epoch != "" {
		seconds, err := strconv.ParseInt(epoch, 10, 64)
		if err != nil {
			return &usageError{err: fmt.Errorf("SOURCE_DATE_EPOCH %q is no number of seconds", epoch)}
		}
		day = time.Unix(seconds, 0).UTC().Format(time.DateOnly)
	}
	for _, command := range everyCommand(root) {
		name := strings.ReplaceAll(command.CommandPath(), " ", "-") + ".1"
		if err := os.WriteFile(filepath.Join(folder, name), []byte(manualPage(command, day)), 0o644); err != nil { //nolint:gosec // a manual is for everybody
			return fmt.Errorf("write the manual: %w", err)
		}
	}
	return nil
}

// everyCommand lists the commands that a user sees, the root first.
func everyCommand(c *cobra.Command) []*cobra.Command {
	c.InitDefaultHelpFlag()
	all := []*cobra.Command{c}
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() || sub.Name() == "help" {
			all = append(all, everyCommand(sub)...)
		}
	}
	return all
}

// manualPage is the page of one command in roff.
func manualPage(c *cobra.Command, day string) string {
	var b strings.Builder
	title := strings.ToUpper(strings.ReplaceAll(c.CommandPath(), " ", "-"))
	fmt.Fprintf(&b, ".TH %q 1 %q \"desfecho %s\" \"desfecho\"\n", title, day, thisBuild().Version)
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(strings.ReplaceAll(c.CommandPath(), " ", "-")), roff(c.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n", roff(c.UseLine()))
	fmt.Fprintf(&b, ".SH DESCRIPTION\n.nf\n%s\n.fi\n", roff(textOf(c)))
	writeRoffFlags(&b, "OPTIONS", c.NonInheritedFlags())
	writeRoffFlags(&b, "GLOBAL OPTIONS", c.InheritedFlags())
	if c.Example != "" {
		fmt.Fprintf(&b, ".SH EXAMPLES\n.nf\n%s\n.fi\n", roff(c.Example))
	}
	b.WriteString(".SH EXIT STATUS\n0 done, 1 failed, 2 not usable, 3 divergences, 4 incomplete, 70 defect, 75 leased.\nSee\n.B desfecho help exit\\-codes\n")
	if parent := c.Parent(); parent != nil {
		fmt.Fprintf(&b, ".SH SEE ALSO\n.BR %s (1)\n", roff(strings.ReplaceAll(parent.CommandPath(), " ", "-")))
	} else {
		b.WriteString(".SH SEE ALSO\n")
		for _, sub := range everyCommand(c)[1:] {
			fmt.Fprintf(&b, ".BR %s (1)\n", roff(strings.ReplaceAll(sub.CommandPath(), " ", "-")))
		}
	}
	return b.String()
}

func textOf(c *cobra.Command) string {
	if c.Long != "" {
		return c.Long
	}
	return c.Short
}

func writeRoffFlags(b *strings.Builder, heading string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	fmt.Fprintf(b, ".SH %s\n", heading)
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		value, usage := pflag.UnquoteUsage(f)
		fmt.Fprintf(b, ".TP\n.B %s\n%s\n", roff(strings.TrimSpace(name+" "+value)), roff(usage))
	})
}

// roff keeps text from being read as requests.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
