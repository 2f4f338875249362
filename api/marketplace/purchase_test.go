package marketplace

import (
	"net/http"
	"testing"

	"pgregory.net/rapid"

	"tonne/api/marketplace/exchange"
	"tonne/model"
	"tonne/model/longtest"
	must "tonne/model/musttest"
	"tonne/model/portfolio"
	"tonne/model/retirement"
)

// The worked example of the interface: 20 g, then 40 g.
func TestWorkedExample(t *testing.T) {
	eachEngine(t, func(t *testing.T, d *fixture) {
		v := d.Vintages[0]
		first := d.Buy("a", 20, d.Sell(v, 10, 620))
		must.Equal(t, d.Wallet(v), 999_980, "after 20 g the wallet has")
		r := d.Retirement(first)
		must.Hold(t, r.TotalQuantity == 20 && r.Status == retirement.Open && r.Type == retirement.Fractionalised,
			"after 20 g", r)
		second := d.Buy("b", 40, "")
		must.Equal(t, d.Wallet(v), 999_940, "after 40 g more the wallet has")
		r = d.Retirement(second)
		must.Hold(t, second == first && r.TotalQuantity == 60 && len(r.Items) == 2, "after 40 g more: request",
			second, first, r)
		market, _ := d.Market("")
		must.Equal(t, market.Order(0).Quantity, 9*model.GramsPerTonne, "the sell order has")
		inventory, _ := d.Inventory("")
		trades := inventory.Projects[0].Vintages[0].Wallets[0].Trades
		must.Hold(t, len(trades) == 1 && trades[0].Quantity == model.GramsPerTonne && trades[0].Price == 620 &&
			trades[0].Type == portfolio.Buy, "trades", trades)
		d.CheckBooks()
	})
}

// customer are the members of a retirement in the name of a customer.
var customer = body{
	"should_retire_external_customer": true, "external_retiree_name": "Müller & Søn Α/S", "external_retiree_tax_id": "DE 1", "external_retiree_location": "DE",
}

func TestCustomerRetirementNamesTheCustomer(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	b := d.Purchase("a", 2_000_000, d.Sell(d.Vintages[0], 10, 620)).With(customer).With(body{"external_retiree_id": "c-7"})
	r := d.Retirement(d.Retired(b))
	item := r.Items[0]
	must.Hold(t, r.ExternalCustomer == model.Yes && item.RetireeName == "Müller & Søn Α/S" &&
		item.RetireeTaxID == "DE 1" && item.RetireeCountry == "DE", r)
}

