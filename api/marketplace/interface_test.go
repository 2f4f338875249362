package marketplace

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tonne/api/wire"
	"tonne/model"
	must "tonne/model/musttest"
)

// members reads an answer as plain JSON, as a client in another language does.
func members(t *testing.T, w *httptest.ResponseRecorder) map[string]any {
	t.Helper()
	var object map[string]any
	err := json.Unmarshal(w.Body.Bytes(), &object)
	must.Need(t, err == nil, w.Body, err)
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

// TestAnswersMatchTheOpenAPIDocument checks the members of each answer.
func TestInterfaceValues(t *testing.T) {
	t.Parallel()
	d := stocked(t)
	order := at(members(t, d.Get("/api/market")), "projects", 0, "vintages", 0, "sell_orders", 0)
	wallet := at(members(t, d.Get("/api/inventory")), "projects", 0, "vintages", 0, "wallets", 0)
	refusal := members(t, d.Get("/api/retirement?id=00mnope"))
	for name, test := range map[string]struct {
		object any
		want   map[string]any
	}{
		"section 1: quantities and prices are strings": {order,
			map[string]any{"quantity_grams": "97000000", "price_cents": "620"}},
		"section 2: a wallet": {wallet, map[string]any{"type": "CAAS", "quantity_grams": "499980"}},
		"section 2: a trade": {at(wallet, "trades", 0),
			map[string]any{"type": "BUY", "execution_date": "2026-11-20T12:00:01.000Z"}},
		"section 7: a refusal": {refusal, map[string]any{
			"statusCode": 422.0, "url": "/api/retirement?id=00mnope", "timestamp": "2026-11-20T12:00:01.000Z",
		}},
	} {
		for member, want := range test.want {
			must.Equal(t, at(test.object, member), want, name, member)
		}
	}
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
			r, err := wire.DecodeRetirement(w.Body.Bytes())
			must.Hold(t, err == nil && r.ID == id, s, w.Code, w.Body, err)
		}
	})
	open := members(t, d.Get("/api/retirement?id="+id))
	t.Run("section 2: one item per call of the operation", func(t *testing.T) {
		items := open["retirement_request_items"].([]any)
		must.Hold(t, len(items) == 2 && at(items, 0, "quantity") == "20" && open["total_quantity"] == "2500020", open)
	})
	t.Run("section 7: the id of another tenant is answered like an unknown one", func(t *testing.T) {
		theirs := call(d.Marketplace, d.OtherKey, "GET", "/api/retirement?id="+id, "").Body.String()
		unknown := call(d.Marketplace, d.OtherKey, "GET", "/api/retirement?id=00mnope", "").Body.String()
		must.Equal(t, strings.Replace(theirs, id, "00mnope", 1), unknown, theirs)
	})
	t.Run("section 2: retired_at, serial numbers and certificate once COMPLETE", func(t *testing.T) {
		must.Equal(t, len(open["retired_serial_numbers"].([]any)), 0, open)
		d.Advance(3)
		complete := members(t, d.Get("/api/retirement?id="+id))
		url, _ := complete["service_proof_of_retirement_certificate_url"].(string)
		must.Hold(t, complete["status"] == "COMPLETE" && complete["retired_at"] != nil &&
			strings.HasPrefix(url, "http://example.com/certificates/") &&
			len(complete["retired_serial_numbers"].([]any)) != 0, complete)
	})
}

func TestInterfaceMarket(t *testing.T) {
	t.Parallel()
	d := readDemo(t)
	t.Run("section 4: page defaults to 1, per_page to 20, counting projects", func(t *testing.T) {
		market, page := d.Market("")
		must.Hold(t, market.Projects() == 20 && page.Current == 1 && page.PerPage == 20, market.Projects(), page)
	})
	t.Run("sell orders of a vintage are sorted by price", func(t *testing.T) {
		market, _ := d.Market("")
		for i := range market.Vintages() {
			v := market.Vintage(i)
			for n := int(v.First) + 1; n < int(v.End); n++ {
				must.Hold(t, market.Order(n-1).Price <= market.Order(n).Price, "vintage", v.ID, market.Order(n-1),
					market.Order(n))
			}
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
		must.Equal(t, len(seen), first.TotalItems)
	})
	t.Run("a page beyond the last is empty", func(t *testing.T) {
		market, page := d.Market("page=99")
		must.Hold(t, market.Projects() == 0 && page.Current == 99 && page.TotalPages == 4, page)
	})
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
			must.Hold(t, wallets == test.wallets && trades == test.trades && page.TotalItems == min(wallets, 1),
				wallets, trades, test.wallets, test.trades, page)
		})
	}
	t.Run("section 4: the most recent trade is first", func(t *testing.T) {
		inventory, _ := d.Inventory("")
		trades := inventory.Projects[0].Vintages[0].Wallets[0].Trades
		must.Hold(t, trades[0].ExecutionDate.Time.After(trades[1].ExecutionDate.Time), trades)
	})
	t.Run("section 4: pages", func(t *testing.T) {
		d, seen := readDemo(t), make(map[string]bool)
		_, first := d.Inventory("")
		for n := 1; n <= first.TotalPages; n++ {
			inventory, page := d.Inventory(fmt.Sprintf("page=%d", n))
			must.Hold(t, page.PerPage == 20 && len(inventory.Projects) != 0 && len(inventory.Projects) <= 20, "page",
				n, len(inventory.Projects), page)
			for _, p := range inventory.Projects {
				seen[p.ID] = true
			}
		}
		must.Hold(t, first.TotalPages >= 3 && len(seen) == first.TotalItems, len(seen), first.TotalPages,
			first.TotalItems)
	})
}

func TestInterfaceProjects(t *testing.T) {
	t.Parallel()
	d := readDemo(t)
	projects := func(query string) []model.Project {
		t.Helper()
		all := must.Get(wire.DecodeProjects(d.Get("/api/projects" + query).Body.Bytes()))
		return all
	}
	all := projects("")
	a, b := all[3].ID, all[7].ID
	for _, query := range []string{
		"project_ids[]=" + a + "&project_ids[]=" + b, "project_ids=" + a + "&project_ids=" + b,
		"project_ids=" + a + "," + b, "project_ids%5B%5D=" + a + "&project_ids=" + b,
		"project_ids=" + a + ",003nope," + b + "," + a,
	} {
		some := projects("?" + query)
		must.Hold(t, len(some) == 2 && some[0].ID == a && some[1].ID == b, query, some)
	}
	none := projects("?project_ids=003nope")
	must.Equal(t, len(none), 0, "an unknown id gives", none)
	p := all[0]
	must.Hold(t, p.Name == "Bale Mountains" && p.Type == "REDD+" && p.Country == "ET" && p.RegistryName == "VERRA" &&
		len(p.SDGs) != 0 && p.RegistryURL == "https://registry.verra.org/app/projectDetail/VCS/1340" &&
		len(p.Vintages) != 0 && p.Vintages[0].Year != 0, p)
}
