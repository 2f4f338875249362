package cli

import (
	"context"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"tonne/ui/cli/attributes"
	"tonne/ui/cli/auth"
	"tonne/ui/cli/basket"
	"tonne/ui/cli/command"
	"tonne/ui/cli/compare"
	"tonne/ui/cli/configuration"
	"tonne/ui/cli/dashboard"
	"tonne/ui/cli/demo"
	"tonne/ui/cli/evidence"
	"tonne/ui/cli/execution"
	"tonne/ui/cli/history"
	"tonne/ui/cli/inventory"
	"tonne/ui/cli/ledger"
	"tonne/ui/cli/market"
	"tonne/ui/cli/mcp"
	"tonne/ui/cli/postings"
	"tonne/ui/cli/project"
	"tonne/ui/cli/quote"
	"tonne/ui/cli/reconcile"
	"tonne/ui/cli/retire"
	"tonne/ui/cli/retirement"
	"tonne/ui/cli/serve"
	"tonne/ui/cli/share"
	"tonne/ui/cli/statement"
	"tonne/ui/cli/watch"
)

// root returns the root command with all sub-commands.
//
// It uses only cobra. The fang library queries the terminal for its colours,
// with an answer on standard input, before it prints help or an error. That
// would swallow a piped key, and it formats errors as more than
// the two sentences on which scripts rely.
func root(a *command.App) *cobra.Command {
	d, version := &dashboard.Dashboard{App: a}, false
	root := &cobra.Command{
		Use:   "tonne",
		Short: "The carbon desk in a terminal",
		Long: "tonne shows the market, your inventory and your retirement requests on a carbon-credit\n" +
			"marketplace: as a dashboard, or as data for scripts and spreadsheets.",
		Example: "  tonne demo                     # try the dashboard with synthetic data, no setup\n" +
			"  tonne auth login --base-url https://market.example\n" +
			"  tonne                          # open the dashboard\n" +
			"  tonne market -o csv > market.csv",
		RunE: command.Do(func(ctx context.Context, cmd *cobra.Command, args []string) error {
			if version {
				return printVersion(a)
			}
			return d.Run(ctx, cmd, args)
		}),
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			a.NoteDatabase(cmd)
			a.HasDebug = a.Guest == nil && cmd.Flag("debug") != nil
			if version && !cmd.HasParent() {
				return nil
			}
			if err := a.Guest.Check(cmd); err != nil {
				return err
			}
			if err := command.CheckEmpty(cmd); err != nil {
				return err
			}
			if err := a.CheckDirs(); err != nil && a.Guest == nil {
				return err
			}
			if err := command.ApplyView(a, cmd); err != nil {
				return err
			}
			return command.CheckSelection(a, cmd)
		},
		SilenceErrors:    true,
		SilenceUsage:     true,
		TraverseChildren: true,
	}
	a.ConnectionFlags(root)
	d.Flags(root)
	root.Flags().Bool("allow-retire", false, "allow the dashboard to retire, as allow_retire = true in the profile does")
	// Cobra's version flag needs a template, and the linker keeps every method of every type
	// in a program with templates: a tenth of its size.
	root.Flags().BoolVar(&version, "version", false, "print version, commit and date")
	root.SetFlagErrorFunc(command.WrongFlag)
	for _, group := range [][2]string{{"see", "Dashboard"}, {"data", "Data"}, {"set", "Settings"}, {"run", "Service"}} {
		if a.Guest == nil || group[0] == "data" {
			root.AddGroup(&cobra.Group{ID: group[0], Title: group[1]})
		}
	}
	root.CompletionOptions.DisableDefaultCmd = true
	addCommands(a, root)
	command.ReadWholeNumbers(root)
	return a.Describe(root, command.Description{Effect: command.WritesLocal})
}

func addCommands(a *command.App, top *cobra.Command) {
	for group, commands := range map[string][]*cobra.Command{
		"see": {demo.Command(a), share.Command(a, Run)},
		"data": {
			market.Command(a), inventory.Command(a), retirement.Command(a), project.Command(a), quote.Command(a),
			compare.Command(a), retire.Command(a),
			basket.Command(a), watch.Command(a), ledger.Command(a), evidence.Command(a), statement.Command(a),
			postings.Command(a),
			reconcile.Command(a), history.Command(a), execution.Command(a), mcp.Command(a, root, Run),
		},
		"set": {auth.Command(a), configuration.Command(a), attributes.Command(a)},
		"run": {serve.Command(a)},
		"":    {completionCommand(a), manCommand(a), schemaCommand(a), versionCommand(a)},
	} {
		for _, cmd := range commands {
			cmd.GroupID = group
		}
		top.AddCommand(commands...)
	}
	explainHelp(a, top)
	if a.Guest != nil {
		a.Guest.Narrow(top)
	}
	if a.Agent != nil {
		a.Agent.Narrow(top)
	}
}

// explainHelp makes `tonne help` refuse unknown commands, as the command
// itself would: cobra prints the help of the root and succeeds.
func explainHelp(a *command.App, root *cobra.Command) {
	root.InitDefaultHelpCmd()
	help, _, err := root.Find([]string{"help"})
	if err != nil {
		return
	}
	help.Example = a.Examples("%s help market")
	a.Describe(help,
		command.Description{Effect: command.Reads,
			Arguments: []command.Argument{{Name: "COMMAND", Description: "the command to explain", Repeated: true}}})
	help.Args = func(_ *cobra.Command, args []string) error {
		found, rest, err := root.Find(args)
		switch {
		case err != nil || len(args) == 0:
			return err
		case len(rest) == 0:
			return a.Guest.Check(found)
		}
		return command.NoCommand(found, rest[0])
	}
}

func versionCommand(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print version, commit and date",
		Example: a.Examples("%s version"),
		RunE:    command.Do(func(context.Context, *cobra.Command, []string) error { return printVersion(a) }),
	}
	return a.Describe(cmd, command.Description{Effect: command.Reads})
}

func printVersion(a *command.App) error {
	b := command.BuildVersion()
	text := fmt.Sprintf("tonne %s\n", b.Version)
	if b.Commit != "" {
		note := ""
		if b.Modified {
			note = ", changed since"
		}
		text += fmt.Sprintf("commit %s%s\ndate %s\n", b.Commit, note, b.Date)
	}
	_, err := fmt.Fprintf(a.Stdout, "%s%s %s/%s\n", text, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}
