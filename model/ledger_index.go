package model

import (
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode"
)

// LedgerRecord is a retirement request as far as this machine knows it.
type LedgerRecord struct {
	ID string
	// Label is what a person calls it, Reference what their books call it;
	// empty for none.
	Label, Reference string
	// Answer is nil for a request that was never found.
	Answer *Retirement
	// Project is what is known of the project; the zero value for nothing.
	Project Project
}

// LedgerField says what of a request a search found.
type LedgerField string

// The fields, by the names that the command line has for them.
const (
	ByRequest     LedgerField = "id"
	BySerial      LedgerField = "serial_number"
	ByItem        LedgerField = "item_id"
	ByInvoice     LedgerField = "invoice_id"
	ByTrade       LedgerField = "trade_id"
	ByReference   LedgerField = "reference"
	ByTaxID       LedgerField = "beneficiary_tax_id"
	ByBeneficiary LedgerField = "beneficiary_name"
	ByLabel       LedgerField = "label"
	ByProject     LedgerField = "project"
	ByVintage     LedgerField = "vintage"
)

// ledgerFields are the fields in the order in which they count: of several
// that match a request, the first is told.
var ledgerFields = [...]LedgerField{
	ByRequest, BySerial, ByItem, ByInvoice, ByTrade, ByReference, ByTaxID, ByBeneficiary, ByLabel, ByProject, ByVintage,
}

// LedgerMatch is a request that a search found.
type LedgerMatch struct {
	// Record counts the records of the index from 0.
	Record int
	Field  LedgerField
	// Exact says that the whole value is what was looked for, or that a
	// serial number holds it.
	Exact bool
	// Serial is the range that holds what was looked for; nil if it was found
	// otherwise.
	Serial *Serial
}

// LedgerIndex finds retirement requests by what an auditor holds in their hand:
// any id, name or reference, or a serial number. It is not changed once it is
// built, and may be used from any goroutine.
type LedgerIndex struct {
	records int
	serials *SerialIndex
	// text holds every value once, in lower case, with a line break before and
	// after each; values says what stands where.
	text   string
	values []ledgerValue
}

// ledgerValue is a value of a field, and the records that have it.
type ledgerValue struct {
	// at is where it begins in the text, end where it ends.
	at, end int
	field   int
	records []int32
}

// NewLedgerIndex returns an index of records, which it keeps nothing of but
// the text.
func NewLedgerIndex(records []LedgerRecord) *LedgerIndex {
	b := ledgerIndexer{known: make(map[ledgerText]int)}
	b.text.WriteByte('\n')
	var serials []OwnedSerial
	for n, r := range records {
		b.record = int32(n)
		r.values(b.add)
		if r.Answer == nil {
			continue
		}
		for _, s := range r.Answer.Serials() {
			serials = append(serials, OwnedSerial{s, n})
		}
	}
	return &LedgerIndex{records: len(records), serials: NewSerialIndex(serials), text: b.text.String(), values: b.values}
}

// ledgerIndexer builds the text of an index.
type ledgerIndexer struct {
	record int32
	text   strings.Builder
	values []ledgerValue
	known  map[ledgerText]int
}

type ledgerText struct {
	field int
	value string
}

func (r LedgerRecord) values(add func(field LedgerField, value string)) {
	add(ByRequest, r.ID)
	add(ByLabel, r.Label)
	add(ByReference, r.Reference)
	if r.Answer == nil {
		return
	}
	add(ByProject, r.Answer.ProjectID)
	add(ByProject, r.Project.Name)
	add(ByProject, r.Project.RegistryID)
	add(ByVintage, r.Answer.VintageID)
	if year := r.Project.Year(r.Answer.VintageID); year != 0 {
		add(ByVintage, strconv.Itoa(year))
	}
	for _, item := range r.Answer.Items {
		add(ByItem, item.ID)
		add(ByInvoice, item.InvoiceID)
		add(ByTrade, item.TradeID)
		add(ByBeneficiary, item.RetireeName)
		add(ByTaxID, item.RetireeTaxID)
	}
	for _, serial := range r.Answer.SerialNumbers {
		add(BySerial, serial)
	}
}

// Matched returns the value of the record that a search for a text found, as it
// is written there: a whole serial number for one that holds what was looked
// for. It is empty for a match of another record.
func (r LedgerRecord) Matched(m LedgerMatch, text string) (found string) {
	text = strings.ToLower(strings.TrimSpace(text))
	r.values(func(field LedgerField, value string) {
		if found != "" || field != m.Field {
			return
		}
		lower := searched(field, value)
		holds := strings.Contains(lower, text) || field == ByTaxID && strings.Contains(lower, bareTaxID(text))
		if m.Serial != nil {
			serial, ok := ParseSerial(value)
			holds = ok && serial == *m.Serial
		}
		if holds && (!m.Exact || m.Serial != nil || len(lower) == len(text) || field == ByTaxID) {
			found = value
		}
	})
	return found
}

func searched(field LedgerField, value string) string {
	if field == ByTaxID {
		value = bareTaxID(value)
	}
	return strings.ToLower(strings.ReplaceAll(value, "\n", " "))
}

