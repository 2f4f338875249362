package cli

import (
	"fmt"
	"strings"

	"tonne/model"
	"tonne/ui/cli/output"
)

type monthJSON struct {
	Month    string          `json:"month"`
	Requests []filingJSON    `json:"requests"`
	Counts   monthCountsJSON `json:"counts"`
	Sums     monthSumsJSON   `json:"sums"`
	Invoices []invoiceJSON   `json:"invoices"`
	Unknown  []string        `json:"unknown"`
	Notes    []string        `json:"notes"`
}

// monthCountsJSON is how many requests there are in each state.
type monthCountsJSON struct {
	Waiting  int `json:"waiting"`
	Doubtful int `json:"doubtful"`
	Filed    int `json:"complete"`
	Empty    int `json:"nothing_to_process"`
}

func (c *monthCountsJSON) add(state model.FilingState) {
	switch state {
	case model.Waiting:
		c.Waiting++
	case model.Doubtful:
		c.Doubtful++
	case model.Filed:
		c.Filed++
	case model.Empty:
		c.Empty++
	}
}

type filingJSON struct {
	ID       string            `json:"id"`
	State    model.FilingState `json:"state"`
	Status   string            `json:"status"`
	Total    output.Value      `json:"total_quantity"`
	WaitsFor output.Value      `json:"waits_for"`
	Failed   []checkJSON       `json:"failed_checks"`
	Retired  output.Value      `json:"retired_at"`
}

type monthSumsJSON struct {
	Requested output.Value `json:"requested_grams"`
	Retired   output.Value `json:"retired_grams"`
	Bought    output.Value `json:"bought_grams"`
	Cents     output.Value `json:"bought_cents"`
	// What items hold that name no invoice, and how many those are.
	Uninvoiced      output.Value `json:"without_invoice_grams"`
	UninvoicedItems int          `json:"without_invoice_items"`
}

type invoiceJSON struct {
	Invoice  string       `json:"invoice_id"`
	Items    int          `json:"items"`
	Quantity output.Value `json:"quantity_grams"`
}

const closeHeader = "id,state,status,total_quantity,waits_for,failed_checks,retired_at"

func newFilingJSON(f model.Filing) filingJSON {
	out := filingJSON{
		ID: f.Request.ID, State: f.State, Status: string(f.Request.Status), Total: output.Grams(f.Request.TotalQuantity),
		WaitsFor: output.Optional(f.WaitsFor), Failed: []checkJSON{}, Retired: output.Time(f.Request.RetiredAt),
	}
	for _, d := range f.Doubts {
		out.Failed = append(out.Failed, checkJSON{d.Check, model.Fail, d.Detail})
	}
	return out
}

func (r *closeRun) newJSON(m model.MonthEnd, unknown []string) monthJSON {
	without := withoutInvoice(m)
	out := monthJSON{
		Month: r.month, Requests: []filingJSON{}, Invoices: []invoiceJSON{}, Unknown: append([]string{}, unknown...), Notes: append([]string{}, m.Notes...),
		Sums: monthSumsJSON{output.Grams(m.Requested), output.Grams(m.Retired), output.Grams(m.Bought), cents(m.Cost), output.Grams(without.Quantity), without.Items},
	}
	for _, f := range m.Filings {
		out.Requests = append(out.Requests, newFilingJSON(f))
		out.Counts.add(f.State)
	}
	for _, i := range m.Invoices {
		out.Invoices = append(out.Invoices, invoiceJSON{i.Invoice, i.Items, output.Grams(i.Quantity)})
	}
	return out
}

// failedChecks are the names of the checks that failed, in one cell.
func failedChecks(f model.Filing) string { return strings.Join(checkNames(f.Doubts), "; ") }

func checkNames(doubts []model.Doubt) (names []string) {
	for _, d := range doubts {
		names = append(names, d.Check)
	}
	return names
}

