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
	"tonne/ui/cli/command"
	"tonne/ui/cli/listing"
	"tonne/ui/cli/output"
)

// listCommand is a command of the operator that prints a list: a table, or an array
// of objects.
func listCommand[T any](s *run, use, short, example string, changes command.Effect, columns output.Columns[T],
	run func(ctx context.Context, m *marketplace.Marketplace, args []string) ([]T, error)) *cobra.Command {
	var format *output.Format
	cmd := s.command(use, short, example, changes, func(ctx context.Context, m *marketplace.Marketplace, args []string) error {
		items, err := run(ctx, m, args)
		if err != nil {
			return err
		}
		return listing.NewFormats(s.App, columns, slices.Values(items)).Print(*format)
	})
	format = s.printsList(cmd, columns.Fields("[]."), columns.Header())
	return cmd
}

// changeCommand is a command of the operator that changes something and prints that: a
// sentence for people, or an object.
func changeCommand[T any](s *run, use, short, example string, changes command.Effect, columns output.Columns[T],
	run func(ctx context.Context, m *marketplace.Marketplace, args []string) (done T, sentence string, err error)) *cobra.Command {
	var format *output.Format
	cmd := s.command(use, short, example, changes, func(ctx context.Context, m *marketplace.Marketplace, args []string) error {
		done, sentence, err := run(ctx, m, args)
		if err != nil {
			return err
		}
		return s.say(*format, columns.JSON(done), sentence)
	})
	format = s.printsObject(cmd, columns.Fields(""))
	return cmd
}

func (s *run) printsList(cmd *cobra.Command, fields []output.Field, header string) *output.Format {
	s.Prints(cmd, command.OutputForm{Formats: []output.Format{output.JSON}, Fields: fields}, command.RowForm("", header, output.CSV))
	s.SelectionFlags(cmd)
	return command.FormatFlag(cmd, new(output.Format), output.Table, output.JSON, output.CSV)
}

func (s *run) printsObject(cmd *cobra.Command, fields []output.Field) *output.Format {
	s.Prints(cmd, command.OutputForm{Formats: []output.Format{output.JSON}, Fields: fields})
	return command.FormatFlag(cmd, new(output.Format), output.Table, output.JSON)
}

func (s *run) say(format output.Format, object output.Value, sentence string) error {
	if format == output.JSON {
		return output.Object(s.Data(), object)
	}
	_, err := fmt.Fprintln(s.Data(), sentence)
	return err
}

// notDone is the error of an operation of the operator, and what to do. Each wrong
// line of a file is named on standard error before.
func (s *run) notDone(err error, todo string) error {
	var file *exchange.FileError
	var text *marketplace.TextError
	var path *fs.PathError
	switch known := databaseFailure(err); {
	case known != err:
		return known
	case err == nil, errors.As(err, &path):
		return err
	case errors.As(err, &file):
		s.warnOfLines(file)
		return command.Failed("correct it and run it again", "nothing was taken in: %s found", model.Count(len(file.Faults), "mistake was", "mistakes were"))
	case errors.As(err, &text):
		return command.Usage("correct it", "%v", err)
	}
	return &command.Failure{What: err.Error(), Todo: todo, Status: operatorStatus(err)}
}

func (s *run) warnOfLines(file *exchange.FileError) {
	for _, fault := range file.Faults {
		name := "the file"
		if fault.Line > 0 {
			name = fmt.Sprintf("line %d", fault.Line)
		}
		s.Warn("%s %s", name, fault.Why)
	}
}

func counted(n exchange.Counts) string {
	return fmt.Sprintf("%d added, %d changed, %d unchanged", n.Added, n.Changed, n.Unchanged)
}
