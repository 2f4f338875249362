package tab

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"tonne/model"
	"tonne/model/localfile"
	"tonne/model/spreadsheet"
	"tonne/ui/effect"
)

// ShownRows is what a table exports.
const ShownRows = "the rows that are shown"

// Export lets the person type the name of a file for what is shown, and proposes
// one that begins with a name. The sheet is made once the name is there, away from
// the screen: it must read nothing that changes. Each row ends with the times of
// the market and of the inventory.
func (v *View) Export(name, what string, inventoryAt time.Time, rows func() spreadsheet.Sheet) effect.Effect {
	times := []spreadsheet.Cell{MomentCell(v.Market.At), MomentCell(inventoryAt)}
	sheet := func() spreadsheet.Sheet {
		s := rows()
		s.Columns = append(slices.Clip(s.Columns), "market_at", "inventory_at")
		for i, row := range s.Rows {
			s.Rows[i] = append(row, times...)
		}
		if s.Totals != nil {
			s.Totals = append(s.Totals, make([]spreadsheet.Cell, len(times))...)
		}
		return s
	}
	file := name + "-" + v.Now().In(v.Location).Format("2006-01-02-150405") + ".csv"
	return NewFile{
		Title: "Export " + what, Hint: "a file name that ends in .csv, .xlsx or .json", Name: file, Taken: " e asks for another name.",
		Ending: func(path string) string {
			if spreadsheet.CheckPath(path) != nil {
				return "The name must end in .csv, .xlsx or .json."
			}
			return ""
		},
		Write: func(path string) (effect.Effect, error) {
			made := sheet()
			wrote := "Wrote " + model.Count(len(made.Rows), "row", "rows") + " to " + Typed(path) + "."
			if made.Part {
				return effect.Warn(wrote + " Only a part was read."), v.SaveSheet(path, made)
			}
			return effect.Say(wrote), v.SaveSheet(path, made)
		},
	}.Ask()
}

// NewFile is a file that a person names and that is written in the background. No file
// is replaced.
type NewFile struct {
	Title, Hint string
	// Name is proposed, in the folder of downloads.
	Name string
	// Ending says what is wrong with the ending of a path; empty for nothing.
	Ending func(path string) string
	// Write writes the file, and returns what to say if it did; the error is fs.ErrExist
	// where a file is there already.
	Write func(path string) (said effect.Effect, err error)
	// Taken is what to do then.
	Taken string
}

// Ask lets the person type the name.
func (f NewFile) Ask() effect.Effect {
	return effect.Work(func(context.Context) any {
		return effect.Prompt{
			Title: f.Title, Hint: f.Hint, Value: filepath.Join(localfile.Downloads(), f.Name),
			Parse: func(typed string) (any, string) {
				path, err := localfile.Expand(typed)
				if err != nil {
					return nil, "Type a path."
				}
				return effect.Work(func(context.Context) any { return f.write(path) }), f.Ending(path)
			},
		}
	})
}

func (f NewFile) write(path string) effect.Effect {
	said, err := f.Write(path)
	switch {
	case errors.Is(err, fs.ErrExist):
		return effect.Warn("Not written: " + Typed(path) + " is there already." + f.Taken)
	case err != nil:
		return effect.Warn("Not written: " + Typed(localfile.Plain(err).Error()) + ".")
	}
	return said
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

// MomentCell is a time in UTC, empty for the zero time.
func MomentCell(t time.Time) spreadsheet.Cell {
	if t.IsZero() {
		return spreadsheet.Cell{}
	}
	return spreadsheet.Text(t.UTC().Format(time.RFC3339))
}

// PriceCell is a price in dollars per tonne, empty where there is none.
func PriceCell(p model.PriceCents, ok bool) spreadsheet.Cell {
	if !ok || !p.Known() {
		return spreadsheet.Cell{}
	}
	return spreadsheet.Decimal(int64(p), 2)
}

// AmountCell is an amount in dollars, empty where there is none.
func AmountCell(c model.Cents, ok bool) spreadsheet.Cell {
	if !ok {
		return spreadsheet.Cell{}
	}
	return spreadsheet.Decimal(int64(c), 2)
}

// TonnesCell is a quantity in tonnes with all its digits, empty where it is not
// known.
func TonnesCell(g model.Grams) spreadsheet.Cell {
	if !g.Known() {
		return spreadsheet.Cell{}
	}
	return spreadsheet.Decimal(int64(g), 6)
}

// YearCell is a year, empty where it is not known.
func YearCell(year int) spreadsheet.Cell {
	if year == 0 {
		return spreadsheet.Cell{}
	}
	return spreadsheet.Decimal(int64(year), 0)
}
