package tab

import (
	"tonne/model"
	"tonne/model/filter"
	"tonne/ui/style"
	"tonne/ui/table"
)

// Narrow shows in a table what a filter lets pass, and marks what was looked for
// in its Marked columns; the codes of countries are in the column "country". Row
// returns of a row what the filter Needs, or more. It depends on nothing but the
// row and on what never changes. The table looks for words in what Search returned
// for its Spec.
func Narrow[K comparable, R any](t *table.Table[K, R], f *Filter, row func(r R) filter.Row) {
	narrowed := table.Filter[R]{Query: f.Query()}
	expr := f.Expr()
	for _, term := range expr.Terms() {
		narrowed.Terms = append(narrowed.Terms, table.Term(term))
	}
	if rest := expr.Without(); !rest.Empty() {
		narrowed.Match = func(r R) bool {
			looked := row(r)
			return rest.Match(&looked)
		}
	}
	if !expr.Empty() {
		narrowed.Mark = func(c *style.Cell, column string) {
			spans := expr.Spans
			if column == "country" {
				spans = expr.CountrySpans
			}
			for _, s := range spans(c.Text()) {
				c.Mark(s.From, s.To)
			}
		}
	}
	t.SetFilter(narrowed)
}

// Search returns what a table with a Filter looks through: the text and the ids
// of its rows, for its Spec. Row returns the names of a row and its ids; nothing
// else of it is looked at.
func Search[R any](row func(r R) filter.Row) (text, ids func(dst []byte, r R) []byte) {
	text = func(dst []byte, r R) []byte {
		looked := row(r)
		return looked.AppendText(dst)
	}
	ids = func(dst []byte, r R) []byte {
		looked := row(r)
		return looked.AppendIDs(dst)
	}
	return text, ids
}

// Unlabelled explains a filter by labels if no attributes are known: for the end of
// the filter line, and as sentences for an empty list. It returns nothing otherwise.
func (v *View) Unlabelled(f *Filter, facts *model.BuyerFacts) (brief string, advice []string) {
	if !f.Expr().Needs().Labels || !facts.None() {
		return "", nil
	}
	advice = []string{"No attributes are known, so nothing has a label."}
	if !v.Shared {
		advice = append(advice, "Import them with `tonne attributes import FILE.csv`.")
	}
	return " · no attributes are known", advice
}

// FilterHelp stands in an empty filter line.
const FilterHelp = "words, !word, a|b · ask<10 vintage>=2022 country:kenya,uganda paid label:ccp"
