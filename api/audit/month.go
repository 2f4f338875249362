package audit

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"tonne/model"
	"tonne/model/spreadsheet"
)

const monthFile = "close" // and an ending

// MonthColumns are the columns of the requests of a month.
var MonthColumns = []string{"id", "state", "status", "total_quantity", "waits_for", "failed_checks", "retired_at"}

// Month is a closed month as its files have it. Quantities are in grams. A value
// that is not known is nil.
type Month struct {
	Month    string         `json:"month"`
	Requests []MonthRequest `json:"requests"`
	Counts   MonthCounts    `json:"counts"`
	Sums     MonthSums      `json:"sums"`
	Invoices []MonthInvoice `json:"invoices"`
	// Unknown are the requests of which the month is not known.
	Unknown []string `json:"unknown"`
	Notes   []string `json:"notes"`
	// Unread counts the trades that could not be read.
	Unread int `json:"-"`
}

// MonthRequest is a request that was made in a month.
type MonthRequest struct {
	ID       string             `json:"id"`
	State    model.FilingState  `json:"state"`
	Status   string             `json:"status"`
	Total    *string            `json:"total_quantity"`
	WaitsFor *string            `json:"waits_for"`
	Failed   []MonthFailedCheck `json:"failed_checks"`
	Retired  *string            `json:"retired_at"`
}

// MonthFailedCheck is a failed check of a request.
type MonthFailedCheck struct {
	Name   string       `json:"name"`
	Result model.Result `json:"result"`
	Detail string       `json:"detail"`
}

// MonthCounts counts the requests by state.
type MonthCounts struct {
	Waiting  int `json:"waiting"`
	Doubtful int `json:"doubtful"`
	Filed    int `json:"complete"`
	Empty    int `json:"nothing_to_process"`
}

// MonthSums are the sums that must agree with the invoices. Uninvoiced is what items
// have that name no invoice.
type MonthSums struct {
	Requested       *string `json:"requested_grams"`
	Retired         *string `json:"retired_grams"`
	Bought          *string `json:"bought_grams"`
	Cents           *string `json:"bought_cents"`
	Uninvoiced      *string `json:"without_invoice_grams"`
	UninvoicedItems int     `json:"without_invoice_items"`
}

// MonthInvoice is what the items of the requests have on an invoice.
type MonthInvoice struct {
	ID       string  `json:"invoice_id"`
	Items    int     `json:"items"`
	Quantity *string `json:"quantity_grams"`
}

// CloseMonth returns the month that begins at source.From. Unknown are requests of
// which the month is not known. The error is model.ErrOverflow.
func CloseMonth(source model.MonthSource, unknown []string) (Month, error) {
	end, err := model.NewMonthEnd(source)
	m := Month{
		Month: source.From.Format("2006-01"), Requests: []MonthRequest{}, Invoices: []MonthInvoice{}, Unread: end.Unread,
		Unknown: append([]string{}, unknown...), Notes: append([]string{}, end.Notes...),
		Sums: MonthSums{Requested: grams(end.Requested), Retired: grams(end.Retired), Bought: grams(end.Bought)},
	}
	if cents, err := end.Cost.Cents(); err == nil {
		m.Sums.Cents = known(cents.String())
	}
	var uninvoiced model.Grams
	for _, f := range end.Filings {
		m.add(f)
		for _, item := range f.Request.Items {
			if item.InvoiceID == "" {
				uninvoiced = uninvoiced.AddUpTo(item.Quantity)
				m.Sums.UninvoicedItems++
			}
		}
	}
	m.Sums.Uninvoiced = grams(uninvoiced)
	for _, i := range end.Invoices {
		m.Invoices = append(m.Invoices, MonthInvoice{i.Invoice, i.Items, grams(i.Quantity)})
	}
	return m, err
}

func (m *Month) add(f model.Filing) {
	r := MonthRequest{
		ID: f.Request.ID, State: f.State, Status: string(f.Request.Status), Total: grams(f.Request.TotalQuantity),
		WaitsFor: known(f.WaitsFor), Failed: []MonthFailedCheck{}, Retired: known(f.Request.RetiredAt.Text),
	}
	for _, d := range f.Doubts {
		r.Failed = append(r.Failed, MonthFailedCheck{d.Check, model.Fail, d.Detail})
	}
	m.Requests = append(m.Requests, r)
	*m.Counts.of(f.State)++
}

