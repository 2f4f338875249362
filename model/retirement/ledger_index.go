package retirement

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"tonne/model"
	"tonne/model/fold"
)

// LedgerRecord is the data of this machine about one retirement request.
type LedgerRecord struct {
	ID string
	// Label, Reference and Batch are the user's label, reference and batch. They may be empty.
	Label, Reference, Batch string
	// Answer is the last response, or nil if the request was never found.
	Answer *Request
	// Planned is the Plan of the calls of this machine, or nil.
	Planned *Request
	// Project has the details of the project, or is zero.
	Project model.Project
}

// Known returns the answer, or else what was planned, or nil.
func (r LedgerRecord) Known() *Request { return cmp.Or(r.Answer, r.Planned) }

// LedgerField is the field of a request in which a search found the text.
type LedgerField string

// The fields, with their names on the command line.
const (
	ByRequest     LedgerField = "id"
	BySerial      LedgerField = "serial_number"
	ByItem        LedgerField = "item_id"
	ByInvoice     LedgerField = "invoice_id"
	ByTrade       LedgerField = "trade_id"
	ByReference   LedgerField = "reference"
	ByBatch       LedgerField = "batch"
	ByTaxID       LedgerField = "beneficiary_tax_id"
	ByBeneficiary LedgerField = "beneficiary_name"
	ByLabel       LedgerField = "label"
	ByProject     LedgerField = "project"
	ByVintage     LedgerField = "vintage"
	ByStatus      LedgerField = "status"
)

// ledgerFields has the order of the fields. If several match, the first is reported.
var ledgerFields = [...]LedgerField{
	ByRequest, BySerial, ByItem, ByInvoice, ByTrade, ByReference, ByBatch, ByTaxID, ByBeneficiary, ByLabel, ByProject,
	ByVintage, ByStatus,
}

// idFields are fields with ids, in which digits such as "1-5" are not a range of credits.
var idFields = []LedgerField{ByRequest, BySerial, ByItem, ByInvoice, ByTrade, ByVintage}

// LedgerMatch is a result of a search.
type LedgerMatch struct {
	// Record is the number of the record in the index, from 0.
	Record int
	Field  LedgerField
	// Value is the matching value as written in the record. Text is the part of the query that
	// matched.
	Value, Text string
	// Exact reports that the query is the whole value, or a credit within it.
	Exact bool
	// Serial is the range with the credit of the query, or nil.
	Serial *Serial
}

// LedgerIndex finds retirement requests by any id, name, reference or serial number. It is
// immutable.
type LedgerIndex struct {
	records []ledgerText
	serials []ledgerSerial
}

// ledgerText has the searchable values of a record, one per line.
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
			text.WriteString(searchable(searched))
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

// searchable returns a text as it is searched: its identity in lower case without diacritics.
func searchable(text string) string { return fold.String(fold.Identity(text)) }

