package api

import (
	"context"
	"net/url"

	"tonne/api/wire"
	"tonne/model"
	"tonne/model/portfolio"
)

const inventoryPath = "api/inventory"

// InventoryQuery selects a page of the inventory (interface section 4.2). Zero
// values leave the service's defaults.
type InventoryQuery struct {
	Page int
	// PerPage is the number of projects per page.
	PerPage int
	// TradesPerWallet limits the trades of each wallet, most recent first; 0
	// asks for all.
	TradesPerWallet int
	// TradeType asks for BUY or SELL trades only; empty asks for all.
	TradeType portfolio.TradeType
	// WalletMinQuantity leaves out wallets that hold less, in grams; 0 asks
	// for all wallets, 1 for those that hold anything.
	WalletMinQuantity model.Grams
}

func (q InventoryQuery) values() url.Values {
	v := make(url.Values)
	setCount(v, "page", q.Page)
	setCount(v, "per_page", q.PerPage)
	setCount(v, "trades_per_wallet", q.TradesPerWallet)
	if q.TradeType != "" {
		v.Set("trade_type", string(q.TradeType))
	}
	v.Set("wallet_min_quantity", max(q.WalletMinQuantity, 0).String())
	return v
}

// InventoryPage reads one page of the inventory. The error is an *Error.
func (c *Client) InventoryPage(ctx context.Context, q InventoryQuery) (*portfolio.Inventory, model.Page, error) {
	return readPage(ctx, c, inventoryPath, q.values(), wire.DecodeInventory)
}

// Inventory reads the whole inventory that q selects; the page of q does not
// count, and a page size of 0 means the default. If it ends early, the error is
// of kind Incomplete, and what was read is returned with it. each, which may be
// nil, receives every page as with Market. The error is an *Error.
func (c *Client) Inventory(ctx context.Context, q InventoryQuery, each func(*portfolio.Inventory, model.Page)) (*portfolio.Inventory, error) {
	read, err := listing[*portfolio.Inventory]{
		client: c, name: "inventory", path: inventoryPath, perPage: q.PerPage,
		query: func(page, perPage int) url.Values {
			q := q
			q.Page, q.PerPage = page, perPage
			return q.values()
		},
		decode: wire.DecodeInventory,
		ids:    (*portfolio.Inventory).ProjectIDs,
		each:   each,
	}.read(ctx)
	if err != nil && KindOf(err) != Incomplete {
		return nil, err
	}
	return portfolio.JoinInventory(values(read)...), err
}

// LastPaidQuery selects the most recent BUY trade of each wallet, empty ones too: a
// tenant who retires whole tonnes has empty wallets with trades.
var LastPaidQuery = InventoryQuery{TradeType: portfolio.Buy, TradesPerWallet: 1}

// Holdings reads the whole inventory once, and returns the last paid price of
// everything that was ever bought and the balance of every vintage. If the inventory ends early,
// the error is of kind Incomplete, and what was read is returned with it. The error
// is an *Error.
func (c *Client) Holdings(ctx context.Context) (portfolio.LastPaidPrices, portfolio.Balances, error) {
	inv, err := c.Inventory(ctx, LastPaidQuery, nil)
	if inv == nil {
		return nil, nil, err
	}
	return inv.LastPaid(), inv.Balances(), err
}