func (c *MonthCounts) of(state model.FilingState) *int {
	switch state {
	case model.Waiting:
		return &c.Waiting
	case model.Doubtful:
		return &c.Doubtful
	case model.Filed:
		return &c.Filed
	case model.Empty:
		return &c.Empty
	}
	return new(int)
}

func known(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func grams(g model.Grams) *string {
	if !g.Known() {
		return nil
	}
	return known(g.String())
}

func valueOf(value *string) string {
	if value == nil {
		return ""
	}
	return *value
}

// FailedChecks returns the names of the failed checks.
func (r MonthRequest) FailedChecks() (names []string) {
	for _, check := range r.Failed {
		names = append(names, check.Name)
	}
	return names
}

// Row returns the values of MonthColumns, empty if they are not known.
func (r MonthRequest) Row() []string {
	return []string{r.ID, string(r.State), r.Status, valueOf(r.Total), valueOf(r.WaitsFor), strings.Join(r.FailedChecks(), "; "), valueOf(r.Retired)}
}

func (m Month) rows() spreadsheet.Sheet {
	return spreadsheet.Sheet{Columns: MonthColumns, Each: func(yield func([]spreadsheet.Cell) bool) {
		for _, r := range m.Requests {
			if !yield(spreadsheet.Texts(r.Row())) {
				return
			}
		}
	}}
}

// Files returns the month as a pack has it. The same month has the same bytes.
func (m Month) Files() ([]PackFile, error) {
	var document, rows, book bytes.Buffer
	encoder := json.NewEncoder(&document)
	encoder.SetEscapeHTML(false)
	err := errors.Join(encoder.Encode(m), spreadsheet.WriteCSV(&rows, m.rows()), m.workbook().Write(&book))
	return []PackFile{{monthFile + ".json", document.Bytes()}, {monthFile + ".csv", rows.Bytes()}, {monthFile + ".xlsx", book.Bytes()}}, err
}

func monthHash(status, total, retired string) [sha256.Size]byte {
	return sha256.Sum256([]byte(status + "\x00" + total + "\x00" + retired))
}

func (a *packCheck) compareMonth() error {
	// The rows are not needed any more.
	a.rows = nil
	there := 0
	for _, ending := range formats {
		if a.files[monthFile+ending] != nil {
			there++
		}
	}
	if there == 0 {
		return nil
	}
	for _, ending := range formats {
		if a.files[monthFile+ending] == nil {
			return fmt.Errorf("%s is missing", monthFile+ending)
		}
	}
	text, err := readPacked(a.files[monthFile+".json"])
	if err != nil {
		return err
	}
	var m Month
	if err := json.Unmarshal(text, &m); err != nil {
		return unreadable(monthFile+".json", err)
	}
	a.compareRequests(m)
	err = sameFile(a.files[monthFile+".csv"], func(w io.Writer) error { return spreadsheet.WriteCSV(w, m.rows()) })
	return cmp.Or(err, sameFile(a.files[monthFile+".xlsx"], m.workbook().Write))
}

func (a *packCheck) compareRequests(m Month) {
	var requested model.Grams
	var counts MonthCounts
	listed, leftOut := make(map[string]bool), make(map[string]bool)
	for _, l := range a.manifest.LeftOut {
		leftOut[l.ID] = true
	}
	for _, f := range m.Requests {
		*counts.of(f.State)++
		listed[f.ID] = true
		if total, err := model.ParseGrams(valueOf(f.Total)); err == nil {
			requested = requested.AddUpTo(total)
		}
		answer, answered := a.answers[f.ID]
		switch {
		case !answered && !leftOut[f.ID]:
			a.differ("%s.json has %s, which is no request of the evidence", monthFile, f.ID)
		case answered && answer != monthHash(f.Status, valueOf(f.Total), valueOf(f.Retired)):
			a.differ("%s.json and the answer differ about %s", monthFile, f.ID)
		case answered && !a.doubtedAs(f):
			a.differ("%s.json and %s differ about the doubts of %s", monthFile, manifestFile, f.ID)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(a.answers)) {
		if !listed[id] {
			a.differ("%s.json lacks %s, which the evidence has", monthFile, id)
		}
	}
	for _, state := range []model.FilingState{model.Filed, model.Doubtful, model.Empty, model.Waiting} {
		if n, has := *m.Counts.of(state), *counts.of(state); n != has {
			a.differ("%s.json counts %d requests that are %s, and has %d", monthFile, n, state, has)
		}
	}
	if valueOf(m.Sums.Requested) != requested.String() {
		a.differ("the sum of %s.json is not that of its requests", monthFile)
	}
}

// doubtedAs reports whether a request of a month fails the checks that the
// manifest names, and is complete only if it names none.
func (a *packCheck) doubtedAs(f MonthRequest) bool {
	var names []string
	for _, d := range a.doubts[f.ID] {
		if d.Check != "" {
			names = append(names, d.Check)
		}
	}
	if f.State == model.Filed && len(names) > 0 || f.State == model.Doubtful && len(names) == 0 {
		return false
	}
	return slices.Equal(names, f.FailedChecks())
}

// workbook is the month as a workbook that adds up. Nothing in it is compressed: how
// well a program compresses changes with its version.
func (m Month) workbook() spreadsheet.Workbook {
	return spreadsheet.Workbook{Plain: true, Sheets: []spreadsheet.Sheet{
		m.requestSheet(), m.sumSheet(), listSheet("Not known", "id", m.Unknown), listSheet("Notes", "note", m.Notes),
	}}
}

func listSheet(name, column string, values []string) spreadsheet.Sheet {
	return spreadsheet.Sheet{Name: name, Columns: []string{column}, Each: func(yield func([]spreadsheet.Cell) bool) {
		for _, value := range values {
			if !yield([]spreadsheet.Cell{spreadsheet.Text(value)}) {
				return
			}
		}
	}}
}

func (m Month) requestSheet() spreadsheet.Sheet {
	const totalAt, retiredAt = 3, 6
	s := spreadsheet.Sheet{Name: "Requests", Columns: slices.Clone(MonthColumns)}
	s.Columns[totalAt] = totalColumn
	s.Each = func(yield func([]spreadsheet.Cell) bool) {
		for _, f := range m.Requests {
			cells := spreadsheet.Texts(f.Row())
			cells[totalAt], cells[retiredAt] = wholeOf(f.Total), spreadsheet.Time(model.ParseTimestamp(valueOf(f.Retired)).UTC())
			if !yield(cells) {
				return
			}
		}
	}
	if len(m.Requests) > 0 {
		s.Totals = make([]spreadsheet.Cell, retiredAt+1)
		s.Totals[0], s.Totals[totalAt] = spreadsheet.Text(totalsTitle), spreadsheet.Sum(wholeOf(m.Sums.Requested))
	}
	return s
}

// sumSheet has the sums that must agree with the invoices.
func (m Month) sumSheet() spreadsheet.Sheet {
	s := spreadsheet.Sheet{Name: "Sums", Columns: []string{"what", "invoice_id", "items", "grams", "dollars"}}
	none, amount := spreadsheet.Cell{}, spreadsheet.Text("too large")
	if cents, err := strconv.ParseInt(valueOf(m.Sums.Cents), 10, 64); err == nil {
		amount = spreadsheet.Decimal(cents, 2)
	}
	add := func(what, invoice string, items spreadsheet.Cell, grams *string, dollars spreadsheet.Cell) {
		s.Rows = append(s.Rows, []spreadsheet.Cell{spreadsheet.Text(what), spreadsheet.Text(invoice), items, wholeOf(grams), dollars})
	}
	count := func(items int) spreadsheet.Cell { return spreadsheet.Decimal(int64(items), 0) }
	add("requested", "", none, m.Sums.Requested, none)
	add("retired of these so far", "", none, m.Sums.Retired, none)
	add("bought: what the invoices must amount to", "", none, m.Sums.Bought, amount)
	for _, i := range m.Invoices {
		add("items of requests", i.ID, count(i.Items), i.Quantity, none)
	}
	if m.Sums.UninvoicedItems > 0 {
		add("items without an invoice", "", count(m.Sums.UninvoicedItems), m.Sums.Uninvoiced, none)
	}
	return s
}

func wholeOf(grams *string) spreadsheet.Cell {
	if grams == nil {
		return spreadsheet.Cell{}
	}
	return spreadsheet.Whole(*grams)
}
