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

// guest is a person who runs a command from another machine. The files and settings
// of this machine are out of reach.
type guest struct {
	// store keeps what the guest looks up.
	store *store.Store
	log   *slog.Logger
	// connect returns the settings and the client of the guest's shared session.
	connect func() (*settings, *api.Client, error)
	// fit breaks the lines of a text for the guest's terminal.
	fit func(text string) string
	// refused are the commands that a guest may not run.
	refused []string
}

func (s *shareServer) command(ctx context.Context, of *sshd.Session, own *store.Store) (status int) {
	args, err := splitWords(of.Command)
	if err != nil {
		return refuse(of, statusUsage, "tonne: "+capital(sentence(err.Error())))
	}
	if len(args) == 0 {
		args = []string{"help"}
	}
	status = s.runCommand(api.OnBehalfOf(ctx, of.Person.ID), Process{
		Args: args, Stdin: of.In, Stdout: of.Out, Stderr: of.Err, Now: s.Now, Transport: s.Transport,
		Getenv: func(name string) string {
			for _, pair := range of.Environ {
				if value, found := strings.CutPrefix(pair, name+"="); found {
					return value
				}
			}
			return ""
		},
		guest: &guest{
			store: own, log: s.log, fit: func(text string) string { return fitted(text, of.Terminal) },
			connect: func() (*settings, *api.Client, error) {
				shared, err := s.openFor(of.Person)
				if err != nil {
					return nil, nil, err
				}
				of := *shared.settings
				return &of, shared.commands, nil
			},
		},
	})
	cause := context.Cause(ctx)
	if errors.Is(cause, sshd.ErrInterrupted) {
		return statusInterrupted
	}
	if text := farewell(cause); text != "" {
		return refuse(of, statusFailed, text)
	}
	return status
}

// openFor returns the shared session of a person. Why it cannot be opened is only
// logged, for the operator.
func (s *shareServer) openFor(p sshd.Person) (*sharedSession, error) {
	shared, err := s.open(p.Profile)
	if err != nil {
		s.log.Error("a desk cannot be opened", "person", p.Name, "profile", p.Profile, "error", explain(ran{err}).what)
		return nil, failed("ask whoever runs it, who finds the reason in its log", "the desk cannot be opened")
	}
	return shared, nil
}

// guestCommands are those that a guest may run. They write only to the guest's own
// store.
var guestCommands = []string{
	"tonne market", "tonne inventory", "tonne retirement", "tonne project", "tonne quote", "tonne basket",
	"tonne ledger", "tonne ledger find", "tonne ledger close", "tonne statement", "tonne schema", "tonne version", "tonne help",
}

// guestFlags are those that a guest may give. The others name a file, an address or
// a profile of this machine, or keep the service busy.
var guestFlags = []string{
	"output", "help", "filter", "page", "per-page", "trades", "trades-per-wallet", "trade-type", "wallet-min-quantity",
	"vintage", "tonnes", "grams", "budget", "max-price", "cap", "floor", "from", "to", "by", "fiscal-year", "fiscal-year-start",
	"show-tax-ids", "wait", "file", "column", "evidence",
}

// streamFlags name a file, which is - for a guest, and say what that means.
var streamFlags = map[string]string{
	"file":     "`-` reads ids from the lines of standard input",
	"evidence": "`-` prints audit evidence in place of the data, as csv or json",
}

const guestAdvice = "run it on the machine itself; `ssh DESK help` lists what there is"

func (g *guest) admit(args []string) error {
	if g == nil || len(args) == 0 || len(args) == 1 && slices.Contains([]string{"--help", "-h", "--version"}, args[0]) {
		return nil
	}
	if !slices.ContainsFunc(guestCommands, func(path string) bool { return strings.HasPrefix(path+" ", "tonne "+args[0]+" ") }) {
		return refusedCommand(sshd.Printable(args[0]))
	}
	return nil
}

func refusedCommand(name string) error {
	return ran{usage(guestAdvice, "a shared desk does not run `%s`: it retires nothing, and touches no files", name)}
}

func (g *guest) check(cmd *cobra.Command) (err error) {
	if g == nil {
		return nil
	}
	if !slices.Contains(guestCommands, cmd.CommandPath()) {
		return refusedCommand(cmd.CommandPath())
	}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		switch {
		case err != nil:
		case !slices.Contains(guestFlags, f.Name):
			err = ran{usage(guestAdvice, "a shared desk does not take --%s", f.Name)}
		case streamFlags[f.Name] != "" && f.Value.String() != "-":
			err = ran{usage("give --"+f.Name+" -", "a shared desk has no files: --%s takes - alone, for what the connection carries", f.Name)}
		}
	})
	return err
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
