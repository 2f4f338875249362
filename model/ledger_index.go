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
		b.add(ByRequest, r.ID)
		b.add(ByLabel, r.Label)
		b.add(ByReference, r.Reference)
		if r.Answer == nil {
			continue
		}
		b.addAnswer(r.Answer, r.Project)
		for i, s := range r.Answer.Serials() {
			serials = append(serials, OwnedSerial{s, n})
			b.add(BySerial, r.Answer.SerialNumbers[i])
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

func (b *ledgerIndexer) addAnswer(r *Retirement, p Project) {
	b.add(ByProject, r.ProjectID)
	b.add(ByProject, p.Name)
	b.add(ByProject, p.RegistryID)
	b.add(ByVintage, r.VintageID)
	if year := p.Year(r.VintageID); year != 0 {
		b.add(ByVintage, strconv.Itoa(year))
	}
	for _, item := range r.Items {
		b.add(ByItem, item.ID)
		b.add(ByInvoice, item.InvoiceID)
		b.add(ByTrade, item.TradeID)
		b.add(ByBeneficiary, item.RetireeName)
		b.add(ByTaxID, bareTaxID(item.RetireeTaxID))
	}
}

// add notes a value of the record. An empty one is none.
func (b *ledgerIndexer) add(field LedgerField, value string) {
	value = strings.ToLower(strings.ReplaceAll(value, "\n", " "))
	if value == "" {
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

// bareTaxID is a tax id without the blanks and marks that people put into it.
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
// alone. Blanks alone find nothing.
func (x *LedgerIndex) Find(text string) []LedgerMatch {
	text = strings.TrimSpace(strings.ReplaceAll(text, "\n", " "))
	if text == "" {
		return nil
	}
	best := make([]ledgerHit, x.records)
	if block, start, end, ok := creditRange(text); ok {
		x.serials.overlapping(block, start, end, func(s *OwnedSerial) {
			best[s.Owner].take(hitOf(serialField, true), &s.Serial)
		})
	}
	text = strings.ToLower(text)
	x.scan(text, best, func(int) bool { return true })
	if bare := bareTaxID(text); bare != text && len(bare) >= shortestTaxID {
		x.scan(bare, best, func(field int) bool { return ledgerFields[field] == ByTaxID })
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

// hitOf is the order of a match: those of whole values come first.
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

// scan notes the records of every value that holds the text, of the fields
// that are wanted.
func (x *LedgerIndex) scan(text string, best []ledgerHit, wanted func(field int) bool) {
	for from := 0; from < len(x.text); {
		at := strings.Index(x.text[from:], text)
		if at < 0 {
			return
		}
		at += from
		n := sort.Search(len(x.values), func(i int) bool { return x.values[i].end > at })
		v := &x.values[n]
		from = v.end
		if !wanted(v.field) {
			continue
		}
		order := hitOf(v.field, v.end-v.at == len(text))
		for _, r := range v.records {
			best[r].take(order, nil)
		}
	}
}

// matches returns the hits, those of whole values first.
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

// creditRange reads a serial number, a number or a range of numbers.
func creditRange(text string) (block string, start, end int64, ok bool) {
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
	start, okStart := number(first)
	end, okEnd := number(last)
	return "", start, end, okStart && okEnd && start <= end
}
