package serve

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/spf13/cobra"

	"tonne/api/marketplace"
	"tonne/api/marketplace/exchange"
	"tonne/model"
	"tonne/model/advice"
	"tonne/model/field"
	"tonne/model/file/localfile"
	"tonne/ui/cli/command"
	"tonne/ui/cli/listing"
	"tonne/ui/output"
)

// listCommand returns a command that prints items. todo is the advice if they are refused.
func listCommand[T any](s *operator, use, short, example string, changes command.Effect, todo advice.Text,
	columns field.Columns[T],
	run func(ctx context.Context, m *marketplace.Marketplace, args []string) ([]T, error)) *cobra.Command {
	var format output.Format
	cmd := s.command(use, short, example, changes,
		func(ctx context.Context, m *marketplace.Marketplace, args []string) error {
			items, err := run(ctx, m, args)
			if err != nil {
				return s.notDone(err, todo)
			}
			return listing.NewFormats(s.app, columns, slices.Values(items)).Print(format)
		})
	s.app.SelectionFlags(cmd)
	prints(s, cmd, &format, columns, "[].")
	return cmd
}

// readCommand returns a listCommand for a query.
func readCommand[T any](s *operator, use, short, example string, columns field.Columns[T],
	query func(exchange.Tx) []T) *cobra.Command {
	return listCommand(s, use, short, example, command.Reads, checkDatabase, columns,
		func(ctx context.Context, m *marketplace.Marketplace, _ []string) ([]T, error) {
			return exchange.Read(ctx, m, query)
		})
}

// tenantCommand returns a listCommand for a query about one tenant, or all if the name is empty.
func tenantCommand[T any](s *operator, tenant *string, short, example string, columns field.Columns[T],
	query func(exchange.Tx) []T) *cobra.Command {
	return listCommand(s, "list", short, example, command.Reads, listsTenants, columns,
		func(ctx context.Context, m *marketplace.Marketplace, _ []string) ([]T, error) {
			found, err := exchange.Read(ctx, m,
				func(tx exchange.Tx) exchange.Tenant { return exchange.FindTenant(tx, *tenant) })
			if err == nil && *tenant != "" && found.Name == "" {
				err = fmt.Errorf("%w: %s", exchange.ErrUnknownTenant, *tenant)
			}
			if err != nil {
				return nil, err
			}
			return exchange.Read(ctx, m, query)
		})
}

// changeCommand returns a command that prints its result: a sentence in the table format.
func changeCommand[T any](s *operator, use, short, example string, changes command.Effect, todo advice.Text,
	columns field.Columns[T],
	run func(ctx context.Context, m *marketplace.Marketplace, args []string) (done T, sentence string,
		err error)) *cobra.Command {
	var format output.Format
	cmd := s.command(use, short, example, changes,
		func(ctx context.Context, m *marketplace.Marketplace, args []string) error {
			done, sentence, err := run(ctx, m, args)
			switch {
			case err != nil:
				err = s.notDone(err, todo)
			case format == output.JSON:
				err = output.Object(s.app.Data(), columns.JSON(done))
			case format == output.CSV:
				err = output.Write(s.app.Data(), output.CSV, columns.Flat(), slices.Values([]T{done}))
			default:
				_, err = fmt.Fprintln(s.app.Data(), sentence)
			}
			return err
		})
	prints(s, cmd, &format, columns, "")
	return cmd
}

func prints[T any](s *operator, cmd *cobra.Command, format *output.Format, columns field.Columns[T], path string) {
	s.app.Prints(cmd, command.OutputForm{Formats: []output.Format{output.JSON}, Fields: columns.Fields(path)},
		command.RowForm("", columns.Flat().RowFields(), output.CSV))
	command.FormatFlag(cmd, format, output.Table, output.JSON, output.CSV)
}

func (s *operator) notDone(err error, todo advice.Text) error {
	var told *command.Failure
	var file *exchange.FileError
	var text *marketplace.TextError
	var path *fs.PathError
	switch known := databaseFailure(err); {
	case known != err:
		return known
	case errors.As(err, &told), errors.As(err, &path), errors.As(err, new(*localfile.ExistsError)):
		return err
	case errors.As(err, &file):
		for _, fault := range file.Faults {
			name := "the file"
			if fault.Line > 0 {
				name = fmt.Sprintf("line %d", fault.Line)
			}
			s.app.Warn("%s %s", name, fault.Why)
		}
		return command.Failed("correct it and run it again", "nothing was imported: %s found",
			model.Count(len(file.Faults)+file.More, "mistake was", "mistakes were"))
	case errors.As(err, &text):
		return command.Usage("correct it", "%v", err)
	}
	status := command.StatusFailed
	if slices.ContainsFunc(unknown, func(known error) bool { return errors.Is(err, known) }) {
		status = command.StatusNotFound
	}
	return &command.Failure{What: advice.Plain(err.Error()), Todo: todo, Status: status}
}

var unknown = []error{exchange.ErrUnknownKey, exchange.ErrUnknownInvoice, exchange.ErrUnknownRequest,
	exchange.ErrUnknownTenant, exchange.ErrUnknownOrder}

func counted(n exchange.Counts) string {
	return fmt.Sprintf("%d added, %d changed, %d unchanged", n.Added, n.Changed, n.Unchanged)
}
