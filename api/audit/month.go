package audit

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"tonne/model"
	"tonne/model/portfolio"
	"tonne/model/retirement"
	"tonne/model/statement"
)

// FilingState says how far a request is on its way into the books.
type FilingState string

// The states.
const (
	// Waiting: something is still to come.
	Waiting FilingState = "waiting"
	// Doubtful: it was retired, and checks of it failed.
	Doubtful FilingState = "doubtful"
	// Filed: it is complete, with everything that an auditor needs, its certificate
	// saved.
	Filed FilingState = "complete"
	// Empty: nothing of it was retired.
	Empty FilingState = "nothing_to_process"
)

const monthFile = "close" // and an ending

var monthColumns = []string{"id", "state", "status", "total_quantity", "waits_for", "failed_checks", "retired_at"}

// Text is null in JSON if it is empty.
type Text string

// MarshalJSON returns a string or null.
func (t Text) MarshalJSON() ([]byte, error) {
	if t == "" {
		return []byte("null"), nil
	}
	return json.Marshal(string(t))
}

// Quantity is in grams, null in JSON if it is not known.
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

// Month is a closed month as its files have it.
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
	State    FilingState        `json:"state"`
	Status   string             `json:"status"`
	Total    Quantity           `json:"total_quantity" is:"string"`
	WaitsFor Text               `json:"waits_for" is:"string"`
	Failed   []retirement.Check `json:"failed_checks"`
	Retired  Text               `json:"retired_at" is:"string"`
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
	Requested       Quantity `json:"requested_grams" is:"string"`
	Retired         Quantity `json:"retired_grams" is:"string"`
	Bought          Quantity `json:"bought_grams" is:"string"`
	Cents           Text     `json:"bought_cents" is:"string"`
	Uninvoiced      Quantity `json:"without_invoice_grams" is:"string"`
	UninvoicedItems int      `json:"without_invoice_items"`
}

// MonthInvoice is what the items of the requests have on an invoice.
type MonthInvoice struct {
	ID       string   `json:"invoice_id"`
	Items    int      `json:"items"`
	Quantity Quantity `json:"quantity_grams" is:"string"`
}

// MonthSource is what the end of a month is made of.
type MonthSource struct {
	// From is the first moment of the month, Now when all of this was read.
	From, Now time.Time
	// Requests are those of the ledger that may have been made in the month.
	Requests []Request
	// Ledger are all requests of the ledger, as they were answered last, Unknown the
	// ids of those of which the month is not known.
	Ledger  []retirement.Request
	Unknown []string
	// Inventory has all wallets and all trades, unfiltered.
	Inventory *portfolio.Inventory
	// NoFiles says that no certificate can be saved where this is read: none is
	// waited for, and a note says so.
	NoFiles bool
}

// CloseMonth sums up a month: the requests that were made in it, and all trades of
// the inventory that were. The error is model.ErrOverflow.
func CloseMonth(source MonthSource) (m Month, err error) {
	from, to := source.From, source.From.AddDate(0, 1, 0)
	m = Month{Month: from.Format("2006-01"), Requests: []MonthRequest{}, Invoices: []MonthInvoice{}, Unknown: append([]string{}, source.Unknown...), Notes: []string{}}
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
				uninvoiced = uninvoiced.AddUpTo(item.Quantity)
				m.Sums.UninvoicedItems++
				continue
			}
			sum := invoices[item.InvoiceID]
			invoices[item.InvoiceID] = MonthInvoice{item.InvoiceID, sum.Items + 1, Quantity(model.Grams(sum.Quantity).AddUpTo(item.Quantity))}
		}
	}
	m.Sums.Requested, m.Sums.Retired, m.Sums.Uninvoiced = Quantity(requested), Quantity(retired), Quantity(uninvoiced)
	slices.SortFunc(m.Requests, func(a, b MonthRequest) int {
		return cmp.Or(cmp.Compare(slices.Index(filingStates, a.State), slices.Index(filingStates, b.State)), strings.Compare(a.ID, b.ID))
	})
	m.Invoices = slices.AppendSeq(m.Invoices, maps.Values(invoices))
	slices.SortFunc(m.Invoices, func(a, b MonthInvoice) int { return strings.Compare(a.ID, b.ID) })
	m.note(from, to, source)
	return m, m.sumTrades(source, to)
}

// filingStates are in the order in which they are listed.
var filingStates = []FilingState{Waiting, Doubtful, Filed, Empty}

func (m *Month) note(from, to time.Time, source MonthSource) {
	switch {
	case source.Now.Before(from):
		m.Notes = append(m.Notes, m.Month+" has not begun (UTC).")
	case source.Now.Before(to):
		m.Notes = append(m.Notes, m.Month+" is not over (UTC): its figures are not final.")
	}
	if len(m.Requests) == 0 {
		m.Notes = append(m.Notes, "No request of the ledger was made in "+m.Month+".")
	}
	if source.NoFiles {
		m.Notes = append(m.Notes, "No certificate is saved here: whether they are on file shows on the machine that keeps them.")
	}
}

func (m *Month) sumTrades(source MonthSource, to time.Time) error {
	s, err := statement.New(statement.Source{
		Inventory: source.Inventory, Requests: source.Ledger, From: source.From, To: to, Now: source.Now, By: statement.PerMonth,
	})
	m.Sums.Bought = Quantity(s.Total.Bought)
	if cents, err := s.Total.Cost.Cents(); err == nil {
		m.Sums.Cents = Text(cents.String())
	}
	if !source.Now.Before(source.From) {
		m.Notes = append(m.Notes, s.Lacking...)
	}
	for _, p := range source.Inventory.Projects {
		for _, v := range p.Vintages {
			for _, w := range v.Wallets {
				for _, t := range w.Trades {
					if !t.Quantity.Known() || !t.Price.Known() || !t.ExecutionDate.Known() {
						m.Unread++
					}
				}
			}
		}
	}
	return err
}

func (m *Month) add(request Request, noFiles bool) {
	r, failed, waits := request.Retirement, request.FailedChecks(), waitsFor(request.Retirement)
	answered := waits == ""
	// Without its certificate there is no evidence, whatever the service says.
	unsaved := slices.ContainsFunc(request.AllChecks(), func(c retirement.Check) bool {
		return c.Name == CertificateOnFile && c.Result == retirement.NotCheckable
	})
	onlyLate := len(r.SerialNumbers) == 0 && len(failed) == 1 && failed[0].Check == retirement.SerialsSumToWholeTonnes
	if answered && r.Status == retirement.Complete && !noFiles && unsaved {
		waits = "its certificate to be saved"
	}
	state := Filed
	switch {
	case r.Status == retirement.NothingToProcess:
		state = Empty
	case (answered || r.Status == retirement.Complete) && len(failed) > 0 && !onlyLate:
		// None of them changes with what is still to come.
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
