package inventory

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"tonne/api/session"
	must "tonne/model/musttest"
	"tonne/model/portfolio"
	"tonne/ui/column"
	"tonne/ui/tab"
	"tonne/ui/uitest"
)

// whole returns a robot that sees all wallets.
func whole(t testing.TB) *robot {
	r := newRobot(t)
	r.know()
	r.Hear(uitest.Opened(), uitest.Book(), uitest.BookValue(), uitest.BookHistory())
	return r
}

// hold sends inv as the whole inventory.
func (r *robot) hold(inv *portfolio.Inventory, change func(e *session.PortfolioEvent)) {
	e := session.PortfolioEvent{Status: uitest.Live(), LastPaid: inv.LastPaid(),
		Positions: portfolio.NewPositions(inv, inv)}
	if change != nil {
		change(&e)
	}
	r.Hear(e)
}

// reading sets the progress of an event to three pages of seven.
func reading(e *session.PortfolioEvent) {
	e.Partial, e.Status = true, session.Status{Fetching: true, Done: 3, Total: 7}
}

func brokenOff(e *session.PortfolioEvent) {
	e.Partial, e.Status = true, session.Status{Err: errors.New("connection refused"), Done: 3, Total: 7}
}

// From any scroll position, ] must show every wallet before it reports the last page,
// and [ must show them all on the way back.
func TestBracketsShowEveryWallet(t *testing.T) {
	t.Parallel()
	for ups := range 20 {
		r := whole(t)
		r.hold(traded(make([]int, 50)...), nil)
		r.FrameAt(120, 18)
		r.Press("G")
		for range ups {
			r.Press("k")
		}
		first, last, total := r.tab.wallets.table.Visible()
		for way, bracket := range [...]string{"]", "[", "]"} {
			for range 10 {
				was, until := first, last
				r.Press(bracket)
				first, last, _ = r.tab.wallets.table.Visible()
				must.Need(t, first <= until+1 && last >= was-1, bracket, was, until, first, last)
			}
			must.Hold(t, (way != 1 || first == 1) && (way == 1 || last == total), ups, bracket, first, last, total)
		}
	}
}

func TestFilteredRowsStartAtAPageBoundary(t *testing.T) {
	t.Parallel()
	r := whole(t)
	r.hold(traded(make([]int, 50)...), nil)
	r.FrameAt(120, 18)
	r.Press("] j j j /")
	r.Pastes("id:003t00|003t01|003t02")
	r.FrameAt(120, 18)
	first, last, total := r.tab.wallets.table.Visible()
	lines := last - first + 1
	must.Hold(t, total == 30 && (first-1)%lines == 0 && first != 1, "the screen shows", first, last, total)
	r.Sees(fmt.Sprintf("page %d/%d · %d–%d of 30", (first-1)/lines+1, (30+lines-1)/lines, first, last))
}

// holdingScenes are states of the tab with all wallets.
var holdingScenes = uitest.Scenes[*robot]{
	"holdings":            func(*robot) {},
	"holdings-reading":    func(r *robot) { r.hold(uitest.Inventory(), reading) },
	"holdings-broken-off": func(r *robot) { r.hold(uitest.Inventory(), brokenOff) },
	"holdings-curve":      func(r *robot) { r.Press("c") },
	"holdings-filtered":   func(r *robot) { r.Press("/", "c", "o", "o", "k", "enter") },
	"holdings-empty":      func(r *robot) { r.hold(&portfolio.Inventory{}, nil) },
	"holdings-strange":    func(r *robot) { r.hold(strange(), nil) },
}

func TestHoldingsScreens(t *testing.T) {
	t.Parallel()
	holdingScenes.Each(t, whole, func(name string, r *robot) {
		for _, size := range [...][2]int{{80, 20}, {120, 32}, {160, 41}, {200, 56}} {
			if name == "holdings-curve" || size[0] == 120 {
				uitest.Golden(r.T, fmt.Sprintf("%s-%dx%d", name, size[0], size[1]),
					r.FrameAt(size[0], size[1])+"\n"+r.tab.status().String())
			}
		}
		r.FitsEverySize()
	})
}

// A jump to the end needs the sorted rows at once, and the totals must match them.
func TestManyWalletsAreSortedAndTotalledInTheBackground(t *testing.T) {
	t.Parallel()
	r := newRobot(t)
	r.know()
	r.hold(traded(make([]int, 100)...), reading)
	inv := traded(make([]int, 2*inline)...)
	e := session.PortfolioEvent{Status: uitest.Live(), LastPaid: inv.LastPaid(),
		Positions: portfolio.NewPositions(inv, inv)}
	r.View.Receive(e)
	left := r.CarryOut(r.tab.Handle(e))
	r.Sees("100 wallets so far", "100 t")
	must.Need(t, left != nil, "there is no background task")
	r.tab.wallets.table.Finish()
	r.Sees("2,048 wallets ", "2,048 t")
	r.Run(left)
	r.Sees("2,048 wallets ", "2,048 t")
	r.SeesNot("so far")
}

func TestChangedValuesFlashOnceAndExpire(t *testing.T) {
	t.Parallel()
	r := settled(t)
	if _, any := r.tab.Expire(r.Now); any {
		t.Error("a value flashes after the first read")
	}
	before := uitest.Market(0)
	now := uitest.Market(10)
	r.Hear(session.MarketEvent{Status: uitest.Live(), Generation: 2, Market: now, Changes: now.Since(before)})
	must.Hold(t, strings.Contains(r.Frame(), "\x1b[0;1;4;7m$6.30"), "the best ask does not flash")
	inv := uitest.Inventory()
	inv.Projects[2].Vintages[0].Wallets[0].Quantity = 11_000_000
	r.Now = r.Now.Add(time.Second)
	r.answer(inv)
	must.Hold(t, strings.Contains(r.Frame(), "\x1b[0;1;4m11        t"), "the balance does not flash", r.Frame())
	first, any := r.tab.Expire(r.Now)
	want := uitest.Now.Add(1500 * time.Millisecond)
	must.Hold(t, any && first.Equal(want), "the first mark expires at", first, any, want)
	if _, any := r.tab.Expire(r.Now.Add(2 * time.Second)); any || strings.Contains(r.Frame(), "\x1b[0;1;4;7m$6.30") {
		t.Error("a mark does not expire")
	}
}

// A saved view works in commands if they have its columns.
func TestColumnsHaveTheNamesOfCommands(t *testing.T) {
	t.Parallel()
	known := append(column.Wallets.Names(), column.Wallets.Extras()...)
	uitest.ColumnNames(t, spec(new(tab.View)).Columns, known, "today")
}
