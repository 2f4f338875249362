package serve

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"tonne/api/marketplace"
	"tonne/api/marketplace/exchange"
	"tonne/api/wire"
	"tonne/model/advice"
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
	err  error
	what string
	todo advice.Text
}

// failures are the errors of the database and its disk.
var failures = []failure{
	{exchange.ErrFull, "the disk of the database is full", advice.Plain("free some space and run it again")},
	{exchange.ErrLocked, "the database is locked by another program",
		advice.Plain("try again; if it stays locked, stop the other program")},
	{exchange.ErrUnreachable, "the database cannot be reached",
		advice.Plain("check whether its server runs and accepts writes, then run it again")},
	{exchange.ErrUnknown, exchange.ErrUnknown.Error(), advice.Plain("check whether it already happened, then retry")},
	{exchange.ErrNoBackup, exchange.ErrNoBackup.Error(), advice.Plain("see docs/postgresql.md, \"Back up and restore\"")},
	{exchange.ErrReadOnly, "the database is read-only", checkDatabase},
}

// advice returns the advice of the cause, or else that of the failure.
func (f failure) advice(cause *exchange.CauseError) advice.Text {
	if cause.Todo != "" {
		return advice.Plain(cause.Todo)
	}
	return f.todo
}

// databaseFailure returns an unknown error unchanged.
func databaseFailure(err error) error {
	cause, explained := errors.AsType[*exchange.CauseError](err)
	for _, known := range failures {
		switch {
		case errors.Is(err, known.err) && explained:
			return command.Failed(known.advice(cause), "%s: %s", known.what, wire.Clean(cause.Cause))
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
var checkDatabase = advice.Plain("check the file that --db names, and its permissions")
