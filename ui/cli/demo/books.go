package demo

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"tonne/api"
	"tonne/api/marketplace/demo"
	"tonne/model"
	"tonne/model/execution"
	"tonne/model/market"
)

// remembered is the number of the latest purchases around which the demo has recorded the market.
const remembered = 40

// recordBooks records the market around purchases of the demo, as if the dashboard had run. Of each four
// purchases, one is the cheapest of all, one the cheapest of its vintage, one is dearer than another order,
// and one was made while nothing was recorded.
func (s *syntheticMarket) recordBooks(record func(api.MarketRead)) {
	purchases := execution.Purchases(s.held, nil)
	purchases = purchases[max(0, len(purchases)-remembered):]
	asks := newAsks(s.prices)
	var last time.Time
	for n, p := range purchases {
		before := p.At().Add(-time.Duration(3+n%37) * time.Second)
		if n%4 == 3 || !before.After(last) {
			continue
		}
		last = p.At().Add(4 * time.Second)
		b := &syntheticBook{Purchase: p, n: n}
		shown := asks.at(p.At())
		record(api.MarketRead{Market: b.market(shown), At: before})
		b.sold = true
		record(api.MarketRead{Market: b.market(shown), At: last})
	}
}

// asks are the best asks of each vintage, oldest first, in the order of the demo.
type asks struct {
	of     map[model.VintageKey][]demo.Price
	listed []model.VintageKey
}

func newAsks(prices []demo.Price) asks {
	a := asks{of: make(map[model.VintageKey][]demo.Price)}
	for _, p := range prices {
		if len(a.of[p.Vintage]) == 0 {
			a.listed = append(a.listed, p.Vintage)
		}
		a.of[p.Vintage] = append(a.of[p.Vintage], p)
	}
	return a
}

// at returns the prices of a time, or the oldest ones before they begin.
func (a asks) at(t time.Time) (shown []demo.Price) {
	for _, key := range a.listed {
		prices := a.of[key]
		after := slices.IndexFunc(prices, func(p demo.Price) bool { return p.At.After(t) })
		if after < 0 {
			after = len(prices)
		}
		shown = append(shown, prices[max(0, after-1)])
	}
	slices.SortStableFunc(shown, func(x, y demo.Price) int {
		return cmp.Compare(x.Vintage.ProjectID, y.Vintage.ProjectID)
	})
	return shown
}

// syntheticBook is a market around a purchase. sold reports that the purchase has been made.
type syntheticBook struct {
	execution.Purchase
	n    int
	sold bool
}

func (b *syntheticBook) market(shown []demo.Price) *market.Market {
	var page market.Page
	project, own := "", false
	for _, p := range shown {
		if p.Vintage.ProjectID != project {
			project = p.Vintage.ProjectID
			page.AddProject(project)
		}
		page.AddVintage(p.Vintage.VintageID, 0)
		own = own || p.Vintage == b.Vintage
		b.addOrders(&page, p)
	}
	if !own {
		page.AddProject(b.Vintage.ProjectID)
		page.AddVintage(b.Vintage.VintageID, 0)
		b.addOrders(&page, demo.Price{Vintage: b.Vintage, BestAsk: b.Trade.Price, Available: 40 * model.GramsPerTonne})
	}
	return market.New(&page)
}

// addOrders adds the orders of a vintage, and the one that was bought.
func (b *syntheticBook) addOrders(page *market.Page, p demo.Price) {
	least, own := model.PriceCents(0), p.Vintage == b.Vintage
	if b.n%4 == 0 || own {
		least = b.Trade.Price + 1
	}
	if own {
		left := b.Trade.Quantity + 20*model.GramsPerTonne
		if b.sold {
			left -= b.Trade.Quantity
		}
		page.AddOrder(fmt.Sprintf("006demo%04dbought", b.n), left, b.Trade.Price)
		if b.n%4 == 2 {
			page.AddOrder(fmt.Sprintf("006demo%04dcheaper", b.n), 3*model.GramsPerTonne, b.Trade.Price*97/100)
		}
	}
	const orders = 3
	for i := range model.PriceCents(orders) {
		price := max(p.BestAsk+p.BestAsk*i*2/100, least+i)
		tonnes := max(p.Available.Tonnes()/orders, 1)
		grams, err := model.WholeTonnes(tonnes)
		if err == nil {
			page.AddOrder("006"+p.Vintage.VintageID[max(0, len(p.Vintage.VintageID)-12):]+fmt.Sprint("demo", i), grams, price)
		}
	}
}
