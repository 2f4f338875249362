package market

import (
	"testing"

	"tonne/model"
	"tonne/model/market"
)

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

func TestBookCursorStaysOnBestAskUntilBookIsFocused(t *testing.T) {
	t.Parallel()
	r := settled(t)
	for _, step := range []struct {
		name   string
		market *market.Market
		keys   []string
		want   string
	}{
		{"at first", offer(600, 700, 800), nil, "A"},
		{"best ask became dearer", offer(750, 700, 800), nil, "B"},
		{"cursor moved", offer(750, 700, 800), []string{"enter", "j"}, "A"},
		{"order became the dearest", offer(900, 700, 800), nil, "A"},
		{"after Esc", offer(650, 700, 800), []string{"esc"}, "A"},
		{"moved to the top", offer(650, 700, 800), []string{"enter", "g", "g", "esc"}, "A"},
		{"top order became dearer", offer(750, 700, 800), nil, "A"},
	} {
		r.poll(step.market)
		r.Text()
		r.Press(step.keys...)
		r.Text()
		if got := r.inBook(); got != step.want {
			t.Errorf("%s: the cursor is on %s, want %s", step.name, got, step.want)
		}
	}
}
