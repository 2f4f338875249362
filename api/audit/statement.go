package audit

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"

	"tonne/model"
	"tonne/model/statement"
)

// StatementRows returns a statement as texts: the key, what was bought, its cost and
// what was retired, with a row of totals and one of the balance at the end.
func StatementRows(of statement.Source, s statement.Statement, quantity func(model.Grams) string) (rows [][]string) {
	for _, row := range append(slices.Clip(s.Rows), s.Total) {
		key, cost := row.Key, "too large"
		if of.By == statement.PerProject {
			key = of.Projects.Name(key)
		}
		if amount, err := row.Cost.Cents(); err == nil {
			cost = amount.FormatDollars()
		}
		retired := "unknown"
		if row.Retired.Known() {
			retired = quantity(row.Retired)
		}
		rows = append(rows, []string{cmp.Or(key, "TOTAL"), quantity(row.Bought), cost, retired})
	}
	balance := "not known"
	if s.Balance.Known() {
		balance = quantity(s.Balance)
	}
	return append(rows, []string{"BALANCE", balance, "", ""})
}

// ShareRows returns the shares of a statement as texts: the share, a value of it, what
// was retired and how much of the whole that is.
func ShareRows(s statement.Statement, quantity func(model.Grams) string) (rows [][]string) {
	EachShare(s, func(share, value string, g model.Grams) {
		rows = append(rows, []string{shareNames[share], value, quantity(g), partOf(g, s.Total.Retired)})
	})
	return rows
}

var shareNames = map[string]string{
	"standard": "Standard", "country_group": "Country group", "removal": "Removal or reduction", "ccp": "CCP label", "article6": "Article 6",
}

// EachShare calls do with each part of the shares of a statement.
func EachShare(s statement.Statement, do func(share, value string, g model.Grams)) {
	for _, share := range s.Shares {
		for _, part := range share.Parts {
			do(share.Name, part.Value, part.Grams)
		}
		if share.Unclassified > 0 {
			do(share.Name, "not classified", share.Unclassified)
		}
	}
}

// partOf is a part of a whole in tenths of a per cent, rounded half up: a part is
// never 100 %, and more than nothing never 0 %.
func partOf(g, whole model.Grams) string {
	if g < 0 || whole <= 0 || g > whole {
		return ""
	}
	high, low := bits.Mul64(uint64(g), 1000)
	permille, rest := bits.Div64(high, low, uint64(whole))
	if rest >= uint64(whole)-rest {
		permille++
	}
	switch {
	case permille == 0 && g > 0:
		return "< 0.1 %"
	case permille == 1000 && g < whole:
		return "> 99.9 %"
	}
	return fmt.Sprintf("%d.%d %%", permille/10, permille%10)
}
