package retirement

import (
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
	case len(r.Items) == 0:
		return NotCheckable, "no items are listed"
	case err != nil || !r.TotalQuantity.Known():
		return NotCheckable, "a quantity cannot be read"
	case r.Status == NothingToProcess:
		return NotCheckable, fmt.Sprintf("%s, %s; none of it is retired", items, w.Sum(total))
	case total == r.TotalQuantity:
		return Pass, fmt.Sprintf("%s, %s", items, w.Sum(total))
	case r.carriesOver(total):
		return NotCheckable, fmt.Sprintf("%s, %s; the fraction of a tonne moves to the next month's request", items, w.Sum(total))
	}
	return Fail, fmt.Sprintf("%s, %s of %s", items, w.Sum(total), w.Sum(r.TotalQuantity))
}

// carriesOver reports whether the items may sum up to more than the request, because only
// whole tonnes of fractions are retired and the rest moves to the next month.
func (r Request) carriesOver(items model.Grams) bool {
	closed := r.Type == Fractionalised && r.Status != Open && r.TotalQuantity.IsWhole()
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
			return Fail, "the serial numbers have more tonnes than a request can have"
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
	case unread > 0:
		return fmt.Sprintf("%d of %s in an unknown format", unread, model.Count(len(serials), "serial number", "serial numbers"))
	case len(serials) > 0:
		return ""
	case r.Status == Complete:
		return "no serial numbers are listed"
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

func (r Request) checkBeneficiary() (Result, string) {
	var incomplete, anonymous int
	names := [...]string{"name", "tax id", "country"}
	var lacking [len(names)]bool
	for _, item := range r.Items {
		values := [len(names)]string{item.RetireeName, item.RetireeTaxID, item.RetireeCountry}
		if slices.Contains(values[:], "") {
			incomplete++
		}
		if values == [len(names)]string{} {
			anonymous++
		}
		for i, value := range values {
			lacking[i] = lacking[i] || value == ""
		}
	}
	items := model.Count(len(r.Items), "item", "items")
	switch {
	case len(r.Items) == 0:
		return NotCheckable, "no items are listed"
	case incomplete == 0:
		return Pass, fmt.Sprintf("%d of %s", len(r.Items), items)
	case anonymous == len(r.Items) && r.ExternalCustomer == model.No:
		return NotCheckable, "not retired for a customer; no item names a beneficiary"
	}
	var missing []string
	for i, name := range names {
		if lacking[i] {
			missing = append(missing, name)
		}
	}
	has := "have"
	if incomplete == 1 {
		has = "has"
	}
	return Fail, fmt.Sprintf("%d of %s %s no %s", incomplete, items, has, strings.Join(missing, " or "))
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
	var otherProject, otherYear int
	for _, s := range serials {
		if number != "" && (s.Registry != registry || s.Project != number) {
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
	case number == "":
		return Pass, fmt.Sprintf("vintage %d", year)
	}
	return Pass, fmt.Sprintf("%s project %s, vintage %d", registry, number, year)
}

// FailedBy reports whether c counts as a failed check of r: it failed, or the serial numbers
// of a complete request are missing or unreadable.
func (r Request) FailedBy(c Check) bool {
	lacking := c.Name == SerialsSumToWholeTonnes && c.Result == NotCheckable && r.Status == Complete
	return c.Result == Fail || lacking && r.NoSerials() != ""
}
