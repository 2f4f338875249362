package retirement

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// LedgerSelection selects requests of the ledger. The zero value selects all.
type LedgerSelection struct {
	// From is inclusive and To exclusive, compared with CreatedAt. Zero means no limit.
	From, To time.Time
	// Status is a state of the interface, or empty for any.
	Status Status
	// Beneficiary is a part of the name of a beneficiary, ignoring case.
	Beneficiary string
}

// All reports whether s selects every request.
func (s LedgerSelection) All() bool { return s == LedgerSelection{} }

// Selects reports whether s selects a request. decided is false if the ledger lacks the
// data: the response of the service, or the time of creation.
func (s LedgerSelection) Selects(r LedgerRecord) (selected, decided bool) {
	known, dated := r.Known(), !s.From.IsZero() || !s.To.IsZero()
	switch {
	case s.All():
		return true, true
	case known == nil:
		return false, false
	case s.Beneficiary != "" && !known.HasBeneficiary(s.Beneficiary):
		// A planned request without a name is for the tenant, whose name only the service has.
		return false, r.Answer != nil || len(known.Beneficiaries()) > 0
	case s.Status != "" && r.Answer != nil && r.Answer.Status != s.Status:
		return false, true
	case r.Answer == nil && (s.Status != "" || dated), dated && !r.Answer.CreatedAt.Known():
		return false, false
	case !dated:
		return true, true
	}
	at := r.Answer.CreatedAt.Time
	return !at.Before(s.From) && (s.To.IsZero() || at.Before(s.To)), true
}

// HasBeneficiary reports whether an item is for a beneficiary with this part in the name.
func (r *Request) HasBeneficiary(part string) bool {
	return slices.ContainsFunc(r.Items, func(i Item) bool { return i.IsFor(part) })
}

// Beneficiaries returns the names of the beneficiaries, without duplicates.
func (r Request) Beneficiaries() (names []string) {
	for _, item := range r.Items {
		if item.RetireeName != "" && !slices.Contains(names, item.RetireeName) {
			names = append(names, item.RetireeName)
		}
	}
	return names
}

// IsFor reports whether the name of the beneficiary contains a text, ignoring case.
func (i Item) IsFor(part string) bool {
	return strings.Contains(strings.ToLower(i.RetireeName), strings.ToLower(part))
}

// condition matches a condition in a search. Quotation marks permit spaces.
var condition = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(^|\s)(from|to|status|beneficiary):("[^"]*"?|\S*)`)
})

// ParseLedgerSearch splits a search into its conditions (from:DATE, to:DATE, status:STATE,
// beneficiary:NAME) and the text to find. The error names a condition with an invalid
// value, which the selection ignores.
func ParseLedgerSearch(text string) (of LedgerSelection, rest string, err error) {
	for _, found := range condition().FindAllStringSubmatch(text, -1) {
		name, value := strings.ToLower(found[2]), strings.Trim(found[3], `"`)
		valid := value != ""
		switch name {
		case "from":
			of.From, valid = parseDay(value)
		case "to":
			of.To, valid = parseDay(value)
		case "status":
			if of.Status, valid = ParseStatus(value); !valid {
				of.Status = ""
			}
		case "beneficiary":
			of.Beneficiary = value
		}
		if !valid && err == nil {
			err = fmt.Errorf("%s:%s is not %s", name, value, conditionValues[name])
		}
	}
	if !of.From.IsZero() && !of.To.IsZero() && !of.From.Before(of.To) {
		err = fmt.Errorf("from: is not before to:, which is exclusive")
	}
	return of, strings.TrimSpace(condition().ReplaceAllString(text, "")), err
}

var conditionValues = map[string]string{
	"from": "a date such as 2026-01-31", "to": "a date such as 2026-01-31", "status": "a state such as COMPLETE",
	"beneficiary": "a part of a name",
}

func parseDay(text string) (time.Time, bool) {
	day, err := time.Parse(time.DateOnly, text)
	return day, err == nil
}

// ParseStatus parses a state, ignoring case, with spaces or hyphens for underscores. It
// returns false for an undocumented state.
func ParseStatus(text string) (Status, bool) {
	s := Status(strings.ToUpper(strings.NewReplacer(" ", "_", "-", "_").Replace(text)))
	return s, s.Known()
}
