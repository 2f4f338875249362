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
	var had members
	if !r.enterObject() {
		return p
	}
	for r.nextMember() {
		switch string(r.name) {
		case "project_id":
			had |= 1
			p.ID = string(r.id())
		case "vintages":
			had |= 2
			for r.enterArray(); r.nextElement(); {
				p.Vintages = append(p.Vintages, r.inventoryVintage())
			}
		default:
			p.Extra = append(p.Extra, r.extra())
		}
	}
	r.require(had, "project_id", "vintages")
	return p
}

func (r *reader) inventoryVintage() model.InventoryVintage {
	var v model.InventoryVintage
	var had members
	if !r.enterObject() {
		return v
	}
	for r.nextMember() {
		switch string(r.name) {
		case "vintage_id":
			had |= 1
			v.ID = string(r.id())
		case "wallets":
			had |= 2
			for r.enterArray(); r.nextElement(); {
				v.Wallets = append(v.Wallets, r.wallet())
			}
		default:
			v.Extra = append(v.Extra, r.extra())
		}
	}
	r.require(had, "vintage_id", "wallets")
	return v
}

func (r *reader) wallet() model.Wallet {
	var w model.Wallet
	var had members
	if !r.enterObject() {
		return w
	}
	for r.nextMember() {
		switch string(r.name) {
		case "type":
			had |= 1
			w.Type = string(r.text())
		case "quantity_grams":
			had |= 2
			w.Quantity = r.grams()
		case "trades":
			had |= 4
			for r.enterArray(); r.nextElement(); {
				w.Trades = append(w.Trades, r.trade())
			}
		default:
			w.Extra = append(w.Extra, r.extra())
		}
	}
	r.require(had, "type", "quantity_grams", "trades")
	return w
}

func (r *reader) trade() model.Trade {
	var t model.Trade
	var had members
	if !r.enterObject() {
		return t
	}
	for r.nextMember() {
		switch string(r.name) {
		case "execution_date":
			had |= 1
			t.ExecutionDate = r.timestamp()
		case "quantity_grams":
			had |= 2
			t.Quantity = r.grams()
		case "price_cents":
			had |= 4
			t.Price = r.price()
		case "type":
			had |= 8
			t.Type = model.TradeType(r.text())
		default:
			t.Extra = append(t.Extra, r.extra())
		}
	}
	r.require(had, "execution_date", "quantity_grams", "price_cents", "type")
	return t
}
