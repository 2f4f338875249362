package cli

import (
	"slices"
	"strings"

	"tonne/api/audit"
	"tonne/model"
	"tonne/ui/cli/output"
)

type ledgerJSON struct {
	ID            string       `json:"id"`
	Status        output.Value `json:"status"`
	Label         output.Value `json:"label"`
	Reference     output.Value `json:"reference"`
	ProjectID     output.Value `json:"project_id"`
	VintageID     output.Value `json:"vintage_id"`
	TotalQuantity output.Value `json:"total_quantity"`
	CreatedAt     output.Value `json:"created_at"`
	RetiredAt     output.Value `json:"retired_at"`
	SerialNumbers []string     `json:"serial_numbers"`
}

type listedJSON struct {
	ledgerJSON
	Doubts []string `json:"doubts"`
}

type foundJSON struct {
	ledgerJSON
	Matched model.LedgerField `json:"matched"`
	Doubts  []string          `json:"doubts"`
}

type ledgerLine interface {
	// record is the request as a row of CSV.
	record() []output.Value
}

const (
	ledgerFields = "id,status,label,reference,project_id,vintage_id,total_quantity,created_at,retired_at,serial_numbers"
	ledgerHeader = ledgerFields + ",doubts"
	findHeader   = ledgerFields + ",matched,doubts"
)

func newLedgerJSON(r model.LedgerRecord) ledgerJSON {
	out := ledgerJSON{
		ID: r.ID, Label: output.Optional(r.Label), Reference: output.Optional(r.Reference), SerialNumbers: []string{},
	}
	if a := r.Answer; a != nil {
		out.Status, out.ProjectID, out.VintageID = output.Text(string(a.Status)), output.Text(a.ProjectID), output.Text(a.VintageID)
		out.TotalQuantity, out.CreatedAt, out.RetiredAt = output.Grams(a.TotalQuantity), output.Time(a.CreatedAt), output.Time(a.RetiredAt)
		out.SerialNumbers = append(out.SerialNumbers, a.SerialNumbers...)
	}
	return out
}

func (l ledgerJSON) record() []output.Value {
	return []output.Value{
		output.Text(l.ID), l.Status, l.Label, l.Reference, l.ProjectID, l.VintageID, l.TotalQuantity, l.CreatedAt, l.RetiredAt,
		output.Optional(strings.Join(l.SerialNumbers, "; ")),
	}
}

func (l listedJSON) record() []output.Value {
	return append(l.ledgerJSON.record(), output.Optional(strings.Join(l.Doubts, "; ")))
}

func (f foundJSON) record() []output.Value {
	return append(f.ledgerJSON.record(), output.Text(string(f.Matched)), output.Optional(strings.Join(f.Doubts, "; ")))
}

func ledgerLines(records []model.LedgerRecord, matches []model.LedgerMatch, doubts [][]audit.FailedCheck) []ledgerLine {
	lines := make([]ledgerLine, len(records))
	for i, record := range records {
		words := []string{}
		for _, d := range doubts[i] {
			words = append(words, d.String())
		}
		lines[i] = listedJSON{newLedgerJSON(record), words}
		if matches != nil {
			lines[i] = foundJSON{newLedgerJSON(record), matches[i].Field, words}
		}
	}
	return lines
}

func (r *ledgerRun) printLedger(l *localLedger, records []model.LedgerRecord, matches []model.LedgerMatch) error {
	doubts := l.failedChecks(records)
	rows := ledgerLines(records, matches, doubts)
	if r.format == output.JSONL {
		for _, row := range rows {
			if err := output.Object(r.data(), row); err != nil {
				return err
			}
		}
		return nil
	}
	header := ledgerHeader
	if matches != nil {
		header = findHeader
	}
	return r.print(r.format, formats{
		document: func() error { return output.List(r.data(), slices.Values(rows)) },
		header:   header,
		rows: func(out output.Rows) {
			for _, row := range rows {
				out.Write(row.record()...)
			}
		},
		table: func() *output.Grid { return ledgerTable(l, records, matches, doubts) },
	})
}

func ledgerTable(l *localLedger, records []model.LedgerRecord, matches []model.LedgerMatch, doubts [][]audit.FailedCheck) *output.Grid {
	columns := []output.Heading{
		{Title: "ID"}, {Title: "STATUS"}, {Title: "QUANTITY", Right: true}, {Title: "PROJECT", Shrink: 12, Drop: 3},
		{Title: "RETIRED", Drop: 2}, {Title: "LABEL", Shrink: 12, Drop: 1},
	}
	if matches != nil {
		columns = append(columns, output.Heading{Title: "MATCHED"})
	}
	grid := output.NewGrid(append(columns, output.Heading{Title: "DOUBTS", Shrink: 12})...)
	var batches map[string]*ledgerBatch
	if matches == nil {
		batches = l.batches(records, doubts)
	}
	for i, record := range records {
		if b := batches[l.batchOf(record)]; b != nil {
			if !b.printed {
				grid.Add(b.cells(l.batchOf(record))...)
			}
			b.printed = true
			continue
		}
		cells := []string{record.ID, "-", "-", "-", "-", dash(record.Label)}
		if a := record.Answer; a != nil {
			cells[1], cells[2] = string(a.Status), a.TotalQuantity.FormatTonnes()
			cells[3], cells[4] = l.projects.Name(a.ProjectID), day(a.RetiredAt)
		}
		if matches != nil {
			cells = append(cells, matchedBy(matches[i]))
		}
		grid.Add(append(cells, dash(strings.Join(checkNames(doubts[i]), "; ")))...)
	}
	return grid
}

func matchedBy(m model.LedgerMatch) string {
	if m.Serial == nil {
		return strings.ReplaceAll(string(m.Field), "_", " ")
	}
	return "serial number in " + model.FormatNumber(m.Serial.Start) + " to " + model.FormatNumber(m.Serial.End)
}
