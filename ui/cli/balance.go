package cli

import (
	"tonne/api"
	"tonne/model"
)

// inventoryBalances asks for the wallets that hold anything, with as few
// trades as can be asked for.
var inventoryBalances = api.InventoryQuery{TradesPerWallet: 1, WalletMinQuantity: 1}

func balance(inv *model.Inventory, vintage string) (held model.Grams, owned bool) {
	for key, v := range vintages(inv) {
		if key.VintageID != vintage {
			continue
		}
		for _, w := range v.Wallets {
			held, owned = held.AddUpTo(w.Quantity), true
		}
	}
	return held, owned
}
