package inventory

import (
	"testing"

	"tonne/api/feed"
	"tonne/model"
	"tonne/ui/uitest"
)

func TestSortingSaysThatItIsOfOnePage(t *testing.T) {
	t.Parallel()
	r := settled(t)
	r.tab.wallets.table.SelectColumn("over")
	said := func(want string) {
		t.Helper()
		r.Press("s")
		if said := uitest.LastOf(r.Said); said != want {
			t.Errorf("s says %q, want %q", said, want)
		}
	}
	said("Sorted by VS COST on this page, lowest first. ← → mark another column.")
	r.Press("enter")
	said("Sorted by DATE, lowest first. ← → mark another column.")
	r.Press("esc")
	r.Hear(feed.InventoryEvent{
		Status: uitest.Live(), Query: r.feed.Query, Inventory: uitest.Inventory(),
		Page: model.Page{PerPage: 20, TotalPages: 1, TotalItems: 4, Current: 1},
	})
	said("Sorted by VS COST, highest first. ← → mark another column.")
}

func TestOneTradeAWalletIsNotMany(t *testing.T) {
	t.Parallel()
	r := settled(t)
	for typed, want := range map[string]string{"1": "· 1 trade a wallet", "3": "· 3 trades a wallet"} {
		r.Press("n")
		r.Reply(typed)
		r.answer(uitest.Inventory())
		r.Sees(want)
	}
}

// Nothing can be sold on this market: a balance has a cost of replacement, and
// what is dearer to replace looks like all that is dearer.
func TestNothingIsCalledAGain(t *testing.T) {
	t.Parallel()
	r := settled(t)
	r.SeesNot("UNREALISED", "VALUE")
	r.Sees("TO REPLACE", "VS COST", "▲ +$4.13", "▼ −$0.01")
}
