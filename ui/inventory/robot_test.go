package inventory

import (
	"fmt"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"tonne/api/session"
	"tonne/model"
	"tonne/model/portfolio"
	"tonne/ui/uitest"
)

// robot simulates a user of the tab.
type robot struct {
	*uitest.Robot
	tab  *Tab
	feed *uitest.Feed
}

// newRobot returns a robot with the list of all wallets, before the first read.
func newRobot(t testing.TB) *robot {
	r := &robot{Robot: uitest.NewRobot(t, 120, 32), feed: &uitest.Feed{}}
	// The text of the footer belongs to the tab.
	r.Text = func() string { return ansi.Strip(r.Frame()) + "\n" + r.tab.status().String() }
	r.tab = New(r.View, r.feed)
	r.Show(r.tab)
	return r
}

// newPageRobot returns a robot with the first page of the API.
func newPageRobot(t testing.TB) *robot {
	r := newRobot(t)
	r.Binding("inventory.paging")
	return r
}

// settled returns a robot with a page of the API that has been read.
func settled(t testing.TB) *robot {
	r := newPageRobot(t)
	r.know()
	r.answer(uitest.Inventory())
	return r
}

// know sends names, prices and the last prices paid.
func (r *robot) know() {
	r.Hear(session.ProjectsEvent{Projects: uitest.Projects()})
	r.Hear(session.MarketEvent{Status: uitest.Live(), Generation: 1, Market: uitest.Market(0)})
	r.Hear(session.PortfolioEvent{Status: uitest.Live(), LastPaid: uitest.Inventory().LastPaid()})
}

// answer sends inv as the page that the tab requested last.
func (r *robot) answer(inv *portfolio.Inventory) { r.answerWith(inv, nil) }

func (r *robot) answerWith(inv, purchases *portfolio.Inventory) {
	r.Hear(session.InventoryEvent{
		Status: uitest.Live(), Query: r.feed.Query, Inventory: inv, Purchases: purchases,
		Page: model.Page{PerPage: 20, TotalPages: 7, TotalItems: 134, Current: r.feed.Query.Page},
	})
}

// traded returns an inventory with one wallet for each count of trades.
func traded(counts ...int) *portfolio.Inventory {
	inv := &portfolio.Inventory{}
	for n, count := range counts {
		w := portfolio.Wallet{Type: portfolio.WalletCAAS, Quantity: model.GramsPerTonne}
		for i := range count {
			w.Trades = append(w.Trades, portfolio.Trade{
				ExecutionDate: model.At(uitest.Now.AddDate(0, 0, -i)), Quantity: model.GramsPerTonne,
				Price: model.PriceCents(500 + i), Type: portfolio.Buy,
			})
		}
		inv.Projects = append(inv.Projects, portfolio.Project{ID: fmt.Sprintf("003t%03d", n), Vintages: []portfolio.Vintage{
			{ID: fmt.Sprintf("004t%03d", n), Wallets: []portfolio.Wallet{w}},
		}})
	}
	return inv
}

// lines draws a frame and returns the number of lines of the trades.
func (r *robot) lines(width, height int) int {
	r.FrameAt(width, height)
	return height - r.tab.layout.filter - r.tab.layout.wallets
}
