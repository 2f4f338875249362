package cli

import (
	"context"

	"github.com/spf13/cobra"

	"tonne/ui/cli/command"
)

func completionCommand(a *command.App) *cobra.Command {
	shells := []string{"bash", "zsh", "fish", "powershell"}
	cmd := &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell",
		Short: "Print the completion script of a shell",
		Example: "  tonne completion bash > /etc/bash_completion.d/tonne\n" +
			"  tonne completion zsh > \"${fpath[1]}/_tonne\"\n" +
			"  tonne completion fish > ~/.config/fish/completions/tonne.fish\n" +
			"  tonne completion powershell | Out-String | Invoke-Expression",
		ValidArgs: shells,
		RunE: command.Do(func(_ context.Context, cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(a.Stdout, true)
			case "zsh":
				return root.GenZshCompletion(a.Stdout)
			case "fish":
				return root.GenFishCompletion(a.Stdout, true)
			}
			return root.GenPowerShellCompletionWithDesc(a.Stdout)
		}),
	}
	return a.Describe(cmd, command.Description{
		Effect: command.Reads, Arguments: []command.Argument{{Name: "SHELL", Description: "bash, zsh, fish or powershell", Required: true}},
	})
}
