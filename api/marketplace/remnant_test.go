package marketplace

import (
	"errors"
	"testing"

	"tonne/api/marketplace/exchange"
	"tonne/model"
)

func TestAnOrderWithLessThanATonneLeftIsSoldAndTheRestIsItsSellers(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	v := d.vintages[0]
	order := d.sellFrom(d.seller, v, 3_400_000, 620)
	d.retired(body{"vintage_id": v.id, "quantity_grams": "1000000", "external_id": "a", "sell_order_id": order, "expected_price_cents": "620"})
	if market, _ := d.market(""); market.Orders() != 1 || market.Order(0).Quantity != 2_400_000 {
		t.Fatalf("%d orders after the first purchase", market.Orders())
	}
	d.retired(body{"vintage_id": v.id, "quantity_grams": "2000000", "external_id": "b", "sell_order_id": order, "expected_price_cents": "620"})
	if market, page := d.market(""); market.Orders() != 0 || page.TotalItems != 0 {
		t.Errorf("%d orders with less than a tonne are listed", market.Orders())
	}
	f := refused(t, d.retire(d.key, body{"vintage_id": v.id, "quantity_grams": "1000000", "external_id": "c", "sell_order_id": order, "expected_price_cents": "620"}), 422)
	if f.Code != "SELL_ORDER_NOT_LIVE" {
		t.Errorf("buying the rest is answered with %+v", f)
	}
	seller := d.client()
	seller.Key = d.newKey(sellerTenant, exchange.RoleAPIUser)
	inv, _ := seller.Inventory("wallet_min_quantity=1")
	if len(inv.Projects) != 1 || inv.Projects[0].Vintages[0].Wallets[0].Quantity != 400_000 {
		t.Errorf("the seller's inventory is %+v", inv.Projects)
	}
	checkBooks(t, d)
}

func TestAnOrderOfLessThanATonneIsRefused(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	for _, grams := range []model.Grams{-1, 0, 1, 999_999} {
		err := d.Change(t.Context(), d.Now(), "test", func(c *exchange.Change) {
			exchange.Offer(c, exchange.SellOrder{Vintage: d.vintages[0].Vintage, Seller: d.seller, Price: 1, Quantity: grams})
		})
		if !errors.Is(err, exchange.ErrUnderATonne) {
			t.Errorf("%d g: %v", grams, err)
		}
	}
}
