package marketplace

import (
	"fmt"
	"testing"
)

func TestInterfaceSection4Inventory(t *testing.T) {
	t.Parallel()
	d := stocked(t)
	count := func(query string) (wallets, trades int) {
		inventory, _ := d.inventory(query)
		for _, p := range inventory.Projects {
			for _, v := range p.Vintages {
				for _, w := range v.Wallets {
					wallets++
					trades += len(w.Trades)
				}
			}
		}
		return wallets, trades
	}
	for _, test := range []struct {
		name, query     string
		wallets, trades int
	}{
		{"section 4: all wallets and all trades by default", "", 2, 3},
		{"section 4: trades_per_wallet limits the trades", "trades_per_wallet=1", 2, 2},
		{"trades_per_wallet of 0 shows none", "trades_per_wallet=0", 2, 0},
		{"section 4: trade_type BUY", "trade_type=BUY", 2, 3},
		{"section 4: trade_type SELL filters trades, not wallets", "trade_type=SELL", 2, 0},
		{"section 4: wallet_min_quantity of 0 returns all wallets", "wallet_min_quantity=0", 2, 3},
		{"section 4: wallet_min_quantity of 1 returns non-zero wallets", "wallet_min_quantity=1", 1, 2},
		{"section 4: wallet_min_quantity is in grams", "wallet_min_quantity=499980", 1, 2},
		{"section 4: a wallet with less is left out", "wallet_min_quantity=499981", 0, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			if wallets, trades := count(test.query); wallets != test.wallets || trades != test.trades {
				t.Errorf("%d wallets, %d trades, want %d and %d", wallets, trades, test.wallets, test.trades)
			}
		})
	}
	t.Run("section 4: trades come most recent first", func(t *testing.T) {
		inventory, _ := d.inventory("")
		trades := inventory.Projects[0].Vintages[0].Wallets[0].Trades
		if !trades[0].ExecutionDate.Time.After(trades[1].ExecutionDate.Time) {
			t.Errorf("%+v", trades)
		}
	})
	t.Run("section 4: only projects that hold a returned wallet are counted", func(t *testing.T) {
		if _, page := d.inventory("wallet_min_quantity=499981"); page.TotalItems != 0 {
			t.Errorf("%+v", page)
		}
	})
}

func TestInterfaceSection4InventoryPages(t *testing.T) {
	t.Parallel()
	d, _ := readDemo(t)
	seen := make(map[string]bool)
	_, first := d.inventory("")
	for n := 1; n <= first.TotalPages; n++ {
		inventory, page := d.inventory(fmt.Sprintf("page=%d", n))
		if page.PerPage != 20 || len(inventory.Projects) == 0 || len(inventory.Projects) > 20 {
			t.Errorf("page %d holds %d projects, %+v", n, len(inventory.Projects), page)
		}
		for _, p := range inventory.Projects {
			seen[p.ID] = true
		}
	}
	if first.TotalPages < 3 || len(seen) != first.TotalItems {
		t.Errorf("%d projects on %d pages, %d in total", len(seen), first.TotalPages, first.TotalItems)
	}
}
