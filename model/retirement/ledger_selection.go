package retirement

import (
	"slices"
	"strings"
	"time"
)

// LedgerSelection selects requests of the ledger. The zero value selects all.
type LedgerSelection struct {
	// From is the first moment of CreatedAt, To the first one after it; zero for no limit.
	From, To time.Time
	// Status is a state of the interface; "" for any.
	Status Status
	// Beneficiary is a part of the name of a beneficiary, in any case; "" for any.
	Beneficiary string
}

// All reports whether s selects every request.
func (s LedgerSelection) All() bool { return s == LedgerSelection{} }

// Selects reports whether s selects a request. It is undecided if the ledger lacks what s
// asks for: the answer of the service, or the time at which the request was created.
func (s LedgerSelection) Selects(r LedgerRecord) (selected, decided bool) {
	switch {
	case s.All():
		return true, true
	case r.Answer == nil:
		return false, false
	case s.Status != "" && r.Answer.Status != s.Status, s.Beneficiary != "" && !r.Answer.HasBeneficiary(s.Beneficiary):
		return false, true
	case s.From.IsZero() && s.To.IsZero():
		return true, true
	case !r.Answer.CreatedAt.Known():
		return false, false
	}
	at := r.Answer.CreatedAt.Time
	return !at.Before(s.From) && (s.To.IsZero() || at.Before(s.To)), true
}

// HasBeneficiary reports whether an item is for a beneficiary with this part of a name.
func (r *Request) HasBeneficiary(part string) bool {
	return slices.ContainsFunc(r.Items, func(i Item) bool { return i.IsFor(part) })
}

// IsFor reports whether the name of the beneficiary contains a text, in any case.
func (i Item) IsFor(part string) bool {
	return strings.Contains(strings.ToLower(i.RetireeName), strings.ToLower(part))
}
