package command

import (
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tonne/ui/cli/config"
)

// Agent is the client of `tonne mcp` that runs a command: a program that may read and must not act.
type Agent struct {
	// ShowTaxIDs shows tax ids in full.
	ShowTaxIDs bool
}

// AgentCommands are the commands that an agent may run. They write only what they read, to the local store.
var AgentCommands = []string{
	"tonne market", "tonne quote", "tonne basket", "tonne compare", "tonne inventory", "tonne project", "tonne retirement",
	"tonne ledger", "tonne ledger find", "tonne statement", "tonne execution", "tonne history",
}

// ForAgent returns a run of a command for an agent, on the marketplace of this run. The flags that select it go before
// the -- in the arguments, after which nothing is a flag.
func (a *App) ForAgent(agent Agent, args []string, out, messages io.Writer) Process {
	p := a.Process
	p.ascii, p.Agent = false, &agent
	p.Args, p.Stdin, p.Stdout, p.Stderr = args, strings.NewReader(""), out, messages
	for _, name := range connectionSettings {
		if value := a.Flags[name]; value != "" {
			p.Args = slices.Insert(p.Args, max(0, slices.Index(p.Args, "--")), "--"+config.Find(name).Flag+"="+value)
		}
	}
	return p
}

// Narrow removes the commands that an agent may not run.
func (g *Agent) Narrow(root *cobra.Command) {
	for _, cmd := range root.Commands() {
		if slices.Contains(AgentCommands, cmd.CommandPath()) {
			g.Narrow(cmd)
		} else {
			root.RemoveCommand(cmd)
		}
	}
}

// AgentFlags returns the flags of a command that an agent may give: those that select data.
func AgentFlags(cmd *cobra.Command) (flags []*pflag.Flag) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if slices.Contains(selectingFlags, f.Name) {
			flags = append(flags, f)
		}
	})
	return flags
}
