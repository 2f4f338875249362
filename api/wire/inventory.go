package wire

import "tonne/model"

// OnePage is the pagination of a listing that is all on one page.
var OnePage = model.Page{Current: 1, TotalPages: 1}

// DecodeInventory reads a page of the inventory (interface section 4.2).
func DecodeInventory(body []byte) (*model.Inventory, model.Page, error) {
	page, faults, err := inventoryObject.decode(body)
	if err != nil {
		return nil, model.Page{}, err
	}
	return &model.Inventory{Projects: page.projects, Faults: faults}, page.page, nil
}

// AppendInventory appends the answer of GET /api/inventory (interface section
// 4) to dst.
func AppendInventory(dst []byte, projects []model.InventoryProject, page model.Page) []byte {
	return inventoryObject.append(dst, &inventoryPage{projects, page})
}

type inventoryPage struct {
	projects []model.InventoryProject
	page     model.Page
}

var inventoryObject = object[inventoryPage]{fields: []field[inventoryPage]{
	member("projects", required, listKind(ownedProjectObject),
		func(p *inventoryPage) *[]model.InventoryProject { return &p.projects }),
	{
		"pagination", required,
		func(r *reader, to *inventoryPage) { to.page = pageObject.read(r) },
		func(dst []byte, from *inventoryPage) []byte { return pageObject.append(dst, &from.page) },
	},
}}

var ownedProjectObject = object[model.InventoryProject]{
	[]field[model.InventoryProject]{
		member("project_id", required, idKind, func(p *model.InventoryProject) *string { return &p.ID }),
		member("vintages", required, listKind(ownedVintageObject),
			func(p *model.InventoryProject) *[]model.InventoryVintage { return &p.Vintages }),
	},
	func(r *reader, p *model.InventoryProject) { p.Extra = append(p.Extra, r.extra()) },
}

var ownedVintageObject = object[model.InventoryVintage]{
	[]field[model.InventoryVintage]{
		member("vintage_id", required, idKind, func(v *model.InventoryVintage) *string { return &v.ID }),
		member("wallets", required, listKind(walletObject),
			func(v *model.InventoryVintage) *[]model.Wallet { return &v.Wallets }),
	},
	func(r *reader, v *model.InventoryVintage) { v.Extra = append(v.Extra, r.extra()) },
}

var walletObject = object[model.Wallet]{
	[]field[model.Wallet]{
		member("type", required, wordKind[string](), func(w *model.Wallet) *string { return &w.Type }),
		member("quantity_grams", required, gramsKind, func(w *model.Wallet) *model.Grams { return &w.Quantity }),
		member("trades", required, listKind(tradeObject), func(w *model.Wallet) *[]model.Trade { return &w.Trades }),
	},
	func(r *reader, w *model.Wallet) { w.Extra = append(w.Extra, r.extra()) },
}

var tradeObject = object[model.Trade]{
	[]field[model.Trade]{
		member("execution_date", required, timeKind, func(t *model.Trade) *model.Timestamp { return &t.ExecutionDate }),
		member("quantity_grams", required, gramsKind, func(t *model.Trade) *model.Grams { return &t.Quantity }),
		member("price_cents", required, priceKind, func(t *model.Trade) *model.PriceCents { return &t.Price }),
		member("type", required, wordKind[model.TradeType](), func(t *model.Trade) *model.TradeType { return &t.Type }),
	},
	func(r *reader, t *model.Trade) { t.Extra = append(t.Extra, r.extra()) },
}

// pageObject is the pagination object (interface section 2.1). previous_page
// and next_page are not read: services disagree on what they mean.
var pageObject = object[model.Page]{fields: []field[model.Page]{
	member("per_page", required, countKind, func(p *model.Page) *int { return &p.PerPage }),
	member("total_pages", required, countKind, func(p *model.Page) *int { return &p.TotalPages }),
	member("total_items", required, countKind, func(p *model.Page) *int { return &p.TotalItems }),
	member("current_page", required, countKind, func(p *model.Page) *int { return &p.Current }),
	neighbour("previous_page", func(p *model.Page) int { return min(p.Current-1, p.TotalPages) }),
	neighbour("next_page", func(p *model.Page) int {
		if p.Current < p.TotalPages {
			return p.Current + 1
		}
		return 0
	}),
}}

func neighbour(name string, of func(*model.Page) int) field[model.Page] {
	return field[model.Page]{
		name, optional,
		func(r *reader, _ *model.Page) { r.skip() },
		func(dst []byte, from *model.Page) []byte {
			if n := of(from); n >= 1 {
				return appendInt(dst, n)
			}
			return append(dst, "null"...)
		},
	}
}
