package cli

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tonne/model/statement"
	"tonne/ui/cli/command"
	"tonne/ui/cli/config"
	"tonne/ui/cli/dashboard"
)

// offerValues offers the values of the flags of a command and of those below it.
// Cobra keeps what it is told here for as long as the process lives.
func offerValues(a *command.App, cmd *cobra.Command) {
	fixed := func(values ...string) cobra.CompletionFunc {
		return cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)
	}
	profiles := func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		file, err := a.ConfigFile()
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return file.Names(), cobra.ShellCompDirectiveNoFileComp
	}
	offers := map[string]cobra.CompletionFunc{
		"profile": profiles, "vintage": a.Complete(command.Vintages), "tab": fixed(dashboard.TabNames...),
		"theme": fixed(config.Themes...), "trade-type": fixed("BUY", "SELL"), "by": fixed(statement.Groupings()...),
	}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
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
