package cli

import (
	"iter"

	"tonne/model"
	"tonne/ui/cli/output"
)

// envelope is what a JSON document tells before the projects.
type envelope struct {
	FetchedAt     string `json:"fetched_at"`
	BaseURL       string `json:"base_url"`
	TotalProjects int    `json:"total_projects"`
	Complete      bool   `json:"complete"`
}

type marketProject struct {
	ID       string          `json:"project_id"`
	Name     output.Value    `json:"project_name"`
	Vintages []marketVintage `json:"vintages"`
}

type marketVintage struct {
	ID         string       `json:"vintage_id"`
	Year       output.Value `json:"vintage_year" is:"number"`
	BestAsk    output.Value `json:"best_ask_cents"`
	Available  output.Value `json:"available_grams"`
	LastPaid   *lastPaid    `json:"last_paid"`
	SellOrders []sellOrder  `json:"sell_orders"`
}

type lastPaid struct {
	Price         output.Value `json:"price_cents"`
	ExecutionDate output.Value `json:"execution_date"`
	Quantity      output.Value `json:"quantity_grams"`
}

type sellOrder struct {
	ID       string       `json:"sell_order_id"`
	Quantity output.Value `json:"quantity_grams"`
	Price    output.Value `json:"price_cents"`
}

func newLastPaid(p model.LastPaid, ok bool) *lastPaid {
	if !ok {
		return nil
	}
	return &lastPaid{output.Price(p.Price), output.Time(p.ExecutionDate), output.Grams(p.Quantity)}
}

func (m *marketRun) projects(market *model.Market) iter.Seq[marketProject] {
	return func(yield func(marketProject) bool) {
		for i := range market.Projects() {
			project := market.Project(i)
			p := marketProject{project.ID, output.Optional(m.details.known[project.ID].Name), []marketVintage{}}
			for v := project.First; v < project.End; v++ {
				if m.lets(market.Key(v), m.details) {
					p.Vintages = append(p.Vintages, m.vintage(market, v))
				}
			}
			if len(p.Vintages) == 0 && project.First < project.End {
				continue
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
		ID: v.ID, Year: output.Year(v.Year), BestAsk: output.Price(v.BestAsk), Available: output.Grams(v.Available),
		LastPaid: newLastPaid(paid, ok), SellOrders: make([]sellOrder, 0, v.Asks()),
	}
	for o := int(v.First); o < int(v.End); o++ {
		order := market.Order(o)
		out.SellOrders = append(out.SellOrders, sellOrder{order.ID, output.Grams(order.Quantity), output.Price(order.Price)})
	}
	return out
}
