package audit

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"tonne/model"
	"tonne/model/advice"
	"tonne/model/field"
	"tonne/model/portfolio"
	"tonne/model/retirement"
	"tonne/model/statement"
)

// FilingState is the state of a request at the end of a month.
type FilingState string

// The states.
const (
	// Waiting means that data is still missing.
	Waiting FilingState = "waiting"
	// Doubtful means that the request was retired, but checks failed.
	Doubtful FilingState = "doubtful"
	// Filed means that everything an auditor needs is there, and the certificate is saved.
	Filed FilingState = "complete"
	// Empty means that nothing was retired.
	Empty FilingState = "nothing_to_process"
)

const monthFile = "close" // and an ending

// Text is null in JSON if it is empty.
type Text string

// MarshalJSON returns a string or null.
func (t Text) MarshalJSON() ([]byte, error) {
	if t == "" {
		return []byte("null"), nil
	}
	return json.Marshal(string(t))
}

// Quantity is in grams, and null in JSON if it is unknown.
type Quantity model.Grams

// MarshalJSON returns a string or null.
func (q Quantity) MarshalJSON() ([]byte, error) { return q.text().MarshalJSON() }

// UnmarshalJSON reads a string or null.
func (q *Quantity) UnmarshalJSON(value []byte) error {
	var text Text
	err := json.Unmarshal(value, &text)
	*q = Quantity(model.UnknownGrams)
	if grams, wrong := model.ParseGrams(string(text)); wrong == nil {
		*q = Quantity(grams)
	}
	return err
}

func (q Quantity) text() Text {
	if g := model.Grams(q); g.Known() {
		return Text(g.String())
	}
	return ""
}

// Month has the contents of the files of a closed month.
type Month struct {
	Month    string         `json:"month"`
	Requests []MonthRequest `json:"requests"`
	Counts   MonthCounts    `json:"counts"`
	Sums     MonthSums      `json:"sums"`
	Invoices []MonthInvoice `json:"invoices"`
	// Unknown are the requests whose month is unknown.
	Unknown []string      `json:"unknown"`
	Notes   []advice.Text `json:"notes"`
	// Unread counts the trades that could not be read.
	Unread int `json:"-"`
}

// MonthRequest is a request that was made in a month.
type MonthRequest struct {
	ID       string             `json:"id"`
	State    FilingState        `json:"state"`
	Status   string             `json:"status"`
	Total    Quantity           `json:"total_quantity" is:"string"`
	WaitsFor Text               `json:"waits_for" is:"string"`
	Failed   []retirement.Check `json:"failed_checks"`
	Retired  Text               `json:"retired_at" is:"string"`
}

// MonthColumns are the columns of the requests of a month.
var MonthColumns = field.Columns[MonthRequest]{
	{Name: "id", Title: "ID", Value: func(r MonthRequest) field.Value { return field.Text(r.ID) }},
	{
		Name: "state", Title: "STATE", Value: func(r MonthRequest) field.Value { return field.Text(string(r.State)) },
		Cell: func(r MonthRequest) field.Value { return field.Words(strings.ReplaceAll(string(r.State), "_", " ")) },
	},
	{Name: "status", Value: func(r MonthRequest) field.Value { return field.Text(r.Status) }},
	{
		Name:  "total_quantity",
		Title: "QUANTITY",
		Right: true,
		Value: func(r MonthRequest) field.Value { return field.Grams(model.Grams(r.Total)) },
	},
	{
		Name:   "waits_for",
		Title:  "WAITS FOR",
		Shrink: 12,
		Value:  func(r MonthRequest) field.Value { return field.Optional(string(r.WaitsFor)) },
	},
	{
		Name: "failed_checks", Title: "FAILED CHECKS", Shrink: 12,
		Value: func(r MonthRequest) field.Value { return field.Optional(strings.Join(r.FailedChecks(), "; ")) },
	},
	{
		Name:  "retired_at",
		Title: "RETIRED",
		Drop:  1,
		Value: func(r MonthRequest) field.Value { return field.Time(r.retired()) },
	},
}

