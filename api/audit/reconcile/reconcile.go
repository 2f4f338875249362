// Package reconcile compares a user's own records of retirements, such as the export of an ERP
// system, with the requests that this machine knows. It performs no I/O. Start reading at New;
// Records returns the records of a file.
package reconcile

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"tonne/model"
	"tonne/model/field"
	"tonne/model/fold"
	"tonne/model/retirement"
)

// Result is the result of comparing one record.
type Result string

// The results.
const (
	Matched     Result = "matched"
	Different   Result = "different"
	UnknownHere Result = "unknown_here"
	// Reversal is a quantity below zero. It reduces the sum of the records of its request.
	Reversal      Result = "reversal"
	MissingInFile Result = "missing_in_file"
)

// Field is a value that is compared.
type Field string

// The fields.
const (
	Quantity    Field = "quantity_grams"
	Cost        Field = "cost_cents"
	Date        Field = "date"
	Reference   Field = "reference"
	Beneficiary Field = "beneficiary"
)

// Record is a line of the user's file. Empty texts and a zero date are not stated.
type Record struct {
	// Line is the number of the line, 0 for a request that the file lacks.
	Line                       int
	ID, Reference, Beneficiary string
	// Quantity is UnknownGrams if the cell is empty.
	Quantity model.Grams
	// Reversal is set if the file has the quantity below zero.
	Reversal bool
	// Date is a UTC day.
	Date time.Time
	// Cost counts only if HasCost is set.
	Cost    model.Cents
	HasCost bool
	// Currency is that of a cost in another currency than US dollars, which is not compared.
	Currency string
}

// Request is a request of this machine, with its label and its calls in the journal.
type Request struct {
	retirement.Request
	Label string
	Calls []retirement.JournalEntry
}

// Difference is a field with different values. Null is unknown.
type Difference struct {
	Field      Field
	File, Here field.Value
}

// Line is a record with its result. A record that has no id in the file has that of its request. For a request that
// the file lacks, the record has the values of this machine.
type Line struct {
	*Record
	Result      Result
	Differences []Difference
	Hints       []Hint
}

// Reconciliation is the result of New.
type Reconciliation struct {
	// Lines are in the order of the file, followed by the requests that it lacks by date.
	Lines  []Line
	Months []Month
	// CostUnknown counts records whose cost was not compared, because it is unknown here. TooLarge
	// counts those whose sum is too large to compare.
	CostUnknown, TooLarge int
	// Undated counts requests of unknown date. Unless the file has them, nothing is said of them.
	Undated int
	// Unanswered counts requests of the ledger that were never found. They are not compared.
	Unanswered int
}

// Count returns the number of records with a result.
func (r Reconciliation) Count(result Result) (n int) {
	for _, line := range r.Lines {
		if line.Result == result {
			n++
		}
	}
	return n
}

// group is records that are compared together with the same parts of requests.
type group struct {
	records []int
	parts   []*part
}

type reconciler struct {
	records  []Record
	parts    []*part
	byID     map[string][]*part
	byText   map[string][]*part
	byDay    map[daily][]*part
	groups   []*group
	byRef    map[string]*group
	of       []*group
	dated    bool
	from, to time.Time
}

// daily identifies a request by its day, quantity and only beneficiary.
type daily struct {
	day, beneficiary string
	quantity         model.Grams
}

// New compares records with requests, each by its id, else by its reference or label, else
// by date, quantity and beneficiary together. Records of the same request are compared by their
// sum, so that a record that was entered twice is a difference.
func New(records []Record, requests []Request) Reconciliation {
	r := &reconciler{
		records: records, byID: make(map[string][]*part), byText: make(map[string][]*part), byDay: make(map[daily][]*part),
		byRef: make(map[string]*group), of: make([]*group, len(records)),
	}
	for i := range requests {
		r.index(&requests[i])
	}
	for _, record := range records {
		if !record.Date.IsZero() {
			if !r.dated || record.Date.Before(r.from) {
				r.from = record.Date
			}
			if !r.dated || record.Date.After(r.to) {
				r.to = record.Date
			}
			r.dated = true
		}
	}
	r.assign()
	var result Reconciliation
	result.Lines = make([]Line, len(records))
	for i, record := range records {
		result.Lines[i] = Line{Record: &records[i], Result: UnknownHere}
		if record.Reversal {
			result.Lines[i].Result = Reversal
		}
	}
	for _, g := range r.groups {
		r.compare(g, &result)
	}
	r.addMissing(&result)
	r.addHints(&result)
	result.Months = r.months()
	return result
}

