package retirement

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"tonne/model"
)

// Result is the outcome of a check.
type Result string

// The outcomes. NotCheckable means that data for the check is missing, which is neither
// a pass nor a failure.
const (
	Pass         Result = "pass"
	Fail         Result = "fail"
	NotCheckable Result = "not_checkable"
)

// The names of the checks that need only the answer of the service, in the order of the
// lists; see ChecksIn. Those that need records of this machine are in api/audit/records.go.
// Their titles on the screen are in ui/retirement/ledger/index.go.
const (
	ItemsSumToTotal         = "items_sum_to_total"
	SerialsSumToWholeTonnes = "serials_sum_to_whole_tonnes"
	InvoicesSettled         = "invoices_settled"
	BeneficiaryPresent      = "beneficiary_present"
	SerialsMatchVintage     = "serials_match_vintage"
)

// Check is the result of one check of a retirement request.
type Check struct {
	Name   string `json:"name"`
	Result Result `json:"result"`
	// Detail is a short phrase: the values that were compared, or what is missing.
	Detail string `json:"detail"`
}

// Wording formats the quantities in the details of checks.
type Wording struct {
	// Sum formats the sum of the items and the expected sum.
	Sum func(model.Grams) string
	// Part formats the tonnes of the serial numbers and the expected total.
	Part func(part, whole model.Grams) string
}

// filed is the wording of evidence and of the command line: items in grams, as in the
// interface, and serial numbers in tonnes.
var filed = Wording{
	Sum: model.Grams.FormatGrams,
	Part: func(part, whole model.Grams) string {
		return fmt.Sprintf("%s of %s", part.AppendTonnes(nil), whole.FormatTonnes())
	},
}

// Checks makes all checks of r, in order. p is ignored if known is false.
func (r Request) Checks(p model.Project, known bool) []Check { return r.ChecksIn(filed, p, known) }

// ChecksIn is like Checks, with the quantities formatted by w.
func (r Request) ChecksIn(w Wording, p model.Project, known bool) []Check {
	serials := r.Serials()
	named := func(name string) func(Result, string) Check {
		return func(result Result, detail string) Check { return Check{name, result, detail} }
	}
	return []Check{
		named(ItemsSumToTotal)(r.checkItems(w)),
		named(SerialsSumToWholeTonnes)(r.checkTonnes(w, serials)),
		named(InvoicesSettled)(r.checkInvoices()),
		named(BeneficiaryPresent)(r.checkBeneficiary()),
		named(SerialsMatchVintage)(r.checkVintage(serials, p, known)),
	}
}

// Serials parses the serial numbers. An unreadable one is the zero Serial.
func (r Request) Serials() []Serial {
	serials := make([]Serial, len(r.SerialNumbers))
	for i, text := range r.SerialNumbers {
		serials[i], _ = ParseSerial(text)
	}
	return serials
}

func (r Request) checkItems(w Wording) (Result, string) {
	items := model.Count(len(r.Items), "item", "items")
	total, err := r.ItemsTotal()
	switch {
	case r.unread(itemsMember):
		return NotCheckable, "the items cannot be read"
	case len(r.Items) == 0:
		return NotCheckable, "no items are listed"
	case errors.Is(err, model.ErrOverflow):
		return NotCheckable, "the sum of the items is too large"
	case err != nil || !r.TotalQuantity.Known():
		return NotCheckable, "a quantity cannot be read"
	case r.Status == NothingToProcess:
		return NotCheckable, fmt.Sprintf("%s, %s; none of it is retired", items, w.Sum(total))
	case total == r.TotalQuantity:
		return Pass, fmt.Sprintf("%s, %s", items, w.Sum(total))
	case r.carriesOver(total) && r.Type == "":
		return NotCheckable, fmt.Sprintf("%s, %s of %s; the type cannot be read", items, w.Sum(total), w.Sum(r.TotalQuantity))
	case r.carriesOver(total):
		return NotCheckable,
			fmt.Sprintf("%s, %s; the fraction of a tonne moves to the next month's request", items, w.Sum(total))
	}
	return Fail, fmt.Sprintf("%s, %s of %s", items, w.Sum(total), w.Sum(r.TotalQuantity))
}

