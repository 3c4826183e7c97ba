package cmd

import (
	"fmt"

	"github.com/spf13/cobra"
)

func newCompletionCommand(d *deps) *cobra.Command {
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "Write the script that completes commands in bash, zsh, fish or powershell",
		Example: `  desfecho completion bash > /etc/bash_completion.d/desfecho
  desfecho completion zsh > "${fpath[1]}/_desfecho"
  desfecho completion fish > ~/.config/fish/completions/desfecho.fish`,
		Args:      oneArgument("shell"),
		ValidArgs: []string{"bash", "zsh", "fish", "powershell"},
		RunE: func(c *cobra.Command, args []string) error {
			switch args[0] {
			case "bash":
				return c.Root().GenBashCompletionV2(d.Out, true)
			case "zsh":
				return c.Root().GenZshCompletion(d.Out)
			case "fish":
				return c.Root().GenFishCompletion(d.Out, true)
			case "powershell":
				return c.Root().GenPowerShellCompletionWithDesc(d.Out)
			}
			return &usageError{
				err:  fmt.Errorf("no completion for the shell %q", args[0]),
				hint: "want bash, zsh, fish or powershell",
			}
		},
	}
}
