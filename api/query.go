package api

import "tonne/model"

// MarketQuery selects a page of the market (interface section 4.1). Zero values leave the service's defaults.
type MarketQuery struct {
	Page int
	// PerPage is the number of projects per page.
	PerPage int
}

// InventoryQuery selects a page of the inventory (interface section 4.2). Zero values leave the service's defaults.
type InventoryQuery struct {
	Page int
	// PerPage is the number of projects per page.
	PerPage int
	// TradesPerWallet limits the trades of each wallet, most recent first; 0
	// asks for all.
	TradesPerWallet int
	// TradeType asks for BUY or SELL trades only; empty asks for all.
	TradeType model.TradeType
	// WalletMinQuantity leaves out wallets that hold less, in grams; 0 asks
	// for all wallets, 1 for those that hold anything.
	WalletMinQuantity model.Grams
}
