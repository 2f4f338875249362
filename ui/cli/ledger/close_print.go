package ledger

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"tonne/api/audit"
	"tonne/model"
	"tonne/ui/cli/filing"
	"tonne/ui/cli/listing"
	"tonne/ui/output"
)

var monthColumns = output.Columns[audit.MonthRequest]{
	{Name: "id", Title: "ID", Value: func(r audit.MonthRequest) output.Value { return output.Text(r.ID) }},
	{Name: "state", Title: "STATE", Value: func(r audit.MonthRequest) output.Value { return output.Text(string(r.State)) }, Cell: func(r audit.MonthRequest) string {
		return strings.ReplaceAll(string(r.State), "_", " ")
	}},
	{Name: "status", Value: func(r audit.MonthRequest) output.Value { return output.Text(r.Status) }},
	{Name: "total_quantity", Title: "QUANTITY", Right: true, Value: func(r audit.MonthRequest) output.Value { return output.Grams(model.Grams(r.Total)) }},
	{Name: "waits_for", Title: "WAITS FOR", Shrink: 12, Value: func(r audit.MonthRequest) output.Value { return output.Optional(string(r.WaitsFor)) }},
	{Name: "failed_checks", Title: "FAILED CHECKS", Shrink: 12, Value: func(r audit.MonthRequest) output.Value { return output.Optional(strings.Join(r.FailedChecks(), "; ")) }},
	{Name: "retired_at", Title: "RETIRED", Drop: 1, Value: func(r audit.MonthRequest) output.Value { return output.Time(model.ParseTimestamp(string(r.Retired))) }},
}

func (r *run) printMonth(m audit.Month) error {
	in := listing.NewFormats(r.App, monthColumns, slices.Values(m.Requests))
	in.Document = func() error { return output.Object(r.App.Data(), m) }
	in.Tables = func(rows iter.Seq[audit.MonthRequest]) []*output.Grid {
		if len(m.Requests) == 0 {
			return []*output.Grid{monthSums(m)}
		}
		return []*output.Grid{monthColumns.Pick("state", "id", "total_quantity", "retired_at", "waits_for", "failed_checks").Grid(rows), monthSums(m)}
	}
	err := in.Print(r.format)
	if r.format == output.CSV || r.format == output.JSONL {
		r.App.Warn("the sums that must agree with the invoices are in no row of %s: -o json and -o table have them", r.format)
	}
	for _, note := range m.Notes {
		r.App.Warn("%s", strings.TrimSuffix(note, "."))
	}
	if n := len(m.Unknown); n > 0 {
		r.App.Warn("of %s of the ledger it is not known whether they are of this month: %s", model.Count(n, "request", "requests"), filing.SomeOf(m.Unknown))
	}
	if m.Unread > 0 {
		r.App.Warn("%s could not be read and are not part of what was bought", model.Count(m.Unread, "trade", "trades"))
	}
	return err
}

func tonnesOf(q audit.Quantity) string { return model.Grams(q).FormatTonnes() }

func monthSums(m audit.Month) *output.Grid {
	grid := output.NewGrid(output.Heading{Title: m.Month}, output.Heading{Title: "TONNES", Right: true}, output.Heading{Title: "AMOUNT", Right: true})
	grid.Add("Requests made in the month", tonnesOf(m.Sums.Requested), "")
	grid.Add("Of these retired so far", tonnesOf(m.Sums.Retired), "")
	amount := "too large"
	if cents, err := strconv.ParseInt(string(m.Sums.Cents), 10, 64); err == nil {
		amount = model.Cents(cents).FormatDollars()
	}
	grid.Add("Bought: what the invoices must amount to", tonnesOf(m.Sums.Bought), amount)
	for _, i := range m.Invoices {
		grid.Add(fmt.Sprintf("Items on invoice %s: %d", i.ID, i.Items), tonnesOf(i.Quantity), "")
	}
	if n := m.Sums.UninvoicedItems; n > 0 {
		grid.Add(fmt.Sprintf("Items without an invoice: %d", n), tonnesOf(m.Sums.Uninvoiced), "")
	}
	return grid
}
