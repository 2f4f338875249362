package marketplace

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tonne/api/marketplace/exchange"
	"tonne/model"
)

// members reads a body as plain JSON: what a client in another language sees.
func members(t *testing.T, text string) map[string]any {
	t.Helper()
	var object map[string]any
	if err := json.Unmarshal([]byte(text), &object); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return object
}

// at follows names and indexes into a body.
func at(t *testing.T, value any, path ...any) any {
	t.Helper()
	for _, step := range path {
		switch step := step.(type) {
		case string:
			value = value.(map[string]any)[step]
		case int:
			value = value.([]any)[step]
		}
	}
	return value
}

func names(object any) []string {
	var all []string
	for name := range object.(map[string]any) {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

func wantNames(t *testing.T, object any, want ...string) {
	t.Helper()
	slices.Sort(want)
	if got := names(object); !slices.Equal(got, want) {
		t.Errorf("members %v, want %v", got, want)
	}
}

// stocked is a fixture with purchases in it: two projects, a wallet that is
// empty, one that is not, and three trades.
func stocked(t *testing.T) *fixture {
	d := newFixture(t)
	d.do(func(c *change) error {
		_, _, err := addTestProject(c, exchange.GoldStandard, "11603", "KE", "Cookstoves", 2020)
		return err
	})
	order := d.sell(d.vintages[0], 100, 620)
	whole := d.sell(d.vintages[1], 5, 710)
	d.retired(body{"vintage_id": d.vintages[0].id, "quantity_grams": "20", "external_id": "a", "sell_order_id": order, "expected_price_cents": "620"})
	d.clock.set(testNow.Add(1e9))
	d.retired(body{"vintage_id": d.vintages[0].id, "quantity_grams": "2500000", "external_id": "b", "sell_order_id": order, "expected_price_cents": "620"})
	d.retired(body{"vintage_id": d.vintages[1].id, "quantity_grams": "1000000", "external_id": "c", "sell_order_id": whole, "expected_price_cents": "710"})
	return d
}

func TestInterfaceSection1And8Units(t *testing.T) {
	t.Parallel()
	d := stocked(t)
	order := at(t, members(t, d.get("/api/market").Body.String()), "projects", 0, "vintages", 0, "sell_orders", 0)
	t.Run("section 1: quantities and prices are strings holding integers", func(t *testing.T) {
		if at(t, order, "quantity_grams") != "97000000" || at(t, order, "price_cents") != "620" {
			t.Error(order)
		}
	})
	t.Run("section 1: market data is current on every call", func(t *testing.T) {
		d.do(func(c *change) error {
			s := exchange.FindOrder(c.Change, at(t, order, "sell_order_id").(string))
			exchange.SetPrice(c.Change, s, 599)
			return nil
		})
		if got := at(t, members(t, d.get("/api/market").Body.String()), "projects", 0, "vintages", 0, "sell_orders", 0, "price_cents"); got != "599" {
			t.Error(got)
		}
	})
	t.Run("section 8: 1,000,000 grams are a tonne, purchases are of whole tonnes", func(t *testing.T) {
		if n := d.query("SELECT count(*) FROM trades WHERE quantity_grams % 1000000 = 0 AND quantity_grams > 0"); n != 3 {
			t.Error(n)
		}
	})
}

func TestInterfaceSection2Shapes(t *testing.T) {
	t.Parallel()
	d := stocked(t)
	market := members(t, d.get("/api/market").Body.String())
	inventory := members(t, d.get("/api/inventory").Body.String())
	t.Run("section 2: pagination object", func(t *testing.T) {
		for _, listing := range []any{market, inventory} {
			page := at(t, listing, "pagination")
			wantNames(t, page, "per_page", "total_pages", "total_items", "current_page", "previous_page", "next_page")
			if fmt.Sprint(page) != "map[current_page:1 next_page:<nil> per_page:20 previous_page:<nil> total_items:1 total_pages:1]" {
				t.Error(page)
			}
		}
	})
	t.Run("section 2: market, project, vintage, sell order", func(t *testing.T) {
		wantNames(t, market, "projects", "pagination")
		project := at(t, market, "projects", 0)
		wantNames(t, project, "project_id", "vintages")
		vintage := at(t, project, "vintages", 0)
		wantNames(t, vintage, "vintage_id", "vintage_year", "sell_orders")
		if at(t, vintage, "vintage_year") != 2021.0 {
			t.Error("vintage_year is not the number 2021")
		}
		wantNames(t, at(t, vintage, "sell_orders", 0), "sell_order_id", "quantity_grams", "price_cents")
	})
	t.Run("section 2: inventory, project, vintage, wallet, trade", func(t *testing.T) {
		wantNames(t, inventory, "projects", "pagination")
		vintage := at(t, inventory, "projects", 0, "vintages", 0)
		wantNames(t, vintage, "vintage_id", "wallets")
		wallet := at(t, vintage, "wallets", 0)
		wantNames(t, wallet, "type", "quantity_grams", "trades")
		if at(t, wallet, "type") != "CAAS" || at(t, wallet, "quantity_grams") != "499980" {
			t.Error(wallet)
		}
		trade := at(t, wallet, "trades", 0)
		wantNames(t, trade, "execution_date", "quantity_grams", "price_cents", "type")
		if at(t, trade, "type") != "BUY" || at(t, trade, "execution_date") != "2026-11-20T12:00:01.000Z" {
			t.Error(trade)
		}
	})
}

func TestInterfaceSection2Retirement(t *testing.T) {
	t.Parallel()
	d := stocked(t)
	lookup := func(sql string) map[string]any {
		return members(t, d.get("/api/retirement?id="+d.text(sql)).Body.String())
	}
	open := lookup("SELECT id FROM retirement_requests WHERE status = 'OPEN'")
	t.Run("section 2: retirement request", func(t *testing.T) {
		wantNames(t, open, "id", "status", "total_quantity", "type", "project_id", "vintage_id", "created_at",
			"retired_serial_numbers", "should_retire_external_customer", "all_invoices_settled", "retirement_request_items")
		if open["total_quantity"] != "2500020" || open["should_retire_external_customer"] != false || open["all_invoices_settled"] != false {
			t.Error(open)
		}
	})
	t.Run("section 2: retired_at, serials and certificate are available once COMPLETE", func(t *testing.T) {
		if !reflect.DeepEqual(open["retired_serial_numbers"], []any{}) {
			t.Error(open)
		}
		for range 3 {
			if err := d.advance(d.clock.Now()); err != nil {
				t.Fatal(err)
			}
		}
		complete := lookup("SELECT id FROM retirement_requests WHERE status = 'COMPLETE' AND type = 'FRACTIONALISED'")
		url, _ := complete["service_proof_of_retirement_certificate_url"].(string)
		if complete["retired_at"] == nil || !strings.HasPrefix(url, "http://example.com/certificates/") || len(complete["retired_serial_numbers"].([]any)) == 0 {
			t.Error(complete)
		}
	})
	t.Run("section 2: one item per call of the operation", func(t *testing.T) {
		items := at(t, open, "retirement_request_items").([]any)
		if len(items) != 2 {
			t.Fatal(items)
		}
		wantNames(t, items[0], "id", "quantity", "created_at", "retiree_name", "invoice_id", "trade_id")
		if at(t, items[0], "quantity") != "20" {
			t.Error(items[0])
		}
	})
}

func TestInterfaceSection4Market(t *testing.T) {
	t.Parallel()
	d, _ := readDemo(t)
	t.Run("section 4: page defaults to 1, per_page to 20, counting projects", func(t *testing.T) {
		market, page := d.market("")
		if market.Projects() != 20 || page.Current != 1 || page.PerPage != 20 {
			t.Errorf("%d projects, %+v", market.Projects(), page)
		}
	})
	t.Run("section 4: pages are disjoint and complete", func(t *testing.T) {
		seen := make(map[string]bool)
		_, first := d.market("per_page=7")
		for n := 1; n <= first.TotalPages; n++ {
			market, _ := d.market(fmt.Sprintf("per_page=7&page=%d", n))
			for i := range market.Projects() {
				if id := market.Project(i).ID; seen[id] {
					t.Errorf("project %s stands on two pages", id)
				} else {
					seen[id] = true
				}
			}
		}
		if len(seen) != first.TotalItems {
			t.Errorf("%d projects on the pages, %d in total", len(seen), first.TotalItems)
		}
	})
	t.Run("section 4: previous_page and next_page", func(t *testing.T) {
		_, page := d.market("per_page=30")
		last := page.TotalPages
		for n, want := range map[int]string{1: "<nil> 2", 2: "1 3", last: fmt.Sprint(last-1) + " <nil>", last + 5: fmt.Sprint(last) + " <nil>"} {
			p := at(t, members(t, d.get(fmt.Sprintf("/api/market?per_page=30&page=%d", n)).Body.String()), "pagination")
			if got := fmt.Sprint(at(t, p, "previous_page"), at(t, p, "next_page")); got != want {
				t.Errorf("page %d: %s, want %s", n, got, want)
			}
		}
	})
	t.Run("a page beyond the last is empty", func(t *testing.T) {
		market, page := d.market("page=99")
		if market.Projects() != 0 || page.Current != 99 || page.TotalPages != 4 {
			t.Errorf("%+v", page)
		}
	})
	t.Run("a huge per_page is 100", func(t *testing.T) {
		for _, huge := range []string{"101", "9223372036854775807", "99999999999999999999"} {
			if _, page := d.market("per_page=" + huge); page.PerPage != 100 {
				t.Errorf("per_page=%s gives %+v", huge, page)
			}
		}
	})
}

func TestInterfaceSection4MarketOrder(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	for _, price := range []model.PriceCents{700, 650, 680} {
		d.sell(d.vintages[0], 5, price)
	}
	market, _ := d.market("")
	var prices []model.PriceCents
	for i := range market.Orders() {
		prices = append(prices, market.Order(i).Price)
	}
	if !slices.IsSorted(prices) || len(prices) != 3 {
		t.Errorf("orders of a vintage at %v, want the cheapest first", prices)
	}
}

func TestInterfaceSection4ProjectsComeAndGo(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	if market, page := d.market(""); market.Projects() != 0 || page.TotalItems != 0 || page.TotalPages != 0 {
		t.Errorf("an empty market has %d projects, %+v", market.Projects(), page)
	}
	v := d.vintages[0]
	order := d.sell(v, 1, 620)
	if market, _ := d.market(""); market.Projects() != 1 {
		t.Error("a project with its first order is not in the market")
	}
	d.retired(body{"vintage_id": v.id, "quantity_grams": "1000000", "external_id": "a", "sell_order_id": order, "expected_price_cents": "620"})
	if market, page := d.market(""); market.Projects() != 0 || page.TotalItems != 0 {
		t.Error("a project whose last order is sold is still in the market")
	}
}

func TestInterfaceSection4BrokenParameters(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	for _, target := range []string{
		"/api/market?page=0", "/api/market?page=-1", "/api/market?page=two", "/api/market?page=", "/api/market?page=1.5",
		"/api/market?page=1&page=2", "/api/market?per_page=0", "/api/market?per_page=%2B5", "/api/inventory?page=-1",
		"/api/inventory?trades_per_wallet=-1", "/api/inventory?trade_type=buy", "/api/inventory?trade_type=BUY&trade_type=SELL",
		"/api/market?page=%zz", "/api/market?page=2;per_page=3", "/api/projects?project_ids=%zz", "/api/retirement?id=%zz",
		"/api/inventory?wallet_min_quantity=1e6", "/api/inventory?trade_type=%27%20OR%201%3D1",
	} {
		if f := refused(t, d.get(target), http.StatusUnprocessableEntity); f.Code != "VALIDATION_ERROR" || f.Message == "" {
			t.Errorf("%s: %+v", target, f)
		}
	}
	if f := refused(t, d.get("/api/market?page=x&per_page=y"), http.StatusUnprocessableEntity); !strings.Contains(f.Message, "per_page") {
		t.Errorf("both broken parameters are named: %q", f.Message)
	}
	if f := refused(t, d.get("/api/market?page=1&page=2"), http.StatusUnprocessableEntity); f.Message != "page must be given once" {
		t.Errorf("one message for each broken parameter: %q", f.Message)
	}
	if w := d.get("/api/market?colour=blue"); w.Code != http.StatusOK {
		t.Errorf("an unknown parameter is answered with %d", w.Code)
	}
}
