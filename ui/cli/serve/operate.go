package serve

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"tonne/api/marketplace"
	"tonne/api/marketplace/exchange"
	"tonne/ui/cli/command"
)

func (s *operator) command(use, short, example string, changes command.Effect,
	run func(ctx context.Context, m *marketplace.Marketplace, args []string) error) *cobra.Command {
	d := command.Description{Effect: changes}
	for _, name := range strings.Fields(use)[1:] {
		d.Arguments = append(d.Arguments, command.Argument{Name: name, Description: operands[name], Required: true})
	}
	return s.app.Describe(&cobra.Command{Use: use, Short: short, Example: "  tonne serve " + example, RunE: command.Do(
		func(ctx context.Context, _ *cobra.Command, args []string) (err error) {
			m, err := s.open(ctx, marketplace.Options{Existing: !s.create})
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, m.Close()) }()
			err = databaseFailure(run(ctx, m, args))
			if err == nil && m.Made() {
				s.app.Warn("there was no marketplace in %s: a new one was made", databaseName(s.path()))
			}
			return err
		})}, d)
}

// operands says what the arguments of the operator's commands are.
var operands = map[string]string{
	"ID":      "id of what the command is about, as the list prints it",
	"INVOICE": "id of the invoice",
	"FILE":    "path of the file",
	"NAME":    "name of the tenant",
	"CENTS":   "price in US cents per tonne",
}

// failure is an error that is known, and what to do.
type failure struct {
	err        error
	what, todo string
}

// failures are what is wrong with the database or its disk.
var failures = []failure{
	{exchange.ErrFull, "no space is left on the disk of the database", "make room and run it again"},
	{exchange.ErrLocked, "the database is locked by another program", "try again; if it stays so, end the program that keeps it locked"},
	{exchange.ErrUnreachable, "the database cannot be reached", "check whether its server runs and takes changes, and run it again"},
	{exchange.ErrUnknown, exchange.ErrUnknown.Error(), "look whether it was done before you run it again"},
	{exchange.ErrNoBackup, exchange.ErrNoBackup.Error(), "see the page on the service"},
	{exchange.ErrReadOnly, "the database is read-only", checkDatabase},
}

// databaseFailure returns an error that is not known as it is.
func databaseFailure(err error) error {
	for _, known := range failures {
		if errors.Is(err, known.err) {
			return command.Failed(known.todo, "%s", known.what)
		}
	}
	return err
}

// checkDatabase is what to do where the database itself failed.
const checkDatabase = "check the file that --db names, and its permissions"
