package cli

import (
	"iter"

	"tonne/model"
	"tonne/ui/cli/output"
)

type inventoryProject struct {
	ID       string             `json:"project_id"`
	Name     output.Value       `json:"project_name"`
	Vintages []inventoryVintage `json:"vintages"`
}

type inventoryVintage struct {
	ID       string            `json:"vintage_id"`
	LastPaid *lastPaid         `json:"last_paid"`
	Wallets  []inventoryWallet `json:"wallets"`
}

type inventoryWallet struct {
	Type     string           `json:"type"`
	Quantity output.Value     `json:"quantity_grams"`
	Trades   []inventoryTrade `json:"trades"`
}

type inventoryTrade struct {
	ExecutionDate output.Value `json:"execution_date"`
	Quantity      output.Value `json:"quantity_grams"`
	Price         output.Value `json:"price_cents"`
	Type          string       `json:"type"`
}

func (r *inventoryRun) projects(inv *model.Inventory) iter.Seq[inventoryProject] {
	return func(yield func(inventoryProject) bool) {
		for _, project := range inv.Projects {
			p := inventoryProject{project.ID, output.Optional(r.details.known[project.ID].Name), []inventoryVintage{}}
			for _, v := range project.Vintages {
				p.Vintages = append(p.Vintages, r.vintage(project.ID, v))
			}
			if !yield(p) {
				return
			}
		}
	}
}

func (r *inventoryRun) vintage(project string, v model.InventoryVintage) inventoryVintage {
	paid, ok := r.paid[model.VintageKey{ProjectID: project, VintageID: v.ID}]
	out := inventoryVintage{v.ID, newLastPaid(paid, ok), []inventoryWallet{}}
	for _, w := range v.Wallets {
		wallet := inventoryWallet{w.Type, output.Grams(w.Quantity), []inventoryTrade{}}
		for _, t := range w.Trades {
			wallet.Trades = append(wallet.Trades, inventoryTrade{
				output.Time(t.ExecutionDate), output.Grams(t.Quantity), output.Price(t.Price), string(t.Type),
			})
		}
		out.Wallets = append(out.Wallets, wallet)
	}
	return out
}

type lastPaid struct {
	Price         output.Value `json:"price_cents"`
	ExecutionDate output.Value `json:"execution_date"`
	Quantity      output.Value `json:"quantity_grams"`
}

func newLastPaid(p model.LastPaid, ok bool) *lastPaid {
	if !ok {
		return nil
	}
	return &lastPaid{output.Price(p.Price), output.Time(p.ExecutionDate), output.Grams(p.Quantity)}
}
