package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"tonne/api/marketplace"
	"tonne/api/marketplace/exchange"
	"tonne/model"
	"tonne/ui/cli/output"
)

// listCommand is a command of the operator that prints a list: a table, or an array
// of objects.
func listCommand[T any](s *serveRun, use, short, example string, changes effect, columns output.Columns[T],
	run func(ctx context.Context, m *marketplace.Marketplace, args []string) ([]T, error)) *cobra.Command {
	var format *output.Format
	cmd := s.command(use, short, example, changes, func(ctx context.Context, m *marketplace.Marketplace, args []string) error {
		items, err := run(ctx, m, args)
		if err != nil {
			return err
		}
		return printList(s, *format, items, columns)
	})
	format = s.printsJSON(cmd, columns.Fields("[]."))
	return cmd
}

// changeCommand is a command of the operator that changes something and prints that: a
// sentence for people, or an object.
func changeCommand[T any](s *serveRun, use, short, example string, changes effect, columns output.Columns[T],
	run func(ctx context.Context, m *marketplace.Marketplace, args []string) (done T, sentence string, err error)) *cobra.Command {
	var format *output.Format
	cmd := s.command(use, short, example, changes, func(ctx context.Context, m *marketplace.Marketplace, args []string) error {
		done, sentence, err := run(ctx, m, args)
		if err != nil {
			return err
		}
		return s.say(*format, columns.JSON(done), sentence)
	})
	format = s.printsJSON(cmd, columns.Fields(""))
	return cmd
}

func (s *serveRun) printsJSON(cmd *cobra.Command, fields []output.Field) *output.Format {
	s.prints(cmd, outputForm{Formats: []output.Format{output.JSON}, Fields: fields})
	return formatFlag(cmd, new(output.Format), output.Table, output.JSON)
}

func (s *serveRun) say(format output.Format, object output.Value, sentence string) error {
	if format == output.JSON {
		return output.Object(s.data(), object)
	}
	_, err := fmt.Fprintln(s.data(), sentence)
	return err
}

func printList[T any](s *serveRun, format output.Format, items []T, columns output.Columns[T]) error {
	if format == output.JSON {
		return output.List(s.data(), columns.Objects(slices.Values(items)))
	}
	return s.grid(columns.Grid(slices.Values(items)))
}

// openLines opens a file of lines; "-" is standard input.
func (a *app) openLines(path string) (io.ReadCloser, error) {
	if path == "-" {
		return io.NopCloser(a.Stdin), nil
	}
	return os.Open(path)
}

// notDone is the error of an operation of the operator, and what to do. Each wrong
// line of a file is named on standard error before.
func (s *serveRun) notDone(err error, todo string) error {
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
		return failed("correct it and run it again", "nothing was taken in: %s found", model.Count(len(file.Faults), "mistake was", "mistakes were"))
	case errors.As(err, &text):
		return usage("correct it", "%v", err)
	}
	return &failure{what: err.Error(), todo: todo, status: operatorStatus(err)}
}

func (s *serveRun) warnOfLines(file *exchange.FileError) {
	for _, fault := range file.Faults {
		name := "the file"
		if fault.Line > 0 {
			name = fmt.Sprintf("line %d", fault.Line)
		}
		s.warn("%s %s", name, fault.Why)
	}
}

func counted(n exchange.Counts) string {
	return fmt.Sprintf("%d added, %d changed, %d unchanged", n.Added, n.Changed, n.Unchanged)
}
