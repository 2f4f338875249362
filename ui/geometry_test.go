package ui

import (
	"errors"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"tonne/api/session"
	"tonne/model"
	"tonne/model/longtest"
	"tonne/model/market"
	must "tonne/model/musttest"
	"tonne/model/portfolio"
	"tonne/ui/uitest"
)

// screens has the keys to every screen.
var screens = map[string]func(r *robot){
	"loading": func(*robot) {},
	"no answer": func(r *robot) {
		r.hear(session.MarketEvent{Status: session.Status{Err: errors.New("connection refused")}})
	},
	"market":   (*robot).settle,
	"book":     func(r *robot) { r.settle(); r.Press("enter") },
	"filter":   func(r *robot) { r.settle(); r.Press("/", "w", "i") },
	"no match": func(r *robot) { r.settle(); r.Press("/", "x", "x", "x") },
	"project":  func(r *robot) { r.settle(); r.Press("i") },
	"changes":  func(r *robot) { r.settle(); r.Press("v") },
	"quote":    func(r *robot) { r.settle(); r.Press("b", "5", "0", "0", "enter") },
	"prompt":   func(r *robot) { r.settle(); r.Press("b", "x", "enter") },
	"columns":  func(r *robot) { r.settle(); r.Press("C") },
	"help":     func(r *robot) { r.settle(); r.Press("?") },
	"palette":  func(r *robot) { r.settle(); r.Press(":", "g", "r") },
	"stale": func(r *robot) {
		r.settle()
		r.hear(session.MarketEvent{Status: session.Status{State: session.Stale, At: uitest.Now.Add(-time.Hour), Err: errors.New("the service answered 500")}, Market: uitest.Market(0), Generation: 1})
	},
	"empty market": func(r *robot) {
		r.hear(session.MarketEvent{Status: uitest.Live(), Market: market.New(), Generation: 1})
	},
	"inventory": func(r *robot) { r.settle(); r.ShowInventory() },
	"trades":    func(r *robot) { r.settle(); r.ShowInventory(); r.Press("enter") },
	"next page": func(r *robot) { r.settle(); r.ShowInventory(); r.Press("]") },
	"empty inventory": func(r *robot) {
		r.Press("2")
		empty := &portfolio.Inventory{}
		r.hear(session.PortfolioEvent{Status: uitest.Live(), Positions: portfolio.NewPositions(empty, empty)})
	},
	"incomplete inventory": func(r *robot) {
		r.settle()
		r.ShowInventory()
		part := uitest.Book()
		part.Partial, part.Status = true, session.Status{Fetching: true, Done: 3, Total: 7}
		r.hear(part)
	},
	"portfolio value": func(r *robot) { r.settle(); r.ShowInventory(); r.hear(uitest.BookHistory()); r.Press("c") },
	"page of the API": func(r *robot) {
		r.settle()
		r.ShowInventory()
		r.Press("P")
		r.hear(session.InventoryEvent{Status: uitest.Live(), Query: r.feed.Query, Inventory: uitest.Inventory(), Page: model.Page{PerPage: 20, TotalPages: 7, TotalItems: 134, Current: 1}})
	},
	"retirements":        func(r *robot) { r.settle(); r.ShowRetirements() },
	"retirement details": func(r *robot) { r.settle(); r.ShowRetirements(); r.Press("enter", "G") },
	"typing an id":       func(r *robot) { r.settle(); r.ShowRetirements(); r.Press("a", "0", "0") },
	"not found": func(r *robot) {
		r.Press("3")
		r.answered(uitest.Answer{ID: "00mcomplete", Err: errors.New("not found")})
	},
	"in grams": func(r *robot) { r.settle(); r.Press("u") },
}

// TestEveryScreenFitsEverySize draws each screen at half of the widths from 1 to 240, or all of them in a long run, and
// each height from 1 to 80, but not at each pair: widths and heights advance together in coprime steps.
func TestEveryScreenFitsEverySize(t *testing.T) {
	t.Parallel()
	for name, show := range screens {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRobot(t, 100, 30)
			show(r)
			for n := range longtest.Runs(120, 240) {
				width, height := n*7%240+1, n*3%80+1
				r.app.Update(tea.WindowSizeMsg{Width: width, Height: height})
				uitest.Exact(t, r.frame(), width, height)
				must.Need(t, !t.Failed(), width, height)
			}
			for _, size := range [...][2]int{{500, 200}, {60, 15}, {61, 15}, {60, 16}, {99, 20}, {100, 20}} {
				r.FrameAt(size[0], size[1])
			}
			dark := r.Text()
			r.app.background.Auto, r.app.background.Dark = true, !r.app.background.Dark
			r.FrameAt(100, 20)
			must.Equal(t, r.Text(), dark, "the theme changes the text")
		})
	}
}
