package retirement

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"tonne/model"
)

// LedgerRecord is a retirement request as far as this machine knows it.
type LedgerRecord struct {
	ID string
	// Label is the user's name for it, Reference that of their books; may be empty.
	Label, Reference string
	// Answer is nil for a request that was never found.
	Answer *Request
	// Project is what is known of the project; the zero value for nothing.
	Project model.Project
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
	ByStatus      LedgerField = "status"
)

// ledgerFields are the fields in order: of several that match the first is reported.
var ledgerFields = [...]LedgerField{
	ByRequest, BySerial, ByItem, ByInvoice, ByTrade, ByReference, ByTaxID, ByBeneficiary, ByLabel, ByProject, ByVintage, ByStatus,
}

// idFields are the fields of ids, in which the digits of "1-5" are no credits.
var idFields = []LedgerField{ByRequest, BySerial, ByItem, ByInvoice, ByTrade, ByVintage}

// LedgerMatch is a request that a search found.
type LedgerMatch struct {
	// Record counts the records of the index from 0.
	Record int
	Field  LedgerField
	// Value is the value that was found, as it is written in the record, Text the words
	// that found it.
	Value, Text string
	// Exact says that the whole value was looked for, or a credit that it holds.
	Exact bool
	// Serial is the range that holds the credit that was looked for; else nil.
	Serial *Serial
}

// LedgerIndex finds retirement requests by any id, name, reference or serial number. It is
// not changed once it is built.
type LedgerIndex struct {
	records []ledgerText
	serials []ledgerSerial
}

// ledgerText is the values of a record in lower case, a line each.
type ledgerText struct {
	text   string
	values []ledgerValue
}

type ledgerValue struct {
	field LedgerField
	value string
	end   int
}

type ledgerSerial struct {
	Serial
	record int
	value  string
}

// NewLedgerIndex returns an index of records.
func NewLedgerIndex(records []LedgerRecord) *LedgerIndex {
	x := &LedgerIndex{records: make([]ledgerText, len(records))}
	var text strings.Builder
	for n, r := range records {
		t := &x.records[n]
		text.Reset()
		r.values(func(field LedgerField, value string) {
			searched := value
			if field == ByTaxID {
				searched = bareTaxID(value)
			}
			if searched == "" {
				return
			}
			text.WriteString(strings.ToLower(strings.ReplaceAll(searched, "\n", " ")))
			t.values = append(t.values, ledgerValue{field, value, text.Len()})
			text.WriteByte('\n')
			if s, ok := ParseSerial(value); ok && field == BySerial {
				x.serials = append(x.serials, ledgerSerial{s, n, value})
			}
		})
		t.text = text.String()
	}
	return x
}

func (r LedgerRecord) values(add func(field LedgerField, value string)) {
	add(ByRequest, r.ID)
	add(ByLabel, r.Label)
	add(ByReference, r.Reference)
	if r.Answer == nil {
		return
	}
	add(ByStatus, r.Answer.Status.Words())
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

func bareTaxID(id string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, id)
}

// shortestTaxID is how many letters and digits of a tax id are enough.
const shortestTaxID = 4

// Find returns the requests that have the text in a value. If there is none, each word
// of the text must be found, and those that begin with ! must not: of a request with
// only such words the match has no field.
func (x *LedgerIndex) Find(text string) []LedgerMatch {
	matches := x.find(text)
	words := strings.Fields(text)
	if len(matches) > 0 || len(words) < 2 && !strings.HasPrefix(text, "!") {
		return matches
	}
	all, dropped := make([]LedgerMatch, len(x.records)), make([]bool, len(x.records))
	for _, word := range words {
		bare, without := strings.CutPrefix(word, "!")
		if bare == "" {
			continue
		}
		found := make([]bool, len(x.records))
		for _, m := range x.find(bare) {
			if found[m.Record] = true; all[m.Record].Field == "" {
				all[m.Record] = m
			}
		}
		for n := range dropped {
			dropped[n] = dropped[n] || found[n] == without
		}
	}
	for n, m := range all {
		if m.Record = n; !dropped[n] {
			matches = append(matches, m)
		}
	}
	return matches
}

// find returns the requests that have the text in a value, letter case aside: as a whole
// value first, then in the order of the records. A serial number, a number or a range of
// numbers ("1 to 5000") also finds the requests that hold a credit of it, a whole serial
// number those of its block. A range is not looked for within ids.
func (x *LedgerIndex) find(text string) []LedgerMatch {
	text = strings.TrimSpace(strings.ReplaceAll(text, "\n", " "))
	if text == "" {
		return nil
	}
	q := ledgerQuery{text: strings.ToLower(text)}
	q.block, q.start, q.end, q.credits = ParseCredits(text)
	_, one := number(ungrouped(text))
	q.ranged = q.credits && q.block == "" && !one
	if q.taxID = bareTaxID(q.text); len(q.taxID) < shortestTaxID {
		q.taxID = q.text
	}
	best := make([]LedgerMatch, len(x.records))
	for i := 0; q.credits && i < len(x.serials); i++ {
		s := &x.serials[i]
		if m := &best[s.record]; q.holds(&s.Serial) && (m.Serial == nil || s.Start < m.Serial.Start) {
			*m = LedgerMatch{Field: BySerial, Value: s.value, Exact: true, Serial: &s.Serial}
		}
	}
	var exact, partly []LedgerMatch
	for n, m := range best {
		m = q.match(&x.records[n], m)
		m.Record, m.Text = n, text
		switch {
		case m.Exact:
			exact = append(exact, m)
		case m.Field != "":
			partly = append(partly, m)
		}
	}
	return append(exact, partly...)
}

// ledgerQuery is a text, and how it reads as a tax id and as credits, maybe a range.
type ledgerQuery struct {
	text, taxID     string
	block           string
	start, end      int64
	credits, ranged bool
}

func (q *ledgerQuery) holds(s *Serial) bool {
	return s.Start <= q.end && q.start <= s.End && (q.block == "" || q.block == s.Block)
}

func (q *ledgerQuery) match(r *ledgerText, best LedgerMatch) LedgerMatch {
	order := 2 * len(ledgerFields)
	if best.Exact {
		order = slices.Index(ledgerFields[:], best.Field)
	}
	if !strings.Contains(r.text, q.text) && (q.taxID == q.text || !strings.Contains(r.text, q.taxID)) {
		return best
	}
	from := 0
	for _, v := range r.values {
		value, text := r.text[from:v.end], q.text
		from = v.end + 1
		if v.field == ByTaxID && !strings.Contains(value, text) {
			text = q.taxID
		}
		exact := value == text
		if !strings.Contains(value, text) || q.ranged && !exact && slices.Contains(idFields, v.field) {
			continue
		}
		rank := slices.Index(ledgerFields[:], v.field)
		if !exact {
			rank += len(ledgerFields)
		}
		if rank < order {
			order, best = rank, LedgerMatch{Field: v.field, Value: v.value, Exact: exact}
		}
	}
	return best
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
	if n, ok := number(bare); ok && model.FormatNumber(n) == text {
		return bare
	}
	return text
}
