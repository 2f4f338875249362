package tab

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"tonne/model"
	"tonne/model/spreadsheet"
	"tonne/ui/effect"
	"tonne/ui/output"
)

// Files are the files of the machine that the program runs on. Errors do not repeat the path.
type Files interface {
	// Downloads is the usual directory for saved files.
	Downloads() string
	// Expand returns the path that a person typed.
	Expand(typed string) (string, error)
	// Read returns a file of at most so many bytes.
	Read(path string, largest int64) ([]byte, error)
	// SHA256 returns the hash of a file in hexadecimal.
	SHA256(path string) (string, error)
	// Create writes a new file. The error is fs.ErrExist if there is a file.
	Create(path string, content []byte) error
}

// Export is a table for a file. Its rows must not change: they are read away from the screen.
type Export[T any] struct {
	// What names the rows in the title of the dialog.
	What string
	// Name is the name of the sheet, File that of the file; empty is the name with the time.
	Name, File string
	Columns    output.Columns[T]
	Rows       iter.Seq[T]
	// Sheets are those of a workbook, of which the first gets the rows; nil is one.
	Sheets []spreadsheet.Sheet
	// Part says that not all rows were read.
	Part bool
}

// Ask lets the person type the name of the file. No file is replaced.
func (x Export[T]) Ask(v *View) effect.Effect {
	if x.File == "" {
		x.File = strings.ToLower(x.Name) + "-" + v.Now().In(v.Location).Format("2006-01-02-150405") + ".csv"
		if x.Part {
			x.File = strings.TrimSuffix(x.File, ".csv") + "-incomplete.csv"
		}
	}
	return effect.Work(func(context.Context) any {
		return Prompt{
			Title: "Export " + x.What, Hint: "a file name that ends in .csv, .xlsx or .json", Value: filepath.Join(v.Files.Downloads(), x.File),
			Enter: func(typed string) (effect.Effect, string) {
				path, err := v.Files.Expand(typed)
				switch {
				case err != nil:
					return nil, "Type a path."
				case !slices.Contains([]string{".csv", ".xlsx", ".json"}, strings.ToLower(filepath.Ext(path))):
					return nil, "The name must end in .csv, .xlsx or .json."
				}
				return effect.Work(func(context.Context) any { return x.write(v, path) }), ""
			},
		}.Ask()
	})
}

func (x Export[T]) write(v *View, path string) effect.Effect {
	rows := slices.Collect(x.Rows)
	if x.Sheets == nil {
		x.Sheets = []spreadsheet.Sheet{{Name: x.Name}}
	}
	content, err := x.Columns.Encode(path, slices.Values(rows), x.Sheets...)
	if err == nil {
		err = v.Files.Create(path, content)
	}
	wrote := "Wrote " + model.Count(len(rows), "row", "rows") + " to " + Typed(path) + "."
	switch {
	case errors.Is(err, fs.ErrExist):
		return effect.Warn("Not written: " + Typed(path) + " is there already. e asks for another name.")
	case err != nil:
		return effect.Warn("Not written: " + Typed(err.Error()) + ".")
	case x.Part:
		return effect.Warn(wrote + " Only a part was read.")
	}
	return effect.Say(wrote)
}

// WhyNotExport tells why e does nothing while no row is shown.
func WhyNotExport(rows interface{ Len() int }) func() string {
	return func() string {
		if rows.Len() == 0 {
			return "No row is shown to export."
		}
		return ""
	}
}
