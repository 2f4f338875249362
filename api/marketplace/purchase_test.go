package marketplace

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"tonne/api/marketplace/exchange"
	"tonne/model"
	"tonne/model/portfolio"
	"tonne/model/retirement"
)

// The worked example of a fractional retirement: 20 g, then 40 g.
func TestWorkedExample(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	v := d.vintages[0]
	order := d.sell(v, 10, 620)

	first := d.retired(body{"vintage_id": v.id, "quantity_grams": "20", "external_id": "a", "sell_order_id": order, "expected_price_cents": "620"})
	if got := d.wallet(v); got != 999_980 {
		t.Errorf("after 20 g the wallet holds %d g, want 999980", got)
	}
	if r := d.lookup(first); r.TotalQuantity != 20 || r.Status != retirement.Open || r.Type != retirement.Fractionalised {
		t.Errorf("after 20 g: %+v", r)
	}
	second := d.retired(body{"vintage_id": v.id, "quantity_grams": "40", "external_id": "b"})
	if got := d.wallet(v); got != 999_940 {
		t.Errorf("after 40 g more the wallet holds %d g, want 999940", got)
	}
	if r := d.lookup(second); second != first || r.TotalQuantity != 60 || len(r.Items) != 2 {
		t.Errorf("after 40 g more: request %s (was %s), %+v", second, first, r)
	}
	market, _ := d.market("")
	if got := market.Order(0).Quantity; got != 9*model.GramsPerTonne {
		t.Errorf("the sell order has %d g left, want 9 t", got)
	}
	inventory, _ := d.inventory("")
	trades := inventory.Projects[0].Vintages[0].Wallets[0].Trades
	if len(trades) != 1 || trades[0].Quantity != model.GramsPerTonne || trades[0].Price != 620 || trades[0].Type != portfolio.Buy {
		t.Errorf("trades: %+v", trades)
	}
	checkBooks(t, d)
}

func TestCustomerRetirementNamesTheCustomer(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	v := d.vintages[0]
	order := d.sell(v, 10, 620)
	r := d.lookup(d.retired(body{
		"vintage_id": v.id, "quantity_grams": "2000000", "external_id": "a", "sell_order_id": order, "expected_price_cents": "620",
		"should_retire_external_customer": true, "external_retiree_name": "Müller & Søn Α/S", "external_retiree_tax_id": "DE 1",
		"external_retiree_location": "DE", "external_retiree_id": "c-7",
	}))
	item := r.Items[0]
	if r.ExternalCustomer != model.Yes || item.RetireeName != "Müller & Søn Α/S" || item.RetireeTaxID != "DE 1" || item.RetireeCountry != "DE" {
		t.Errorf("%+v", r)
	}
}

func TestRequestRetirementErrors(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	v, wrong := d.vintages[0], d.vintages[1]
	order := d.sell(v, 10, 620)
	own := d.sellFrom(d.tenant, v, 10*model.GramsPerTonne, 620)
	gone := d.sell(v, 1, 620)
	d.do(func(c *change) error {
		s := exchange.FindOrder(c.Change, gone)
		exchange.Withdraw(c.Change, s)
		return nil
	})
	customer := body{"should_retire_external_customer": true, "external_retiree_name": "C", "external_retiree_tax_id": "1", "external_retiree_location": "GB"}
	tests := []struct {
		name string
		with body
		code string
	}{
		{"no vintage", body{"vintage_id": nil}, "VALIDATION_ERROR"},
		{"no external id", body{"external_id": ""}, "VALIDATION_ERROR"},
		{"external id is a number", body{"external_id": 7}, "VALIDATION_ERROR"},
		{"control character", body{"external_id": "a\nb"}, "VALIDATION_ERROR"},
		{"flag is a string", body{"should_retire_external_customer": "yes"}, "VALIDATION_ERROR"},
		{"customer without a name", body{"should_retire_external_customer": true, "external_retiree_tax_id": "1", "external_retiree_location": "GB"}, "VALIDATION_ERROR"},
		{"country is a name", body{"external_retiree_location": "Germany"}, "VALIDATION_ERROR"},
		{"no quantity", body{"quantity_grams": nil}, "FRAC_QUANT_INVALID_NUMBER"},
		{"quantity is a number", body{"quantity_grams": 20}, "FRAC_QUANT_INVALID_NUMBER"},
		{"quantity has a sign", body{"quantity_grams": "+5"}, "FRAC_QUANT_INVALID_NUMBER"},
		{"quantity has an exponent", body{"quantity_grams": "1e6"}, "FRAC_QUANT_INVALID_NUMBER"},
		{"quantity is 2^63", body{"quantity_grams": "9223372036854775808"}, "FRAC_QUANT_INVALID_NUMBER"},
		{"quantity is zero", body{"quantity_grams": "0"}, "FRAC_QUANT_LESS_THAN_EQ_ZERO"},
		{"quantity is negative", body{"quantity_grams": "-1"}, "FRAC_QUANT_LESS_THAN_EQ_ZERO"},
		{"customer, less than a tonne", merge(customer, body{"quantity_grams": "999999"}), "QUANT_TONNES_TOO_LOW"},
		{"customer, a fraction", merge(customer, body{"quantity_grams": "1000001"}), "QUANT_TONNES_INVALID_NUMBER"},
		{"no expected price", body{"expected_price_cents": nil}, "SELL_ORDER_MISSING_EXP_PRICE"},
		{"price is a word", body{"expected_price_cents": "soon"}, "SELL_ORDER_EXP_PRICE_INVALID_NUMBER"},
		{"price is zero", body{"expected_price_cents": "0"}, "SELL_ORDER_EXP_PRICE_LESS_THAN_EQ_ZERO"},
		{"price is negative", body{"expected_price_cents": "-620"}, "SELL_ORDER_EXP_PRICE_LESS_THAN_EQ_ZERO"},
		{"unknown vintage", body{"vintage_id": "004nope"}, "VINTAGE_ID_NOT_EXISTS"},
		{"SQL in the vintage", body{"vintage_id": "' OR 1=1 --"}, "VINTAGE_ID_NOT_EXISTS"},
		{"no sell order", body{"sell_order_id": nil}, "MISSING_SELL_ORDER_ID"},
		{"unknown sell order", body{"sell_order_id": "006nope"}, "SELL_ORDER_NOT_EXISTS"},
		{"withdrawn sell order", body{"sell_order_id": gone}, "SELL_ORDER_NOT_LIVE"},
		{"another vintage", body{"vintage_id": wrong.id}, "VINTAGE_SUPPLIED_DIFF_SELL_ORDER_VINTAGE"},
		{"own credits", body{"sell_order_id": own}, "PURCHASE_OWN_CREDITS"},
		{"the price has moved", body{"expected_price_cents": "619"}, "PRICE_SUPPLIED_DIFF_CURRENT_PRICE"},
		{"too little supply", body{"quantity_grams": "10000001"}, "SELL_ORDER_SUPPLY_TOO_LOW"},
		{"2^63-1 grams", body{"quantity_grams": "9223372036854775807"}, "SELL_ORDER_SUPPLY_TOO_LOW"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			good := body{"vintage_id": v.id, "quantity_grams": "20", "external_id": "x", "sell_order_id": order, "expected_price_cents": "620"}
			f := refused(t, d.retire(d.key, merge(good, test.with)), http.StatusUnprocessableEntity)
			if f.Code != test.code || f.Message == "" {
				t.Errorf("%s %q, want %s", f.Code, f.Message, test.code)
			}
		})
	}
	if n := d.query("SELECT (SELECT count(*) FROM trades) + (SELECT count(*) FROM retirement_requests) + (SELECT count(*) FROM external_ids)"); n != 0 {
		t.Errorf("refused requests left %d rows behind", n)
	}
}

