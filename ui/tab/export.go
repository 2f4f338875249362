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
	"tonne/model/field"
	"tonne/model/file/paper"
	"tonne/model/file/spreadsheet"
	"tonne/ui/effect"
	"tonne/ui/output"
)

// Files gives access to the files of the program's machine. Errors do not repeat the path.
type Files interface {
	// Downloads returns the default directory for saved files.
	Downloads() string
	// Expand returns the path for typed text, such as "~/a.csv".
	Expand(typed string) (string, error)
	// Read returns the content of a file of at most largest bytes.
	Read(path string, largest int64) ([]byte, error)
	// SHA256 returns the hash of a file in hexadecimal.
	SHA256(path string) (string, error)
	// Create writes a new file. The error is fs.ErrExist if there is a file.
	Create(path string, content []byte) error
}

// Export is a table to write to a file. Its rows must not change, because a background task reads them.
type Export[T any] struct {
	// What names the rows in the title of the dialog.
	What string
	// Name is the name of the sheet. File is the name of the file; if it is empty, it is Name with the time.
	Name, File string
	Columns    field.Columns[T]
	Rows       iter.Seq[T]
	// Sheets are the sheets of a workbook. The first one gets the rows. Nil means a single sheet.
	Sheets []spreadsheet.Sheet
	// Encode returns the file of another kind of export than a table, and Endings are those of
	// its name. Nil means a table in the formats of its columns.
	Encode  func(path string) ([]byte, error)
	Endings []string
	// Part reports that not all rows were read.
	Part bool
}

// Ask opens a prompt for the name of the file. It never replaces a file.
func (x Export[T]) Ask(v *View) effect.Effect {
	if x.File == "" {
		x.File = strings.ToLower(x.Name) + "-" + v.Now().In(v.Location).Format("2006-01-02-150405") + ".csv"
		if x.Part {
			x.File = strings.TrimSuffix(x.File, ".csv") + "-incomplete.csv"
		}
	}
	if x.Endings == nil {
		x.Endings = []string{".csv", ".xlsx", ".json"}
	}
	last := len(x.Endings) - 1
	endings := strings.Join(x.Endings[:last], ", ") + " or " + x.Endings[last]
	return effect.Work(func(context.Context) any {
		return Prompt{
			Title: "Export " + x.What, Hint: "a file name that ends in " + endings,
			Value: filepath.Join(v.Files.Downloads(), x.File),
			Enter: func(typed string) (effect.Effect, string) {
				path, err := v.Files.Expand(typed)
				switch {
				case err != nil:
					return nil, "Enter a path."
				case !slices.Contains(x.Endings, strings.ToLower(filepath.Ext(path))):
					return nil, "The name must end in " + endings + "."
				}
				return effect.Work(func(context.Context) any { return x.write(v, path) }), ""
			},
		}.Ask()
	})
}

func (x Export[T]) write(v *View, path string) effect.Effect {
	rows := slices.Collect(x.Rows)
	if x.Sheets == nil {
		x.Sheets = []spreadsheet.Sheet{x.Sheet()}
	}
	encode := x.Encode
	if encode == nil {
		encode = func(path string) ([]byte, error) {
			return output.Encode(path, x.Columns, slices.Values(rows), x.Sheets...)
		}
	}
	content, err := encode(path)
	if err == nil {
		err = v.Files.Create(path, content)
	}
	size := model.Count(len(rows), "row", "rows")
	if strings.EqualFold(filepath.Ext(path), ".pdf") {
		size = model.Count(paper.Pages(content), "page", "pages")
	}
	wrote := "Wrote " + size + " to " + Typed(path) + "."
	switch {
	case errors.Is(err, fs.ErrExist):
		return effect.Warn("Not written: " + Typed(path) + " already exists. Press e to choose another name.")
	case err != nil:
		return effect.Warn("Not written: " + Typed(err.Error()) + ".")
	case x.Part:
		return effect.Warn(wrote + " Only a part was read.")
	}
	return effect.Say(wrote)
}

// Sheet returns the sheet of a workbook for the rows.
func (x Export[T]) Sheet() spreadsheet.Sheet { return spreadsheet.Sheet{Name: x.Name} }

// WhyNotExport returns the reason why e is disabled while there are no rows.
func WhyNotExport(rows interface{ Len() int }) func() string {
	return func() string {
		if rows.Len() == 0 {
			return "There are no rows to export."
		}
		return ""
	}
}
