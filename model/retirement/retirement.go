// Package retirement models retirement requests: states, items, serial numbers and checks.
// It also plans new requests, searches the ledger, and assigns calls of the journal to
// requests. It does not send calls; package api/retire does. Start reading at Request.
package retirement

import (
	"slices"
	"strings"

	"tonne/model"
)

// Status is the state of a retirement request (interface section 3). Unknown values are kept.
type Status string

// The states of the interface.
const (
	Open             Status = "OPEN"
	Closed           Status = "CLOSED"
	InProgress       Status = "IN_PROGRESS"
	Complete         Status = "COMPLETE"
	NothingToProcess Status = "NOTHING_TO_PROCESS"
)

// Statuses returns the states of the interface in order.
func Statuses() []Status { return []Status{Open, Closed, InProgress, Complete, NothingToProcess} }

// Words returns the state as users read it, such as "IN PROGRESS".
func (s Status) Words() string { return strings.ReplaceAll(string(s), "_", " ") }

// Known reports whether the state is documented in the interface.
func (s Status) Known() bool { return s.Meaning() != "" }

// Final reports whether the state never changes again.
func (s Status) Final() bool { return s == Complete || s == NothingToProcess }

// Meaning explains the state in a sentence. It is empty for an undocumented state.
func (s Status) Meaning() string {
	switch s {
	case Open:
		return "More credits can still be added."
	case Closed:
		return "No more credits can be added. Waiting for its invoices to be settled."
	case InProgress:
		return "Being processed on the registry."
	case Complete:
		return "Retired on the registry."
	case NothingToProcess:
		return "Closed with less than one whole tonne. Nothing is retired."
	}
	return ""
}

// Type is the type of a request: whole tonnes or fractions.
type Type string

// The types of the interface.
const (
	Fractionalised Type = "FRACTIONALISED"
	Whole          Type = "WHOLE"
)

// Request is a retirement request (interface section 2.4).
type Request struct {
	ID     string
	Status Status
	// TotalQuantity is the total in grams.
	TotalQuantity        model.Grams
	Type                 Type
	ProjectID, VintageID string
	CreatedAt            model.Timestamp
	// RetiredAt, SerialNumbers and CertificateURL may be missing even in a complete request.
	RetiredAt      model.Timestamp
	SerialNumbers  []string
	CertificateURL string
	// ExternalCustomer is should_retire_external_customer.
	ExternalCustomer   model.OptionalBool
	AllInvoicesSettled model.OptionalBool
	Items              []Item
	Extra              []model.Field
	Faults             []model.Fault
}

// Item is one retirement call. All fields except id, quantity and time may be missing.
type Item struct {
	ID string
	// Quantity is the quantity of the call, in grams.
	Quantity       model.Grams
	CreatedAt      model.Timestamp
	RetireeName    string
	RetireeTaxID   string
	RetireeCountry string
	InvoiceID      string
	TradeID        string
	Extra          []model.Field
}

// Vintage returns the key of the vintage.
func (r Request) Vintage() model.VintageKey {
	return model.VintageKey{ProjectID: r.ProjectID, VintageID: r.VintageID}
}

// NamesTaxID reports whether an item has the tax id of its beneficiary.
func (r Request) NamesTaxID() bool {
	return slices.ContainsFunc(r.Items, func(i Item) bool { return i.RetireeTaxID != "" })
}

// ItemsTotal returns the sum of the items. The error is ErrOverflow or ErrUnknown.
func (r Request) ItemsTotal() (model.Grams, error) {
	var total model.Grams
	for _, item := range r.Items {
		if !item.Quantity.Known() {
			return 0, model.ErrUnknown
		}
		var err error
		if total, err = model.AddGrams(total, item.Quantity); err != nil {
			return 0, err
		}
	}
	return total, nil
}

// Step is one state in the life of a retirement request.
type Step struct {
	Status Status
	// Reached reports that the request is or was in the state.
	Reached, Current bool
	// At is the time at which the state was reached, if the service reports it.
	At model.Timestamp
}

// Steps returns the past, current and future states of r (interface section 3). Open is
// included only for fractions. An undocumented state is the only step.
func (r Request) Steps() []Step {
	path := []Status{Open, Closed, InProgress, Complete}
	switch {
	case r.Status == NothingToProcess:
		path = []Status{Open, NothingToProcess}
	case !r.Status.Known():
		path = []Status{r.Status}
	case r.Type == Whole && r.Status != Open:
		path = path[1:]
	}
	steps := make([]Step, len(path))
	reached := true
	for i, status := range path {
		current := status == r.Status
		steps[i] = Step{Status: status, Reached: reached, Current: current}
		reached = reached && !current
	}
	steps[0].At = r.CreatedAt
	if last := &steps[len(steps)-1]; last.Status == Complete {
		last.At = r.RetiredAt
	}
	return steps
}

// MaskTaxID hides all characters of a tax id except the last four. It hides short ids completely.
func MaskTaxID(id string) string {
	const hidden, shown = "•••••", 4
	characters := []rune(id)
	switch {
	case len(characters) == 0:
		return ""
	case len(characters) < 2*shown:
		return hidden
	}
	return hidden + string(characters[len(characters)-shown:])
}
