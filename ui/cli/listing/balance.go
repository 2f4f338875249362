package listing

import (
	"tonne/api"
	"tonne/model"
)

// InventoryBalances asks for the wallets that hold anything, with as few
// trades as can be asked for.
var InventoryBalances = api.InventoryQuery{TradesPerWallet: 1, WalletMinQuantity: 1}

// Balance returns the grams that are held of a vintage, and whether there is a wallet
// of it.
func Balance(inv *model.Inventory, vintage string) (held model.Grams, owned bool) {
	for key, v := range Vintages(inv) {
		if key.VintageID != vintage {
			continue
		}
		for _, w := range v.Wallets {
			held, owned = held.AddUpTo(w.Quantity), true
		}
	}
	return held, owned
}
