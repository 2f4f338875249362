package column_test

import (
	"testing"

	"tonne/ui/column"
)

// The headers are a contract: scripts and spreadsheets read columns by their names and
// places.
func TestHeadersAreFixed(t *testing.T) {
	t.Parallel()
	for got, want := range map[string]string{
		column.Offers.Header():    "project_id,project_name,vintage_id,vintage_year,sell_order_id,quantity_grams,price_cents,last_paid_price_cents,last_paid_date",
		column.Wallets.Header():   "project_id,project_name,vintage_id,wallet_type,quantity_grams,last_paid_price_cents,last_paid_date,trades",
		column.Trades.Header():    "project_id,project_name,vintage_id,wallet_type,execution_date,type,quantity_grams,price_cents",
		column.Basket.Header():    "project_id,project_name,vintage_id,vintage_year,sell_order_id,tonnes,price_cents,cost_cents,last_paid_price_cents",
		column.Statement.Header(): "key,bought_grams,bought_cents,retired_grams",
	} {
		if got != want {
			t.Errorf("the header is %s, want %s", got, want)
		}
	}
}
