package column

import (
	"cmp"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"tonne/api/audit/reconcile"
	"tonne/model"
	"tonne/model/field"
	"tonne/model/file/spreadsheet"
	"tonne/ui/output"
)

// ReconciledField is a difference of a record, or a record without one.
type ReconciledField struct {
	*reconcile.Line
	// At is the number of the difference.
	At int
}

// ReconciledFields returns a row for each difference, and one for each record without any.
func ReconciledFields(lines []reconcile.Line) iter.Seq[ReconciledField] {
	return func(yield func(ReconciledField) bool) {
		for i := range lines {
			for at := range max(len(lines[i].Differences), 1) {
				if !yield(ReconciledField{&lines[i], at}) {
					return
				}
			}
		}
	}
}

func (r ReconciledField) difference() (reconcile.Difference, bool) {
	if r.At < len(r.Differences) {
		return r.Differences[r.At], true
	}
	return reconcile.Difference{}, false
}

func differenceField(d reconcile.Difference) field.Value { return field.Text(string(d.Field)) }

var reconciledDifference = field.Columns[reconcile.Difference]{
	{Name: "field", Is: "string", Value: differenceField},
	{Name: "file", Value: func(d reconcile.Difference) field.Value { return d.File }},
	{Name: "here", Value: func(d reconcile.Difference) field.Value { return d.Here }},
}

func (r ReconciledField) lineNumber() field.Value {
	return field.If(r.Line.Line > 0, field.Number(r.Line.Line))
}

func (r ReconciledField) result() field.Value { return field.Text(string(r.Result)) }

// Reconciled are the columns of reconciled records.
var Reconciled = field.Columns[ReconciledField]{
	{Name: "line", Is: "number|null", Title: "LINE", Right: true, Value: ReconciledField.lineNumber},
	{Name: "id", Title: "ID", Shrink: 12, Value: func(r ReconciledField) field.Value { return field.Optional(r.ID) }},
	{
		Name: "reference", Title: "REFERENCE", Shrink: 10, Drop: 2,
		Value: func(r ReconciledField) field.Value { return field.Optional(r.Reference) },
	},
	{Title: "DATE", Drop: 3, Value: func(r ReconciledField) field.Value { return field.Optional(day(r.Date)) }},
	{
		Title: "QUANTITY", Right: true, Drop: 1,
		Value: func(r ReconciledField) field.Value { return field.Words(QuantityWords(r.Record)) },
	},
	{
		Name: "result", Is: "string", Title: "RESULT", Value: ReconciledField.result,
		Cell: func(r ReconciledField) field.Value { return field.Words(ReconciledWords(r.Result)) },
	},
	{
		Title: "DIFFERENCES", Shrink: 16,
		Value: func(r ReconciledField) field.Value { return field.Optional(LineWords(*r.Line)) },
	},
}.With(field.Over(reconciledDifference, ReconciledField.difference).Nullable()...)

// ReconciledJSON are the columns of a reconciled record in JSON.
var ReconciledJSON = Reconciled.Pick("line", "id", "reference", "result").With(
	field.Items("differences", ReconciledField.all, reconciledDifference),
)

func (r ReconciledField) all() iter.Seq[reconcile.Difference] { return slices.Values(r.Differences) }

func day(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.Format(time.DateOnly)
}

// ReconciledWords returns a result as users read it.
func ReconciledWords(r reconcile.Result) string { return strings.ReplaceAll(string(r), "_", " ") }

// DifferenceWords returns the differences of a record as users read them.
func DifferenceWords(line reconcile.Line) string {
	var words []string
	for _, d := range line.Differences {
		name, _, _ := strings.Cut(string(d.Field), "_")
		file, here := differenceText(d.File), differenceText(d.Here)
		words = append(words, fmt.Sprintf("%s %s, here %s", name, file, here))
	}
	return strings.Join(words, "; ")
}

// QuantityWords returns the quantity of a record as users read it. A reversal is below zero.
func QuantityWords(r *reconcile.Record) string {
	switch {
	case !r.Quantity.Known():
		return "-"
	case r.Reversal:
		return "−" + r.Quantity.FormatTonnes()
	}
	return r.Quantity.FormatTonnes()
}

// LineWords returns the differences and the hints of a record as users read them.
func LineWords(line reconcile.Line) string {
	words := HintWords(line)
	if differences := DifferenceWords(line); differences != "" {
		words = slices.Insert(words, 0, differences)
	}
	return strings.Join(words, "; ")
}

