package marketplace

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tonne/api/wire"
	"tonne/model"
)

// testNow is the clock of the tests.
var testNow = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// openDemo is a service with demo data on a database in memory.
func openDemo(t testing.TB) (*Marketplace, Demo) {
	t.Helper()
	m, err := Open(t.Context(), "", Options{Now: func() time.Time { return testNow }, RatePerSecond: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	demo, err := m.LoadDemo(t.Context(), DemoOptions{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return m, demo
}

// call sends one request to the service with a key.
func call(m *Marketplace, key, method, target, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+key)
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, r)
	return w
}

func TestDemoIsLargeEnough(t *testing.T) {
	t.Parallel()
	m, demo := openDemo(t)
	var parts []*model.MarketPart
	for page, pages := 1, 1; page <= pages; page++ {
		w := call(m, demo.Key, http.MethodGet, "/api/market?page="+model.Grams(page).String(), "")
		part, position, err := wire.DecodeMarket(w.Body.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		parts, pages = append(parts, part), position.TotalPages
	}
	market := model.NewMarket(parts...)
	if market.Projects() < 24 || market.Vintages() < 100 || market.Orders() < 600 {
		t.Errorf("the market has %d projects, %d vintages, %d orders", market.Projects(), market.Vintages(), market.Orders())
	}
	w := call(m, demo.Key, http.MethodGet, "/api/inventory", "")
	if _, position, err := wire.DecodeInventory(w.Body.Bytes()); err != nil || position.TotalPages < 3 {
		t.Errorf("the inventory has %d pages: %v", position.TotalPages, err)
	}
}

func TestDemoHasRequestsInEveryState(t *testing.T) {
	t.Parallel()
	m, demo := openDemo(t)
	seen := make(map[model.RetirementStatus]int)
	for _, r := range demo.RetirementIDs {
		w := call(m, demo.Key, http.MethodGet, "/api/retirement?id="+r.ID, "")
		if w.Code == http.StatusUnprocessableEntity {
			continue
		}
		retirement, err := wire.DecodeRetirement(w.Body.Bytes())
		if err != nil {
			t.Fatalf("%s: %v", r.Label, err)
		}
		t.Logf("%-36s %-19s %v t, %d items, serials %q", r.Label, retirement.Status, retirement.TotalQuantity.FormatTonnes(), len(retirement.Items), retirement.SerialNumbers)
		seen[retirement.Status]++
	}
	for _, status := range []model.RetirementStatus{model.Open, model.Closed, model.InProgress, model.Complete, model.NothingToProcess} {
		if seen[status] == 0 {
			t.Errorf("no request is %s", status)
		}
	}
}
