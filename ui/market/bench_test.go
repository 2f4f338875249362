package market

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"

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
	r.View.Market = session.MarketEvent{Status: session.Status{State: session.Live, At: r.Now}, Generation: 1,
		Market: market}
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

// A cursor key must cost the same for any number of vintages.
func BenchmarkKey(b *testing.B) {
	for _, n := range []int{100, 10_000, 1_000_000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			uitest.Compare(b, "x/100rows", bench(b, n).stroke, bench(b, 100).stroke)
		})
	}
}

// BenchmarkFilter compares filtering by conditions with a text search in every row.
func BenchmarkFilter(b *testing.B) {
	for _, typed := range []string{"ask<10", "type:cook vintage>=2020", "country:kenya paid", "project"} {
		b.Run(typed, func(b *testing.B) {
			r := bench(b, 100_000)
			texts := make([][]byte, 0, 100_000)
			for i := range r.tab.list.rows.Len() {
				named := r.tab.list.rows.At(i).filtered(filter.Needs{Details: true})
				text := strings.Join([]string{named.Name, named.Type, named.Country, named.Registry, named.RegistryID,
					named.ProjectID, named.VintageID}, "\n")
				texts = append(texts, []byte(strings.ToLower(text)))
			}
			found := 0
			uitest.Compare(b, "x/Contains", func(i int) {
				r.tab.list.filter.SetValue(typed + " "[:i%2])
				_ = r.tab.list.filter.Input(uitest.Stroke("end"))
				r.tab.list.table.Finish()
			}, func(int) {
				for _, text := range texts {
					if bytes.Contains(text, []byte("cook")) {
						found++
					}
				}
			})
		})
	}
}
