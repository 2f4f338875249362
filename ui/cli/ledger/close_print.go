package ledger

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"tonne/api/audit"
	"tonne/model"
	"tonne/ui/cli/command"
	"tonne/ui/cli/filing"
	"tonne/ui/cli/listing"
	"tonne/ui/output"
)

var monthColumns = func() (columns output.Columns[audit.MonthRequest]) {
	for i, name := range audit.MonthColumns {
		columns = append(columns, output.Column[audit.MonthRequest]{
			Name: name, Value: func(r audit.MonthRequest) output.Value { return monthValue(name, r.Row()[i]) },
		})
	}
	return columns
}()

// monthValue is a value of the text of a cell, so that tables show quantities and days.
func monthValue(name, text string) output.Value {
	switch grams, err := model.ParseGrams(text); {
	case name == "total_quantity" && err == nil:
		return output.Grams(grams)
	case name == "retired_at":
		return output.Time(model.ParseTimestamp(text))
	}
	return output.Optional(text)
}

func (r *run) printMonth(m audit.Month) error {
	in := listing.NewFormats(r.App, monthColumns, slices.Values(m.Requests))
	in.Document = func() error { return output.Object(r.App.Data(), m) }
	in.Tables = func(rows iter.Seq[audit.MonthRequest]) []*output.Grid {
		if len(m.Requests) == 0 {
			return []*output.Grid{monthSums(m)}
		}
		return []*output.Grid{monthRequests(rows), monthSums(m)}
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

func monthRequests(rows iter.Seq[audit.MonthRequest]) *output.Grid {
	grid := output.NewGrid(
		output.Heading{Title: "STATE"}, output.Heading{Title: "ID"}, output.Heading{Title: "QUANTITY", Right: true},
		output.Heading{Title: "RETIRED", Drop: 1}, output.Heading{Title: "WAITS FOR", Shrink: 12}, output.Heading{Title: "FAILED CHECKS", Shrink: 12},
	)
	for r := range rows {
		row := r.Row()
		retired := model.Timestamp{}
		if r.Retired != nil {
			retired = model.ParseTimestamp(*r.Retired)
		}
		grid.Add(strings.ReplaceAll(row[1], "_", " "), r.ID, tonnesOf(r.Total), output.Day(retired), command.Dash(row[4]), command.Dash(row[5]))
	}
	return grid
}

func tonnesOf(grams *string) string {
	quantity := model.UnknownGrams
	if grams != nil {
		quantity, _ = model.ParseGrams(*grams)
	}
	return quantity.FormatTonnes()
}

func monthSums(m audit.Month) *output.Grid {
	grid := output.NewGrid(output.Heading{Title: m.Month}, output.Heading{Title: "TONNES", Right: true}, output.Heading{Title: "AMOUNT", Right: true})
	grid.Add("Requests made in the month", tonnesOf(m.Sums.Requested), "")
	grid.Add("Of these retired so far", tonnesOf(m.Sums.Retired), "")
	amount := "too large"
	if m.Sums.Cents != nil {
		cents, _ := strconv.ParseInt(*m.Sums.Cents, 10, 64)
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
