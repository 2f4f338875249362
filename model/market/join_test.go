package market_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tonne/model/market"
	"tonne/model/modeltest"
)

// drawPages draws pages on which projects, vintages and orders may come back
// anywhere.
func drawPages(t *rapid.T) [][]listing {
	return rapid.SliceOfN(rapid.SliceOfN(rapid.Custom(func(t *rapid.T) listing {
		l := listing{project: rapid.StringMatching("p[0-5]").Draw(t, "project"), vintage: rapid.StringMatching("v[0-2]").Draw(t, "vintage")}
		for _, id := range rapid.SliceOfN(rapid.IntRange(0, 200), 0, 12).Draw(t, "orders") {
			l.orders = append(l.orders, order{fmt.Sprint("o", id), modeltest.DrawGrams(t, "grams"), modeltest.DrawPrice(t, "price")})
		}
		return l
	}), 0, 5), 0, 6).Draw(t, "pages")
}

// joined is what the pages hold, said by the rule alone: projects in the order in
// which they first come, in each its vintages, of each the orders of its first
// list, and every order once.
func joined(pages [][]listing) (lines []string) {
	all := slices.Concat(pages...)
	var projects []string
	seen := make(map[string]bool)
	for _, l := range all {
		if !slices.Contains(projects, l.project) {
			projects = append(projects, l.project)
		}
	}
	for _, p := range projects {
		for _, l := range all {
			if key := p + " " + l.vintage; l.project == p && !seen[key] {
				seen[key] = true
				lines = append(lines, key+linesOf(l, seen))
			}
		}
	}
	return lines
}

func linesOf(l listing, seen map[string]bool) string {
	var orders strings.Builder
	for _, o := range l.orders {
		if !seen[o.id] {
			seen[o.id] = true
			orders.WriteString(" " + o.id)
		}
	}
	return orders.String()
}

func linesOfMarket(m *market.Market) (lines []string) {
	for v := range m.Vintages() {
		row, key := m.Vintage(v), m.Key(v)
		line := key.ProjectID + " " + key.VintageID
		for o := row.First; o < row.End; o++ {
			id := m.Order(int(o)).ID
			line += " " + id
			if at, ok := m.FindOrder(id); !ok || at != int(o) {
				line += " (not found)"
			}
		}
		lines = append(lines, line)
	}
	return lines
}

func TestMarketJoinsPages(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pages := drawPages(t)
		var parts []*market.Page
		for _, listings := range pages {
			parts = append(parts, part(listings...))
		}
		want := joined(pages)
		m := market.New(parts...)
		if got := linesOfMarket(m); !slices.Equal(got, want) {
			t.Fatalf("joined %q, want %q", got, want)
		}
		cut := rapid.IntRange(0, m.Projects()).Draw(t, "cut")
		again := market.New(m.Page(0, cut), m.Page(cut, m.Projects()))
		if got := linesOfMarket(again); !slices.Equal(got, want) {
			t.Fatalf("cut again at %d %q, want %q", cut, got, want)
		}
		for v := range m.Vintages() {
			if a, b := m.Vintage(v), again.Vintage(v); a != b {
				t.Fatalf("vintage %d is %+v, and cut again at %d %+v", v, a, cut, b)
			}
		}
	})
}
