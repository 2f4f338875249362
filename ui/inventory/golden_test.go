package inventory

import (
	"errors"
	"fmt"
	"testing"

	"tonne/api/session"
	"tonne/model"
	"tonne/model/portfolio"
	"tonne/ui/uitest"
)

// strange returns an inventory with unknown wallet and trade types,
// two wallets of one vintage, and a number that could not be read.
func strange() *portfolio.Inventory {
	inv := uitest.Inventory()
	v := &inv.Projects[0].Vintages[0]
	v.Wallets[0].Trades[1].Type = portfolio.Sell
	v.Wallets[0].Trades[2].Type = "SWAP"
	v.Wallets = append(v.Wallets, portfolio.Wallet{Type: "ESCROW", Quantity: 5_000_000},
		portfolio.Wallet{Type: "ESCROW", Quantity: model.UnknownGrams})
	inv.Faults = []model.Fault{{Path: "projects[0].vintages[0].wallets[2].quantity_grams",
		Reason: "is not a string of digits"}}
	return inv
}

// scenes are the states of the tab.
var scenes = uitest.Scenes[*robot]{
	"wallets":  func(*robot) {},
	"trades":   func(r *robot) { r.Press("enter", "j") },
	"strange":  func(r *robot) { r.answer(strange()) },
	"filtered": func(r *robot) { r.Press("/", "b", "a", "l", "e", "enter") },
	"no-match": func(r *robot) { r.Press("/", "z", "z", "z", "enter") },
	"turning":  func(r *robot) { r.Press("j", "]") },
	"turned":   func(r *robot) { r.Press("j", "]"); r.answer(strange()) },
	"sales": func(r *robot) {
		r.Press("t", "t")
		r.answerWith(without(uitest.Inventory()), uitest.Inventory())
	},
	"empty":     func(r *robot) { r.Press("z"); r.answer(&portfolio.Inventory{}) },
	"all-empty": func(r *robot) { r.answer(&portfolio.Inventory{}) },
	"no-longer": func(r *robot) {
		r.Press("]")
		r.tab.page.query.Page = 9
		r.feed.Query.Page = 9
		r.answer(&portfolio.Inventory{})
	},
	"not-answered": func(r *robot) { r.Press("]"); r.Hear(failed(r.feed)) },
}

// without returns the inventory without trades.
func without(inv *portfolio.Inventory) *portfolio.Inventory {
	for p := range inv.Projects {
		for v := range inv.Projects[p].Vintages {
			inv.Projects[p].Vintages[v].Wallets[0].Trades = nil
		}
	}
	return inv
}

func failed(f *uitest.Feed) session.InventoryEvent {
	return session.InventoryEvent{Status: session.Status{State: session.Loading, Err: errors.New("connection refused")},
		Query: f.Query}
}

func TestPageScreens(t *testing.T) {
	t.Parallel()
	scenes.Each(t, settled, func(name string, r *robot) {
		uitest.Golden(r.T, name, r.Frame()+"\n"+r.tab.status().String())
		r.FitsEverySize()
	})
}

func TestFirstReadScreens(t *testing.T) {
	t.Parallel()
	for name, e := range map[string]session.InventoryEvent{
		"loading":   {Status: session.Status{State: session.Loading, Fetching: true}},
		"no-answer": {Status: session.Status{Err: errors.New("connection refused")}},
	} {
		r := newPageRobot(t)
		e.Query = r.feed.Query
		r.Hear(e)
		uitest.Golden(t, name, r.Frame())
	}
}

func TestWalletsAtEverySize(t *testing.T) {
	t.Parallel()
	for _, size := range [...][2]int{{60, 11}, {80, 20}, {160, 41}} {
		r := settled(t)
		uitest.Golden(t, fmt.Sprintf("wallets-%dx%d", size[0], size[1]), r.FrameAt(size[0], size[1]))
	}
}
