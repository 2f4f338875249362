package ledger

import (
	"iter"
	"slices"
	"strings"

	"tonne/api/audit"
	"tonne/model"
	"tonne/model/retirement"
	"tonne/ui/cli/command"
	"tonne/ui/cli/filing"
	"tonne/ui/cli/listing"
	"tonne/ui/output"
)

// row is a request of the ledger, with what found it.
type row struct {
	retirement.LedgerRecord
	match  retirement.LedgerMatch
	failed []audit.FailedCheck
}

func answered(name string, value func(*retirement.Request) output.Value) output.Column[row] {
	return output.Column[row]{Name: name, Value: func(r row) output.Value {
		if r.Answer == nil {
			return output.Value{}
		}
		return value(r.Answer)
	}}
}

var findColumns = output.Columns[row]{
	{Name: "id", Is: "string", Value: func(r row) output.Value { return output.Text(r.ID) }},
	answered("status", func(a *retirement.Request) output.Value { return output.Text(string(a.Status)) }),
	{Name: "label", Value: func(r row) output.Value { return output.Optional(r.Label) }},
	{Name: "reference", Value: func(r row) output.Value { return output.Optional(r.Reference) }},
	answered("project_id", func(a *retirement.Request) output.Value { return output.Text(a.ProjectID) }),
	answered("vintage_id", func(a *retirement.Request) output.Value { return output.Text(a.VintageID) }),
	answered("total_quantity", func(a *retirement.Request) output.Value { return output.Grams(a.TotalQuantity) }),
	answered("created_at", func(a *retirement.Request) output.Value { return output.Time(a.CreatedAt) }),
	answered("retired_at", func(a *retirement.Request) output.Value { return output.Time(a.RetiredAt) }),
	{Name: "serial_numbers", Is: "array", Value: func(r row) output.Value {
		if r.Answer == nil {
			return output.Texts(nil)
		}
		return output.Texts(r.Answer.SerialNumbers)
	}},
	{Name: "matched", Is: "string", Value: func(r row) output.Value { return output.Text(string(r.match.Field)) }},
	{Name: "doubts", Is: "array", Value: func(r row) output.Value {
		var words []string
		for _, f := range r.failed {
			words = append(words, f.String())
		}
		return output.Texts(words)
	}},
}

var listColumns = slices.DeleteFunc(slices.Clone(findColumns), func(c output.Column[row]) bool { return c.Name == "matched" })

func (r *run) printLedger(l *audit.Ledger, records []retirement.LedgerRecord, matches []retirement.LedgerMatch) error {
	doubts, columns := l.FailedChecks(records), listColumns
	rows := make([]row, len(records))
	for i, record := range records {
		rows[i] = row{LedgerRecord: record, failed: doubts[i]}
		if matches != nil {
			rows[i].match = matches[i]
		}
	}
	if matches != nil {
		columns = findColumns
	}
	in := listing.NewFormats(r.App, columns, slices.Values(rows))
	in.Tables = func(rows iter.Seq[row]) []*output.Grid {
		return []*output.Grid{table(l, slices.Collect(rows), matches != nil)}
	}
	err := in.Print(r.format)
	filing.WarnOfFaults(r.App, slices.Concat(doubts...))
	return err
}

func table(l *audit.Ledger, rows []row, found bool) *output.Grid {
	columns := []output.Heading{
		{Title: "ID"}, {Title: "STATUS"}, {Title: "QUANTITY", Right: true}, {Title: "PROJECT", Shrink: 12, Drop: 3},
		{Title: "RETIRED", Drop: 2}, {Title: "LABEL", Shrink: 12, Drop: 1},
	}
	if found {
		columns = append(columns, output.Heading{Title: "MATCHED"})
	}
	grid := output.NewGrid(append(columns, output.Heading{Title: "DOUBTS", Shrink: 12})...)
	for _, r := range rows {
		cells := []string{r.ID, "-", "-", "-", "-", command.Dash(r.Label)}
		if a := r.Answer; a != nil {
			cells[1], cells[2] = string(a.Status), a.TotalQuantity.FormatTonnes()
			cells[3], cells[4] = l.Projects.Name(a.ProjectID), output.Day(a.RetiredAt)
		}
		if found {
			cells = append(cells, matchedBy(r.match))
		}
		grid.Add(append(cells, command.Dash(filing.CheckNames(r.failed, "; ")))...)
	}
	return grid
}

func matchedBy(m retirement.LedgerMatch) string {
	if m.Serial == nil {
		return strings.ReplaceAll(string(m.Field), "_", " ")
	}
	return "serial number in " + model.FormatNumber(m.Serial.Start) + " to " + model.FormatNumber(m.Serial.End)
}
