package marketplace

import (
	"net/http"
	"strings"
	"testing"
)

// An operator's change makes exactly those pages new that show it, and the listing if a
// project enters or leaves it.
func TestWhatAnOperatorChangesIsAnotherMarketWhereItShows(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	catalogue := func(rows string) func() {
		return func() {
			_, err := d.importCatalogue(rows)
			must(err)
		}
	}
	orders := func(rows string) func() { return func() { offer(t, d, sellerTenant, rows) } }
	renamed := strings.ReplaceAll(bale, "Bale Mountains", "Bale")
	for _, step := range []struct {
		name          string
		do            func()
		shows, listed bool
	}{
		{"a catalogue", catalogue(bale + "004b20,2020,\n"), false, false},
		{"an order of a new project", orders("004b20,5000000,620,o1\n"), true, true},
		{"the same order", orders("004b20,5000000,620,o1\n"), false, false},
		{"another price by a file", orders("004b20,5000000,630,o1\n"), true, false},
		{"another quantity", orders("004b20,6000000,630,o1\n"), true, false},
		{"another price", func() { must(d.reprice("o1", 640)) }, true, false},
		{"the project's name", catalogue(renamed + "004b20,2020,\n"), false, false},
		{"the vintage's address", catalogue(renamed + "004b20,2020,https://registry.example/2020\n"), false, false},
		{"another vintage", catalogue(renamed + "004b21,2021,\n"), false, false},
		{"an order of a listed project", orders("004b21,3400000,700,o2\n"), true, false},
		{"an order that is withdrawn", func() {
			_, err := d.withdraw("o1")
			must(err)
		}, true, false},
		{"a purchase that leaves less than a tonne", func() {
			d.retired(body{"vintage_id": "004b21", "quantity_grams": "3000000", "external_id": "a", "sell_order_id": "o2", "expected_price_cents": "700"})
		}, true, true},
	} {
		before := d.get("/api/market")
		listing := d.query("SELECT listing FROM market_state")
		step.do()
		again := d.getWith("/api/market", ifNoneMatch, before.Header().Get("ETag"))
		moved := again.Header().Get(marketVersion) != before.Header().Get(marketVersion)
		listed := d.query("SELECT listing FROM market_state") != listing
		if sent := again.Code == http.StatusOK && again.Body.String() != before.Body.String(); sent != step.shows || moved != step.shows || listed != step.listed {
			t.Errorf("%s: answered %d, another version %v, another listing %v", step.name, again.Code, moved, listed)
		}
	}
}