func (b *ledgerIndexer) add(field LedgerField, value string) {
	if value = searched(field, value); value == "" {
		return
	}
	key := ledgerText{slices.Index(ledgerFields[:], field), value}
	n, known := b.known[key]
	if !known {
		n = len(b.values)
		b.known[key] = n
		at := b.text.Len()
		b.text.WriteString(value)
		b.text.WriteByte('\n')
		b.values = append(b.values, ledgerValue{at: at, end: at + len(value), field: key.field})
	}
	v := &b.values[n]
	if len(v.records) == 0 || v.records[len(v.records)-1] != b.record {
		v.records = append(v.records, b.record)
	}
}

func bareTaxID(id string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, id)
}

// Find returns the requests that have the text in one of their values, letter
// case aside: those that have it as a whole value first, otherwise in the
// order of the records. A serial number, a number or a range of numbers
// ("940082955-940097954", "1 to 5000") also finds the requests whose serial
// numbers hold a credit of it: for a whole serial number those of its block
// alone. A range is not looked for within ids. Blanks alone find nothing.
func (x *LedgerIndex) Find(text string) []LedgerMatch {
	text = strings.TrimSpace(strings.ReplaceAll(text, "\n", " "))
	if text == "" {
		return nil
	}
	best := make([]ledgerHit, x.records)
	block, start, end, credits := ParseCredits(text)
	if credits {
		x.serials.overlapping(block, start, end, func(s *OwnedSerial) {
			best[s.Owner].take(hitOf(serialField, true), &s.Serial)
		})
	}
	_, one := number(ungrouped(text))
	ranged := credits && block == "" && !one
	text = strings.ToLower(text)
	// The digits of "1-5" stand in many an id and are no credits of it.
	x.scan(text, best, func(field int, exact bool) bool { return exact || !ranged || !isIDField(ledgerFields[field]) })
	if bare := bareTaxID(text); bare != text && len(bare) >= shortestTaxID {
		x.scan(bare, best, func(field int, _ bool) bool { return ledgerFields[field] == ByTaxID })
	}
	return matches(best)
}

// shortestTaxID is how many letters and digits are enough to look for in a tax
// id that was typed with marks between them.
const shortestTaxID = 4

// serialField is where BySerial stands in ledgerFields.
const serialField = 1

// ledgerHit is the best match of a record so far: the lower its order the
// better, but 0 is none.
type ledgerHit struct {
	order  uint8
	serial *Serial
}

func hitOf(field int, exact bool) uint8 {
	if exact {
		return uint8(1 + field)
	}
	return uint8(1 + len(ledgerFields) + field)
}

func (h *ledgerHit) take(order uint8, serial *Serial) {
	if h.order == 0 || order < h.order {
		*h = ledgerHit{order, serial}
	}
}

func isIDField(f LedgerField) bool {
	switch f {
	case ByRequest, BySerial, ByItem, ByInvoice, ByTrade, ByVintage:
		return true
	}
	return false
}

func (x *LedgerIndex) scan(text string, best []ledgerHit, wanted func(field int, exact bool) bool) {
	for from := 0; from < len(x.text); {
		at := strings.Index(x.text[from:], text)
		if at < 0 {
			return
		}
		at += from
		n := sort.Search(len(x.values), func(i int) bool { return x.values[i].end > at })
		v := &x.values[n]
		from = v.end
		exact := v.end-v.at == len(text)
		if !wanted(v.field, exact) {
			continue
		}
		order := hitOf(v.field, exact)
		for _, r := range v.records {
			best[r].take(order, nil)
		}
	}
}

func matches(best []ledgerHit) []LedgerMatch {
	var exact, partly []LedgerMatch
	for r, h := range best {
		if h.order == 0 {
			continue
		}
		n := int(h.order) - 1
		m := LedgerMatch{Record: r, Field: ledgerFields[n%len(ledgerFields)], Exact: n < len(ledgerFields), Serial: h.serial}
		if m.Exact {
			exact = append(exact, m)
		} else {
			partly = append(partly, m)
		}
	}
	return append(exact, partly...)
}

// ParseCredits reads a serial number, a number or a range of numbers: the block,
// which is empty where none is named, and the first and the last credit of it.
func ParseCredits(text string) (block string, start, end int64, ok bool) {
	for _, written := range [...]string{text, strings.ReplaceAll(strings.ToUpper(text), " TO ", " to ")} {
		if s, ok := ParseSerial(written); ok {
			return s.Block, s.Start, s.End, true
		}
	}
	first, last := text, text
	for _, separator := range [...]string{" to ", "-", "–"} {
		if a, b, found := strings.Cut(text, separator); found {
			first, last = strings.TrimSpace(a), strings.TrimSpace(b)
			break
		}
	}
	start, okStart := number(ungrouped(first))
	end, okEnd := number(ungrouped(last))
	return "", start, end, okStart && okEnd && start <= end
}

func ungrouped(text string) string {
	bare := strings.ReplaceAll(text, ",", "")
	if n, ok := number(bare); ok && FormatNumber(n) == text {
		return bare
	}
	return text
}
