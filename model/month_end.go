package model

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// FilingState says how far a request is on its way into the books.
type FilingState string

// The states, in the order in which they are listed.
const (
	// Waiting: something is still to come.
	Waiting FilingState = "waiting"
	// Doubtful: it was retired, and something speaks against it.
	Doubtful FilingState = "doubtful"
	// Filed: it is complete, with everything that an auditor wants, its
	// certificate saved.
	Filed FilingState = "complete"
	// Empty: nothing of it was retired.
	Empty FilingState = "nothing_to_process"
)

var filingStates = []FilingState{Waiting, Doubtful, Filed, Empty}

// Filing is a request at the end of a month.
type Filing struct {
	Request Retirement
	State   FilingState
	// WaitsFor says what is still to come, empty for nothing.
	WaitsFor string
	// Doubts are what speaks against it.
	Doubts []FailedCheck
}

// InvoiceSum is what the items of a month's requests say of an invoice.
type InvoiceSum struct {
	Invoice  string
	Items    int
	Quantity Grams
}

// MonthSource is what the end of a month is made of.
type MonthSource struct {
	// From is the first moment of the month, Now when all of this was read.
	From, Now time.Time
	// Requests are those of the ledger that may have been made in the month.
	Requests []EvidenceSource
	// Ledger are all requests of the ledger, as they were answered last.
	Ledger []Retirement
	// Inventory has all wallets and all trades, unfiltered.
	Inventory *Inventory
	// NoFiles says that no certificate can be saved where this is read: none is
	// waited for, and a note says so.
	NoFiles bool
}

// MonthEnd is the requests of a month with the sums that must agree with its
// invoices.
type MonthEnd struct {
	// Filings are in the order of their states, and then of their ids.
	Filings []Filing
	// Requested is the sum of all requests that were made in the month, Retired of
	// those of them that were complete by now: in a later month perhaps.
	Requested, Retired Grams
	// Bought and Cost are the month's purchases: what its invoices amount to.
	Bought Grams
	Cost   Cost
	// Invoices are those that items name, in the order of their ids. Items that
	// name none, since nothing was bought for them, are not among them.
	Invoices []InvoiceSum
	// Unread counts the trades that could not be read.
	Unread int
	// Notes say in sentences why the figures may not be final, or not all.
	Notes []string
}

// NewMonthEnd sums up a month: the requests that were made in it, and all trades
// of the inventory that were. The error is ErrOverflow.
func NewMonthEnd(source MonthSource) (MonthEnd, error) {
	from, to := source.From, source.From.AddDate(0, 1, 0)
	var m MonthEnd
	var err error
	for _, r := range source.Requests {
		if at := r.Retirement.CreatedAt.Time; at.Before(from) || !at.Before(to) {
			continue
		}
		m.Filings = append(m.Filings, newFiling(r, source.NoFiles))
		if m.Requested, err = AddGrams(m.Requested, r.Retirement.TotalQuantity); err != nil {
			return m, err
		}
		if r.Retirement.Status == Complete {
			m.Retired, _ = AddGrams(m.Retired, r.Retirement.TotalQuantity)
		}
	}
	slices.SortFunc(m.Filings, func(a, b Filing) int {
		return cmp.Or(cmp.Compare(slices.Index(filingStates, a.State), slices.Index(filingStates, b.State)), strings.Compare(a.Request.ID, b.Request.ID))
	})
	m.sumInvoices()
	m.noteTime(from, to, source.Now)
	if source.NoFiles {
		m.Notes = append(m.Notes, "No certificate is saved here: whether they are on file shows on the machine that keeps them.")
	}
	return m, m.sumTrades(source, to)
}

func (m *MonthEnd) noteTime(from, to, now time.Time) {
	month := from.Format("2006-01")
	switch {
	case now.Before(from):
		m.Notes = append(m.Notes, month+" has not begun (UTC).")
	case now.Before(to):
		m.Notes = append(m.Notes, month+" is not over (UTC): its figures are not final.")
	}
	if len(m.Filings) == 0 {
		m.Notes = append(m.Notes, "No request of the ledger was made in "+month+".")
	}
}

func newFiling(source EvidenceSource, noFiles bool) Filing {
	r := source.Retirement
	f := Filing{Request: r, WaitsFor: waitsFor(r), Doubts: source.FailedChecks()}
	answered := f.WaitsFor == ""
	if answered && r.Status == Complete && !noFiles && source.unsaved() {
		f.WaitsFor = "its certificate to be saved"
	}
	switch {
	case r.Status == NothingToProcess:
		f.State = Empty
	case (answered || r.Status == Complete) && len(f.Doubts) > 0 && !onlyLate(r, f.Doubts):
		// What is still to come of it mends none of them.
		f.State = Doubtful
	case f.WaitsFor != "":
		f.State = Waiting
	default:
		f.State = Filed
	}
	return f
}

func onlyLate(r Retirement, doubts []FailedCheck) bool {
	return len(r.SerialNumbers) == 0 && len(doubts) == 1 && doubts[0].Check == SerialsSumToWholeTonnes
}

// unsaved reports whether nobody has the certificate: without it there is no
// evidence, whatever the service says.
func (s EvidenceSource) unsaved() bool {
	return slices.ContainsFunc(s.AllChecks(), func(c Check) bool { return c.Name == CertificateOnFile && c.Result == NotCheckable })
}

func waitsFor(r Retirement) string {
	switch r.Status {
	case Open:
		return "the end of its month"
	case Closed:
		return "its invoices to be settled"
	case InProgress:
		return "the registry"
	case NothingToProcess:
		return ""
	case Complete:
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

func (m *MonthEnd) sumInvoices() {
	sums := make(map[string]*InvoiceSum)
	for _, f := range m.Filings {
		for _, item := range f.Request.Items {
			if item.InvoiceID == "" {
				continue
			}
			if sums[item.InvoiceID] == nil {
				sums[item.InvoiceID] = &InvoiceSum{Invoice: item.InvoiceID}
			}
			s := sums[item.InvoiceID]
			s.Items, s.Quantity = s.Items+1, s.Quantity.AddUpTo(item.Quantity)
		}
	}
	for _, s := range sums {
		m.Invoices = append(m.Invoices, *s)
	}
	slices.SortFunc(m.Invoices, func(a, b InvoiceSum) int { return strings.Compare(a.Invoice, b.Invoice) })
}

func (m *MonthEnd) sumTrades(source MonthSource, to time.Time) error {
	s, err := NewStatement(StatementSource{
		Inventory: source.Inventory, Requests: source.Ledger, From: source.From, To: to, Now: source.Now, By: PerMonth,
	})
	m.Bought, m.Cost = s.Total.Bought, s.Total.Cost
	if !source.Now.Before(source.From) {
		m.Notes = append(m.Notes, s.Lacking...)
	}
	for _, w := range source.Inventory.wallets() {
		for _, t := range w.Trades {
			if !t.Quantity.Known() || !t.Price.Known() || !t.ExecutionDate.Known() {
				m.Unread++
			}
		}
	}
	return err
}
