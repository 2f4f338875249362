package tab

import "tonne/model"

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