// carriesOver reports whether the items may sum up to more than the request, because only
// whole tonnes of fractions are retired and the rest moves to the next month.
func (r Request) carriesOver(items model.Grams) bool {
	closed := (r.Type == Fractionalised || r.Type == "") && r.Status != Open && r.TotalQuantity.IsWhole()
	return closed && items > r.TotalQuantity && items-r.TotalQuantity < model.GramsPerTonne
}

func (r Request) checkTonnes(w Wording, serials []Serial) (Result, string) {
	if why := r.noSerials(serials); why != "" {
		return NotCheckable, why
	}
	if !r.TotalQuantity.Known() {
		return NotCheckable, "the total cannot be read"
	}
	var sum model.Grams
	for _, s := range serials {
		tonnes, err := model.WholeTonnes(s.Tonnes)
		if err == nil {
			sum, err = model.AddGrams(sum, tonnes)
		}
		if err != nil {
			return NotCheckable, "the sum of the serial numbers is too large"
		}
	}
	whole, _ := model.WholeTonnes(r.TotalQuantity.Tonnes())
	detail := w.Part(sum, whole)
	switch n := overlaps(serials); {
	case n > 0:
		return Fail, detail + "; " + model.Count(n, "range", "ranges") + " listed twice or overlapping"
	case sum != whole:
		return Fail, detail
	}
	return Pass, detail
}

const noneListed = "no serial numbers are listed"

// NoSerials returns the reason why the serial numbers of r cannot be checked, or "".
func (r Request) NoSerials() string { return r.noSerials(r.Serials()) }

func (r Request) noSerials(serials []Serial) string {
	unread := 0
	for _, s := range serials {
		if s == (Serial{}) {
			unread++
		}
	}
	switch {
	case len(serials) == 0 && (r.unread("retired_serial_numbers") || r.unread("retired_serials")):
		return "the serial numbers cannot be read"
	case unread > 0:
		return fmt.Sprintf("%d of %s in an unknown format", unread,
			model.Count(len(serials), "serial number", "serial numbers"))
	case len(serials) > 0:
		return ""
	case r.Status == Complete:
		return noneListed
	case r.Status == NothingToProcess:
		return "nothing is retired"
	}
	return "not complete yet"
}

func overlaps(serials []Serial) int {
	owned := make([]OwnedSerial, len(serials))
	for i, s := range serials {
		owned[i] = OwnedSerial{s, i}
	}
	return len(RetiredTwice(owned))
}

func (r Request) checkInvoices() (Result, string) {
	switch r.AllInvoicesSettled {
	case model.Yes:
		return Pass, "all are settled"
	case model.No:
	default:
		return NotCheckable, "the service does not say"
	}
	switch r.Status {
	case Open:
		// Invoices are settled after the month has ended.
		return NotCheckable, "not yet: the request is still open"
	case Closed:
		return NotCheckable, "not yet: the request waits for it"
	case NothingToProcess:
		return NotCheckable, "nothing is retired"
	case InProgress, Complete:
		// Closed is the state that waits for invoices, and it has passed (interface section 3).
		return Fail, "one or more are not settled"
	}
	return NotCheckable, "the state is unknown"
}

// beneficiaryFields are the fields of an item that name the beneficiary, and their members.
var beneficiaryFields = [...]struct {
	name, member string
	of           func(Item) string
}{
	{"name", "retiree_name", func(i Item) string { return i.RetireeName }},
	{"tax id", "retiree_tax_id", func(i Item) string { return i.RetireeTaxID }},
	{"country", "retiree_country", func(i Item) string { return i.RetireeCountry }},
}

// beneficiaries counts the items of a request without a complete beneficiary.
type beneficiaries struct {
	// An item is unread if one of its fields cannot be read, and in no other count then.
	unread, incomplete, anonymous int
	// missing are the names of the fields that an incomplete item lacks.
	missing []string
}

