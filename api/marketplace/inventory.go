package marketplace

import (
	"math"
	"net/http"

	"tonne/api/marketplace/storage"
	"tonne/api/wire"
	"tonne/model"
)

func (m *Marketplace) getInventory(w http.ResponseWriter, r *http.Request, from storage.Caller) error {
	p := parametersOf(r)
	page, perPage := p.page()
	filter := storage.InventoryFilter{
		Trades:    p.number("trades_per_wallet", 0, math.MaxInt64),
		TradeType: p.oneOf("trade_type", string(model.Buy), string(model.Sell)),
		Minimum:   model.Grams(p.number("wallet_min_quantity", 0, 0)),
	}
	if err := p.err(); err != nil {
		return err
	}
	body, err := storage.Read(r.Context(), m.db, func(tx storage.Tx) ([]byte, error) {
		numbers, err := storage.HeldProjects(tx, from.Tenant, filter.Minimum)
		if err != nil {
			return nil, err
		}
		first, end, position := pageOf(len(numbers), page, perPage)
		projects, err := storage.Inventory(tx, from.Tenant, numbers[first:end], filter)
		return wire.AppendInventory(nil, projects, position), err
	})
	if err != nil {
		return err
	}
	respondConditional(w, r, body)
	return nil
}
