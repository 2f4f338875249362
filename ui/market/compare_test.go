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

	"github.com/charmbracelet/x/ansi"
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

func thin(r *robot) {
	var part market.Page
	part.AddProject("003camb")
	for n, tonnes := range []model.Grams{5, 2000} {
		part.AddVintage(fmt.Sprint("004camb", n), 2020+n)
		part.AddOrder(fmt.Sprint("006camb", n), tonnes*model.GramsPerTonne, 412)
	}
	r.poll(market.New(&part))
}

func TestComparisonKeys(t *testing.T) {
	t.Parallel()
	uitest.Journeys[*robot]{
		"a mark has a number":           {{Keys: "M j M", Sees: "▎2 Bale| 1 Bale|2 marked", Said: "Bale Mountains 2020 is marked, number 2. = compares."}},
		"the first mark says what next": {{Keys: "M", Said: "Bale Mountains 2019 is marked. Mark up to three others, then press =."}},
		"M unmarks":                     {{Keys: "M j M k M", Sees: "1 marked", Said: "Bale Mountains 2019 is no longer marked."}},
		"marks stay when rows move":     {{Keys: "M j M s", Sees: "2 Bale Mountains|2 marked"}},
		"one is not enough":             {{Keys: "M =", Sees: "order book", Said: "Mark two to four vintages with M first."}},
		"five are too many": {{
			Keys: "M j M j M j M j M", Sees: "4 marked",
			Said: "Four vintages are marked, which is the most. M on a marked one unmarks it.",
		}},
		"= compares and closes":          {{Keys: "M j M = =", Sees: "order book", Lacks: "comparison"}},
		"esc keeps the comparison below": {{Keys: "M j M = esc", Sees: "PROJECT ▲|2 vintages comparison"}},
		"esc twice closes it":            {{Keys: "M j M = esc esc", Lacks: "comparison"}},
		"M adds to the comparison below": {{Keys: "M j M = esc j M", Sees: "3 vintages comparison"}},
		"↵ goes to the marked column":    {{Keys: "M j M = l enter", Sees: "Bale Mountains · 2020 order book"}},
		"columns go round":               {{Keys: "M j M = h enter", Sees: "Bale Mountains · 2020 order book"}},
		"M unmarks the marked column":    {{Keys: "M j M j M = l M", Sees: "2 vintages comparison", Said: "Bale Mountains 2020 is no longer marked."}},
		"the last but one closes it": {{
			Keys: "M j M = M", Sees: "order book|1 marked",
			Said: "Bale Mountains 2019 is no longer marked. The comparison is closed, because fewer than two are left.",
		}},
		"what differs is marked":       {{Keys: "M j M =", Sees: "≠ best ask|≠ last paid| type REDD+ REDD+", Lacks: "≠ type"}},
		"a book that is too thin":      {{Do: thin}, {Keys: "M j M =", Sees: "≠ cost of 1,000 t ✗ short 995 t $4,120.00|≠ price of 1,000 t — $4.12"}},
		"our attributes":               {{Do: comparing}, {Keys: "esc esc", Sees: "4 marked"}},
		"a vintage that was withdrawn": {{Do: func(r *robot) { r.Press("M", "j", "M"); r.poll(market.New()) }}, {Keys: "=", Sees: "2 vintages comparison|best ask — —|available 0 t"}},
		"one chart of all prices":      {{Do: comparing}, {Sees: "BEST ASK, 24 HOURS 1 Bale Mountains 2019 2 Bale Mountains 2020 3 Cabo Leones 2022"}},
		"c shows the next period":      {{Do: comparing}, {Keys: "c", Sees: "BEST ASK, 30 DAYS"}},
	}.Each(t, func(t testing.TB) *robot {
		r := settled(t)
		// These tests read words, not their places.
		r.Text = func() string {
			frame := ansi.Strip(r.Frame())
			return strings.Join(strings.Fields(frame+r.tab.list.status()), " ")
		}
		return r
	})
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
