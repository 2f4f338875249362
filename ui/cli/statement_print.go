package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"tonne/model"
	"tonne/ui/cli/output"
	"tonne/ui/retirement/statement"
)

type statementRowJSON struct {
	Key     string       `json:"key"`
	Bought  output.Value `json:"bought_grams"`
	Cents   output.Value `json:"bought_cents"`
	Retired output.Value `json:"retired_grams"`
}

type statementTotalJSON struct {
	Bought  output.Value `json:"bought_grams"`
	Cents   output.Value `json:"bought_cents"`
	Retired output.Value `json:"retired_grams"`
	Balance output.Value `json:"balance_grams"`
}

type shareJSON struct {
	Share        string          `json:"share"`
	Parts        []sharePartJSON `json:"parts"`
	Unclassified output.Value    `json:"unclassified_grams"`
}

type sharePartJSON struct {
	Value   string       `json:"value"`
	Retired output.Value `json:"retired_grams"`
}

type statementJSON struct {
	From   string             `json:"from"`
	To     string             `json:"to"`
	Rows   []statementRowJSON `json:"rows"`
	Total  statementTotalJSON `json:"total"`
	Shares []shareJSON        `json:"shares"`
	Notes  []string           `json:"notes"`
}

const statementHeader = "key,bought_grams,bought_cents,retired_grams"

func cents(c model.Cost) output.Value {
	amount, err := c.Cents()
	if err != nil {
		return output.Value{}
	}
	return output.Text(amount.String())
}

func (r *statementRun) newJSON(s model.Statement) statementJSON {
	out := statementJSON{
		From: r.begin.Format(time.DateOnly), To: r.end.Format(time.DateOnly), Rows: []statementRowJSON{}, Notes: append([]string{}, s.Notes...),
		Total: statementTotalJSON{output.Grams(s.Total.Bought), cents(s.Total.Cost), output.Grams(s.Total.Retired), output.Grams(s.Balance)},
	}
	for _, row := range s.Rows {
		out.Rows = append(out.Rows, statementRowJSON{row.Key, output.Grams(row.Bought), cents(row.Cost), output.Grams(row.Retired)})
	}
	for _, share := range s.Shares {
		one := shareJSON{Share: share.Name, Parts: []sharePartJSON{}, Unclassified: output.Grams(share.Unclassified)}
		for _, part := range share.Parts {
			one.Parts = append(one.Parts, sharePartJSON{part.Value, output.Grams(part.Grams)})
		}
		out.Shares = append(out.Shares, one)
	}
	return out
}

// printStatement prints a statement. What it leaves out is told on standard
// error, too, for those who read the data alone.
func (r *statementRun) printStatement(s model.Statement, projects model.Projects) error {
	err := r.print(r.format, formats{
		document: func() error { return output.Object(r.data(), r.newJSON(s)) },
		header:   statementHeader,
		rows: func(out output.Rows) {
			for _, row := range s.Rows {
				out.Write(output.Text(row.Key), output.Grams(row.Bought), cents(row.Cost), output.Grams(row.Retired))
			}
		},
		table: func() *output.Grid { return r.statementTable(s, projects) },
	})
	if err == nil && r.format == output.Table && s.Total.Retired > 0 {
		fmt.Fprintln(r.data())
		err = r.grid(shareTable(s))
	}
	if r.format == output.CSV || r.format == output.JSONL {
		r.warn("total, balance and shares are in no row of %s: -o json and -o table have them", r.format)
	}
	for _, note := range s.Notes {
		r.warn("%s", strings.TrimSuffix(note, "."))
	}
	return err
}

func (r *statementRun) statementTable(s model.Statement, projects model.Projects) *output.Grid {
	grid := output.NewGrid(
		output.Heading{Title: strings.ToUpper(r.by), Shrink: 12}, output.Heading{Title: "BOUGHT", Right: true},
		output.Heading{Title: "COST", Right: true}, output.Heading{Title: "RETIRED", Right: true},
	)
	for _, row := range append(slices.Clip(s.Rows), s.Total) {
		key := row.Key
		if r.by == string(model.PerProject) {
			key = projects.Name(key)
		}
		cost := "too large"
		if amount, err := row.Cost.Cents(); err == nil {
			cost = amount.FormatDollars()
		}
		grid.Add(cmp.Or(key, "TOTAL"), row.Bought.FormatTonnes(), cost, row.Retired.FormatTonnes())
	}
	balance := "not known"
	if s.Balance.Known() {
		balance = s.Balance.FormatTonnes()
	}
	grid.Add("BALANCE", balance, "", "")
	return grid
}

func shareTable(s model.Statement) *output.Grid {
	grid := output.NewGrid(
		output.Heading{Title: "RETIRED BY", Shrink: 12}, output.Heading{Title: "VALUE", Shrink: 8}, output.Heading{Title: "TONNES", Right: true},
	)
	for _, share := range s.Shares {
		for _, part := range share.Parts {
			grid.Add(statement.ShareName(share), part.Value, part.Grams.FormatTonnes())
		}
		if share.Unclassified > 0 {
			grid.Add(statement.ShareName(share), "not classified", share.Unclassified.FormatTonnes())
		}
	}
	return grid
}
