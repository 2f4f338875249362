package marketplace

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"tonne/api/wire"
	"tonne/model"
	"tonne/model/must"
)

// members reads an answer as plain JSON, as a client in another language does.
func members(t *testing.T, w *httptest.ResponseRecorder) map[string]any {
	t.Helper()
	var object map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &object); err != nil {
		t.Fatalf("%s: %v", w.Body, err)
	}
	return object
}

// at follows names and indexes into a body.
func at(value any, path ...any) any {
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

// wantMembers checks the names of an object's members, which are sorted.
func wantMembers(t *testing.T, object any, want string) {
	t.Helper()
	if got := slices.Sorted(maps.Keys(object.(map[string]any))); strings.Join(got, " ") != want {
		t.Errorf("members %v, want %v", got, want)
	}
}

// stocked is a fixture with two projects, a wallet that is empty, one that is not, and three
// trades.
func stocked(t *testing.T) *fixture {
	d := newFixture(t)
	d.AddProject("11603", "KE", "Cookstoves", 2020)
	order := d.Sell(d.Vintages[0], 100, 620)
	d.Buy("a", 20, order)
	d.Clock.Set(testNow.Add(time.Second))
	d.Buy("b", 2_500_000, order)
	other := body{"vintage_id": d.Vintages[1].ID, "sell_order_id": d.Sell(d.Vintages[1], 5, 620)}
	d.Retired(d.Purchase("c", 1_000_000, order).With(other))
	return d
}

func TestInterfaceShapes(t *testing.T) {
	t.Parallel()
	d := stocked(t)
	market, inventory := members(t, d.Get("/api/market")), members(t, d.Get("/api/inventory"))
	t.Run("section 2: pagination object", func(t *testing.T) {
		for _, listing := range []any{market, inventory} {
			wantMembers(t, listing, "pagination projects")
			if page := fmt.Sprint(at(listing, "pagination")); page != "map[current_page:1 next_page:<nil> per_page:20 previous_page:<nil> total_items:1 total_pages:1]" {
				t.Error(page)
			}
		}
	})
	order := at(market, "projects", 0, "vintages", 0, "sell_orders", 0)
	t.Run("section 2: market, project, vintage, sell order", func(t *testing.T) {
		wantMembers(t, at(market, "projects", 0), "project_id vintages")
		wantMembers(t, at(market, "projects", 0, "vintages", 0), "sell_orders vintage_id vintage_year")
		wantMembers(t, order, "price_cents quantity_grams sell_order_id")
		if year := at(market, "projects", 0, "vintages", 0, "vintage_year"); year != 2021.0 {
			t.Errorf("vintage_year is %v", year)
		}
	})
	t.Run("section 1: quantities and prices are strings of integers", func(t *testing.T) {
		if at(order, "quantity_grams") != "97000000" || at(order, "price_cents") != "620" {
			t.Error(order)
		}
	})
	t.Run("section 2: inventory, vintage, wallet, trade", func(t *testing.T) {
		vintage := at(inventory, "projects", 0, "vintages", 0)
		wantMembers(t, vintage, "vintage_id wallets")
		wantMembers(t, at(vintage, "wallets", 0), "quantity_grams trades type")
		wantMembers(t, at(vintage, "wallets", 0, "trades", 0), "execution_date price_cents quantity_grams type")
		if wallet := at(vintage, "wallets", 0); at(wallet, "type") != "CAAS" || at(wallet, "quantity_grams") != "499980" {
			t.Error(wallet)
		}
		if trade := at(vintage, "wallets", 0, "trades", 0); at(trade, "type") != "BUY" || at(trade, "execution_date") != "2026-11-20T12:00:01.000Z" {
			t.Error(trade)
		}
	})
	t.Run("section 8: purchases are of whole tonnes", func(t *testing.T) {
		if n := d.Number("SELECT count(*) FROM trades WHERE quantity_grams % 1000000 = 0 AND quantity_grams > 0"); n != 3 {
			t.Error(n)
		}
	})
	t.Run("section 7: body of 422", func(t *testing.T) {
		f := members(t, d.Get("/api/retirement?id=00mnope"))
		wantMembers(t, f, "error message statusCode timestamp url")
		if f["url"] != "/api/retirement?id=00mnope" || f["timestamp"] != "2026-11-20T12:00:01.000Z" || f["statusCode"] != 422.0 {
			t.Error(f)
		}
	})
}

func TestInterfaceRetirement(t *testing.T) {
	t.Parallel()
	d := stocked(t)
	id := d.Text("SELECT id FROM retirement_requests WHERE status = 'OPEN'")
	t.Run("section 4: GET and POST", func(t *testing.T) {
		for _, s := range []struct{ method, query, body string }{
			{"GET", "?id=" + id, ""}, {"POST", "?id=" + id, ""}, {"POST", "", `{"id":"` + id + `"}`},
			{"POST", "?id=" + id, "{}"}, {"POST", "?id=" + id, `{"id":null}`}, {"POST", "?id=" + id, `{"id":"` + id + `"}`},
		} {
			w := call(d.Marketplace, d.Key, s.method, "/api/retirement"+s.query, s.body)
			if r, err := wire.DecodeRetirement(w.Body.Bytes()); err != nil || r.ID != id {
				t.Errorf("%+v: %d %s: %v", s, w.Code, w.Body, err)
			}
		}
	})
	open := members(t, d.Get("/api/retirement?id="+id))
	t.Run("section 2: retirement request", func(t *testing.T) {
		wantMembers(t, open, "all_invoices_settled created_at id project_id retired_serial_numbers retirement_request_items "+
			"should_retire_external_customer status total_quantity type vintage_id")
		if open["total_quantity"] != "2500020" || open["should_retire_external_customer"] != false || open["all_invoices_settled"] != false {
			t.Error(open)
		}
	})
	t.Run("section 2: one item per call of the operation", func(t *testing.T) {
		items := open["retirement_request_items"].([]any)
		if len(items) != 2 || at(items, 0, "quantity") != "20" {
			t.Fatal(items)
		}
		wantMembers(t, items[0], "created_at id invoice_id quantity retiree_name trade_id")
	})
	t.Run("section 7: the id of another tenant is answered like an unknown one", func(t *testing.T) {
		theirs := call(d.Marketplace, d.OtherKey, "GET", "/api/retirement?id="+id, "").Body.String()
		unknown := call(d.Marketplace, d.OtherKey, "GET", "/api/retirement?id=00mnope", "").Body.String()
		if strings.Replace(theirs, id, "00mnope", 1) != unknown {
			t.Errorf("%s and %s", theirs, unknown)
		}
	})
	t.Run("section 2: retired_at, serial numbers and certificate once COMPLETE", func(t *testing.T) {
		if len(open["retired_serial_numbers"].([]any)) != 0 {
			t.Error(open)
		}
		d.Advance(3)
		complete := members(t, d.Get("/api/retirement?id="+id))
		url, _ := complete["service_proof_of_retirement_certificate_url"].(string)
		if complete["status"] != "COMPLETE" || complete["retired_at"] == nil || !strings.HasPrefix(url, "http://example.com/certificates/") ||
			len(complete["retired_serial_numbers"].([]any)) == 0 {
			t.Error(complete)
		}
	})
}

func TestInterfaceMarket(t *testing.T) {
	t.Parallel()
	d := readDemo(t)
	t.Run("section 4: page defaults to 1, per_page to 20, counting projects", func(t *testing.T) {
		market, page := d.Market("")
		if market.Projects() != 20 || page.Current != 1 || page.PerPage != 20 {
			t.Errorf("%d projects, %+v", market.Projects(), page)
		}
	})
	t.Run("section 4: pages are disjoint and complete", func(t *testing.T) {
		seen := make(map[string]bool)
		_, first := d.Market("per_page=7")
		for n := 1; n <= first.TotalPages; n++ {
			market, _ := d.Market(fmt.Sprintf("per_page=7&page=%d", n))
			for i := range market.Projects() {
				if id := market.Project(i).ID; seen[id] {
					t.Errorf("project %s is on two pages", id)
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
		_, page := d.Market("per_page=30")
		last := page.TotalPages
		for n, want := range map[int]string{1: "<nil> 2", 2: "1 3", last: fmt.Sprint(last-1) + " <nil>", last + 5: fmt.Sprint(last) + " <nil>"} {
			p := at(members(t, d.Get(fmt.Sprintf("/api/market?per_page=30&page=%d", n))), "pagination")
			if got := fmt.Sprint(at(p, "previous_page"), at(p, "next_page")); got != want {
				t.Errorf("page %d: %s, want %s", n, got, want)
			}
		}
	})
	t.Run("a page beyond the last is empty", func(t *testing.T) {
		if market, page := d.Market("page=99"); market.Projects() != 0 || page.Current != 99 || page.TotalPages != 4 {
			t.Errorf("%+v", page)
		}
	})
}

func TestInterfaceMarketIsCurrent(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	want := func(prices ...model.PriceCents) {
		t.Helper()
		market, page := d.Market("")
		var got []model.PriceCents
		for i := range market.Orders() {
			got = append(got, market.Order(i).Price)
		}
		if !slices.Equal(got, prices) || page.TotalItems != min(len(prices), 1) || page.TotalPages != min(len(prices), 1) {
			t.Errorf("prices %v, want %v; %+v", got, prices, page)
		}
	}
	want()
	var orders []string
	for _, price := range []model.PriceCents{700, 650, 620} {
		orders = append(orders, d.Sell(d.Vintages[0], 1, price))
	}
	want(620, 650, 700)
	d.Buy("a", 1_000_000, orders[2])
	want(650, 700)
	for _, order := range orders[:2] {
		d.Exec("UPDATE sell_orders SET price_cents = 620 WHERE id = $1", order)
		d.Buy(order, 1_000_000, order)
	}
	want()
}

func TestInterfaceInventory(t *testing.T) {
	t.Parallel()
	d := stocked(t)
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
		{"section 4: a smaller wallet is left out, and its project is not counted", "wallet_min_quantity=499981", 0, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			inventory, page := d.Inventory(test.query)
			wallets, trades := 0, 0
			for _, p := range inventory.Projects {
				for _, v := range p.Vintages {
					for _, w := range v.Wallets {
						wallets++
						trades += len(w.Trades)
					}
				}
			}
			if wallets != test.wallets || trades != test.trades || page.TotalItems != min(wallets, 1) {
				t.Errorf("%d wallets, %d trades, want %d and %d; %+v", wallets, trades, test.wallets, test.trades, page)
			}
		})
	}
	t.Run("section 4: the most recent trade is first", func(t *testing.T) {
		inventory, _ := d.Inventory("")
		trades := inventory.Projects[0].Vintages[0].Wallets[0].Trades
		if !trades[0].ExecutionDate.Time.After(trades[1].ExecutionDate.Time) {
			t.Errorf("%+v", trades)
		}
	})
	t.Run("section 4: pages", func(t *testing.T) {
		d, seen := readDemo(t), make(map[string]bool)
		_, first := d.Inventory("")
		for n := 1; n <= first.TotalPages; n++ {
			inventory, page := d.Inventory(fmt.Sprintf("page=%d", n))
			if page.PerPage != 20 || len(inventory.Projects) == 0 || len(inventory.Projects) > 20 {
				t.Errorf("page %d has %d projects, %+v", n, len(inventory.Projects), page)
			}
			for _, p := range inventory.Projects {
				seen[p.ID] = true
			}
		}
		if first.TotalPages < 3 || len(seen) != first.TotalItems {
			t.Errorf("%d projects on %d pages, %d in total", len(seen), first.TotalPages, first.TotalItems)
		}
	})
}

func TestInterfaceProjects(t *testing.T) {
	t.Parallel()
	d := readDemo(t)
	projects := func(query string) []model.Project {
		t.Helper()
		all, err := wire.DecodeProjects(d.Get("/api/projects" + query).Body.Bytes())
		must.Succeed(t, err)
		return all
	}
	all := projects("")
	a, b := all[3].ID, all[7].ID
	for _, query := range []string{
		"project_ids[]=" + a + "&project_ids[]=" + b, "project_ids=" + a + "&project_ids=" + b,
		"project_ids=" + a + "," + b, "project_ids%5B%5D=" + a + "&project_ids=" + b, "project_ids=" + a + ",003nope," + b + "," + a,
	} {
		if some := projects("?" + query); len(some) != 2 || some[0].ID != a || some[1].ID != b {
			t.Errorf("%s: %+v", query, some)
		}
	}
	if none := projects("?project_ids=003nope"); len(none) != 0 {
		t.Errorf("an unknown id gives %+v", none)
	}
	p := all[0]
	if p.Name != "Bale Mountains" || p.Type != "REDD+" || p.Country != "ET" || p.RegistryName != "VERRA" || len(p.SDGs) == 0 ||
		p.RegistryURL != "https://registry.verra.org/app/projectDetail/VCS/1340" || len(p.Vintages) == 0 || p.Vintages[0].Year == 0 {
		t.Errorf("%+v", p)
	}
}
