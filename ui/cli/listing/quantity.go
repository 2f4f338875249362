package listing

import (
	"errors"
	"iter"
	"math"

	"tonne/model"
	"tonne/model/portfolio"
	"tonne/ui/cli/command"
)

// TonnesText returns whole tonnes with their unit.
func TonnesText(n int64) string { return model.FormatNumber(n) + " t" }

// NoneReadable is the message for an unreadable inventory.
const NoneReadable = "no price or no quantity of the inventory is readable"

// Vintages iterates over the vintages of an inventory.
func Vintages(inv *portfolio.Inventory) iter.Seq2[model.VintageKey, portfolio.Vintage] {
	return func(yield func(model.VintageKey, portfolio.Vintage) bool) {
		for _, p := range inv.Projects {
			for _, v := range p.Vintages {
				if !yield(model.VintageKey{ProjectID: p.ID, VintageID: v.ID}, v) {
					return
				}
			}
		}
	}
}

// Balance returns the grams held of a vintage, and whether there is a wallet
// of it.
func Balance(inv *portfolio.Inventory, vintage string) (held model.Grams, owned bool) {
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

// ParseQuantity reads a whole number of a unit, in grams, above 0. The error is wrong
// usage of the flag.
func ParseQuantity(text, flag string, unit int64) (model.Grams, error) {
	n, err := model.ParseNumber(text)
	switch most := math.MaxInt64 / unit; {
	case errors.Is(err, model.ErrOutOfRange) || err == nil && n > most:
		return 0, command.Usage("give at most "+model.FormatNumber(most), "the number of %s is too large", flag)
	case err != nil || n == 0:
		return 0, command.Usage("give a whole number above 0, such as 500 or 1,000", "%s %q is not a quantity", flag, text)
	}
	return model.Grams(n * unit), nil
}

// NotForSale is the failure of a vintage without sell orders.
func NotForSale(vintage string) error {
	return command.Unmet("not_found", "check the id: `tonne market` lists the vintages for sale", "the vintage %s is not for sale", vintage)
}