func merge(bodies ...body) body {
	all := make(body)
	for _, b := range bodies {
		for name, value := range b {
			all[name] = value
		}
	}
	return all
}

func TestPurchaseAfterEarlySettlementIsRefused(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	v := d.vintages[0]
	b := body{"vintage_id": v.id, "quantity_grams": "1000000", "external_id": "a", "sell_order_id": d.sell(v, 10, 620), "expected_price_cents": "620"}
	invoice := d.lookup(d.retired(b)).Items[0].InvoiceID
	if err := d.settle(invoice); err != nil {
		t.Fatal(err)
	}
	f := refused(t, d.retire(d.key, merge(b, body{"external_id": "b"})), http.StatusUnprocessableEntity)
	if f.Code != "INVOICE_NOT_LIVE" {
		t.Errorf("%+v", f)
	}
	if _, err := d.closeMonth(); err != nil {
		t.Fatal(err)
	}
	d.retired(merge(b, body{"external_id": "b"}))
	checkBooks(t, d)
}

func TestSameExternalIDTenTimesAtOnce(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	v := d.vintages[0]
	b := body{"vintage_id": v.id, "quantity_grams": "1000000", "external_id": "same", "sell_order_id": d.sell(v, 100, 620), "expected_price_cents": "620"}
	var wg sync.WaitGroup
	answers := make([]string, 10)
	for i := range answers {
		wg.Go(func() { answers[i] = d.retire(d.key, b).Body.String() })
	}
	wg.Wait()
	id := d.text("SELECT id FROM retirement_requests")
	fresh := 0
	for _, answer := range answers {
		switch answer {
		case fmt.Sprintf(`{"retirement_request_id":%q,"external_id_already_processed":false}`, id):
			fresh++
		case fmt.Sprintf(`{"retirement_request_id":%q,"external_id_already_processed":true}`, id):
		default:
			t.Errorf("answered %s", answer)
		}
	}
	if n := d.query("SELECT count(*) FROM trades"); fresh != 1 || n != 1 {
		t.Errorf("%d answers say that they acted, %d trades", fresh, n)
	}
	if d.retire(d.otherKey, b).Code != http.StatusOK || d.query("SELECT count(*) FROM trades") != 2 {
		t.Error("another tenant cannot use the same external id")
	}
}

func TestFiftyRequestsForTheLastTonne(t *testing.T) {
	t.Parallel()
	d := openFixture(t, tempDatabase(t), Options{RatePerSecond: -1})
	v := d.vintages[0]
	order := d.sell(v, 1, 620)
	var bought, missed atomic.Int64
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			w := d.retire(d.key, body{"vintage_id": v.id, "quantity_grams": "1000000", "external_id": fmt.Sprint(i), "sell_order_id": order, "expected_price_cents": "620"})
			switch {
			case w.Code == http.StatusOK:
				bought.Add(1)
			case refused(t, w, http.StatusUnprocessableEntity).Code == "SELL_ORDER_NOT_LIVE":
				missed.Add(1)
			}
		})
	}
	wg.Wait()
	if bought.Load() != 1 || missed.Load() != 49 {
		t.Errorf("%d bought the last tonne, %d got an error", bought.Load(), missed.Load())
	}
	checkBooks(t, d)
}
