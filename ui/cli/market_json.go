package cli

import (
	"iter"

	"tonne/model"
	"tonne/ui/cli/print"
)

// envelope is what a JSON document tells before the projects.
type envelope struct {
	FetchedAt     string `json:"fetched_at"`
	BaseURL       string `json:"base_url"`
	TotalProjects int    `json:"total_projects"`
}

type marketProject struct {
	ID       string          `json:"project_id"`
	Name     print.Value     `json:"project_name"`
	Vintages []marketVintage `json:"vintages"`
}

type marketVintage struct {
	ID         string      `json:"vintage_id"`
	Year       print.Value `json:"vintage_year"`
	BestAsk    print.Value `json:"best_ask_cents"`
	Available  print.Value `json:"available_grams"`
	LastPaid   *lastPaid   `json:"last_paid"`
	SellOrders []sellOrder `json:"sell_orders"`
}

type lastPaid struct {
	Price         print.Value `json:"price_cents"`
	ExecutionDate print.Value `json:"execution_date"`
	Quantity      print.Value `json:"quantity_grams"`
}

type sellOrder struct {
	ID       string      `json:"sell_order_id"`
	Quantity print.Value `json:"quantity_grams"`
	Price    print.Value `json:"price_cents"`
}

func newLastPaid(p model.LastPaid, ok bool) *lastPaid {
	if !ok {
		return nil
	}
	return &lastPaid{print.Price(p.Price), print.Time(p.ExecutionDate), print.Grams(p.Quantity)}
}

func (m *marketRun) projects(market *model.Market) iter.Seq[marketProject] {
	return func(yield func(marketProject) bool) {
		for i := range market.Projects() {
			project := market.Project(i)
			p := marketProject{project.ID, print.Optional(m.details.known[project.ID].Name), []marketVintage{}}
			for v := project.First; v < project.End; v++ {
				p.Vintages = append(p.Vintages, m.vintage(market, v))
			}
			if !yield(p) {
				return
			}
		}
	}
}

func (m *marketRun) vintage(market *model.Market, i int) marketVintage {
	v := market.Vintage(i)
	paid, ok := m.paid[market.Key(i)]
	out := marketVintage{
		ID: v.ID, Year: print.Year(v.Year), BestAsk: print.Price(v.BestAsk), Available: print.Grams(v.Available),
		LastPaid: newLastPaid(paid, ok), SellOrders: make([]sellOrder, 0, v.Asks()),
	}
	for o := int(v.First); o < int(v.End); o++ {
		order := market.Order(o)
		out.SellOrders = append(out.SellOrders, sellOrder{order.ID, print.Grams(order.Quantity), print.Price(order.Price)})
	}
	return out
}
