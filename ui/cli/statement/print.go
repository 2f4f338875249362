package statement

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"slices"
	"strings"
	"time"

	"tonne/api/audit"
	"tonne/model"
	"tonne/ui/cli/command"
	"tonne/ui/cli/listing"
	"tonne/ui/cli/output"
)

// statement is a statement with what it is of.
type statement struct {
	model.Statement
	of model.StatementSource
}

func cents(c model.Cost) output.Value {
	amount, err := c.Cents()
	return output.If(err == nil, output.Cost(amount))
}

var rowColumns = output.Columns[model.StatementRow]{
	{Name: "key", Is: "string", Value: func(r model.StatementRow) output.Value { return output.Text(r.Key) }},
	{Name: "bought_grams", Value: func(r model.StatementRow) output.Value { return output.Grams(r.Bought) }},
	{Name: "bought_cents", Value: func(r model.StatementRow) output.Value { return cents(r.Cost) }},
	{Name: "retired_grams", Value: func(r model.StatementRow) output.Value { return output.Grams(r.Retired) }},
}

var jsonColumns = output.Columns[statement]{
	{Name: "from", Is: "string", Value: func(s statement) output.Value { return output.Text(s.of.From.Format(time.DateOnly)) }},
	{Name: "to", Is: "string", Value: func(s statement) output.Value { return output.Text(s.of.To.Format(time.DateOnly)) }},
	output.Array("rows", func(s statement) iter.Seq[model.StatementRow] { return slices.Values(s.Rows) }, rowColumns),
	output.Nested("total", func(s statement) (statement, bool) { return s, true }, output.Columns[statement]{
		{Name: "bought_grams", Value: func(s statement) output.Value { return output.Grams(s.Total.Bought) }},
		{Name: "bought_cents", Value: func(s statement) output.Value { return cents(s.Total.Cost) }},
		{Name: "retired_grams", Value: func(s statement) output.Value { return output.Grams(s.Total.Retired) }},
		{Name: "balance_grams", Value: func(s statement) output.Value { return output.Grams(s.Balance) }},
	}).Always(),
	output.Array("shares", func(s statement) iter.Seq[model.DisclosureShare] { return slices.Values(s.Shares) }, output.Columns[model.DisclosureShare]{
		{Name: "share", Is: "string", Value: func(s model.DisclosureShare) output.Value { return output.Text(s.Name) }},
		output.Array("parts", func(s model.DisclosureShare) iter.Seq[model.SharePart] { return slices.Values(s.Parts) }, output.Columns[model.SharePart]{
			{Name: "value", Is: "string", Value: func(p model.SharePart) output.Value { return output.Text(p.Value) }},
			{Name: "retired_grams", Value: func(p model.SharePart) output.Value { return output.Grams(p.Grams) }},
		}),
		{Name: "unclassified_grams", Value: func(s model.DisclosureShare) output.Value { return output.Grams(s.Unclassified) }},
	}),
	{Name: "notes", Is: "array", Value: func(s statement) output.Value { return output.Texts(s.Notes) }},
}

// printStatement prints a statement. Its notes go to standard error, too, for those
// who read the data alone.
func (r *run) printStatement(s statement) error {
	in := listing.NewFormats(r.App, rowColumns, slices.Values(s.Rows))
	in.Document = func() error { return output.Object(r.Data(), jsonColumns.JSON(s)) }
	in.Tables = func() []*output.Grid {
		tables := []*output.Grid{gridOf(audit.StatementRows(s.of, s.Statement, model.Grams.FormatTonnes), output.Heading{Title: strings.ToUpper(r.by), Shrink: 12},
			output.Heading{Title: "BOUGHT", Right: true}, output.Heading{Title: "COST", Right: true}, output.Heading{Title: "RETIRED", Right: true})}
		if s.Total.Retired > 0 {
			tables = append(tables, gridOf(audit.ShareRows(s.Statement, model.Grams.FormatTonnes), output.Heading{Title: "RETIRED BY", Shrink: 12},
				output.Heading{Title: "VALUE", Shrink: 8}, output.Heading{Title: "TONNES", Right: true}))
		}
		return tables
	}
	err := in.Print(r.format)
	if r.format == output.CSV || r.format == output.JSONL {
		r.Warn("total, balance and shares are in no row of %s: -o json and -o table have them", r.format)
	}
	for _, note := range s.Notes {
		r.Warn("%s", strings.TrimSuffix(note, "."))
	}
	return err
}

func gridOf(rows [][]string, headings ...output.Heading) *output.Grid {
	grid := output.NewGrid(headings...)
	for _, row := range rows {
		grid.Add(row[:len(headings)]...)
	}
	return grid
}

// checkXLSX refuses a workbook that could not be written, before anything is asked of
// the service.
func (r *run) checkXLSX() error {
	if r.xlsx == "" {
		return nil
	}
	if !strings.HasSuffix(strings.ToLower(r.xlsx), ".xlsx") {
		return command.Usage("name a file that ends in .xlsx", "--xlsx: %q does not end in .xlsx", r.xlsx)
	}
	if _, err := os.Lstat(r.xlsx); !errors.Is(err, fs.ErrNotExist) {
		return command.Failed("move the file away, or name another", "%s is there already", r.xlsx)
	}
	return audit.CheckPlace(r.xlsx)
}

func (r *run) writeXLSX(s statement) error {
	if r.xlsx == "" {
		return nil
	}
	if err := audit.StatementWorkbook(s.of, s.Statement).Save(r.xlsx); err != nil {
		return fmt.Errorf("the statement was not written: %w", err)
	}
	return nil
}
