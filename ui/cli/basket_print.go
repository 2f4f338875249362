package cli

import (
	"fmt"

	"tonne/model"
	"tonne/model/basket"
	"tonne/ui/cli/output"
)

type basketJSON struct {
	Tonnes      string            `json:"tonnes"`
	Cost        string            `json:"cost_cents"`
	Average     output.Value      `json:"average_price_cents"`
	ShortTonnes string            `json:"short_tonnes"`
	Lines       []basketLineJSON  `json:"lines"`
	Limits      []basketLimitJSON `json:"limits"`
}

type basketLineJSON struct {
	ProjectID   string       `json:"project_id"`
	VintageID   string       `json:"vintage_id"`
	SellOrderID string       `json:"sell_order_id"`
	Tonnes      string       `json:"tonnes"`
	Price       output.Value `json:"price_cents"`
	Cost        string       `json:"cost_cents"`
}

type basketLimitJSON struct {
	Limit string `json:"limit"`
	Binds bool   `json:"binds"`
	// Costs is null where the basket without the limit would have other tonnes.
	Costs output.Value `json:"costs_cents"`
	// Fills is how many tonnes more there would be, and is left out where there
	// would be none.
	Fills string `json:"fills_tonnes,omitempty"`
}

const basketHeader = "project_id,project_name,vintage_id,vintage_year,sell_order_id,tonnes,price_cents,cost_cents,last_paid_price_cents"

func (b *basketRun) printBasket(found basket.Basket) error {
	switch b.format {
	case output.JSON:
		return output.Object(b.data(), basketDocument(found))
	case output.Table:
		return b.basketTable(found)
	}
	rows := output.NewRows(b.data(), b.format, basketHeader)
	for _, line := range found.Lines {
		key := line.Vintage
		rows.Write(output.Text(key.ProjectID), output.Optional(b.details.known[key.ProjectID].Name), output.Text(key.VintageID),
			output.Year(line.Year), output.Text(line.Order.ID), output.Text(tonnes(line.Tonnes)), output.Price(line.Order.Price),
			output.Text(line.Cost.String()), output.Price(b.paid.Of(key).Price))
	}
	return rows.Flush()
}

func basketDocument(found basket.Basket) basketJSON {
	out := basketJSON{
		Tonnes: tonnes(found.Tonnes), Cost: found.Cost.String(), Average: output.Price(found.Average()), ShortTonnes: tonnes(found.Short),
		Lines: []basketLineJSON{}, Limits: []basketLimitJSON{},
	}
	for _, line := range found.Lines {
		out.Lines = append(out.Lines, basketLineJSON{
			line.Vintage.ProjectID, line.Vintage.VintageID, line.Order.ID, tonnes(line.Tonnes), output.Price(line.Order.Price), line.Cost.String(),
		})
	}
	for _, l := range found.Limits {
		limit := basketLimitJSON{Limit: l.String(), Binds: l.Binds}
		if l.Fills == 0 {
			limit.Costs = output.Text(l.Costs.String())
		} else {
			limit.Fills = tonnes(l.Fills)
		}
		out.Limits = append(out.Limits, limit)
	}
	return out
}

// basketTable shows the lines, what they sum up to, and what the limits do.
func (b *basketRun) basketTable(found basket.Basket) error {
	if err := b.grid(b.basketLines(found)); err != nil {
		return err
	}
	if _, err := fmt.Fprintln(b.data()); err != nil {
		return err
	}
	sum := output.NewGrid(output.Heading{}, output.Heading{Right: true}, output.Heading{Drop: 1})
	sum.Add("tonnes", tonnesText(found.Tonnes), model.Count(len(found.Lines), "sell order", "sell orders")+" of "+model.Count(found.Projects(), "project", "projects"))
	if found.Short > 0 {
		sum.Add("not filled", tonnesText(found.Short), "")
	}
	sum.Add("cost", found.Cost.FormatDollars(), "")
	sum.Add("average price", dollars(found.Average()), "")
	if v, ok := found.Versus(b.paid); ok {
		if d, ok := v.Difference(); ok {
			sum.Add("against last paid", d.String(), "where you bought before: "+tonnesText(v.Tonnes))
		}
	}
	words := basket.Wording{Tonnes: tonnesText, Of: found}
	for _, l := range found.Limits {
		if does := words.Does(l); does != "" {
			sum.Add(b.limitName(l), does, b.limitAt(l))
		}
	}
	return b.grid(sum)
}

func (b *basketRun) basketLines(found basket.Basket) *output.Grid {
	g := output.NewGrid(
		output.Heading{Title: "PROJECT", Shrink: 12},
		output.Heading{Title: "TYPE", Spare: true},
		output.Heading{Title: "CC", Spare: true},
		output.Heading{Title: "YEAR", Right: true},
		output.Heading{Title: "TONNES", Right: true},
		output.Heading{Title: "PRICE/t", Right: true},
		output.Heading{Title: "COST", Right: true},
		output.Heading{Title: "SHARE", Right: true, Drop: 1},
		output.Heading{Title: "VS PAID", Right: true, Drop: 2},
		output.Heading{Title: "SELL ORDER", Drop: 3},
		output.Heading{Title: "VINTAGE ID", Spare: true},
	)
	shares := found.Shares()
	for i, line := range found.Lines {
		p := b.details.known[line.Vintage.ProjectID]
		g.Add(b.details.known.Name(line.Vintage.ProjectID), dash(p.Type), dash(p.Country), yearText(line.Year), tonnesText(line.Tonnes),
			dollars(line.Order.Price), line.Cost.FormatDollars(), basket.ShareText(shares[i]),
			versusText(line.Order.Price, b.paid.Of(line.Vintage).Price), line.Order.ID, line.Vintage.VintageID)
	}
	return g
}

// tonnesText is whole tonnes as people read them.
func tonnesText(n int64) string { return model.FormatNumber(n) + " t" }

// versusText is how far a price is above or below what was paid.
func versusText(price, paid model.PriceCents) string {
	if d, ok := model.Difference(price, paid); ok {
		return d.String()
	}
	return "-"
}

// limitName names a limit: the price as well in dollars, so that cents that were
// meant as dollars are seen, and that it is the filter's.
func (b *basketRun) limitName(l basket.Limit) string {
	switch {
	case l.Kind != basket.MaxPrice:
		return l.String()
	case b.priced:
		return l.String() + " (" + l.Price.FormatDollars() + " by the filter)"
	}
	return l.String() + " (" + l.Price.FormatDollars() + ")"
}

// limitAt names what has as much as a limit that binds lets it.
func (b *basketRun) limitAt(l basket.Limit) string {
	if !l.Binds || len(l.At) == 0 {
		return ""
	}
	name := l.At[0]
	if l.Kind == basket.ProjectCap {
		name = b.details.known.Name(name)
	}
	if len(l.At) > 1 {
		return fmt.Sprintf("%s and %d more", name, len(l.At)-1)
	}
	return name
}
