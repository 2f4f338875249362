package reconcile

import (
	"slices"
	"strings"

	"tonne/api/wire"
	"tonne/model"
	"tonne/model/file/tabular"
)

// Column is what a column of a file has.
type Column string

// The columns, with the names of their flags.
const (
	IDColumn          Column = "id"
	TonnesColumn      Column = "tonnes"
	KilogramsColumn   Column = "kilograms"
	GramsColumn       Column = "grams"
	DateColumn        Column = "date"
	ReferenceColumn   Column = "reference"
	CostColumn        Column = "cost"
	BeneficiaryColumn Column = "beneficiary"
	// CurrencyColumn has the currency of the cost.
	CurrencyColumn Column = "currency"
	// UnitColumn has the unit of the quantities.
	UnitColumn Column = "unit"
)

// Columns returns the columns in the order of the help.
func Columns() []Column {
	return []Column{
		IDColumn, TonnesColumn, KilogramsColumn, GramsColumn, DateColumn, ReferenceColumn, CostColumn, BeneficiaryColumn,
		CurrencyColumn, UnitColumn,
	}
}

// Quantities returns the columns of quantities, the coarsest unit first.
func Quantities() []Column { return []Column{TonnesColumn, KilogramsColumn, GramsColumn} }

var kinds = map[Column]tabular.Kind{
	IDColumn: tabular.ID, TonnesColumn: tabular.Tonnes, KilogramsColumn: tabular.Kilograms, GramsColumn: tabular.Grams,
	DateColumn: tabular.Date, ReferenceColumn: tabular.Reference, CostColumn: tabular.Money, UnitColumn: tabular.Unit,
}

// Spec describes a table of records. The given columns have titles; the others are recognised by
// their titles, unless they are ignored. Of two columns with quantities, the one with the finer unit
// is read, because it is more exact; a given one is read in any case.
func Spec(given map[Column]string, ignored []Column) tabular.Spec {
	s := tabular.Spec{Given: make(map[string]string), Reversals: true, Missing: missing}
	for _, c := range Columns() {
		f := tabular.Field{Name: string(c), Kind: kinds[c]}
		if at := slices.Index(Quantities(), c); at >= 0 {
			for _, finer := range Quantities()[at+1:] {
				f.Unless = append(f.Unless, string(finer))
			}
			if slices.ContainsFunc(Quantities()[:at], func(coarser Column) bool { return given[coarser] != "" }) {
				s.Ignored = append(s.Ignored, string(c))
			}
		}
		s.Fields = append(s.Fields, f)
		if title, named := given[c]; named {
			s.Given[string(c)] = title
		}
		if slices.Contains(ignored, c) {
			s.Ignored = append(s.Ignored, string(c))
		}
	}
	return s
}

// missing returns why columns cannot be compared, or an empty text.
func missing(has func(name string) bool) string {
	found := func(c Column) bool { return has(string(c)) }
	switch {
	case !slices.ContainsFunc(Quantities(), found):
		return "no column has the quantities: name one with --tonnes, --kilograms or --grams"
	case !found(IDColumn) && !found(ReferenceColumn) && !(found(DateColumn) && found(BeneficiaryColumn)):
		return "no column identifies a retirement: name one with --id or --reference, or both --date and --beneficiary"
	}
	return ""
}

// isDollars reports whether an amount with this currency is in US dollars. Without one it is.
func isDollars(currency string) bool {
	switch strings.ToUpper(currency) {
	case "", "USD", "$", "US$", "USD$":
		return true
	}
	return false
}

// Records returns the records of a table of Spec. They share the memory of its text.
func Records(t *tabular.Records) []Record {
	records := make([]Record, 0, t.Count)
	for r := range t.All() {
		text := func(c Column) string { return wire.Clean(r.Text(string(c))) }
		record := Record{
			Line: r.Line, ID: text(IDColumn), Reference: text(ReferenceColumn), Beneficiary: text(BeneficiaryColumn),
			Date: r.Day(string(DateColumn)), Quantity: model.UnknownGrams,
		}
		for _, c := range Quantities() {
			if n, negative, stated := r.Number(string(c)); stated {
				record.Quantity, record.Reversal = model.Grams(n), negative
			}
		}
		if n, negative, stated := r.Number(string(CostColumn)); stated {
			record.Cost, record.HasCost = model.Cents(n), true
			if negative {
				record.Cost = -record.Cost
			}
			if currency := text(CurrencyColumn); !isDollars(currency) {
				record.HasCost, record.Currency = false, currency
			}
		}
		records = append(records, record)
	}
	return records
}
