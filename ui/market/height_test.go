package market

import (
	"fmt"
	"strings"
	"testing"

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

func TestPaneFitsItsRows(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name          string
		market        *market.Market
		keys          string
		width, height int
		want          int
	}{
		{"five orders", many(5), "", width, height, 8},
		{"five orders with the focus", many(5), "enter", width, height, 8},
		{"more orders", many(13), "", width, height, 8},
		{"more orders with the focus", many(13), "enter", width, height, 16},
		{"most orders with the focus", many(40), "enter", width, height, 19},
		{"a text with the focus", many(), "i enter", width, height, 19},
		{"five orders at 80×20", many(5, 30), "", 80, 20, 8},
		{"five orders at 160×41", many(5, 30), "", 160, 41, 11},
		{"no vintages", uitest.Market(0), "/ z z z enter", width, height, 12},
	} {
		r := settled(t)
		r.poll(c.market)
		r.FrameAt(c.width, c.height)
		r.Press(strings.Fields(c.keys)...)
		if got := r.lines(c.width, c.height); got != c.want {
			t.Errorf("%s: the pane has %d lines, want %d", c.name, got, c.want)
		}
		if r.Press("j"); c.width != width {
			r.Sees("more asks up to $5.29")
		}
	}
}

func TestPaneHeightIsStableWhileCursorMoves(t *testing.T) {
	t.Parallel()
	for _, m := range []*market.Market{deep(1, 9, 30, 2), many(1, 9, 30, 2)} {
		r := settled(t)
		r.poll(m)
		first := r.lines(width, height)
		for range 4 {
			r.Press("j")
			if now := r.lines(width, height); now != first {
				t.Errorf("the pane has %d lines, before %d", now, first)
			}
		}
	}
}

func TestBasketGetsLargerHalfOfLowTerminal(t *testing.T) {
	t.Parallel()
	r := settled(t)
	r.poll(deep(9, 9, 9, 9, 9, 9, 9, 9, 9))
	r.FrameAt(80, 20)
	r.Press("B")
	r.fill(map[int]string{fieldTonnes: "60", fieldPrice: "500", fieldProject: "90%"})
	for range 2 {
		if got := r.lines(80, 20); got < 12 {
			t.Errorf("the basket has %d of 20 lines", got)
		}
	}
	r.Sees("more below", "not binding: max price $500.00, cap project=90%")
	r.Press("esc")
	if got := r.lines(80, 20); got > 10 {
		t.Errorf("without a basket, the pane has %d of 20 lines", got)
	}
}
