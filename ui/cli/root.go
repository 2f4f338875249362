package cli

import (
	"sync"

	"github.com/spf13/cobra"
)

// root returns the tree of commands.
//
// It is cobra's alone: the fang library asks the terminal for its colours,
// with an answer on standard input, before it prints help or an error, which
// would swallow a key that is piped in, and it styles errors into more than
// the two sentences that scripts may count on.
func (a *app) root() *cobra.Command {
	d := &dashboardRun{app: a}
	root := &cobra.Command{
		Use:   "tonne",
		Short: "The carbon desk in a terminal",
		Long: "tonne shows the market, your inventory and your retirement requests on a carbon-credit\n" +
			"marketplace: as a dashboard, or as data for scripts and spreadsheets.",
		Example: "  tonne demo                     # look around with synthetic data, nothing to set up\n" +
			"  tonne auth login --base-url https://market.example\n" +
			"  tonne                          # open the dashboard\n" +
			"  tonne market -o csv > market.csv",
		Args: onlyCommands,
		RunE: do(d.run),
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			a.hasDebug = a.guest == nil && cmd.Flag("debug") != nil
			return a.checked(cmd)
		},
		SilenceErrors:    true,
		SilenceUsage:     true,
		TraverseChildren: true,
	}
	a.connectionFlags(root)
	d.flags(root)
	retireFlag(root)
	// With a flag of its own, cobra takes no -v for it.
	root.Flags().Bool("version", false, "print version, commit and date")
	root.Version = "-" // makes the flag print the template
	versionTemplate()
	root.SetVersionTemplate("{{tonneVersion}}")
	root.SetFlagErrorFunc(wrongFlag)
	root.AddGroup(
		&cobra.Group{ID: "see", Title: "Dashboard"}, &cobra.Group{ID: "data", Title: "Data"},
		&cobra.Group{ID: "set", Title: "Settings"}, &cobra.Group{ID: "run", Title: "Service"},
	)
	for group, commands := range map[string][]*cobra.Command{
		"see":  {a.demoCommand(), a.shareCommand()},
		"data": {a.marketCommand(), a.inventoryCommand(), a.retirementCommand(), a.projectCommand(), a.quoteCommand(), a.retireCommand(), a.basketCommand(), a.watchCommand(), a.ledgerCommand(), a.evidenceCommand(), a.statementCommand()},
		"set":  {a.authCommand(), a.configCommand(), a.attributesCommand()},
		"run":  {a.serveCommand()},
	} {
		for _, cmd := range commands {
			cmd.GroupID = group
			root.AddCommand(cmd)
		}
	}
	root.AddCommand(a.completionCommand(), a.manCommand(), a.schemaCommand(), a.versionCommand())
	root.CompletionOptions.DisableDefaultCmd = true
	a.explainHelp(root)
	return a.describe(root, description{effect: writesLocal})
}

// versionTemplate lets templates print the version, which is read only if one
// asks for it. The functions of templates belong to the process.
var versionTemplate = sync.OnceFunc(func() {
	cobra.AddTemplateFunc("tonneVersion", func() string { return buildVersion().text() })
})

// explainHelp makes `tonne help` refuse what is no command, as the command
// itself would: cobra's own prints the root's help and succeeds.
func (a *app) explainHelp(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	help, _, err := root.Find([]string{"help"})
	if err != nil {
		return
	}
	help.Example = "  tonne help market"
	a.describe(help, description{effect: reads, arguments: []argument{{Name: "COMMAND", Description: "the command to explain", Repeated: true}}})
	help.Args = func(_ *cobra.Command, args []string) error {
		found, rest, err := root.Find(args)
		if err != nil || len(rest) == 0 {
			return err
		}
		return noCommand(found, rest[0])
	}
}