func (r MonthRequest) retired() model.Timestamp { return model.ParseTimestamp(string(r.Retired)) }

// MonthCounts counts the requests by state.
type MonthCounts struct {
	Waiting  int `json:"waiting"`
	Doubtful int `json:"doubtful"`
	Filed    int `json:"complete"`
	Empty    int `json:"nothing_to_process"`
}

// MonthSums are the sums that must match the invoices. Uninvoiced is the sum of the items
// without an invoice.
type MonthSums struct {
	Requested       Quantity `json:"requested_grams" is:"string"`
	Retired         Quantity `json:"retired_grams" is:"string"`
	Bought          Quantity `json:"bought_grams" is:"string"`
	Cents           Text     `json:"bought_cents" is:"string"`
	Uninvoiced      Quantity `json:"without_invoice_grams" is:"string"`
	UninvoicedItems int      `json:"without_invoice_items"`
}

// Cost returns what was bought. It is false if it is too large.
func (s MonthSums) Cost() (model.Cents, bool) {
	cents, err := strconv.ParseInt(string(s.Cents), 10, 64)
	return model.Cents(cents), err == nil
}

// MonthInvoice sums up the items of the requests on one invoice.
type MonthInvoice struct {
	ID       string   `json:"invoice_id"`
	Items    int      `json:"items"`
	Quantity Quantity `json:"quantity_grams" is:"string"`
}

// MonthSource has the data for CloseMonth.
type MonthSource struct {
	// From is the start of the month, and Now the time at which the data was read.
	From, Now time.Time
	// Requests are the requests of the ledger that may belong to the month.
	Requests []Request
	// Ledger are the last answers of all requests of the ledger. Unknown are the ids of
	// requests whose month is unknown.
	Ledger  []*retirement.Request
	Unknown []string
	// Inventory has all wallets and all trades, unfiltered.
	Inventory *portfolio.Inventory
	// NoFiles means that certificates cannot be saved here. No request waits for one, and
	// a note reports this.
	NoFiles bool
}

// CloseMonth sums up the requests and the trades of a month. The error is
// model.ErrOverflow.
func CloseMonth(source MonthSource) (m Month, err error) {
	from, to := source.From, source.From.AddDate(0, 1, 0)
	m = Month{
		Month:    from.Format("2006-01"),
		Requests: []MonthRequest{},
		Invoices: []MonthInvoice{},
		Unknown:  append([]string{}, source.Unknown...),
		Notes:    []advice.Text{},
	}
	var requested, retired, uninvoiced model.Grams
	invoices := make(map[string]MonthInvoice)
	for _, r := range source.Requests {
		if at := r.Retirement.CreatedAt.Time; at.Before(from) || !at.Before(to) {
			continue
		}
		m.add(r, source.NoFiles)
		total := r.Retirement.TotalQuantity
		if requested, err = model.AddGrams(requested, total); err != nil {
			return m, err
		}
		if r.Retirement.Status == retirement.Complete {
			retired, _ = model.AddGrams(retired, total)
		}
		for _, item := range r.Retirement.Items {
			if item.InvoiceID == "" {
				uninvoiced = uninvoiced.Plus(item.Quantity)
				m.Sums.UninvoicedItems++
				continue
			}
			sum := invoices[item.InvoiceID]
			invoices[item.InvoiceID] = MonthInvoice{
				item.InvoiceID,
				sum.Items + 1,
				Quantity(model.Grams(sum.Quantity).Plus(item.Quantity)),
			}
		}
	}
	m.Sums.Requested, m.Sums.Retired, m.Sums.Uninvoiced = Quantity(requested), Quantity(retired), Quantity(uninvoiced)
	slices.SortFunc(m.Requests, func(a, b MonthRequest) int {
		return cmp.Or(
			cmp.Compare(slices.Index(filingStates, a.State), slices.Index(filingStates, b.State)),
			strings.Compare(a.ID, b.ID),
		)
	})
	m.Invoices = slices.AppendSeq(m.Invoices, maps.Values(invoices))
	slices.SortFunc(m.Invoices, func(a, b MonthInvoice) int { return strings.Compare(a.ID, b.ID) })
	m.note(from, to, source)
	return m, m.sumTrades(source, to)
}

