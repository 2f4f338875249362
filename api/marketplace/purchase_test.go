package marketplace

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tonne/api/marketplace/exchange"
	"tonne/model"
	"tonne/model/longtest"
	must "tonne/model/musttest"
	"tonne/model/portfolio"
	"tonne/model/retirement"
	"tonne/model/texttest"
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
	"should_retire_external_customer": true, "external_retiree_name": "Müller & Søn Α/S",
	"external_retiree_tax_id": "DE 1", "external_retiree_location": "DE",
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
		v := d.Vintages[0]
		order, withdrawn := d.Sell(v, 10, 620), d.Sell(v, 1, 620)
		must.Get(d.withdraw(withdrawn))
		values := strings.NewReplacer("$OWN", d.SellFrom(d.Tenant, v, 10*model.GramsPerTonne, 620), "$WITHDRAWN", withdrawn,
			"$WRONG", d.Vintages[1].ID, "$CUSTOMER", strings.Trim(customer.text(), "{}"))
		texttest.Table(t, "refusals", func(members string) string {
			var with body
			must.Succeed(t, json.Unmarshal([]byte(values.Replace(members)), &with))
			f := d.Refused(d.Retire(d.Key, d.Purchase("x", 20, order).With(with)), http.StatusUnprocessableEntity)
			must.Hold(t, f.Message != "", members)
			return f.Code
		})
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
