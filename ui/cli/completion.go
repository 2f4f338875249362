package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tonne/model/statement"
	"tonne/ui/cli/command"
	"tonne/ui/cli/config"
	"tonne/ui/cli/credentials"
	"tonne/ui/cli/dashboard"
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
		Effect:    command.Reads,
		Arguments: []command.Argument{{Name: "SHELL", Description: "bash, zsh, fish or powershell", Required: true}},
	})
}

// offerValues offers the values of the flags of a command and of those below it.
// Cobra keeps these functions as long as the process lives.
func offerValues(a *command.App, cmd *cobra.Command) {
	fixed := func(values ...string) cobra.CompletionFunc {
		return cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)
	}
	profiles := func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		file, err := a.ConfigFile()
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		known := command.Settings{File: file, Credentials: credentials.Open(a.CredentialsDir(), nil)}
		return known.Names(), cobra.ShellCompDirectiveNoFileComp
	}
	offers := map[string]cobra.CompletionFunc{
		"profile": profiles, "vintage": a.Complete(command.Vintages), "view": a.Complete(command.Views(cmd)),
		"tab":   fixed(dashboard.TabNames()...),
		"theme": fixed(config.Themes...), "trade-type": fixed("BUY", "SELL"), "by": fixed(statement.Groupings()...),
	}
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		// Help interprets the quotes around a flag's value; a shell would show them.
		f.Usage = strings.ReplaceAll(f.Usage, "`", "")
		offer := offers[f.Name]
		if c, chosen := f.Value.(*command.Choice); chosen {
			offer = fixed(c.Names()...)
		}
		if offer != nil {
			_ = cmd.RegisterFlagCompletionFunc(f.Name, offer)
		}
	})
	for _, below := range cmd.Commands() {
		offerValues(a, below)
	}
}
