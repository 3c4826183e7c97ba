package cmd

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"desfecho/internal/propose"
	"desfecho/internal/ui"
)

const initLong = `Look at a database and propose a configuration: which table holds the attempts,
which column is what, which word means what, each with its reason.

What cannot be known from a database is asked, on a terminal. Where nobody is there
to ask, and for a question that is answered with an empty line, the configuration
has a marked blank: ` + propose.Blank + `. What succeeded means is never guessed.

The database is only read. Nothing is written but the proposal.`

// initOptions is the command line of init.
type initOptions struct {
	table   string
	urlFile string
	zones   []string
}

func newInitCommand(d *deps) *cobra.Command {
	o := &initOptions{}
	c := &cobra.Command{
		Use:   "init",
		Short: "Propose a configuration for a database",
		Long:  initLong,
		Example: `  desfecho init --url-file /etc/desfecho/url -o /etc/desfecho/desfecho.yaml
  DESFECHO_DATABASE_URL=sqlite://shop.db desfecho init`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return d.init(c.Context(), o, c.Flags()) },
	}
	c.Flags().StringVar(&o.table, "table", "", "`table` or view that holds the attempts (default: the likeliest)")
	c.Flags().StringVar(&o.urlFile, "url-file", "", "`file` that holds the database's URL (default: as configured)")
	c.Flags().StringArrayVar(&o.zones, "zone", nil, "IANA `zone` that times without zone may be in; may be given several times")
	return c
}

func (d *deps) init(ctx context.Context, o *initOptions, flags *pflag.FlagSet) error {
	ctx, cancel := d.limited(ctx)
	defer cancel()
	config, err := d.settings(flags)
	if err != nil {
		return err
	}
	if o.urlFile != "" {
		config.Database = DatabaseConfig{URLFile: o.urlFile, StatementTimeout: config.Database.StatementTimeout}
	}
	for _, name := range o.zones {
		if _, err := loadZone(name); err != nil {
			return &usageError{err: fmt.Errorf("--zone %w", err)}
		}
	}
	database, _, closed, err := d.askers(ctx, &config)
	if err != nil {
		return err
	}
	proposal, err := propose.Propose(ctx, database, propose.Settings{Table: o.table, Zones: o.zones, URLFile: config.Database.URLFile})
	if err := errors.Join(err, closed()); err != nil {
		if errors.Is(err, propose.ErrNothing) {
			return &usageError{err: err, hint: "name the table with --table"}
		}
		return err
	}
	if o.table != "" && proposal.Attempts.Read != o.table {
		return &usageError{err: fmt.Errorf("there is no table or view %s", o.table), hint: "the likeliest is " + proposal.Attempts.Read}
	}
	if d.InTerminal && d.ErrTerminal {
		if err := d.interview(proposal); err != nil {
			return err
		}
	}
	if err := d.write(ctx, func(w io.Writer) error {
		_, err := io.WriteString(w, proposal.YAML())
		return err
	}); err != nil {
		return err
	}
	return d.leftOpen(proposal)
}

// interview asks each question on the terminal until it has an answer; an empty
// line leaves it open, the end of the input all that follow.
func (d *deps) interview(p *propose.Proposal) error {
	answers := bufio.NewScanner(d.In)
	for i := range p.Questions {
		q := &p.Questions[i]
		for !q.Answered() {
			if _, err := io.WriteString(d.Err, questionText(q)); err != nil {
				return err
			}
			if !answers.Scan() {
				return answers.Err()
			}
			text := strings.TrimSpace(answers.Text())
			if text == "" {
				break
			}
			if err := p.Answer(q.Key, text); err != nil {
				if _, err := fmt.Fprintln(d.Err, ui.Clean(err.Error())); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func questionText(q *propose.Question) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s\n", ui.Clean(q.Ask))
	if q.Why != "" {
		fmt.Fprintf(&b, "  %s\n", ui.Clean(q.Why))
	}
	if len(q.Options) > 0 {
		fmt.Fprintf(&b, "  one of: %s\n", ui.Clean(strings.Join(q.Options, ", ")))
	}
	if q.Suggest != "" {
		fmt.Fprintf(&b, "  likely: %s\n", ui.Clean(q.Suggest))
	}
	fmt.Fprintf(&b, "%s: ", ui.Clean(q.Key))
	return b.String()
}

// leftOpen tells how many blanks are left.
func (d *deps) leftOpen(p *propose.Proposal) error {
	open := 0
	for i := range p.Questions {
		if !p.Questions[i].Answered() {
			open++
		}
	}
	if open == 0 || d.global.quiet {
		return nil
	}
	marked := fmt.Sprintf("%d places are marked with %s: fill them in", open, propose.Blank)
	if open == 1 {
		marked = "1 place is marked with " + propose.Blank + ": fill it in"
	}
	_, err := fmt.Fprintf(d.Err, "desfecho: %s, then run `desfecho check`\n", marked)
	return err
}