func (r LedgerRecord) values(add func(field LedgerField, value string)) {
	add(ByRequest, r.ID)
	add(ByLabel, r.Label)
	add(ByReference, r.Reference)
	add(ByBatch, r.Batch)
	known := r.Known()
	if known == nil {
		return
	}
	add(ByStatus, known.Status.Words())
	add(ByProject, known.ProjectID)
	add(ByProject, r.Project.Name)
	add(ByProject, r.Project.RegistryID)
	add(ByVintage, known.VintageID)
	if year := r.Project.Year(known.VintageID); year != 0 {
		add(ByVintage, strconv.Itoa(year))
	}
	for _, item := range known.Items {
		add(ByItem, item.ID)
		add(ByInvoice, item.InvoiceID)
		add(ByTrade, item.TradeID)
		add(ByBeneficiary, item.RetireeName)
		add(ByTaxID, item.RetireeTaxID)
	}
	for _, serial := range known.SerialNumbers {
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

// MaskTaxIDs returns the records with the tax ids masked that are not, as a whole, the text of a search or one of its
// words. A search for parts of a tax id would otherwise find out the rest.
func MaskTaxIDs(records []LedgerRecord, text string) []LedgerRecord {
	known := []string{comparableTaxID(text)}
	for _, word := range strings.Fields(text) {
		known = append(known, comparableTaxID(word))
	}
	masked := func(r *Request) *Request {
		if r == nil {
			return nil
		}
		of := *r
		of.Items = slices.Clone(of.Items)
		for i, item := range of.Items {
			if !slices.Contains(known, comparableTaxID(item.RetireeTaxID)) {
				of.Items[i].RetireeTaxID = MaskTaxID(item.RetireeTaxID)
			}
		}
		return &of
	}
	records = slices.Clone(records)
	for i, r := range records {
		records[i].Answer, records[i].Planned = masked(r.Answer), masked(r.Planned)
	}
	return records
}

func comparableTaxID(id string) string { return bareTaxID(strings.ToLower(fold.Identity(id))) }

// shortestTaxID is the minimum number of letters and digits for a match in a tax id.
const shortestTaxID = 4

// Find returns the requests that have the text in a value. If there are none, it returns
// the requests in which all words match; a word with ! must not match. If all words have
// a !, the field of the match is empty.
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

// HasWhole reports whether Find returns requests that have the whole text in a value.
func (x *LedgerIndex) HasWhole(text string) bool { return len(x.find(text)) > 0 }

// find returns the requests that have the text in a value, ignoring case and diacritics. Whole values come
// first, then the order of the records. A serial number, a number or a range ("1 to 5000")
// also finds requests that have one of these credits; for a serial number the block must
// match. Ranges do not match within ids.
func (x *LedgerIndex) find(text string) []LedgerMatch {
	if text = fold.Identity(text); text == "" {
		return nil
	}
	q := newLedgerQuery(text)
	best := make([]LedgerMatch, len(x.records))
	for i := 0; q.credits && i < len(x.serials); i++ {
		s := &x.serials[i]
		holds := s.Start <= q.end && q.start <= s.End && (q.block == "" || q.block == s.Block)
		if m := &best[s.record]; holds && (m.Serial == nil || s.Start < m.Serial.Start) {
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

// ledgerQuery is a text with its readings as a tax id and as credits.
type ledgerQuery struct {
	text, taxID     string
	block           string
	start, end      int64
	credits, ranged bool
	// group is the hash of the group of a serial number, as in a LedgerKey.
	group uint64
}

func newLedgerQuery(text string) ledgerQuery {
	text = fold.Identity(text)
	q := ledgerQuery{text: searchable(text)}
	var s Serial
	s, q.credits = parseCredits(text)
	q.block, q.start, q.end, q.group = s.Block, s.Start, s.End, hash(s.group())
	_, one := number(ungrouped(text))
	q.ranged = q.credits && q.block == "" && !one
	if q.taxID = bareTaxID(q.text); len(q.taxID) < shortestTaxID {
		q.taxID = q.text
	}
	return q
}

func (q *ledgerQuery) mayContain(text string) bool {
	return strings.Contains(text, q.text) || q.taxID != q.text && strings.Contains(text, q.taxID)
}

func (q *ledgerQuery) match(r *ledgerText, best LedgerMatch) LedgerMatch {
	order := 2 * len(ledgerFields)
	if best.Exact {
		order = slices.Index(ledgerFields[:], best.Field)
	}
	if !q.mayContain(r.text) {
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

// ParseCredits parses a serial number, a number or a range of numbers. It returns the block,
// empty for plain numbers, and the first and last credit.
func ParseCredits(text string) (block string, start, end int64, ok bool) {
	s, ok := parseCredits(text)
	return s.Block, s.Start, s.End, ok
}

func parseCredits(text string) (Serial, bool) {
	if s, ok := ParseSerial(text); ok {
		return s, true
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
	return Serial{Start: start, End: end}, okStart && okEnd && start <= end
}

func ungrouped(text string) string {
	bare := strings.ReplaceAll(text, ",", "")
	if n, ok := number(bare); ok && model.FormatNumber(n) == text {
		return bare
	}
	return text
}
