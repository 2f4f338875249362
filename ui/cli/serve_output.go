package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"tonne/api/marketplace/exchange"
	"tonne/model"
	"tonne/ui/cli/output"
)

// objectFlag adds the flag that chooses between a sentence for people and a T in
// JSON.
func objectFlag[T any](s *serveRun, cmd *cobra.Command) *output.Format {
	s.prints(cmd, objectForm[T]("", output.JSON))
	return formatFlag(cmd, new(output.Format), output.Table, output.JSON)
}

// listFlag adds the flag that chooses between a table and an array of Ts in
// JSON.
func listFlag[T any](s *serveRun, cmd *cobra.Command) *output.Format {
	s.prints(cmd, objectForm[T]("[].", output.JSON))
	return formatFlag(cmd, new(output.Format), output.Table, output.JSON)
}

// say prints what was done: an object, or a sentence for people.
func (s *serveRun) say(format output.Format, object any, sentence string) error {
	if format == output.JSON {
		return output.Object(s.data(), object)
	}
	_, err := fmt.Fprintln(s.data(), sentence)
	return err
}

// printList prints things as an array of objects, or as a table.
func printList[T, O any](s *serveRun, format output.Format, things []T, object func(T) O, g *output.Grid, row func(T) []string) error {
	if format == output.JSON {
		return output.List(s.data(), func(yield func(O) bool) {
			for _, one := range things {
				if !yield(object(one)) {
					return
				}
			}
		})
	}
	for _, one := range things {
		g.Add(row(one)...)
	}
	return s.grid(g)
}

// columns are the columns of a table; a title that begins with > is of
// numbers.
func columns(titles ...string) *output.Grid {
	var all []output.Heading
	for _, title := range titles {
		title, right := strings.CutPrefix(title, ">")
		all = append(all, output.Heading{Title: title, Right: right})
	}
	return output.NewGrid(all...)
}

// openLines opens a file of lines; "-" is standard input.
func (a *app) openLines(path string) (io.ReadCloser, error) {
	if path == "-" {
		return io.NopCloser(a.Stdin), nil
	}
	return os.Open(path)
}

// notDone is what an operation of the operator failed with. Each wrong line of a
// file is named on standard error before.
func (s *serveRun) notDone(err error, todo string) error {
	var file *exchange.FileError
	if !errors.As(err, &file) {
		return s.failure(err, todo)
	}
	for _, fault := range file.Faults {
		name := "the file"
		if fault.Line > 0 {
			name = fmt.Sprintf("line %d", fault.Line)
		}
		s.warn("%s %s", name, fault.Why)
	}
	return failed("correct it and run it again", "nothing was taken in: %s found", model.Count(len(file.Faults), "mistake was", "mistakes were"))
}

// counted says what lines did.
func counted(n exchange.Counts) string {
	return fmt.Sprintf("%d added, %d changed, %d unchanged", n.Added, n.Changed, n.Unchanged)
}

// countsObject is what lines did, as JSON.
type countsObject struct {
	Added     int `json:"added"`
	Changed   int `json:"changed"`
	Unchanged int `json:"unchanged"`
}
