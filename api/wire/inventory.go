package wire

import "tonne/model"

// DecodeInventory reads a page of the inventory (interface section 4.2).
func DecodeInventory(body []byte) (*model.Inventory, model.Page, error) {
	r := newReader(body)
	inv := &model.Inventory{}
	page := r.listing(func() { inv.Projects = append(inv.Projects, r.inventoryProject()) })
	if err := r.finish(); err != nil {
		return nil, model.Page{}, err
	}
	inv.Faults = r.faults
	return inv, page, nil
}

func (r *reader) inventoryProject() model.InventoryProject {
	var p model.InventoryProject
	for range r.object("project_id", "vintages") {
		switch string(r.name) {
		case "project_id":
			p.ID = string(r.id())
		case "vintages":
			for range r.array() {
				p.Vintages = append(p.Vintages, r.inventoryVintage())
			}
		default:
			p.Extra = append(p.Extra, r.extra())
		}
	}
	return p
}

func (r *reader) inventoryVintage() model.InventoryVintage {
	var v model.InventoryVintage
	for range r.object("vintage_id", "wallets") {
		switch string(r.name) {
		case "vintage_id":
			v.ID = string(r.id())
		case "wallets":
			for range r.array() {
				v.Wallets = append(v.Wallets, r.wallet())
			}
		default:
			v.Extra = append(v.Extra, r.extra())
		}
	}
	return v
}

func (r *reader) wallet() model.Wallet {
	var w model.Wallet
	for range r.object("type", "quantity_grams", "trades") {
		switch string(r.name) {
		case "type":
			w.Type = string(r.text())
		case "quantity_grams":
			w.Quantity = r.grams()
		case "trades":
			for range r.array() {
				w.Trades = append(w.Trades, r.trade())
			}
		default:
			w.Extra = append(w.Extra, r.extra())
		}
	}
	return w
}

func (r *reader) trade() model.Trade {
	var t model.Trade
	for range r.object("execution_date", "quantity_grams", "price_cents", "type") {
		switch string(r.name) {
		case "execution_date":
			t.ExecutionDate = r.timestamp()
		case "quantity_grams":
			t.Quantity = r.grams()
		case "price_cents":
			t.Price = r.price()
		case "type":
			t.Type = model.TradeType(r.text())
		default:
			t.Extra = append(t.Extra, r.extra())
		}
	}
	return t
}
