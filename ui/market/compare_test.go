package market

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tonne/api/session"
	"tonne/model"
	"tonne/model/attribute"
	"tonne/model/market"
	"tonne/ui/uitest"
)

// comparing marks vintages after a day of prices and compares them: one that was bought, its neighbour, one with
// a label, and one of another kind.
func comparing(r *robot) {
	for n := range 20 {
		r.later(34 * time.Minute)
		r.poll(uitest.Market(model.PriceCents(n * n % 37)))
	}
	r.Hear(session.AnnotationsEvent{Facts: attribute.NewFacts([]attribute.Fact{
		{Scope: attribute.OfProject, ID: "003cabo", Attribute: attribute.CCP, Value: attribute.Labelled},
	})})
	r.Press("M", "j", "M", "j", "j", "j", "j", "M", "G", "M", "=")
}

func TestComparisonGoldenAtEverySize(t *testing.T) {
	t.Parallel()
	for _, size := range [...][2]int{{60, 11}, {80, 20}, {160, 41}} {
		r := settled(t)
		comparing(r)
		uitest.Golden(t, fmt.Sprintf("compare-%dx%d", size[0], size[1]), r.FrameAt(size[0], size[1]))
	}
}

func TestComparisonKeys(t *testing.T) {
	t.Parallel()
	thin := func(r *robot) {
		var part market.Page
		part.AddProject("003camb")
		for n, tonnes := range []model.Grams{5, 2000} {
			part.AddVintage(fmt.Sprint("004camb", n), 2020+n)
			part.AddOrder(fmt.Sprint("006camb", n), tonnes*model.GramsPerTonne, 412)
		}
		r.poll(market.New(&part))
	}
	for name, c := range map[string]struct {
		before func(r *robot)
		keys   string
		sees   []string
		not    []string
		said   string
	}{
		"a mark has a number":            {keys: "M j M", sees: []string{"▎2 Bale", " 1 Bale", "2 marked"}, said: "Bale Mountains 2020 is marked, number 2. = compares."},
		"the first mark says what next":  {keys: "M", said: "Bale Mountains 2019 is marked. Mark up to three others, then press =."},
		"M unmarks":                      {keys: "M j M k M", sees: []string{"1 marked"}, said: "Bale Mountains 2019 is no longer marked."},
		"marks stay when rows move":      {keys: "M j M s", sees: []string{"2 Bale Mountains", "2 marked"}},
		"one is not enough":              {keys: "M =", sees: []string{"order book"}, said: "Mark two to four vintages with M first."},
		"five are too many":              {keys: "M j M j M j M j M", sees: []string{"4 marked"}, said: "Four vintages are marked, which is the most. M on a marked one unmarks it."},
		"= compares and closes":          {keys: "M j M = =", sees: []string{"order book"}, not: []string{"comparison"}},
		"esc keeps the comparison below": {keys: "M j M = esc", sees: []string{"PROJECT ▲", "2 vintages comparison"}},
		"esc twice closes it":            {keys: "M j M = esc esc", not: []string{"comparison"}},
		"M adds to the comparison below": {keys: "M j M = esc j M", sees: []string{"3 vintages comparison"}},
		"↵ goes to the marked column":    {keys: "M j M = l enter", sees: []string{"Bale Mountains · 2020 order book"}},
		"columns go round":               {keys: "M j M = h enter", sees: []string{"Bale Mountains · 2020 order book"}},
		"M unmarks the marked column":    {keys: "M j M j M = l M", sees: []string{"2 vintages comparison"}, said: "Bale Mountains 2020 is no longer marked."},
		"the last but one closes it": {
			keys: "M j M = M", sees: []string{"order book", "1 marked"},
			said: "Bale Mountains 2019 is no longer marked. The comparison is closed, because fewer than two are left.",
		},
		"what differs is marked":       {keys: "M j M =", sees: []string{"≠ best ask", "≠ last paid", " type REDD+ REDD+"}, not: []string{"≠    type"}},
		"a book that is too thin":      {before: thin, keys: "M j M =", sees: []string{"≠ cost of 1,000 t ✗ short 995 t $4,120.00", "≠ price of 1,000 t — $4.12"}},
		"our attributes":               {before: comparing, keys: "esc esc", sees: []string{"4 marked"}},
		"a vintage that was withdrawn": {before: func(r *robot) { r.Press("M", "j", "M"); r.poll(market.New()) }, keys: "=", sees: []string{"2 vintages comparison", "best ask — —", "available 0 t"}},
		"one chart of all prices":      {before: comparing, sees: []string{"BEST ASK, 24 HOURS 1 Bale Mountains 2019 2 Bale Mountains 2020 3 Cabo Leones 2022"}},
		"c shows the next period":      {before: comparing, keys: "c", sees: []string{"BEST ASK, 30 DAYS"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := settled(t)
			if c.before != nil {
				c.before(r)
			}
			r.Press(strings.Fields(c.keys)...)
			r.Text()
			seen := strings.Join(strings.Fields(r.Text()+r.tab.list.status()), " ")
			for _, want := range c.sees {
				if !strings.Contains(seen, want) {
					t.Errorf("%q is not on the screen:\n%s", want, r.Text())
				}
			}
			r.SeesNot(c.not...)
			if c.said != "" && uitest.LastOf(r.Said) != c.said {
				t.Errorf("said %q, want %q", uitest.LastOf(r.Said), c.said)
			}
		})
	}
}

// On a small screen there is no room for rows and chart.
func TestSmallComparisonAlternatesRowsAndChart(t *testing.T) {
	t.Parallel()
	r := settled(t)
	comparing(r)
	r.FrameAt(80, 20)
	r.Sees("best ask")
	for _, want := range []string{"BEST ASK, 24 HOURS", "BEST ASK, 30 DAYS", "BEST ASK, ALL", "cost of 1 t"} {
		r.Press("c")
		r.Sees(want)
	}
	r.FrameAt(60, 11)
	r.SeesNot("004cabo1")
	r.Press("l", "l")
	r.Sees("004cabo1")
}

func TestComparisonIsCopiedAndExported(t *testing.T) {
	t.Parallel()
	r := settled(t)
	r.Press("M", "j", "M", "=", "l", "y")
	if got := uitest.LastOf(r.Copied); got != "004bale1" {
		t.Errorf("y copied %q", got)
	}
	r.Press("j", "j", "j", "Y")
	if got := uitest.LastOf(r.Copied); got != "best ask\t6.20\t6.80" {
		t.Errorf("Y copied %q", got)
	}
	for ending, want := range map[string]string{
		".csv":  "003bale,Bale Mountains,004bale1,2020,680,4650500000,680,680,68000,680,700400,700,3519000,757,710,2026-10-24T09:14:05.000Z,0,REDD+,ET,VERRA,,,,,,\n",
		".json": `"different":["vintage_year","best_ask_cents","depth","last_paid","held_grams"]}`,
	} {
		path := filepath.Join(t.TempDir(), "compared"+ending)
		r.Press("e")
		r.Reply(path)
		text, err := os.ReadFile(path)
		if err != nil || !strings.HasSuffix(string(text), want) {
			t.Errorf("%s is %s (%v)", ending, text, err)
		}
	}
}