func (r *closeRun) printMonth(m model.MonthEnd, unknown []string) error {
	err := r.print(r.format, formats{
		document: func() error { return output.Object(r.data(), r.newJSON(m, unknown)) },
		header:   closeHeader,
		rows:     func(out output.Rows) { writeFilings(out, m) },
		table:    func() *output.Grid { return r.monthTable(m) },
	})
	if err == nil && r.format == output.Table && len(m.Filings) > 0 {
		fmt.Fprintln(r.data())
		err = r.grid(r.sumTable(m))
	}
	if r.format == output.CSV || r.format == output.JSONL {
		r.warn("the sums that must agree with the invoices are in no row of %s: -o json and -o table have them", r.format)
	}
	for _, note := range m.Notes {
		r.warn("%s", strings.TrimSuffix(note, "."))
	}
	if len(unknown) > 0 {
		r.warn("of %s of the ledger it is not known whether they are of this month: %s", model.Count(len(unknown), "request", "requests"), someOf(unknown))
	}
	if m.Unread > 0 {
		r.warn("%s could not be read and are not part of what was bought", model.Count(m.Unread, "trade", "trades"))
	}
	return err
}

// withoutInvoice sums up the items that name no invoice: they were in a wallet
// before, came from another month, or are not invoiced yet.
func withoutInvoice(m model.MonthEnd) (sum model.InvoiceSum) {
	for _, f := range m.Filings {
		for _, item := range f.Request.Items {
			if item.InvoiceID == "" {
				sum.Items, sum.Quantity = sum.Items+1, sum.Quantity.AddUpTo(item.Quantity)
			}
		}
	}
	return sum
}

func writeFilings(out output.Rows, m model.MonthEnd) {
	for _, f := range m.Filings {
		out.Write(output.Text(f.Request.ID), output.Text(string(f.State)), output.Text(string(f.Request.Status)),
			output.Grams(f.Request.TotalQuantity), output.Optional(f.WaitsFor), output.Optional(failedChecks(f)), output.Time(f.Request.RetiredAt))
	}
}

// monthTable is the first table of a month: its requests, or if there are none its
// sums.
func (r *closeRun) monthTable(m model.MonthEnd) *output.Grid {
	if len(m.Filings) == 0 {
		return r.sumTable(m)
	}
	return filingTable(m)
}

func filingTable(m model.MonthEnd) *output.Grid {
	grid := output.NewGrid(
		output.Column{Title: "STATE"}, output.Column{Title: "ID"}, output.Column{Title: "QUANTITY", Right: true},
		output.Column{Title: "RETIRED", Drop: 1}, output.Column{Title: "WAITS FOR", Shrink: 12}, output.Column{Title: "FAILED CHECKS", Shrink: 12},
	)
	for _, f := range m.Filings {
		grid.Add(strings.ReplaceAll(string(f.State), "_", " "), f.Request.ID, f.Request.TotalQuantity.FormatTonnes(), day(f.Request.RetiredAt), dash(f.WaitsFor), dash(failedChecks(f)))
	}
	return grid
}

func (r *closeRun) sumTable(m model.MonthEnd) *output.Grid {
	grid := output.NewGrid(output.Column{Title: r.month}, output.Column{Title: "TONNES", Right: true}, output.Column{Title: "AMOUNT", Right: true})
	grid.Add("Requests made in the month", m.Requested.FormatTonnes(), "")
	grid.Add("Of these retired so far", m.Retired.FormatTonnes(), "")
	amount := "too large"
	if total, err := m.Cost.Cents(); err == nil {
		amount = total.FormatDollars()
	}
	grid.Add("Bought: what the invoices must amount to", m.Bought.FormatTonnes(), amount)
	for _, i := range m.Invoices {
		grid.Add(fmt.Sprintf("Items on invoice %s: %d", i.Invoice, i.Items), i.Quantity.FormatTonnes(), "")
	}
	if without := withoutInvoice(m); without.Items > 0 {
		grid.Add(fmt.Sprintf("Items without an invoice: %d", without.Items), without.Quantity.FormatTonnes(), "")
	}
	return grid
}
