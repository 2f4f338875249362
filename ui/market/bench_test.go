package market

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"tonne/api/session"
	"tonne/model"
	"tonne/model/alert"
	"tonne/model/filter"
	"tonne/model/market"
	"tonne/model/store"
	"tonne/ui/keymap"
	"tonne/ui/uitest"
)

// large returns a market of n vintages with four asks each and four vintages per project.
func large(n int) (*market.Market, model.Projects) {
	var part market.Page
	projects := make(model.Projects)
	for v := range n {
		if v%4 == 0 {
			id := fmt.Sprintf("003%07d", v/4)
			part.AddProject(id)
			projects[id] = model.Project{ID: id, Name: "Project " + id[3:], Type: "Cookstoves", Country: "KE"}
		}
		part.AddVintage(fmt.Sprintf("004%07d", v), 2015+v%10)
		for o := range 4 {
			part.AddOrder("006"+strconv.Itoa(4*v+o), model.Grams(v%50+1)*model.GramsPerTonne, model.PriceCents(v*7919%100_000+o))
		}
	}
	return market.New(&part), projects
}

func bench(b *testing.B, n int) *robot {
	r := newRobot(b, nil)
	market, projects := large(n)
	r.Hear(session.ProjectsEvent{Projects: projects})
	r.View.Market = session.MarketEvent{Status: session.Status{State: session.Live, At: r.Now}, Generation: 1, Market: market}
	_ = r.tab.receive(r.View.Market)
	r.market = market
	r.tab.list.table.Finish()
	r.tab.refresh()
	r.stroke(0)
	return r
}

// stroke presses a cursor key and draws a frame. It turns around after as many rows as the
// smallest market has.
func (r *robot) stroke(i int) {
	name := "j"
	if i%180 >= 90 {
		name = "k"
	}
	var matcher keymap.Matcher
	binding, _ := matcher.Press(uitest.Stroke(name), r.tab.Groups())
	_ = binding.Do()
	r.frame()
}

func (r *robot) frame() {
	r.tab.Layout(160, 41)
	_, _ = r.tab.Render()
}

// A cursor key must cost the same for any number of vintages. Both sizes run alternately and
// the best time of each counts, which cancels out other load on the machine.
func BenchmarkKey(b *testing.B) {
	for _, n := range []int{100, 10_000, 1_000_000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			inTurns(b, [2]*robot{bench(b, n), bench(b, 100)}, "x/100rows", (*robot).stroke)
		})
	}
}

// inTurns reports the cost of a key for the first robot and the ratio to the second.
func inTurns(b *testing.B, robots [2]*robot, unit string, stroke func(r *robot, i int)) {
	var best [2]time.Duration
	for round := range 1800 {
		for side, r := range robots {
			began := time.Now()
			for i := range 5 {
				stroke(r, round*5+i)
			}
			if took := time.Since(began); round == 0 || took < best[side] {
				best[side] = took
			}
		}
	}
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		stroke(robots[0], i)
	}
	b.ReportMetric(float64(best[0])/float64(best[1]), unit)
}

// A cursor key must cost about the same in the desk view, which also draws a watch list of a
// dozen rules.
func BenchmarkDeskKey(b *testing.B) {
	var robots [2]*robot
	for side, desk := range []bool{true, false} {
		r := bench(b, 10_000)
		list := session.Watchlist{}
		for n := range 12 {
			list = list.WithRule(alert.Rule{Vintage: r.market.Key(n).Clone(), Compare: alert.Below, Price: 50_000})
		}
		_ = r.tab.receive(session.WatchlistEvent{Watchlist: list})
		r.tab.wide = desk
		robots[side] = r
	}
	day := make([]store.Observation, 300)
	for i := range day {
		day[i] = store.Observation{At: uitest.Now.Add(time.Duration(i-len(day)) * 5 * time.Minute), BestAsk: model.PriceCents(50_000 + i*i%700)}
	}
	inTurns(b, robots, "x/plain", func(r *robot, i int) {
		r.stroke(i)
		key, _ := r.tab.list.table.CurrentKey()
		_ = r.tab.receive(session.PricesEvent{Observations: map[model.VintageKey][]store.Observation{key: day}})
		r.frame()
	})
}

// The cost of a cursor key must not depend on the size of the open basket.
func BenchmarkKeyWithBasketOpen(b *testing.B) {
	var robots [2]*robot
	for side, tonnes := range []string{"9,000,000", "10"} {
		robots[side] = bench(b, 25_000)
		robots[side].tab.openBasket()
		robots[side].Run(robots[side].tab.Handle(basketTexts{fieldTonnes: tonnes, fieldProject: "40", fieldFloors: "Biochar=1"}))
		if lines := robots[side].tab.panes.basket.table.Len(); side == 0 && lines < 50_000 {
			b.Fatalf("the basket has %d lines", lines)
		}
	}
	inTurns(b, robots, "x/small", (*robot).stroke)
}

// BenchmarkFilter compares filtering by conditions with a text search in every row.
func BenchmarkFilter(b *testing.B) {
	for _, typed := range []string{"ask<10", "type:cook vintage>=2020", "country:kenya paid", "project"} {
		b.Run(typed, func(b *testing.B) {
			r := bench(b, 100_000)
			texts := make([][]byte, 0, 100_000)
			for i := range r.tab.list.rows.Len() {
				named := r.tab.list.rows.At(i).filtered(filter.Needs{Details: true})
				text := strings.Join([]string{named.Name, named.Type, named.Country, named.Registry, named.RegistryID, named.ProjectID, named.VintageID}, "\n")
				texts = append(texts, []byte(strings.ToLower(text)))
			}
			narrow := func(i int) {
				r.tab.list.filter.SetValue(typed + " "[:i%2])
				_ = r.tab.list.filter.Input(uitest.Stroke("end"))
				r.tab.list.table.Finish()
			}
			narrow(1)
			found := 0
			var best [2]time.Duration
			for round := range 10 {
				began := time.Now()
				narrow(round)
				between := time.Now()
				for _, text := range texts {
					if bytes.Contains(text, []byte("cook")) {
						found++
					}
				}
				took := [2]time.Duration{between.Sub(began), time.Since(between)}
				for side := range best {
					if round == 0 || took[side] < best[side] {
						best[side] = took[side]
					}
				}
			}
			b.ResetTimer()
			for i := range b.N {
				narrow(i)
			}
			b.ReportMetric(float64(best[0])/float64(best[1]), "x/Contains")
		})
	}
}
