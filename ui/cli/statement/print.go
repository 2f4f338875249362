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
	"tonne/model/localfile"
	"tonne/model/statement"
	"tonne/ui/cli/command"
	"tonne/ui/cli/listing"
	"tonne/ui/column"
	"tonne/ui/output"
)

// statement is a statement with its account and period.
type printed struct {
	statement.Statement
	of statement.Source
}

var totalColumns = output.Over(column.Statement[1:], func(s printed) (statement.Row, bool) { return s.Total, true }).With(
	output.Column[printed]{Name: "balance_grams", Value: func(s printed) output.Value { return output.Grams(s.Balance) }})

var jsonColumns = output.Columns[printed]{
	{Name: "from", Is: "string", Value: func(s printed) output.Value { return output.Text(s.of.From.Format(time.DateOnly)) }},
	{Name: "to", Is: "string", Value: func(s printed) output.Value { return output.Text(s.of.To.Format(time.DateOnly)) }},
	output.Array("rows", func(s printed) iter.Seq[statement.Row] { return slices.Values(s.Rows) }, column.Statement),
	output.Nested("total", func(s printed) (printed, bool) { return s, true }, totalColumns).Always(),
	output.Array("shares", func(s printed) iter.Seq[statement.DisclosureShare] { return slices.Values(s.Shares) }, output.Columns[statement.DisclosureShare]{
		{Name: "share", Is: "string", Value: func(s statement.DisclosureShare) output.Value { return output.Text(s.Name) }},
		output.Array("parts", func(s statement.DisclosureShare) iter.Seq[statement.SharePart] { return slices.Values(s.Parts) }, output.Columns[statement.SharePart]{
			{Name: "value", Is: "string", Value: func(p statement.SharePart) output.Value { return output.Text(p.Value) }},
			{Name: "retired_grams", Value: func(p statement.SharePart) output.Value { return output.Grams(p.Grams) }},
		}),
		{Name: "unclassified_grams", Value: func(s statement.DisclosureShare) output.Value { return output.Grams(s.Unclassified) }},
	}),
	{Name: "notes", Is: "array", Value: func(s printed) output.Value { return output.Texts(s.Notes) }},
}.With(output.Over(column.StatementAccount, func(s printed) (statement.Account, bool) { return s.of.Account, true })...)

func (r *run) printStatement(s printed) error {
	in := listing.NewFormats(r.App, column.StatementOf(s.of), slices.Values(s.Rows))
	in.Document = func() error { return output.Object(r.App.Data(), jsonColumns.JSON(s)) }
	in.Tables = func(rows iter.Seq[statement.Row]) []*output.Grid {
		sorted := s.Statement
		sorted.Rows = slices.Collect(rows)
		tables := []*output.Grid{accountGrid(s.of), gridOf(audit.StatementRows(s.of, sorted, model.Grams.FormatTonnes), output.Heading{Title: strings.ToUpper(r.by), Shrink: 12},
			output.Heading{Title: "BOUGHT", Right: true}, output.Heading{Title: "COST", Right: true}, output.Heading{Title: "RETIRED", Right: true})}
		if s.Total.Retired > 0 {
			tables = append(tables, gridOf(audit.ShareRows(s.Statement, model.Grams.FormatTonnes), output.Heading{Title: "RETIRED BY", Shrink: 12},
				output.Heading{Title: "VALUE", Shrink: 8}, output.Heading{Title: "TONNES", Right: true}))
		}
		return tables
	}
	err := in.Print(r.format)
	if r.format == output.CSV || r.format == output.JSONL {
		r.App.Warn("total, balance and shares are missing from %s: -o json and -o table include them", r.format)
	}
	for _, note := range s.Notes {
		r.App.Warn("%s", strings.TrimSuffix(note, "."))
	}
	return err
}

func accountGrid(of statement.Source) *output.Grid {
	var headings []output.Heading
	var cells []string
	for _, row := range audit.AccountRows(of) {
		headings, cells = append(headings, output.Heading{Title: strings.ToUpper(row[0]), Shrink: 12}), append(cells, row[1])
	}
	grid := output.NewGrid(headings...)
	grid.Add(cells...)
	return grid
}

func gridOf(rows [][]string, headings ...output.Heading) *output.Grid {
	grid := output.NewGrid(headings...)
	for _, row := range rows {
		grid.Add(row[:len(headings)]...)
	}
	return grid
}

// checkFiles refuses files that could not be written, before the service is queried.
func (r *run) checkFiles() error {
	for _, file := range [][2]string{{"xlsx", r.xlsx}, {"pdf", r.pdf}} {
		flag, path := file[0], file[1]
		if path == "" {
			continue
		}
		if !strings.HasSuffix(strings.ToLower(path), "."+flag) {
			return command.Usage("name a file that ends in ."+flag, "--%s: %q does not end in .%s", flag, path, flag)
		}
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			return command.Failed("move the file away, or name another", "%s already exists", path)
		}
		if err := audit.CheckPlace(path); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) writeFiles(s printed) error {
	for _, path := range []string{r.xlsx, r.pdf} {
		if path == "" {
			continue
		}
		content, err := column.EncodeStatement(path, s.of, s.Statement)
		if err != nil {
			return fmt.Errorf("the statement was not written: %w", err)
		}
		if err := (localfile.Machine{}).Create(path, content); err != nil {
			return &fs.PathError{Op: "write", Path: path, Err: err}
		}
	}
	return nil
}
