package serve

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"tonne/api/marketplace"
	"tonne/api/marketplace/exchange"
	"tonne/api/wire"
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
				s.app.Warn("there was no marketplace in %s, so a new one was created", marketplace.MaskAddress(s.path()))
			}
			return err
		})}, d)
}

// operands describes the arguments of the operator's commands.
var operands = map[string]string{
	"ID":      "id, as printed by the list command",
	"INVOICE": "id of the invoice",
	"FILE":    "path of the file",
	"NAME":    "name of the tenant",
	"CENTS":   "price in US cents per tonne",
}

// failure is a known error with its message and advice.
type failure struct {
	err        error
	what, todo string
}

// failures are the errors of the database and its disk.
var failures = []failure{
	{exchange.ErrFull, "the disk of the database is full", "free some space and run it again"},
	{exchange.ErrLocked, "the database is locked by another program", "try again; if it stays locked, stop the other program"},
	{exchange.ErrUnreachable, "the database cannot be reached", "check whether its server runs and accepts writes, then run it again"},
	{exchange.ErrUnknown, exchange.ErrUnknown.Error(), "check whether it already happened, then retry"},
	{exchange.ErrNoBackup, exchange.ErrNoBackup.Error(), "see docs/postgresql.md, \"Back up and restore\""},
	{exchange.ErrReadOnly, "the database is read-only", checkDatabase},
}

// databaseFailure returns an unknown error unchanged.
func databaseFailure(err error) error {
	cause, explained := errors.AsType[*exchange.CauseError](err)
	for _, known := range failures {
		switch {
		case errors.Is(err, known.err) && explained:
			return command.Failed(cmp.Or(cause.Todo, known.todo), "%s: %s", known.what, wire.Clean(cause.Cause))
		case errors.Is(err, known.err):
			return command.Failed(known.todo, "%s", known.what)
		}
	}
	if explained && cause.Todo != "" {
		return command.Failed(cause.Todo, "the database cannot be used: %s", wire.Clean(cause.Cause))
	}
	return err
}

// checkDatabase is the advice if the database itself failed.
const checkDatabase = "check the file that --db names, and its permissions"
