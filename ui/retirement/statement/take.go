package statement

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"tonne/model/localfile"
	"tonne/model/spreadsheet"
	"tonne/ui/effect"
	"tonne/ui/tab"
)

func (p *Panel) ask() effect.Effect {
	switch {
	case p.made == nil:
		return nil
	case p.save == nil:
		return effect.Warn("Statements cannot be written here; y copies one.")
	}
	book := Book(p.of(), *p.made)
	name := "statement-" + p.period.from.Format(time.DateOnly) + "-" + p.period.to.AddDate(0, 0, -1).Format(time.DateOnly) + "-" + string(p.by) + ".xlsx"
	return effect.Work(func(context.Context) any {
		return effect.Prompt{
			Title: "Write the statement", Hint: "a new file that ends in .xlsx", Value: filepath.Join(localfile.Downloads(), name),
			Parse: func(typed string) (any, string) {
				path, err := localfile.Expand(typed)
				switch {
				case err != nil:
					return nil, "Type a path."
				case !strings.EqualFold(filepath.Ext(path), ".xlsx"):
					return nil, "The name must end in .xlsx."
				}
				return File{path, book, p.save}, ""
			},
		}
	})
}

// File is a statement that is to be written.
type File struct {
	path string
	book spreadsheet.Workbook
	save func(path string, book spreadsheet.Workbook) error
}

// Save writes the file in the background and says what came of it.
func (f File) Save() effect.Effect {
	return effect.Work(func(context.Context) any {
		err := f.save(f.path, f.book)
		switch {
		case errors.Is(err, fs.ErrExist):
			return effect.Warn("Not written: " + tab.Typed(f.path) + " is there already.")
		case err != nil:
			return effect.Warn("Not written: " + tab.Typed(localfile.Plain(err).Error()) + ".")
		}
		return effect.Say("Wrote the statement to " + tab.Typed(f.path) + ".")
	})
}

func (p *Panel) copy() effect.Effect {
	if p.made == nil {
		return nil
	}
	var text strings.Builder
	write := func(rows []cells) {
		for _, row := range rows {
			text.WriteString(strings.TrimRight(strings.Join(row[:], "\t"), "\t") + "\n")
		}
	}
	text.WriteString(p.period.title() + "\n")
	for _, note := range p.made.Notes {
		text.WriteString(note + "\n")
	}
	write(p.rows())
	text.WriteString("\n")
	write(p.shareRows())
	return effect.Copy{Text: text.String(), What: "the statement"}
}
