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

// row is a request of the ledger with its search match.
type row struct {
	retirement.LedgerRecord
	project string
	match   retirement.LedgerMatch
	failed  []audit.FailedCheck
}

func answered(value func(*retirement.Request) output.Value) func(row) output.Value {
	return func(r row) output.Value {
		if r.Answer == nil {
			return output.Value{}
		}
		return value(r.Answer)
	}
}

var findColumns = output.Columns[row]{
	{Name: "id", Is: "string", Title: "ID", Value: func(r row) output.Value { return output.Text(r.ID) }},
	{Name: "status", Title: "STATUS", Value: answered(func(a *retirement.Request) output.Value { return output.Text(string(a.Status)) })},
	{Name: "label", Title: "LABEL", Shrink: 12, Drop: 1, Value: func(r row) output.Value { return output.Optional(r.Label) }},
	{Name: "reference", Value: func(r row) output.Value { return output.Optional(r.Reference) }},
	{
		Name: "project_id", Title: "PROJECT", Shrink: 12, Drop: 3, Cell: func(r row) string { return command.Dash(r.project) },
		Value: answered(func(a *retirement.Request) output.Value { return output.Text(a.ProjectID) }),
	},
	{Name: "vintage_id", Value: answered(func(a *retirement.Request) output.Value { return output.Text(a.VintageID) })},
	{Name: "total_quantity", Title: "QUANTITY", Right: true, Value: answered(func(a *retirement.Request) output.Value { return output.Grams(a.TotalQuantity) })},
	{Name: "created_at", Value: answered(func(a *retirement.Request) output.Value { return output.Time(a.CreatedAt) })},
	{Name: "retired_at", Title: "RETIRED", Drop: 2, Value: answered(func(a *retirement.Request) output.Value { return output.Time(a.RetiredAt) })},
	{Name: "serial_numbers", Is: "array", Value: func(r row) output.Value {
		if r.Answer == nil {
			return output.Texts(nil)
		}
		return output.Texts(r.Answer.SerialNumbers)
	}},
	{Name: "matched", Is: "string", Title: "MATCHED", Cell: matchedBy, Value: func(r row) output.Value { return output.Text(string(r.match.Field)) }},
	{
		Name: "doubts", Is: "array", Title: "FAILED CHECKS", Shrink: 12, Cell: func(r row) string { return command.Dash(filing.CheckNames(r.failed, "; ")) },
		Value: func(r row) output.Value {
			var words []string
			for _, f := range r.failed {
				words = append(words, f.String())
			}
			return output.Texts(words)
		},
	},
}

var listColumns = slices.DeleteFunc(slices.Clone(findColumns), func(c output.Column[row]) bool { return c.Name == "matched" })

func (r *run) printLedger(l *audit.Ledger, records []retirement.LedgerRecord, matches []retirement.LedgerMatch) error {
	doubts, columns := l.FailedChecks(records), listColumns
	shown := []string{"id", "status", "total_quantity", "project_id", "retired_at", "label", "doubts"}
	if matches != nil {
		columns, shown = findColumns, slices.Insert(shown, len(shown)-1, "matched")
	}
	rows := make([]row, len(records))
	for i, record := range records {
		rows[i] = row{LedgerRecord: record, failed: doubts[i]}
		if matches != nil {
			rows[i].match = matches[i]
		}
		if record.Answer != nil {
			rows[i].project = l.Projects.Name(record.Answer.ProjectID)
		}
	}
	in := listing.NewFormats(r.App, columns, slices.Values(rows))
	in.Tables = func(rows iter.Seq[row]) []*output.Grid { return []*output.Grid{columns.Pick(shown...).Grid(rows)} }
	err := in.Print(r.format)
	filing.WarnOfFaults(r.App, slices.Concat(doubts...))
	return err
}

func matchedBy(r row) string {
	m := r.match
	if m.Serial == nil {
		return strings.ReplaceAll(string(m.Field), "_", " ")
	}
	return "serial number in " + model.FormatNumber(m.Serial.Start) + " to " + model.FormatNumber(m.Serial.End)
}
