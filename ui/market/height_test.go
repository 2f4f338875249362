package market

import (
	"fmt"
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

func TestFocusedPaneGrowsToItsRows(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		depth, resting, focused int
	}{{5, 8, 8}, {13, 8, 16}, {40, 8, 19}} {
		r := settled(t)
		r.poll(many(c.depth))
		resting := r.lines(width, height)
		r.Press("enter")
		if focused := r.lines(width, height); resting != c.resting || focused != c.focused {
			t.Errorf("%d orders: the book has %d lines and %d with the focus, want %d and %d", c.depth, resting, focused, c.resting, c.focused)
		}
	}
}

func TestFocusedTextPaneGrows(t *testing.T) {
	t.Parallel()
	r := settled(t)
	r.poll(many())
	r.Press("i", "enter")
	if got := r.lines(width, height); got != 19 {
		t.Errorf("the project has %d lines", got)
	}
}

func TestPaneFitsFiveOrders(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ width, height, want int }{{80, 20, 8}, {120, 32, 8}, {160, 41, 11}} {
		r := settled(t)
		r.poll(many(5, 30))
		if got := r.lines(c.width, c.height); got != c.want {
			t.Errorf("%d×%d: the pane has %d lines, want %d", c.width, c.height, got, c.want)
		}
		r.Press("j")
		r.Sees("more asks up to $5.29")
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

func TestEmptyTableKeepsPaneBorderInPlace(t *testing.T) {
	t.Parallel()
	r := settled(t)
	r.poll(uitest.Market(0))
	r.Press("/", "z", "z", "z", "enter")
	if got := r.lines(width, height); got != 12 {
		t.Errorf("the pane has %d lines", got)
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
