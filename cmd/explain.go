package cmd

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"desfecho/internal/ui"
	"desfecho/reconcile"
	"desfecho/report"
)

func newExplainCommand(d *deps) *cobra.Command {
	return &cobra.Command{
		Use:   "explain CLASS",
		Short: "Tell what a class of divergence means, what to do and what never to do",
		Example: `  desfecho explain duplicate_charge
  desfecho help classes`,
		Args: oneArgument("class"),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return classNames(), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
		},
		RunE: func(c *cobra.Command, args []string) error {
			class, ok := reconcile.ParseClass(args[0])
			if !ok {
				return &usageError{err: fmt.Errorf("there is no class %q", args[0]), hint: classHint(args[0])}
			}
			return d.write(c.Context(), func(w io.Writer) error { return d.explain(w, class) })
		},
	}
}

func (d *deps) explain(w io.Writer, class reconcile.Class) error {
	if !d.global.jsonAsked() {
		return report.Explain(w, class)
	}
	entry := report.Explanation(class)
	return printJSON(w, struct {
		Schema   int    `json:"schema"`
		Kind     string `json:"kind"`
		Class    string `json:"class"`
		Severity string `json:"severity"`
		Meaning  string `json:"meaning"`
		Cause    string `json:"cause"`
		Do       string `json:"do"`
		Never    string `json:"never"`
	}{1, "explanation", class.String(), entry.Severity, entry.Meaning, entry.Cause, entry.Do, entry.Never})
}

func printJSON(w io.Writer, value any) error {
	line, err := ui.JSON(value)
	if err != nil {
		return err
	}
	_, err = w.Write(append(line, '\n'))
	return err
}

func classHint(name string) string {
	if best := nearest(name, classNames()); best != "" {
		return fmt.Sprintf("did you mean %q?", best)
	}
	return "see `desfecho help classes`"
}

func classNames() []string {
	var names []string
	for _, class := range reconcile.Classes() {
		names = append(names, class.String())
	}
	return names
}
