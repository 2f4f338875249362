package marketplace

import (
	"math"
	"net/http"

	"tonne/api/marketplace/exchange"
	"tonne/api/wire"
	"tonne/model"
	"tonne/model/portfolio"
)

func (m *Marketplace) getInventory(w http.ResponseWriter, r *http.Request, from exchange.Caller) error {
	p := parametersOf(r)
	page, perPage := p.page()
	filter := exchange.InventoryFilter{
		Trades:    p.number("trades_per_wallet", 0, math.MaxInt64),
		TradeType: p.oneOf("trade_type", string(portfolio.Buy), string(portfolio.Sell)),
		Minimum:   model.Grams(p.number("wallet_min_quantity", 0, 0)),
	}
	if err := p.err(); err != nil {
		return err
	}
	body, err := exchange.Read(r.Context(), m.db, func(tx exchange.Tx) []byte {
		numbers := exchange.HeldProjects(tx, from.Tenant, filter.Minimum)
		first, end, position := pageOf(len(numbers), page, perPage)
		return wire.AppendInventory(nil, exchange.Inventory(tx, from.Tenant, numbers[first:end], filter), position)
	})
	if err != nil {
		return err
	}
	in := codingFor(len(body), preferred(r))
	respondTagged(w, r.Header.Values(ifNoneMatch), tagOf(hashOf(body), in), in, func() []byte { return in.compress(body) })
	return nil
}
