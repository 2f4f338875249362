package api_test

import (
	"fmt"
	"net/http"
	"testing"

	"tonne/model"
)

func TestOwnedTellsPricesAndBalancesOfOneSweep(t *testing.T) {
	t.Parallel()
	answer := pages(func(page int) string {
		return inventoryPage(page, 2, 4, fmt.Sprintf("p%d", 2*page), fmt.Sprintf("p%d", 2*page+1))
	})
	asked := make(chan string, 10)
	c := newClient(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		asked <- fmt.Sprintf("%s %s %s", q.Get("trade_type"), q.Get("trades_per_wallet"), q.Get("wallet_min_quantity"))
		answer.ServeHTTP(w, r)
	}))
	prices, balances, err := c.Holdings(t.Context())
	if err != nil || len(prices) != 4 || len(balances) != 4 {
		t.Fatalf("prices %v, balances %v (%v)", prices, balances, err)
	}
	key := model.VintageKey{ProjectID: "p5", VintageID: "v-p5"}
	if got := prices[key].Price; got != 501 {
		t.Errorf("last paid is %d", got)
	}
	if got := balances[key]; got != 0 {
		t.Errorf("the empty wallet holds %d", got)
	}
	close(asked)
	requests := 0
	for query := range asked {
		requests++
		if query != "BUY 1 0" {
			t.Errorf("asked with %q", query)
		}
	}
	if requests != 2 {
		t.Errorf("%d requests, want one a page", requests)
	}
}