// filingStates has the order of the lists.
var filingStates = []FilingState{Waiting, Doubtful, Filed, Empty}

func (m *Month) note(from, to time.Time, source MonthSource) {
	switch {
	case source.Now.Before(from):
		m.Notes = append(m.Notes, advice.Plain(m.Month+" has not started yet (UTC)."))
	case source.Now.Before(to):
		m.Notes = append(m.Notes, advice.Plain(m.Month+" has not ended yet (UTC): the figures are not final."))
	}
	if len(m.Requests) == 0 {
		m.Notes = append(m.Notes, advice.Plain("The ledger has no request of "+m.Month+"."))
	}
	if source.NoFiles {
		m.Notes = append(m.Notes,
			advice.Plain("Certificates are not saved here. Check on the machine that saves them whether they are on file."))
	}
}

func (m *Month) sumTrades(source MonthSource, to time.Time) error {
	total, lacking, err := statement.Bought(statement.Source{
		Inventory: source.Inventory, Requests: source.Ledger, From: source.From, To: to, Now: source.Now,
		By: statement.PerMonth,
	})
	m.Sums.Bought = Quantity(total.Bought)
	if cents, err := total.Cost.Cents(); err == nil {
		m.Sums.Cents = Text(cents.String())
	}
	if !source.Now.Before(source.From) {
		m.Notes = append(m.Notes, lacking...)
	}
	for _, w := range source.Inventory.AllWallets() {
		for _, t := range w.Trades {
			if !t.Quantity.Known() || !t.Price.Known() || !t.ExecutionDate.Known() {
				m.Unread++
			}
		}
	}
	return err
}

func (m *Month) add(request Request, noFiles bool) {
	r, failed, waits := request.Retirement, request.FailedChecks(), waitsFor(request.Retirement)
	answered := waits == ""
	// A request without its certificate is never complete evidence.
	saved := slices.ContainsFunc(request.Findings, func(c retirement.Check) bool {
		return c.Name == CertificateOnFile && c.Result != retirement.NotCheckable
	})
	onlyLate := len(r.SerialNumbers) == 0 && len(failed) == 1 && failed[0].Check == retirement.SerialsSumToWholeTonnes
	if answered && r.Status == retirement.Complete && !noFiles && !saved {
		waits = "its certificate to be saved"
	}
	state := Filed
	switch {
	case r.Status == retirement.NothingToProcess:
		state = Empty
	case (answered || r.Status == retirement.Complete) && len(failed) > 0 && !onlyLate:
		// Data that is still missing does not change these failures.
		state = Doubtful
	case waits != "":
		state = Waiting
	}
	filed := MonthRequest{
		ID: r.ID, State: state, Status: string(r.Status), Total: Quantity(r.TotalQuantity),
		WaitsFor: Text(waits), Failed: []retirement.Check{}, Retired: Text(r.RetiredAt.Text),
	}
	for _, d := range failed {
		filed.Failed = append(filed.Failed, retirement.Check{Name: d.Check, Result: retirement.Fail, Detail: d.Detail})
	}
	m.Requests = append(m.Requests, filed)
	*m.Counts.of(state)++
}

func waitsFor(r retirement.Request) string {
	switch r.Status {
	case retirement.Open:
		return "the end of its month"
	case retirement.Closed:
		return "its invoices to be settled"
	case retirement.InProgress:
		return "the registry"
	case retirement.NothingToProcess:
		return ""
	case retirement.Complete:
	default:
		return "a state that is known: it is in " + string(r.Status)
	}
	var missing []string
	if len(r.SerialNumbers) == 0 {
		missing = append(missing, "its serial numbers")
	}
	if r.CertificateURL == "" {
		missing = append(missing, "its certificate")
	}
	return strings.Join(missing, " and ")
}
