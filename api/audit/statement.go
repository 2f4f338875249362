package audit

import (
	"cmp"
	"fmt"
	"math/bits"
	"strings"

	"tonne/model"
	"tonne/model/field"
	"tonne/model/statement"
)

const unknown = "unknown"

// AccountRows returns the period, the tenant, the profile and the marketplace of a statement, and
// what is known of the company, with their names.
func AccountRows(of statement.Source) [][2]string {
	rows := [][2]string{
		{"Period", of.Period()}, {"Tenant", cmp.Or(of.Account.Tenant, unknown)},
		{"Profile", cmp.Or(of.Account.Profile, "none")}, {"Marketplace", cmp.Or(of.Account.Marketplace, unknown)},
	}
	c := of.Account.Company
	for _, row := range [][2]string{{"Company", c.Name}, {"Address", c.Address}, {"Tax id", c.TaxID}} {
		if row[1] != "" {
			rows = append(rows, row)
		}
	}
	return rows
}

// StatementRows returns a statement as rows of text, below their titles. The first column is
// the key, the others are quantities and amounts. The last rows are the totals and the balance.
func StatementRows(of statement.Source, s statement.Statement, units field.Units) [][]string {
	figures := statement.Columns.Titled()
	titles := []string{strings.ToUpper(string(of.By))}
	for _, f := range figures {
		titles = append(titles, f.Title)
	}
	rows := [][]string{titles}
	for _, row := range s.Rows {
		key := row.Key
		if of.By == statement.PerProject {
			key = of.Projects.Name(key)
		}
		rows = append(rows, append([]string{cmp.Or(key, "TOTAL")}, figureTexts(row, units)...))
	}
	total := append([]string{"TOTAL"}, figureTexts(s.Total, units)...)
	for n, f := range figures {
		if s.AtLeast && (f.Name == "retired_grams" || f.Name == "retired_cost_cents") && total[n+1] != unknown {
			total[n+1] = "at least " + total[n+1]
		}
	}
	balance := make([]string, len(titles))
	balance[0], balance[1] = "BALANCE", known(field.Grams(s.Balance), units)
	return append(rows, total, balance)
}

// figureTexts returns the quantities and amounts of a row.
func figureTexts(row statement.Row, units field.Units) (texts []string) {
	for _, f := range statement.Columns.Titled() {
		texts = append(texts, known(f.Shown(row), units))
	}
	return texts
}

func known(v field.Value, units field.Units) string {
	if v.IsNull() {
		return unknown
	}
	return v.Format(units)
}

// ShareRows returns the shares of a statement as rows of text: share, value, quantity
// retired and percentage.
func ShareRows(s statement.Statement, units field.Units) (rows [][]string) {
	EachShare(s, func(share, value string, g model.Grams) {
		rows = append(rows, []string{shareNames[share], value, field.Grams(g).Format(units), partOf(g, s.Total.Retired)})
	})
	return rows
}

var shareNames = map[string]string{
	"standard": "Standard", "country_group": "Country group", "removal": "Removal or reduction", "ccp": "CCP label",
	"article6": "Article 6",
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
