package basket

import (
	"context"
	"fmt"
	"testing"

	"tonne/model"
	"tonne/model/market"
)

// bookSizes are the numbers of orders that costs are measured at.
var bookSizes = []int{1_000, 10_000, 100_000}

// wide returns a market of n orders, 50 to a vintage and 4 vintages to a
// project, with the details of its projects.
func wide(n int) (*market.Market, model.Projects) {
	page, details := &market.Page{}, make(model.Projects)
	for o := range n {
		if o%200 == 0 {
			id := fmt.Sprintf("003project%08d", o/200)
			page.AddProject(id)
			details[id] = model.Project{ID: id, Type: fmt.Sprint("type ", o/200%11), Country: fmt.Sprint("country ", o/200%37)}
		}
		if o%50 == 0 {
			page.AddVintage(fmt.Sprintf("004vintage%08d", o/50), 2015+o/50%10)
		}
		page.AddOrder(fmt.Sprintf("006order%010d", o), model.Grams(1+o*31%997)*model.GramsPerTonne, model.PriceCents(80+o*7919%32_003))
	}
	return market.New(page), details
}

// BenchmarkBasket measures what a person waits for who asks for a basket: the
// book of the market, the basket, and what each limit costs.
func BenchmarkBasket(b *testing.B) {
	type ask struct {
		name   string
		caps   []string
		floors []string
		money  bool
	}
	for _, a := range []ask{
		{"plain", nil, nil, false},
		{"caps", []string{"project=30%", "type=20%"}, []string{"type:type 3=15%"}, false},
		{"across", []string{"project=30%", "country=30%"}, []string{"type:type 3=15%", "type:type 5=15%"}, false},
		{"label", []string{"project=30%"}, []string{"label:ccp=25%"}, false},
		{"budget", []string{"project=30%", "type=20%"}, []string{"type:type 3=15%"}, true},
	} {
		for _, n := range bookSizes {
			b.Run(fmt.Sprintf("%s/%d", a.name, n), func(b *testing.B) {
				current, details := wide(n)
				r := Request{Tonnes: int64(n) * 100}
				if a.money {
					r = Request{Budget: model.Cents(n) * 1_000_000}
				}
				for _, text := range a.caps {
					_ = r.Limits.AddCap(text)
				}
				for _, text := range a.floors {
					_ = r.Limits.AddFloor(text)
				}
				b.ReportAllocs()
				for b.Loop() {
					book := NewBook(current, details, nil)
					book.Labels = everyThird
					got, err := book.Buy(context.Background(), r)
					if err != nil || got.Tonnes == 0 || got.Short > 0 {
						b.Fatalf("%d t, %d t short: %v", got.Tonnes, got.Short, err)
					}
				}
			})
		}
	}
}

// everyThird labels about a third of the vintages.
func everyThird(key model.VintageKey) []string {
	if id := key.VintageID; id != "" && id[len(id)-1]%3 == 0 {
		return []string{"ccp"}
	}
	return nil
}
