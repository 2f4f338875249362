// Package retirement has retirement requests: their states, items, serial numbers and
// checks, the plan of a new one, the index that finds them, and what the journal says of
// them. Nothing here sends a call: package api/retire does. Start with Request.
package retirement

import (
	"slices"
	"strings"
	"time"

	"tonne/model"
)

// Status is the state of a retirement request (interface section
// 3). Other values than the constants are kept as they come.
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

// Words is the state as people read it, "IN PROGRESS".
func (s Status) Words() string { return strings.ReplaceAll(string(s), "_", " ") }

// Known reports whether the interface documents the state.
func (s Status) Known() bool { return s.Meaning() != "" }

// Final reports whether a request stays in the state for good.
func (s Status) Final() bool { return s == Complete || s == NothingToProcess }

// Meaning explains the state in a sentence, empty for an undocumented one.
func (s Status) Meaning() string {
	switch s {
	case Open:
		return "More credits can still be added."
	case Closed:
		return "No more credits can be added. Waits for its invoices to be settled."
	case InProgress:
		return "Being processed on the registry."
	case Complete:
		return "Retired on the registry."
	case NothingToProcess:
		return "Closed with less than one whole tonne. Nothing is retired."
	}
	return ""
}

// Type says whether a request gathers fractions of tonnes.
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
	// TotalQuantity is the whole request in grams.
	TotalQuantity        model.Grams
	Type                 Type
	ProjectID, VintageID string
	CreatedAt            model.Timestamp
	// RetiredAt, SerialNumbers and CertificateURL may be missing of a complete request.
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

// Item is one retirement call. All but id, quantity and time may be missing.
type Item struct {
	ID string
	// Quantity is what the call asked for, in grams.
	Quantity       model.Grams
	CreatedAt      model.Timestamp
	RetireeName    string
	RetireeTaxID   string
	RetireeCountry string
	InvoiceID      string
	TradeID        string
	Extra          []model.Field
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
	// Reached says that the request is or was in the state.
	Reached, Current bool
	// At is when the state was reached, if the service says so.
	At model.Timestamp
}

// Steps returns the states that r went through and those still to come (interface section
// 3): Open only if it gathers fractions. An undocumented state is the only step.
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

// MaskTaxID hides all but the last four characters of a tax id, or a short one whole.
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

// Certificate is a retirement certificate that was saved to a file, the zero value for none.
type Certificate struct {
	Path string
	// MediaType is application/pdf, image/png or image/jpeg.
	MediaType string
	Size      int64
	// SHA256 is the hash of the content in hexadecimal.
	SHA256    string
	FetchedAt time.Time
}

// LargestCertificate is the size limit of a certificate, in bytes.
const LargestCertificate = 20 << 20