func (r Request) beneficiaries() (b beneficiaries) {
	for n, item := range r.Items {
		var missing []string
		unread := false
		for _, field := range beneficiaryFields {
			unread = unread || r.unread(fmt.Sprintf("%s[%d].%s", itemsMember, n, field.member))
			if field.of(item) == "" {
				missing = append(missing, field.name)
			}
		}
		switch {
		case unread:
			b.unread++
		case len(missing) > 0:
			b.incomplete++
			b.missing = append(b.missing, missing...)
		}
		if !unread && len(missing) == len(beneficiaryFields) {
			b.anonymous++
		}
	}
	return b
}

func (r Request) checkBeneficiary() (Result, string) {
	b, items := r.beneficiaries(), model.Count(len(r.Items), "item", "items")
	switch {
	case r.unread(itemsMember):
		return NotCheckable, "the items cannot be read"
	case len(r.Items) == 0:
		return NotCheckable, "no items are listed"
	case b.incomplete == 0 && b.unread > 0:
		return NotCheckable, fmt.Sprintf("the beneficiary of %d of %s cannot be read", b.unread, items)
	case b.incomplete == 0:
		return Pass, fmt.Sprintf("%d of %s", len(r.Items), items)
	case b.anonymous == len(r.Items) && r.ExternalCustomer == model.No:
		return NotCheckable, "not retired for a customer; no item names a beneficiary"
	case b.anonymous == len(r.Items) && r.unread("should_retire_external_customer"):
		return NotCheckable, "no item names a beneficiary; whether it was retired for a customer cannot be read"
	}
	has := "have"
	if b.incomplete == 1 {
		has = "has"
	}
	var missing []string
	for _, field := range beneficiaryFields {
		if slices.Contains(b.missing, field.name) {
			missing = append(missing, field.name)
		}
	}
	return Fail, fmt.Sprintf("%d of %s %s no %s", b.incomplete, items, has, strings.Join(missing, " or "))
}

// itemsMember is the member of the response that has the items.
const itemsMember = "retirement_request_items"

// unread reports whether a member of the response, or an element of it, could not be read.
func (r Request) unread(member string) bool {
	return slices.ContainsFunc(r.Faults, func(f model.Fault) bool {
		rest, ok := strings.CutPrefix(f.Path, member)
		return ok && (rest == "" || rest[0] == '[' && strings.HasSuffix(rest, "]"))
	})
}

func (r Request) checkVintage(serials []Serial, p model.Project, known bool) (Result, string) {
	if why := r.noSerials(serials); why != "" {
		return NotCheckable, why
	}
	if !known {
		return NotCheckable, "the details of the project are unknown"
	}
	registry, number := RegistryNumber(p)
	year := p.Year(r.VintageID)
	var otherProject, otherYear, silent int
	for _, s := range serials {
		switch {
		case s.Registry == CDM:
			// Its units may be of a project of Gold Standard, and do not have a year.
			silent++
		case number != "" && (s.Registry != registry || s.Project != number && s.Project != ""):
			otherProject++
		}
		if year != 0 && !s.Covers(year) {
			otherYear++
		}
	}
	all := model.Count(len(serials), "serial number", "serial numbers")
	switch {
	case otherProject > 0:
		return Fail, fmt.Sprintf("%d of %s not of %s project %s", otherProject, all, registry, number)
	case otherYear > 0:
		return Fail, fmt.Sprintf("%d of %s not of vintage %d", otherYear, all, year)
	case year == 0:
		return NotCheckable, "the year of the vintage is unknown"
	case silent > 0:
		return NotCheckable, fmt.Sprintf("%d of %s of the CDM, which state no vintage", silent, all)
	case number == "":
		return Pass, fmt.Sprintf("vintage %d", year)
	}
	return Pass, fmt.Sprintf("%s project %s, vintage %d", registry, number, year)
}

// FailedBy reports whether c counts as a failed check of r: it failed, or a complete request has
// no serial numbers. Serial numbers that cannot be read are no failure.
func (r Request) FailedBy(c Check) bool {
	lacking := c.Name == SerialsSumToWholeTonnes && c.Result == NotCheckable && r.Status == Complete
	return c.Result == Fail || lacking && r.NoSerials() == noneListed
}