func TestRetirementRefusals(t *testing.T) {
	eachEngineIfLong(t, func(t *testing.T, d *fixture) {
		v, wrong := d.Vintages[0], d.Vintages[1]
		order := d.Sell(v, 10, 620)
		own := d.SellFrom(d.Tenant, v, 10*model.GramsPerTonne, 620)
		withdrawn := d.Sell(v, 1, 620)
		d.Do(func(c *exchange.Change) { exchange.WithdrawOrder(c, withdrawn) })
		for _, test := range []struct {
			name string
			with body
			code string
		}{
			{"no vintage", body{"vintage_id": nil}, "VALIDATION_ERROR"},
			{"no external id", body{"external_id": ""}, "VALIDATION_ERROR"},
			{"external id is a number", body{"external_id": 7}, "VALIDATION_ERROR"},
			{"control character", body{"external_id": "a\nb"}, "VALIDATION_ERROR"},
			{"flag is a string", body{"should_retire_external_customer": "yes"}, "VALIDATION_ERROR"},
			{"customer without a name", customer.With(body{"external_retiree_name": nil}), "VALIDATION_ERROR"},
			{"country is a name", body{"external_retiree_location": "Germany"}, "VALIDATION_ERROR"},
			{"no quantity", body{"quantity_grams": nil}, "FRAC_QUANT_INVALID_NUMBER"},
			{"quantity is a number", body{"quantity_grams": 20}, "FRAC_QUANT_INVALID_NUMBER"},
			{"quantity has a sign", body{"quantity_grams": "+5"}, "FRAC_QUANT_INVALID_NUMBER"},
			{"quantity has an exponent", body{"quantity_grams": "1e6"}, "FRAC_QUANT_INVALID_NUMBER"},
			{"quantity is 2^63", body{"quantity_grams": "9223372036854775808"}, "FRAC_QUANT_INVALID_NUMBER"},
			{"quantity is zero", body{"quantity_grams": "0"}, "FRAC_QUANT_LESS_THAN_EQ_ZERO"},
			{"quantity is negative", body{"quantity_grams": "-1"}, "FRAC_QUANT_LESS_THAN_EQ_ZERO"},
			{"quantity is far below zero", body{"quantity_grams": "-99999999999999999999"}, "FRAC_QUANT_LESS_THAN_EQ_ZERO"},
			{"quantity is a sign", body{"quantity_grams": "-"}, "FRAC_QUANT_INVALID_NUMBER"},
			{"customer, less than a tonne", customer.With(body{"quantity_grams": "999999"}), "QUANT_TONNES_TOO_LOW"},
			{"customer, a fraction", customer.With(body{"quantity_grams": "1000001"}), "QUANT_TONNES_INVALID_NUMBER"},
			{"no expected price", body{"expected_price_cents": nil}, "SELL_ORDER_MISSING_EXP_PRICE"},
			{"price is a word", body{"expected_price_cents": "soon"}, "SELL_ORDER_EXP_PRICE_INVALID_NUMBER"},
			{"price has cents", body{"expected_price_cents": "6.20"}, "SELL_ORDER_EXP_PRICE_INVALID_NUMBER"},
			{"price is zero", body{"expected_price_cents": "0"}, "SELL_ORDER_EXP_PRICE_LESS_THAN_EQ_ZERO"},
			{"price is negative", body{"expected_price_cents": "-620"}, "SELL_ORDER_EXP_PRICE_LESS_THAN_EQ_ZERO"},
			{"unknown vintage", body{"vintage_id": "004nope"}, "VINTAGE_ID_NOT_EXISTS"},
			{"SQL in the vintage", body{"vintage_id": "' OR 1=1 --"}, "VINTAGE_ID_NOT_EXISTS"},
			{"no sell order", body{"sell_order_id": nil}, "MISSING_SELL_ORDER_ID"},
			{"unknown sell order", body{"sell_order_id": "006nope"}, "SELL_ORDER_NOT_EXISTS"},
			{"withdrawn sell order", body{"sell_order_id": withdrawn}, "SELL_ORDER_NOT_LIVE"},
			{"another vintage", body{"vintage_id": wrong.ID}, "VINTAGE_SUPPLIED_DIFF_SELL_ORDER_VINTAGE"},
			{"own credits", body{"sell_order_id": own}, "PURCHASE_OWN_CREDITS"},
			{"the price has moved", body{"expected_price_cents": "619"}, "PRICE_SUPPLIED_DIFF_CURRENT_PRICE"},
			{"too little supply", body{"quantity_grams": "10000001"}, "SELL_ORDER_SUPPLY_TOO_LOW"},
			{"2^63-1 grams", body{"quantity_grams": "9223372036854775807"}, "SELL_ORDER_SUPPLY_TOO_LOW"},
		} {
			t.Run(test.name, func(t *testing.T) {
				f := d.Refused(d.Retire(d.Key, d.Purchase("x", 20, order).With(test.with)), http.StatusUnprocessableEntity)
				must.Hold(t, f.Code == test.code && f.Message != "", f.Code, f.Message, test.code)
			})
		}
		n := d.Number("SELECT (SELECT count(*) FROM trades) + (SELECT count(*) FROM retirement_requests) + (SELECT count(*) FROM external_ids)")
		must.Equal(t, n, 0, "refused requests left")
	})
}

func TestPurchaseAfterEarlySettlementIsRefused(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	order := d.Sell(d.Vintages[0], 10, 620)
	must.Succeed(t, d.Settle(d.Retirement(d.Buy("a", 1_000_000, order)).Items[0].InvoiceID))
	f := d.Refused(d.purchase(order, "b"), http.StatusUnprocessableEntity)
	must.Equal(t, f.Code, "INVOICE_NOT_LIVE", f)
	d.CloseMonth()
	d.Buy("b", 1_000_000, order)
	d.CheckBooks()
}

func TestOrderWithLessThanATonneLeftIsSold(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	v := d.Vintages[0]
	order := d.SellFrom(d.Seller, v, 3_400_000, 620)
	d.Buy("a", 1_000_000, order)
	market, _ := d.Market("")
	must.Need(t, market.Orders() == 1 && market.Order(0).Quantity == 2_400_000, market.Orders())
	d.Buy("b", 2_000_000, order)
	market, page := d.Market("")
	must.Hold(t, market.Orders() == 0 && page.TotalItems == 0, market.Orders())
	f := d.Refused(d.purchase(order, "c"), 422)
	must.Equal(t, f.Code, "SELL_ORDER_NOT_LIVE", "buying the rest", f)
	seller := *d
	seller.Key = d.NewKey(sellerTenant, exchange.RoleAPIUser)
	must.Equal(t, seller.Wallet(v), 400_000, "the seller's wallet has")
	d.CheckBooks()
	for _, grams := range []model.Grams{-1, 0, 1, 999_999} {
		err := d.Change(func(c *exchange.Change) {
			exchange.Offer(c, exchange.SellOrder{Vintage: v.Vintage, Seller: d.Seller, Price: 1, Quantity: grams})
		})
		must.Fail(t, err, exchange.ErrUnderATonne, grams)
	}
}

// Random operations of two tenants and of the operator, compared with a model.
func TestServiceMatchesModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		d := newFixture(t)
		defer d.Close()
		s := newSimulator(d)
		rt.Repeat(s.Actions())
		s.Compare(rt)
	})
}

// Random requests of ten clients at once, on two instances, compared with a model.
func TestTenClientsAThousandRequests(t *testing.T) {
	eachEngine(t, func(t *testing.T, d *fixture) {
		newSimulator(d).Rush(10, longtest.Runs(20, 100), d, d.at(t, d.path))
	})
}
