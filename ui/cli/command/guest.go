package command

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tonne/model/advice"
	"tonne/ui/cli/sshd"
)

// Guest is a user who runs a command over SSH, without files and settings of this machine.
type Guest struct {
	// Desk is the guest's shared session, with a store for the guest's look-ups.
	Desk
	Log *slog.Logger
	// Fit breaks the lines of a text for the guest's terminal.
	Fit func(text string) string
	// Refused are the commands that a guest may not run.
	Refused []string
}

// GuestCommands are the commands that a guest may run. They write only to the guest's store.
var GuestCommands = []string{
	"tonne market", "tonne inventory", "tonne retirement", "tonne project", "tonne quote", "tonne compare", "tonne basket",
	"tonne ledger", "tonne ledger find", "tonne ledger close", "tonne statement", "tonne history", "tonne execution",
	"tonne schema",
	"tonne version", "tonne help",
}

// selectingFlags are the flags that only select data. Guests and agents may give them.
var selectingFlags = []string{
	"columns", "sort", "view", "filter", "page", "per-page", "trades", "trades-per-wallet", "trade-type",
	"wallet-min-quantity",
	"vintage", "project", "tonnes", "grams", "budget", "max-price", "cap", "floor", "from", "to", "status", "beneficiary",
	"by", "fiscal-year", "fiscal-year-start", "at", "like", "request",
}

// GuestFlags are the flags that a guest may give. The others name a file, an address or
// a profile of this machine, or keep the service busy.
var GuestFlags = append(slices.Clone(selectingFlags),
	"output", "help", "show-tax-ids", "wait", "wait-timeout", "file", "column", "evidence")

// streamFlags are the flags for files, with their help; a guest may only give -.
var streamFlags = map[string]string{
	"file":     "`-` reads ids from the lines of standard input",
	"evidence": "`-` prints audit evidence instead of the data, as csv or json",
}

const guestAdvice = "run it on the machine of the desk; `ssh DESK help` lists the commands"

// Admit returns an error if the first argument is not a command for guests.
func (g *Guest) Admit(args []string) error {
	if g == nil || len(args) == 0 || len(args) == 1 && slices.Contains([]string{"--help", "-h", "--version"}, args[0]) {
		return nil
	}
	if !slices.ContainsFunc(GuestCommands,
		func(path string) bool { return strings.HasPrefix(path+" ", "tonne "+args[0]+" ") }) {
		return Usage(guestAdvice, refusedCommand, "`"+sshd.Printable(args[0])+"`")
	}
	return nil
}

const refusedCommand = "a shared desk does not run %s: it cannot retire or change files"

// Check returns an error for a command or a flag that a guest may not use. A nil guest may use all.
func (g *Guest) Check(cmd *cobra.Command) (err error) {
	if g == nil {
		return nil
	}
	if !slices.Contains(GuestCommands, cmd.CommandPath()) {
		return Usage(guestAdvice, refusedCommand, commandOf(cmd))
	}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		switch {
		case err != nil:
		case !slices.Contains(GuestFlags, f.Name):
			err = Usage(guestAdvice, "a shared desk does not accept --%s", f.Name)
		case streamFlags[f.Name] != "" && f.Value.String() != "-":
			err = Usage("give --"+f.Name+" -", "a shared desk has no files: --%s accepts only - (the connection)", f.Name)
		}
	})
	return err
}

// Narrow hides refused commands and flags from help, schema and advice. The commands remain,
// so that an error can name them.
func (g *Guest) Narrow(root *cobra.Command) {
	for _, cmd := range root.Commands() {
		if !slices.Contains(GuestCommands, cmd.CommandPath()) {
			g.Refused = append(g.Refused, cmd.Name())
		}
	}
	g.narrowOne(root)
	root.Example = "  ssh DESK market -o csv > market.csv"
}

func (g *Guest) narrowOne(cmd *cobra.Command) {
	if !slices.Contains(GuestCommands, cmd.CommandPath()) {
		cmd.Hidden, cmd.GroupID = true, ""
		if cmd.HasParent() {
			// Its help is refused too.
			cmd.DisableFlagParsing = true
			cmd.Args = func(cmd *cobra.Command, _ []string) error { return g.Check(cmd) }
		}
	}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		f.Hidden = f.Hidden || !slices.Contains(GuestFlags, f.Name)
		if usage := streamFlags[f.Name]; usage != "" {
			f.Usage = usage
		}
	})
	for _, sub := range cmd.Commands() {
		g.narrowOne(sub)
	}
}

func (g *Guest) can(c advice.Command) bool { return !slices.Contains(g.Refused, c[0]) }

func (g *Guest) has(flag string) bool { return slices.Contains(GuestFlags, flag) }

// Hides reports whether a form of output needs a flag of the command that a guest may not give.
func (g *Guest) Hides(form OutputForm, cmd *cobra.Command) bool {
	flag := form.flag(cmd)
	return flag != nil && !g.has(flag.Name)
}

// onDesk writes a command for another machine. It uses help instead of --help, which after a
// host is an option of OpenSSH's client.
func onDesk(c advice.Command) string {
	if len(c) == 1 && c[0] == "--help" {
		c = advice.Tonne("help")
	}
	return "`ssh DESK " + strings.Join(c, " ") + "`"
}

// Local returns a part of a help text that only users of this machine get, or "" for a guest or an agent.
func (p Process) Local(text string) string {
	if p.Guest != nil || p.Agent != nil {
		return ""
	}
	return text
}

// Shell returns a text about what a shell can do, such as standard input, or nothing for an agent.
func (p Process) Shell(text string) string {
	if p.Agent != nil {
		return ""
	}
	return text
}

// Examples returns the examples of a command, one per line. In each, a %s is the program. Empty ones are left out.
func (p Process) Examples(examples ...string) string {
	program := "tonne"
	if p.Guest != nil {
		program = "ssh DESK"
	}
	var lines []string
	for _, example := range examples {
		if example != "" {
			lines = append(lines, "  "+fmt.Sprintf(example, program))
		}
	}
	return strings.Join(lines, "\n")
}
