package command

import (
	"cmp"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

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
	"tonne ledger", "tonne ledger find", "tonne ledger close", "tonne statement", "tonne schema", "tonne version", "tonne help",
}

// GuestFlags are the flags that a guest may give. The others name a file, an address or
// a profile of this machine, or keep the service busy.
var GuestFlags = []string{
	"output", "columns", "sort", "view", "help", "filter", "page", "per-page", "trades", "trades-per-wallet", "trade-type", "wallet-min-quantity",
	"vintage", "tonnes", "grams", "budget", "max-price", "cap", "floor", "from", "to", "status", "beneficiary", "by", "fiscal-year", "fiscal-year-start",
	"show-tax-ids", "wait", "wait-timeout", "file", "column", "evidence",
}

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
	if !slices.ContainsFunc(GuestCommands, func(path string) bool { return strings.HasPrefix(path+" ", "tonne "+args[0]+" ") }) {
		return refusedCommand(sshd.Printable(args[0]))
	}
	return nil
}

func refusedCommand(name string) error {
	return Usage(guestAdvice, "a shared desk does not run `%s`: it cannot retire or change files", name)
}

// Check returns an error for a command or a flag that a guest may not use. A nil guest may use all.
func (g *Guest) Check(cmd *cobra.Command) (err error) {
	if g == nil {
		return nil
	}
	if !slices.Contains(GuestCommands, cmd.CommandPath()) {
		return refusedCommand(cmd.CommandPath())
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
		// Its help is refused too.
		cmd.DisableFlagParsing = cmd.HasParent()
	}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		f.Hidden = f.Hidden || !slices.Contains(GuestFlags, f.Name)
		if usage := streamFlags[f.Name]; usage != "" {
			f.Usage = usage
		}
	})
	cmd.Long, cmd.Example = g.allowed(cmd.Long, "\n\n"), g.allowed(cmd.Example, "\n")
	for _, sub := range cmd.Commands() {
		g.narrowOne(sub)
	}
}

// named finds the flags with their values, the commands and the variables in a text.
var named = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`--([a-z][a-z-]*)(?:[ =](-(?:\s|$)|[^-\s]\S*))?|\btonne ([a-z]+)|\b(TONNE_)`)
})

// Refuses reports whether a text mentions something that a guest may not do, or is an
// example with quotes, of which the guest's shell removes a level.
func (g *Guest) Refuses(text string) bool {
	return strings.HasPrefix(text, "  tonne ") && strings.Contains(text, "'") || slices.ContainsFunc(named().FindAllStringSubmatch(text, -1), func(found []string) bool {
		flag, value, command, variable := found[1], strings.TrimSpace(found[2]), found[3], found[4]
		file := streamFlags[flag] != "" && value != "" && value != "-"
		return file || variable != "" || flag != "" && !slices.Contains(GuestFlags, flag) || slices.Contains(g.Refused, command)
	})
}

// asGuest rewrites commands for another machine. It uses help instead of --help, which after a
// host is an option of OpenSSH's client.
var asGuest = sync.OnceValue(func() *strings.Replacer {
	return strings.NewReplacer("`tonne --help`", "`ssh DESK help`", "`tonne ", "`ssh DESK ", "  tonne ", "  ssh DESK ", "| tonne ", "| ssh DESK ")
})

// allowed removes the parts of a text that mention something refused, and rewrites the others.
func (g *Guest) allowed(text, separator string) string {
	parts := slices.DeleteFunc(strings.Split(text, separator), g.Refuses)
	return asGuest().Replace(strings.Join(parts, separator))
}

// Advice removes from advice what a guest cannot do.
func (g *Guest) Advice(todo string) string {
	return cmp.Or(g.allowed(todo, ", or "), "ask the operator of the desk")
}