func (r *reconciler) index(of *Request) {
	parts := partsOf(of)
	r.parts, r.byID[of.ID] = append(r.parts, parts...), parts
	for _, p := range parts {
		for _, reference := range p.references {
			key := fold.Identity(reference)
			r.byText[key] = append(r.byText[key], p)
		}
	}
	if label := fold.Identity(of.Label); label != "" && len(r.byText[label]) == 0 {
		r.byText[label] = parts
	}
	s := parts[0].of
	if len(s.folded) != 1 {
		return
	}
	for _, day := range s.days[:s.own] {
		key := daily{day, s.folded[0], of.TotalQuantity}
		r.byDay[key] = append(r.byDay[key], parts[0])
	}
}

// assign groups the records: those with an id first, because they claim their requests. Reversals
// claim none.
func (r *reconciler) assign() {
	for i, record := range r.records {
		if parts := r.byID[record.ID]; record.ID != "" && parts != nil && !record.Reversal {
			r.join(i, parts)
		}
	}
	for i, record := range r.records {
		if record.ID == "" && record.Reference != "" && !record.Reversal {
			r.assignByReference(i, fold.Identity(record.Reference))
		}
	}
	for i, record := range r.records {
		named := record.ID != "" || record.Reference != "" || record.Reversal
		if named || record.Date.IsZero() || record.Beneficiary == "" || !record.Quantity.Known() {
			continue
		}
		r.assignByDay(i, record)
	}
	for i, record := range r.records {
		if g := r.reversed(record); record.Reversal && g != nil {
			r.enter(i, g)
		}
	}
}

func (r *reconciler) assignByDay(i int, record Record) {
	key := daily{record.Date.Format(time.DateOnly), foldName(record.Beneficiary), record.Quantity}
	for r.of[i] == nil && len(r.byDay[key]) > 0 {
		parts := r.byID[r.byDay[key][0].of.ID]
		r.byDay[key] = r.byDay[key][1:]
		if !slices.ContainsFunc(parts, (*part).claimed) {
			r.join(i, parts)
		}
	}
}

// reversed returns the group of the records that a record reverses, or nil.
func (r *reconciler) reversed(record Record) *group {
	if parts := r.byID[record.ID]; record.ID != "" && parts != nil {
		return parts[0].group
	}
	reference := fold.Identity(record.Reference)
	if g := r.byRef[reference]; record.ID != "" || reference == "" || g != nil {
		return g
	}
	for _, p := range r.byText[reference] {
		if p.claimed() {
			return p.group
		}
	}
	return nil
}

func (r *reconciler) assignByReference(record int, reference string) {
	if g := r.byRef[reference]; g != nil {
		r.enter(record, g)
		return
	}
	all := r.byText[reference]
	free := slices.DeleteFunc(slices.Clone(all), (*part).claimed)
	switch {
	case len(all) == 0:
		return
	case len(free) > 0:
		r.join(record, free)
	default:
		r.enter(record, all[0].group)
	}
	r.byRef[reference] = r.of[record]
}

// join adds a record to the group of the parts, which it makes if there is none.
func (r *reconciler) join(record int, parts []*part) {
	g := parts[0].group
	if g == nil {
		g = &group{parts: parts}
		r.groups = append(r.groups, g)
		for _, p := range parts {
			p.group = g
		}
	}
	r.enter(record, g)
}

func (r *reconciler) enter(record int, g *group) {
	g.records, r.of[record] = append(g.records, record), g
}

// addMissing adds the requests of the time of the file that no record claims.
func (r *reconciler) addMissing(result *Reconciliation) {
	var missing []Line
	undated := make(map[string]bool)
	for _, p := range r.parts {
		switch {
		case p.claimed(), p.quantity == 0:
			// A request of which nothing was retired is in no records.
		case !r.dated || r.covers(p):
			record := &Record{ID: p.of.ID, Reference: strings.Join(p.references, ", "), Quantity: p.quantity}
			record.Beneficiary = strings.Join(p.of.names, "; ")
			if p.of.CreatedAt.Known() {
				record.Date = dayOf(p.of.CreatedAt.Time)
			}
			missing = append(missing, Line{Record: record, Result: MissingInFile})
		case !p.of.CreatedAt.Known():
			undated[p.of.ID] = true
		}
	}
	slices.SortStableFunc(missing, func(a, b Line) int {
		return cmp.Or(a.Date.Compare(b.Date), strings.Compare(a.ID, b.ID), strings.Compare(a.Reference, b.Reference))
	})
	result.Lines, result.Undated = append(result.Lines, missing...), len(undated)
}

func (r *reconciler) covers(p *part) bool {
	day := dayOf(p.of.CreatedAt.Time)
	return p.of.CreatedAt.Known() && !day.Before(r.from) && !day.After(r.to)
}

func dayOf(t time.Time) time.Time { return t.UTC().Truncate(24 * time.Hour) }
