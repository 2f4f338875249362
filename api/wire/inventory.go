package wire

import (
	"tonne/model"
	"tonne/model/portfolio"
)

// OnePage is the pagination of a listing with one page.
var OnePage = model.Page{Current: 1, TotalPages: 1}

// DecodeInventory reads a page of the inventory (interface section 4.2).
func DecodeInventory(body []byte) (*portfolio.Inventory, model.Page, error) {
	page, faults, err := inventoryObject.decode(body)
	if err != nil {
		return nil, model.Page{}, err
	}
	return &portfolio.Inventory{Projects: page.projects, Faults: faults}, page.page, nil
}

// AppendInventory appends the response of GET /api/inventory (interface section 4.2) to dst.
func AppendInventory(dst []byte, projects []portfolio.Project, page model.Page) []byte {
	return inventoryObject.append(dst, &inventoryPage{projects, page})
}

type inventoryPage struct {
	projects []portfolio.Project
	page     model.Page
}

var inventoryObject = object[inventoryPage]{fields: []field[inventoryPage]{
	member("projects", essential, listKind(ownedProjectObject),
		func(p *inventoryPage) *[]portfolio.Project { return &p.projects }),
	{
		name: "pagination", mode: essential,
		read:  func(r *reader, to *inventoryPage) { to.page = pageObject.read(r) },
		write: func(dst []byte, from *inventoryPage) []byte { return pageObject.append(dst, &from.page) },
	},
}}

var ownedProjectObject = object[portfolio.Project]{
	[]field[portfolio.Project]{
		member("project_id", expected, idKind, func(p *portfolio.Project) *string { return &p.ID }),
		member("vintages", essential, listKind(ownedVintageObject),
			func(p *portfolio.Project) *[]portfolio.Vintage { return &p.Vintages }),
	},
	func(r *reader, p *portfolio.Project) { p.Extra = append(p.Extra, r.extra()) },
}

var ownedVintageObject = object[portfolio.Vintage]{
	[]field[portfolio.Vintage]{
		member("vintage_id", expected, idKind, func(v *portfolio.Vintage) *string { return &v.ID }),
		member("wallets", essential, listKind(walletObject),
			func(v *portfolio.Vintage) *[]portfolio.Wallet { return &v.Wallets }),
	},
	func(r *reader, v *portfolio.Vintage) { v.Extra = append(v.Extra, r.extra()) },
}

var walletObject = object[portfolio.Wallet]{
	[]field[portfolio.Wallet]{
		member("type", expected, wordKind[string](), func(w *portfolio.Wallet) *string { return &w.Type }),
		member("quantity_grams", expected, gramsKind, func(w *portfolio.Wallet) *model.Grams { return &w.Quantity }),
		member("trades", essential, listKind(tradeObject), func(w *portfolio.Wallet) *[]portfolio.Trade { return &w.Trades }),
	},
	func(r *reader, w *portfolio.Wallet) { w.Extra = append(w.Extra, r.extra()) },
}

var tradeObject = object[portfolio.Trade]{
	[]field[portfolio.Trade]{
		member("execution_date", expected, timeKind, func(t *portfolio.Trade) *model.Timestamp { return &t.ExecutionDate }),
		member("quantity_grams", expected, gramsKind, func(t *portfolio.Trade) *model.Grams { return &t.Quantity }),
		member("price_cents", expected, priceKind, func(t *portfolio.Trade) *model.PriceCents { return &t.Price }),
		member("type", expected, wordKind[portfolio.TradeType](),
			func(t *portfolio.Trade) *portfolio.TradeType { return &t.Type }),
	},
	func(r *reader, t *portfolio.Trade) { t.Extra = append(t.Extra, r.extra()) },
}

// pageObject is the pagination object (interface section 2.1). previous_page and
// next_page are not read, because services disagree about their meaning.
var pageObject = object[model.Page]{fields: []field[model.Page]{
	member("per_page", expected, countKind, func(p *model.Page) *int { return &p.PerPage }),
	member("total_pages", essential, countKind, func(p *model.Page) *int { return &p.TotalPages }),
	member("total_items", essential, countKind, func(p *model.Page) *int { return &p.TotalItems }),
	member("current_page", expected, countKind, func(p *model.Page) *int { return &p.Current }),
	pageNumber("previous_page", func(p *model.Page) int { return min(p.Current-1, p.TotalPages) }),
	pageNumber("next_page", func(p *model.Page) int {
		if p.Current < p.TotalPages {
			return p.Current + 1
		}
		return 0
	}),
}}

func pageNumber(name string, of func(*model.Page) int) field[model.Page] {
	return field[model.Page]{
		name: name, mode: optional,
		read: func(r *reader, _ *model.Page) { r.skip() },
		write: func(dst []byte, from *model.Page) []byte {
			if n := of(from); n >= 1 {
				return appendInt(dst, n)
			}
			return append(dst, "null"...)
		},
	}
}
