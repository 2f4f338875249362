package cli

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tonne/api"
	"tonne/model/store"
	"tonne/ui/cli/sshd"
)

// guest is somebody at another machine who runs a command here: no file and no
// setting of this machine is theirs.
type guest struct {
	// desk opens the desk that the commands ask.
	desk  func() (*openDesk, error)
	store func() *store.Store
	// terminal is the guest's, nil for none.
	terminal *sshd.Terminal
	// refused are the commands that a guest may not run.
	refused []string
	// log is where the operator looks for what broke.
	log *slog.Logger
}

func (d *desks) command(ctx context.Context, s *sshd.Session) (status int) {
	args, err := splitWords(s.Command)
	if err != nil {
		return refuse(s, statusUsage, "tonne: "+capital(sentence(err.Error())))
	}
	if len(args) == 0 {
		args = []string{"help"}
	}
	own, err := d.storeOf(s.Person)
	if err != nil {
		d.log.Error("a store cannot be used", "person", s.Person.Name, "error", err)
		return refuse(s, statusFailed, "The desk cannot keep your ledger. Whoever runs it finds the reason in its log.")
	}
	defer own.Close()
	status = run(api.OnBehalfOf(ctx, s.Person.ID), Process{
		Args: args, Stdin: s.In, Stdout: s.Out, Stderr: s.Err, Now: d.Now, Transport: d.Transport,
		Getenv: environ(s.Environ),
		guest:  &guest{func() (*openDesk, error) { return d.deskOf(s.Person) }, func() *store.Store { return own }, s.Terminal, nil, d.log},
	}, new(terminal))
	cause := context.Cause(ctx)
	if errors.Is(cause, sshd.ErrInterrupted) {
		return statusInterrupted
	}
	if text := farewell(cause); text != "" {
		return refuse(s, statusFailed, text)
	}
	return status
}

// deskOf returns the desk of a person. Why it cannot be opened is for the operator
// alone.
func (d *desks) deskOf(p sshd.Person) (*openDesk, error) {
	desk, err := d.desk(p.Profile)
	if err != nil {
		d.log.Error("a desk cannot be opened", "person", p.Name, "profile", p.Profile, "error", explain(ran{err}).what)
		return nil, failed("ask whoever runs it, who finds the reason in its log", "the desk cannot be opened")
	}
	return desk, nil
}

func environ(pairs []string) func(name string) string {
	return func(name string) string {
		for _, pair := range pairs {
			if key, value, _ := strings.Cut(pair, "="); key == name {
				return value
			}
		}
		return ""
	}
}

// guestCommands are those that a guest may run. They read, but for the ledger
// and what is remembered, which are the guest's own.
var guestCommands = []string{
	"tonne market", "tonne inventory", "tonne retirement", "tonne project", "tonne quote", "tonne basket",
	"tonne ledger", "tonne ledger find", "tonne ledger close", "tonne statement", "tonne schema", "tonne version", "tonne help",
}

// guestFlags are those that a guest may give. No other names a file, an address
// or a profile of this machine, or keeps the service busy.
var guestFlags = []string{
	"output", "help", "filter", "page", "per-page", "trades", "trades-per-wallet", "trade-type", "wallet-min-quantity",
	"vintage", "tonnes", "grams", "budget", "max-price", "cap", "floor", "from", "to", "by", "fiscal-year", "fiscal-year-start",
	"show-tax-ids", "wait", "file", "column", "evidence",
}

// streamFlags name a file, and - for standard input or output.
var streamFlags = []string{"file", "evidence"}

const guestAdvice = "run it on the machine itself; `ssh DESK help` lists what there is"

// admit refuses the arguments of a command that a guest may not run.
func (g *guest) admit(args []string) error {
	if g == nil || len(args) == 0 || len(args) == 1 && slices.Contains([]string{"--help", "-h", "--version"}, args[0]) {
		return nil
	}
	if slices.ContainsFunc(guestCommands, func(path string) bool { return strings.HasPrefix(path+" ", "tonne "+args[0]+" ") }) {
		return nil
	}
	return notForGuests(sshd.Printable(args[0]))
}

func notForGuests(command string) error {
	return ran{usage(guestAdvice, "a shared desk does not run `%s`: it retires nothing, and touches no files", command)}
}

// check refuses a command and flags that a guest may not use.
func (g *guest) check(cmd *cobra.Command) (err error) {
	if g == nil {
		return nil
	}
	if !slices.Contains(guestCommands, cmd.CommandPath()) {
		return notForGuests(cmd.CommandPath())
	}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		switch {
		case err != nil:
		case !slices.Contains(guestFlags, f.Name):
			err = ran{usage(guestAdvice, "a shared desk does not take --%s", f.Name)}
		case slices.Contains(streamFlags, f.Name) && f.Value.String() != "-":
			err = ran{usage("give --"+f.Name+" -", "a shared desk has no files: --%s takes - alone, for what the connection carries", f.Name)}
		}
	})
	return err
}

// connection are the settings for a command of the guest.
func (g *guest) connection(a *app) (*settings, error) {
	desk, err := g.desk()
	if err != nil {
		return nil, err
	}
	s := *desk.settings
	a.production = s.production()
	return &s, nil
}

var errUnclosed = errors.New("a quote or a backslash has no end")

func splitWords(line string) (words []string, err error) {
	var word strings.Builder
	var quote rune
	begun, escaped := false, false
	for _, r := range line {
		switch {
		case escaped:
			if quote == '"' && !strings.ContainsRune("\"\\$`", r) {
				word.WriteByte('\\')
			}
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			begun, escaped = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote, begun = r, true
		case quote == 0 && strings.ContainsRune(" \t\r\n", r):
			if begun {
				words = append(words, word.String())
			}
			word.Reset()
			begun = false
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	if quote != 0 || escaped {
		return nil, errUnclosed
	}
	if begun {
		words = append(words, word.String())
	}
	return words, nil
}
