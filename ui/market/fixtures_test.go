package market

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"tonne/api/session"
	"tonne/model"
	"tonne/model/market"
	"tonne/ui/uitest"
)

func deep(depths ...int) *market.Market {
	var part market.Page
	for n, depth := range depths {
		part.AddProject(fmt.Sprintf("003d%03d", n))
		part.AddVintage(fmt.Sprintf("004d%03d", n), 2020)
		for i := range depth {
			part.AddOrder(fmt.Sprintf("006d%03d%d", n, i), model.GramsPerTonne, model.PriceCents(500+i))
		}
	}
	return market.New(&part)
}

// many returns more vintages than fit on a screen. The first have the given numbers of orders.
func many(depths ...int) *market.Market {
	all := make([]int, 100)
	for i := range all {
		all[i] = 5
	}
	copy(all, depths)
	return deep(all...)
}

func (r *robot) lines(width, height int) int {
	r.FrameAt(width, height)
	return height - r.tab.top - r.tab.tableLines
}

// offer returns a market of one vintage with asks of 1 t at the prices, named A, B and so on.
func offer(prices ...model.PriceCents) *market.Market {
	var part market.Page
	part.AddProject("003bale")
	part.AddVintage("004bale0", 2019)
	for i, price := range prices {
		part.AddOrder(string(rune('A'+i)), model.GramsPerTonne, price)
	}
	return market.New(&part)
}

func (r *robot) inBook() string {
	key, _ := r.tab.panes.book.table.CurrentKey()
	return key
}

// TestChangesAreLimited checks that the list has the newest changes, of one poll, of many and from before the start.
func TestChangesAreLimited(t *testing.T) {
	t.Parallel()
	r := settled(t)
	c := r.tab.panes.changes
	repriced := func(orders int, news ...model.PriceCents) {
		for _, price := range news {
			r.poll(offer(slices.Repeat([]model.PriceCents{price}, orders)...))
		}
	}
	repriced(maxChanges+9, 600, 601)
	r.Equal("number of changes after a poll", len(c.log), maxChanges)
	repriced(3, 700, 701)
	r.Equal("number of changes", len(c.log), maxChanges)
	r.Equal("newest change", c.log[0].Now.Price, model.PriceCents(701))
	r.poll(offer(701, 701, 702))
	numbers := make(map[int]bool)
	for _, change := range c.log {
		numbers[change.number] = true
	}
	r.Equal("different numbers of changes", len(numbers), len(c.log))
	r.Hear(session.MissedMovesEvent{Since: uitest.Now, At: uitest.Now,
		Moves: slices.Repeat(missedMoves.Moves, maxChanges)})
	r.Equal("number of changes with those before the start", len(c.log), maxChanges)
}

// Comparing marks vintages after a day of prices and compares them: one that was bought, its neighbour, one with
// a label, and one of another kind.
func (r *robot) Comparing() {
	for n := range 20 {
		r.later(34 * time.Minute)
		r.poll(uitest.Market(model.PriceCents(n * n % 37)))
	}
	r.Labelled("003cabo")
	r.Press("M", "j", "M", "j", "j", "j", "j", "M", "G", "M", "=")
}

func (r *robot) Thin() {
	var part market.Page
	part.AddProject("003camb")
	for n, tonnes := range []model.Grams{5, 2000} {
		part.AddVintage(fmt.Sprint("004camb", n), 2020+n)
		part.AddOrder(fmt.Sprint("006camb", n), tonnes*model.GramsPerTonne, 412)
	}
	r.poll(market.New(&part))
}
