package inventory

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"tonne/api/session"
	"tonne/model"
	"tonne/model/market"
	"tonne/model/portfolio"
	"tonne/ui/keymap"
	"tonne/ui/uitest"
)

// frame is the duration of a frame at 60 frames per second.
const frame = time.Second / 60

// large returns an inventory of n wallets with ten purchases each, four wallets per
// project, and a market that sells each vintage. shift raises the prices.
func large(n int, shift model.PriceCents) (*portfolio.Inventory, *market.Market, model.Projects) {
	inv, part, projects := &portfolio.Inventory{}, new(market.Page), make(model.Projects)
	for i := range n {
		if i%4 == 0 {
			id := fmt.Sprintf("003%07d", i/4)
			inv.Projects = append(inv.Projects, portfolio.Project{ID: id})
			part.AddProject(id)
			projects[id] = model.Project{ID: id, Name: "Project " + strconv.Itoa(i*7919%n), Type: "Cookstoves", Country: "KE"}
		}
		w := portfolio.Wallet{Type: portfolio.WalletCAAS, Quantity: model.Grams(i%97) * 123_457}
		for day := range 10 {
			w.Trades = append(w.Trades, portfolio.Trade{
				ExecutionDate: model.At(uitest.Now.AddDate(0, 0, -day-i%300)), Quantity: 2 * model.GramsPerTonne, Price: model.PriceCents(500 + i%1000), Type: portfolio.Buy,
			})
		}
		vintage := fmt.Sprintf("004%07d", i)
		last := &inv.Projects[len(inv.Projects)-1]
		last.Vintages = append(last.Vintages, portfolio.Vintage{ID: vintage, Wallets: []portfolio.Wallet{w}})
		part.AddVintage(vintage, 2015+i%10)
		part.AddOrder("006"+strconv.Itoa(i), 5*model.GramsPerTonne, model.PriceCents(400+i*7919%1000)+shift)
	}
	return inv, market.New(part), projects
}

// bench returns a robot with an inventory of n wallets that is drawn.
func bench(b testing.TB, n int) *robot {
	r := newRobot(b)
	inv, market, projects := large(n, 0)
	opened := uitest.Opened()
	for i := range market.Vintages() {
		opened.Opened[market.Key(i)] = market.Vintage(i).BestAsk - 5
	}
	r.Hear(session.ProjectsEvent{Projects: projects}, session.MarketEvent{Status: uitest.Live(), Generation: 1, Market: market}, opened)
	r.hold(inv, nil)
	r.tab.wallets.table.Finish()
	r.FrameAt(160, 41)
	r.stroke(0)
	return r
}

// stroke presses a cursor key and draws a frame. It goes down and up again within the
// rows that every size has.
func (r *robot) stroke(i int) {
	name := "j"
	if i%180 >= 90 {
		name = "k"
	}
	var matcher keymap.Matcher
	binding, _ := matcher.Press(uitest.Stroke(name), r.tab.Groups())
	_ = binding.Do()
	r.draw()
}

func (r *robot) draw() {
	r.tab.Layout(160, 41)
	_, _ = r.tab.Render()
}

// best returns the shortest time of each function. The functions take turns, so that
// other load on the machine affects all of them.
func best(rounds int, works ...func()) []time.Duration {
	shortest := make([]time.Duration, len(works))
	for round := range rounds {
		for i, work := range works {
			began := time.Now()
			work()
			if took := time.Since(began); round == 0 || took < shortest[i] {
				shortest[i] = took
			}
		}
	}
	return shortest
}

// The cost of a cursor key and a frame must not depend on the number of wallets.
func BenchmarkKey(b *testing.B) {
	for _, n := range []int{100, 1_000, 10_000, 100_000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			many, few := bench(b, n), bench(b, 100)
			strokes := func(r *robot) func() {
				return func() {
					for i := range 45 {
						r.stroke(i)
					}
				}
			}
			key := best(100, strokes(many), strokes(few))
			drawn := best(1000, many.draw, few.draw)
			b.ReportAllocs()
			b.ResetTimer()
			for i := range b.N {
				many.stroke(i)
			}
			b.ReportMetric(float64(key[0])/float64(key[1]), "x/100wallets")
			b.ReportMetric(float64(drawn[0])/float64(drawn[1]), "x-draw/100wallets")
		})
	}
}

// A poll of the market or of the wallets values and sorts all wallets again. This
// measures the part that blocks the screen.
func BenchmarkRefresh(b *testing.B) {
	for _, n := range []int{100, 1_000, 10_000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			r := bench(b, n)
			_, dearer, _ := large(n, 7)
			markets := [2]*market.Market{r.View.Market.Market, dearer}
			polls, read := 0, 0
			poll := func() {
				polls++
				e := session.MarketEvent{Status: uitest.Live(), Generation: uint64(polls), Market: markets[polls%2]}
				r.View.Receive(e)
				_ = r.tab.receive(e)
				r.draw()
			}
			inv, _, _ := large(n, 0)
			reads := [2]*portfolio.Positions{portfolio.NewPositions(inv, inv), portfolio.NewPositions(inv, inv)}
			reread := func() {
				read++
				_ = r.tab.receive(session.PortfolioEvent{Status: uitest.Live(), Positions: reads[read%2]})
				r.draw()
			}
			took := best(30, poll, reread)
			b.ResetTimer()
			for range b.N {
				poll()
			}
			b.ReportMetric(float64(took[0])/float64(frame), "x-poll/frame")
			b.ReportMetric(float64(took[1])/float64(frame), "x-read/frame")
		})
	}
}
