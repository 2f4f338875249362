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
	// TradesPerWallet selects the most recent trades of each wallet; 0 selects all.
	TradesPerWallet int
	// TradeType selects only BUY or SELL trades; empty selects all.
	TradeType portfolio.TradeType
	// WalletMinQuantity leaves out wallets with less, in grams; 0 selects all
	// wallets, 1 those that are not empty.
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

// Inventory reads all pages of the inventory that q selects. It ignores q.Page; a page
// size of 0 selects the default. If the listing ends early, Inventory returns the part
// that was read and an error of kind Incomplete. It calls each as Market does. The error
// is an *Error.
func (c *Client) Inventory(ctx context.Context, q InventoryQuery,
	each func(*portfolio.Inventory, model.Page)) (*portfolio.Inventory, error) {
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

// LastPaidQuery selects the most recent BUY trade of each wallet. It includes empty
// wallets: a tenant who retires whole tonnes has empty wallets with trades.
var LastPaidQuery = InventoryQuery{TradeType: portfolio.Buy, TradesPerWallet: 1}

// Holdings reads the whole inventory, and returns the last paid price of every vintage
// that was ever bought and the balance of every vintage. If the inventory ends early,
// Holdings returns the part that was read and an error of kind Incomplete. The error is
// an *Error.
func (c *Client) Holdings(ctx context.Context) (portfolio.LastPaidPrices, portfolio.Balances, error) {
	inv, err := c.Inventory(ctx, LastPaidQuery, nil)
	if inv == nil {
		return nil, nil, err
	}
	return inv.LastPaid(), inv.Balances(), err
}
