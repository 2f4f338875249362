package cli

import (
	"context"

	"github.com/spf13/cobra"
)

// root returns the command of the program with those below it.
//
// It is cobra's alone: the fang library asks the terminal for its colours,
// with an answer on standard input, before it prints help or an error, which
// would swallow a key that is piped in, and it styles errors into more than
// the two sentences that scripts may count on.
func (a *app) root() *cobra.Command {
	d, version := &dashboardRun{app: a, printMarket: printMarket, demo: showDemo}, false
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
		RunE: do(func(ctx context.Context, cmd *cobra.Command, args []string) error {
			if version {
				return a.printVersion(ctx, cmd, args)
			}
			return d.run(ctx, cmd, args)
		}),
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			a.hasDebug = a.guest == nil && cmd.Flag("debug") != nil
			if version && !cmd.HasParent() {
				return nil
			}
			return a.guest.check(cmd)
		},
		SilenceErrors:    true,
		SilenceUsage:     true,
		TraverseChildren: true,
	}
	a.connectionFlags(root)
	d.flags(root)
	root.Flags().Bool(allowRetireFlag, false, "switch retiring on in the dashboard, as allow_retire = true in the profile does")
	// Cobra's own needs a template, and the linker keeps every method of every type
	// for a program that may run one: a tenth of its size.
	root.Flags().BoolVar(&version, "version", false, "print version, commit and date")
	root.SetFlagErrorFunc(wrongFlag)
	root.AddGroup(a.groups()...)
	root.CompletionOptions.DisableDefaultCmd = true
	a.addBranches(root)
	return a.describe(root, description{effect: writesLocal})
}

func (a *app) groups() []*cobra.Group {
	data := &cobra.Group{ID: "data", Title: "Data"}
	if a.guest != nil {
		return []*cobra.Group{data}
	}
	return []*cobra.Group{{ID: "see", Title: "Dashboard"}, data, {ID: "set", Title: "Settings"}, {ID: "run", Title: "Service"}}
}

// branch is a command below the root.
type branch struct {
	name, group string
	make        func() *cobra.Command
}

func (a *app) branches() []branch {
	return []branch{
		{"demo", "see", func() *cobra.Command { return a.demoCommand(printMarket) }}, {"share", "see", func() *cobra.Command { return a.shareCommand(Run) }},
		{"market", "data", a.marketCommand}, {"inventory", "data", a.inventoryCommand},
		{"retirement", "data", a.retirementCommand}, {"project", "data", a.projectCommand},
		{"quote", "data", a.quoteCommand}, {"retire", "data", a.retireCommand},
		{"basket", "data", a.basketCommand}, {"watch", "data", a.watchCommand},
		{"ledger", "data", a.ledgerCommand}, {"evidence", "data", a.evidenceCommand},
		{"statement", "data", a.statementCommand},
		{"auth", "set", a.authCommand}, {"config", "set", a.configCommand}, {"attributes", "set", a.attributesCommand},
		{"serve", "run", a.serveCommand},
		{"completion", "", a.completionCommand}, {"man", "", a.manCommand},
		{"schema", "", a.schemaCommand}, {"version", "", a.versionCommand},
	}
}

func (a *app) addBranches(root *cobra.Command) {
	for _, b := range a.branches() {
		cmd := b.make()
		cmd.GroupID = b.group
		root.AddCommand(cmd)
	}
	a.explainHelp(root)
	if a.guest != nil {
		a.guest.narrow(root)
	}
}

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
		switch {
		case err != nil || len(args) == 0:
			return err
		case len(rest) == 0:
			return a.guest.check(found)
		}
		return noCommand(found, rest[0])
	}
}
