package inventory

import (
	"strconv"

	"tonne/ui/tab"
)

// Shell returns the command that prints the wallets, or the trades of the selected one.
func (t *Tab) Shell() tab.Shell {
	key, selected := t.wallets.table.CurrentKey()
	q := t.page.query
	var s tab.Shell
	if t.trades.focused && selected {
		s.Add("inventory", "--trades", "--filter", "id:"+key.VintageID)
	} else {
		s = tab.ListCommand("inventory", t.wallets.table, t.filter.Query())
	}
	if q.TradeType != "" {
		s.Add("--trade-type", string(q.TradeType))
	}
	if q.TradesPerWallet > 0 {
		s.Add("--trades-per-wallet", strconv.Itoa(q.TradesPerWallet))
	}
	if q.WalletMinQuantity > 0 {
		s.Add("--"+emptyHidden, q.WalletMinQuantity.String())
	}
	if t.paging {
		s.Add("--page", strconv.Itoa(max(q.Page, 1)))
		if t.page.place.PerPage > 0 {
			s.Add("--per-page", strconv.Itoa(t.page.place.PerPage))
		}
	}
	return s
}
