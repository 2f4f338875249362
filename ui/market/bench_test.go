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
	"tonne/model/filter"
	"tonne/model/market"
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
