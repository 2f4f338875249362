package api

import (
	"context"

	"tonne/model"
)

// Holdings reads the whole inventory once, and returns the last paid price of
// everything that was ever bought and the balance of every vintage. It asks
// for the most recent BUY trade of each wallet, empty ones too: a tenant who
// retires whole tonnes has empty wallets with trades. The error is an *Error.
func (c *Client) Holdings(ctx context.Context) (model.LastPaidPrices, model.Balances, error) {
	inv, err := c.Inventory(ctx, InventoryQuery{TradeType: model.Buy, TradesPerWallet: 1}, nil)
	if err != nil {
		return nil, nil, err
	}
	return inv.LastPaid(), inv.Balances(), nil
}
