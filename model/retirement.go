package model

import (
	"slices"
	"strings"
)

// RetirementStatus is the state of a retirement request (interface section
// 3). Other values than the constants are kept as they come.
type RetirementStatus string

// The states of the interface.
const (
	Open             RetirementStatus = "OPEN"
	Closed           RetirementStatus = "CLOSED"
	InProgress       RetirementStatus = "IN_PROGRESS"
	Complete         RetirementStatus = "COMPLETE"
	NothingToProcess RetirementStatus = "NOTHING_TO_PROCESS"
)

// Words is the state as people read it, "IN PROGRESS".
func (s RetirementStatus) Words() string { return strings.ReplaceAll(string(s), "_", " ") }

// Known reports whether the interface documents the state.
func (s RetirementStatus) Known() bool { return s.Meaning() != "" }

// Final reports whether a request stays in the state for good.
func (s RetirementStatus) Final() bool { return s == Complete || s == NothingToProcess }

// Meaning explains the state in a sentence, empty for an undocumented one.
func (s RetirementStatus) Meaning() string {
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

// RetirementType says whether a request gathers fractions of tonnes.
type RetirementType string

// The types of the interface.
const (
	Fractionalised RetirementType = "FRACTIONALISED"
	Whole          RetirementType = "WHOLE"
)

// Retirement is a retirement request (interface section 2.4).
type Retirement struct {
	ID     string
	Status RetirementStatus
	// TotalQuantity is the whole request in grams.
	TotalQuantity        Grams
	Type                 RetirementType
	ProjectID, VintageID string
	CreatedAt            Timestamp
	// RetiredAt, SerialNumbers and CertificateURL may be missing of a complete request.
	RetiredAt      Timestamp
	SerialNumbers  []string
	CertificateURL string
	// ExternalCustomer is should_retire_external_customer.
	ExternalCustomer   OptionalBool
	AllInvoicesSettled OptionalBool
	Items              []RetirementItem
	Extra              []Field
	Faults             []Fault
}

// RetirementItem is one retirement call. All but id, quantity and time may be missing.
type RetirementItem struct {
	ID string
	// Quantity is what the call asked for, in grams.
	Quantity       Grams
	CreatedAt      Timestamp
	RetireeName    string
	RetireeTaxID   string
	RetireeCountry string
	InvoiceID      string
	TradeID        string
	Extra          []Field
}

// NamesTaxID reports whether an item has the tax id of its beneficiary.
func (r Retirement) NamesTaxID() bool {
	return slices.ContainsFunc(r.Items, func(i RetirementItem) bool { return i.RetireeTaxID != "" })
}

// ItemsTotal returns the sum of the items. The error is ErrOverflow or ErrUnknown.
func (r Retirement) ItemsTotal() (Grams, error) {
	var total Grams
	for _, item := range r.Items {
		if !item.Quantity.Known() {
			return 0, ErrUnknown
		}
		var err error
		if total, err = AddGrams(total, item.Quantity); err != nil {
			return 0, err
		}
	}
	return total, nil
}

// Step is one state in the life of a retirement request.
type Step struct {
	Status RetirementStatus
	// Reached says that the request is or was in the state.
	Reached, Current bool
	// At is when the state was reached, if the service says so.
	At Timestamp
}

// Steps returns the states that r went through and those still to come (interface section
// 3): Open only if it gathers fractions. An undocumented state is the only step.
func (r Retirement) Steps() []Step {
	path := []RetirementStatus{Open, Closed, InProgress, Complete}
	switch {
	case r.Status == NothingToProcess:
		path = []RetirementStatus{Open, NothingToProcess}
	case !r.Status.Known():
		path = []RetirementStatus{r.Status}
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

// LargestCertificate is the size limit of a certificate, in bytes.
const LargestCertificate = 20 << 20
