package market

import (
	"context"
	"strings"
	"testing"

	"tonne/api/session"
	"tonne/model"
	"tonne/model/basket"
	"tonne/model/market"
	must "tonne/model/musttest"
	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/uitest"
)

// stoves is a market with two cookstove projects, one of which we have bought, and a
// cheaper project of another type.
func stoves(shift model.PriceCents) *market.Market {
	var part market.Page
	order := func(id string, tonnes model.Grams, price model.PriceCents) {
		part.AddOrder(id, tonnes*model.GramsPerTonne, price)
	}
	part.AddProject("003camb")
	part.AddVintage("004camb0", 2020)
	order("006camb1", 2000, 412+shift)
	order("006camb2", 1000, 459)
	part.AddProject("003dela")
	part.AddVintage("004dela0", 2023)
	order("006dela1", 1600, 592)
	order("006dela2", 900, 680)
	order("006dela3", 5000, 720)
	part.AddProject("003gene")
	part.AddVintage("004gene0", 2019)
	order("006gene1", 100_000, 95)
	return market.New(&part)
}

// asking returns a robot that shows a basket of the cookstoves below seven dollars.
func asking(t testing.TB, tonnes string) *robot {
	r := settled(t)
	r.poll(stoves(0))
	r.Press("/")
	r.Type("type:cookstoves ask<7")
	r.Press("enter", "B")
	r.Type(tonnes)
	r.Press("enter")
	return r
}

func TestBasketIsComputedInBackground(t *testing.T) {
	t.Parallel()
	r := asking(t, "5000")
	poll := func(shift model.PriceCents) effect.Effect {
		e := session.MarketEvent{Status: session.Status{State: session.Live, At: r.Now}, Market: stoves(shift)}
		r.View.Receive(e)
		return r.CarryOut(r.tab.Handle(e))
	}
	first := poll(10)
	r.Sees("$25,022.00 for 5,000 t")
	// The outdated basket is neither copied nor exported.
	for _, key := range []string{"Y", "e"} {
		r.Press(key)
		said := uitest.LastOf(r.Said)
		must.Hold(t, said == "The basket is being recomputed." && len(r.Copied) == 0, key, said)
	}
	// Keys work during the computation, and the next poll does not start a second one.
	r.Press("j")
	key, _ := r.tab.list.table.CurrentKey()
	must.Equal(t, key.ProjectID, "003dela", "the cursor is on", key)
	second := poll(20)
	must.Hold(t, second == nil, "two computations at once", second)
	r.Run(first)
	r.Sees("$25,422.00 for 5,000 t")
	r.Press("Y")
	must.Equal(t, len(r.Copied), 1, "nothing copied", r.Said)
}

func TestBasketCoversExactlyTheShownRows(t *testing.T) {
	t.Parallel()
	for _, filter := range []string{"", "wind", "ask<7", "!type:redd vintage>=2020", "paid", "country:kh"} {
		r := settled(t)
		r.Press("/")
		r.Type(filter)
		r.Press("enter", "B")
		r.Type("900")
		r.Press("enter")
		shown := make(map[model.VintageKey]bool)
		for key := range r.tab.list.table.Rows() {
			shown[key] = true
		}
		book := basket.NewBook(r.market, uitest.Projects(), func(v int) bool { return shown[r.market.Key(v)] })
		limit, _ := r.tab.list.filter.Expr().MaxAsk()
		wanted := basket.Request{Tonnes: 900}
		wanted.Limits.SetMaxPrice(limit)
		want, err := book.Buy(context.Background(), wanted)
		must.Succeed(t, err)
		found := r.tab.panes.basket.found
		must.Hold(t, found.Cost == want.Cost && found.Tonnes == want.Tonnes && found.vintages == len(shown),
			filter, found.Cost, found.Tonnes, found.vintages, want.Cost, want.Tonnes, len(shown))
	}
}

func TestBasketFormFitsLowTerminals(t *testing.T) {
	t.Parallel()
	f := newBasketForm(basketTexts{fieldFloors: "Biochar=10%"}, 699, model.UnknownGrams)
	for range basketFields - 1 {
		f.Press(uitest.Stroke("tab"))
	}
	theme := style.NewTheme(style.Mono)
	for height := 1; height < basketFields+3; height++ {
		block := style.NewBlock(theme, 40, height)
		cursor := f.Draw(block)
		uitest.Exact(t, block.String(), 40, height)
		must.Hold(t, strings.Contains(block.String(), "Biochar") && cursor != nil && cursor.Y < height,
			height, block.String())
	}
}

// Computing a basket for a budget can take long. It is cancelled if the input changes or the
// basket is closed, but not by the next poll.
func TestUnneededBasketComputationIsCancelled(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		do    func(r *robot)
		stops bool
	}{
		"next poll":     {func(r *robot) { r.poll(stoves(1)) }, false},
		"input changed": {func(r *robot) { r.Press("B"); r.Type("10"); r.Press("enter") }, true},
		"basket closed": {func(r *robot) { r.Press("esc", "esc"); r.poll(stoves(1)) }, true},
	} {
		r := asking(t, "5000")
		p, stopped := r.tab.panes.basket, false
		in, _ := r.tab.panes.basket.input()
		p.pending, p.stop = &in, func() { stopped = true }
		c.do(r)
		must.Equal(t, stopped, c.stops, name)
		before := p.found
		p.take(&basketResult{err: context.Canceled})
		must.Hold(t, p.found == before && p.pending == nil, name)
	}
}
