package cli

import (
	"tonne/api"
	"tonne/model"
)

// inventoryBalances asks for the wallets that hold anything, with as few
// trades as can be asked for.
var inventoryBalances = api.InventoryQuery{TradesPerWallet: 1, WalletMinQuantity: 1}

// balance sums up what the wallets of a vintage hold, and reports whether
// there are any, and how many of them could not be read.
func balance(inv *model.Inventory, vintage string) (held model.Grams, owned bool, unread int) {
	for key, v := range vintages(inv) {
		if key.VintageID != vintage {
			continue
		}
		for _, w := range v.Wallets {
			owned = true
			if !w.Quantity.Known() {
				unread++
				continue
			}
			held = held.AddUpTo(w.Quantity)
		}
	}
	return held, owned, unread
}
