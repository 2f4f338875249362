package audit

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"

	"tonne/model"
	"tonne/model/statement"
)

const unknown = "unknown"

// AccountRows returns the period, the tenant, the profile and the marketplace of a statement
// with their names.
func AccountRows(of statement.Source) [][2]string {
	return [][2]string{
		{"Period", of.Period()}, {"Tenant", cmp.Or(of.Account.Tenant, unknown)}, {"Profile", cmp.Or(of.Account.Profile, "none")},
		{"Marketplace", cmp.Or(of.Account.Marketplace, unknown)},
	}
}

// StatementRows returns a statement as rows of text: key, quantity bought, cost and quantity
// retired. The last rows are the totals and the balance.
func StatementRows(of statement.Source, s statement.Statement, quantity func(model.Grams) string) (rows [][]string) {
	known := func(g model.Grams) string {
		if !g.Known() {
			return unknown
		}
		return quantity(g)
	}
	for _, row := range append(slices.Clip(s.Rows), s.Total) {
		key, cost := row.Key, "too large"
		if of.By == statement.PerProject {
			key = of.Projects.Name(key)
		}
		if amount, err := row.Cost.Cents(); !row.Bought.Known() {
			cost = unknown
		} else if err == nil {
			cost = amount.FormatDollars()
		}
		rows = append(rows, []string{cmp.Or(key, "TOTAL"), known(row.Bought), cost, known(row.Retired)})
	}
	return append(rows, []string{"BALANCE", known(s.Balance), "", ""})
}

// ShareRows returns the shares of a statement as rows of text: share, value, quantity
// retired and percentage.
func ShareRows(s statement.Statement, quantity func(model.Grams) string) (rows [][]string) {
	EachShare(s, func(share, value string, g model.Grams) {
		rows = append(rows, []string{shareNames[share], value, quantity(g), partOf(g, s.Total.Retired)})
	})
	return rows
}

var shareNames = map[string]string{
	"standard": "Standard", "country_group": "Country group", "removal": "Removal or reduction", "ccp": "CCP label", "article6": "Article 6",
}

// EachShare calls do for each part of each share of a statement.
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

// partOf returns a percentage with one decimal, rounded half up. A part is never shown as
// 100 %, and a quantity above zero never as 0 %.
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