var hintWords = map[reconcile.HintKind]string{
	reconcile.Kilograms: "off by 1,000: kilograms?", reconcile.GramsAsTonnes: "off by 1,000,000: grams?",
	reconcile.TonnesAsGrams: "off by 1,000,000: tonnes?", reconcile.Total: "a total line?",
	reconcile.CostUnknown: "cost not compared: unknown here", reconcile.Overflow: "the sum is too large",
	reconcile.OtherCurrency: "cost not compared: not in US dollars",
}

// mostHinted limits the lines that a hint lists.
const mostHinted = 10

// HintWords returns the hints of a record as users read them.
func HintWords(line reconcile.Line) (words []string) {
	for _, h := range line.Hints {
		switch h.Kind {
		case reconcile.SameID:
			lines := make([]string, min(len(h.Lines), mostHinted))
			for i := range lines {
				lines[i] = strconv.Itoa(h.Lines[i])
			}
			last := len(lines) - 1
			if more := len(h.Lines) - len(lines); more > 0 {
				lines = append(lines, strconv.Itoa(more)+" more")
				last++
			}
			words = append(words, "same id in lines "+strings.Join(lines[:last], ", ")+" and "+lines[last])
		case reconcile.SimilarID:
			words = append(words, "did you mean "+strings.Join(h.IDs, " or ")+"?")
		default:
			words = append(words, hintWords[h.Kind])
		}
	}
	return words
}

func differenceText(v field.Value) string {
	if v.IsNull() {
		return "unknown"
	}
	return v.String()
}

// ReconciledMonths returns the sums per month as rows of text below their titles.
func ReconciledMonths(r reconcile.Reconciliation, quantity func(model.Grams) string) [][]string {
	known := func(g model.Grams) string {
		if !g.Known() {
			return "unknown"
		}
		return quantity(g)
	}
	rows := [][]string{{"MONTH", "IN THE FILE", "HERE", ""}}
	for _, m := range r.Months {
		mark := ""
		if m.File != m.Here || !m.File.Known() {
			mark = "≠"
		}
		rows = append(rows, []string{cmp.Or(m.Month, "no date"), known(m.File), known(m.Here), mark})
	}
	return rows
}

// ReconciledCounts returns the number of records with each result.
func ReconciledCounts(r reconcile.Reconciliation) string {
	words := []string{model.FormatNumber(int64(r.Count(reconcile.Matched))) + " matched"}
	for _, result := range []reconcile.Result{reconcile.Different, reconcile.UnknownHere, reconcile.Reversal,
		reconcile.MissingInFile} {
		if n := r.Count(result); n > 0 {
			words = append(words, model.FormatNumber(int64(n))+" "+ReconciledWords(result))
		}
	}
	return strings.Join(words, ", ")
}

// ReconciledNotes returns sentences, without their ends, on what was not compared.
func ReconciledNotes(r reconcile.Reconciliation) (notes []string) {
	note := func(n int, one, many, text string) {
		if n > 0 {
			notes = append(notes, fmt.Sprintf(text, model.Count(n, one, many)))
		}
	}
	note(r.CostUnknown, "record", "records", "The cost of %s was not compared: it is unknown here")
	note(r.TooLarge, "record", "records", "Not compared: %s whose sum is too large")
	note(r.Undated, "request", "requests", "Not reported as missing: %s of unknown date")
	note(r.Unanswered, "request", "requests", "Not compared: %s of the ledger that the marketplace never found")
	return notes
}

// EncodeReconciliation returns a file with a reconciliation in the format of the extension of its path.
func EncodeReconciliation(path string, r reconcile.Reconciliation) ([]byte, error) {
	if strings.EqualFold(filepath.Ext(path), ".json") {
		return output.Encode(path, ReconciledJSON, Records(r.Lines))
	}
	months := spreadsheet.Sheet{Name: "Months", Columns: []string{"month", "file_grams", "here_grams"}}
	for _, m := range r.Months {
		row := []spreadsheet.Cell{spreadsheet.Text(cmp.Or(m.Month, "no date"))}
		for _, g := range []model.Grams{m.File, m.Here} {
			cell := spreadsheet.Text("unknown")
			if g.Known() {
				cell = spreadsheet.Integer(int64(g))
			}
			row = append(row, cell)
		}
		months.Rows = append(months.Rows, row)
	}
	return output.Encode(path, Reconciled, ReconciledFields(r.Lines), spreadsheet.Sheet{Name: "Reconciliation"}, months)
}

// Records returns a row for each record.
func Records(lines []reconcile.Line) iter.Seq[ReconciledField] {
	return func(yield func(ReconciledField) bool) {
		for i := range lines {
			if !yield(ReconciledField{&lines[i], 0}) {
				return
			}
		}
	}
}
