package ui

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"tonne/api/session"
	"tonne/model"
	"tonne/model/alert"
	"tonne/model/file/store"
	"tonne/model/longtest"
	"tonne/model/market"
	must "tonne/model/musttest"
	"tonne/model/portfolio"
	"tonne/model/retirement"
	"tonne/ui/uitest"
)

// screens has the keys to every screen.
var screens = map[string]func(r *robot){
	"loading": func(*robot) {},
	"no answer": func(r *robot) {
		r.hear(session.MarketEvent{Status: session.Status{Err: errors.New("connection refused")}})
	},
	"market":   (*robot).settle,
	"book":     func(r *robot) { r.settle(); r.Press("enter") },
	"filter":   func(r *robot) { r.settle(); r.Press("/", "w", "i") },
	"no match": func(r *robot) { r.settle(); r.Press("/", "x", "x", "x") },
	"project":  func(r *robot) { r.settle(); r.Press("i") },
	"changes":  func(r *robot) { r.settle(); r.Press("v") },
	"quote":    func(r *robot) { r.settle(); r.Press("b", "5", "0", "0", "enter") },
	"prompt":   func(r *robot) { r.settle(); r.Press("b", "x", "enter") },
	"columns":  func(r *robot) { r.settle(); r.Press("C") },
	"help":     func(r *robot) { r.settle(); r.Press("?") },
	"palette":  func(r *robot) { r.settle(); r.Press(":", "g", "r") },
	"stale": func(r *robot) {
		r.settle()
		r.hear(session.MarketEvent{Status: session.Status{State: session.Stale, At: uitest.Now.Add(-time.Hour),
			Err: errors.New("the service answered 500")}, Market: uitest.Market(0), Generation: 1})
	},
	"empty market": func(r *robot) {
		r.hear(session.MarketEvent{Status: uitest.Live(), Market: market.New(), Generation: 1})
	},
	"inventory": func(r *robot) { r.settle(); r.ShowInventory() },
	"trades":    func(r *robot) { r.settle(); r.ShowInventory(); r.Press("enter") },
	"next page": func(r *robot) { r.settle(); r.ShowInventory(); r.Press("]") },
	"empty inventory": func(r *robot) {
		r.Press("2")
		empty := &portfolio.Inventory{}
		r.hear(session.PortfolioEvent{Status: uitest.Live(), Positions: portfolio.NewPositions(empty, empty)})
	},
	"incomplete inventory": func(r *robot) {
		r.settle()
		r.ShowInventory()
		part := uitest.Book()
		part.Partial, part.Status = true, session.Status{Fetching: true, Done: 3, Total: 7}
		r.hear(part)
	},
	"portfolio value": func(r *robot) { r.settle(); r.ShowInventory(); r.hear(uitest.BookHistory()); r.Press("c") },
	"page of the API": func(r *robot) {
		r.settle()
		r.ShowInventory()
		r.Press("P")
		r.hear(session.InventoryEvent{Status: uitest.Live(), Query: r.feed.Query, Inventory: uitest.Inventory(),
			Page: model.Page{PerPage: 20, TotalPages: 7, TotalItems: 134, Current: 1}})
	},
	"retirements":        func(r *robot) { r.settle(); r.ShowRetirements() },
	"retirement details": func(r *robot) { r.settle(); r.ShowRetirements(); r.Press("enter", "G") },
	"typing an id":       func(r *robot) { r.settle(); r.ShowRetirements(); r.Press("a", "0", "0") },
	"not found": func(r *robot) {
		r.Press("3")
		r.answered(uitest.Answer{ID: "00mcomplete", Err: errors.New("not found")})
	},
	"in grams": func(r *robot) { r.settle(); r.Press("u") },
}

// TestEveryScreenFitsEverySize draws each screen at half of the widths from 1 to 240, or all of them in a long run, and
// each height from 1 to 80, but not at each pair: widths and heights advance together in coprime steps.
func TestEveryScreenFitsEverySize(t *testing.T) {
	t.Parallel()
	for name, show := range screens {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRobot(t, 100, 30)
			show(r)
			for n := range longtest.Runs(120, 240) {
				width, height := n*7%240+1, n*3%80+1
				r.app.Update(tea.WindowSizeMsg{Width: width, Height: height})
				uitest.Exact(t, r.frame(), width, height)
				must.Need(t, !t.Failed(), width, height)
			}
			for _, size := range [...][2]int{{500, 200}, {60, 15}, {61, 15}, {60, 16}, {99, 20}, {100, 20}} {
				r.FrameAt(size[0], size[1])
			}
			dark := r.Text()
			r.app.background.Auto, r.app.background.Dark = true, !r.app.background.Dark
			r.FrameAt(100, 20)
			must.Equal(t, r.Text(), dark, "the theme changes the text")
		})
	}
}

// hardNames have widths that are hard to measure: keycaps, variation selectors before joiners,
// flags and halves of flags, skin tones, combining marks, conjuncts, jamo.
var hardNames = []string{
	"Cookstoves 1️⃣", "1️⃣2️⃣3️⃣4️⃣5️⃣6️⃣7️⃣8️⃣9️⃣0️⃣", "#️⃣ *⃣ 9\u20e3", "❤️\u200d🔥 🏳️\u200d🌈", "👩‍👩‍👧‍👦 👍🏽 👩🏾‍🚀",
	"🇪🇹🇰🇭🇪",
	"森林碳汇项目森林碳汇项目", "क्षि स्ते நி", "각\u1100\u1161\u11a8", "e\u0301\u0301\u0301 ก็ำ", "™️ ☠️ ↩\ufe0e",
	"\u0600\u0661\u0662",
}

func TestDialogOverlaysAnyNameAtEveryWidth(t *testing.T) {
	t.Parallel()
	for n, name := range hardNames {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := settled(t, 120, 20)
			projects := uitest.Projects()
			for id, p := range projects {
				p.Name, p.Type, p.Country = name, name, name
				projects[id] = p
			}
			r.hear(session.ProjectsEvent{Projects: projects})
			r.Press("?")
			// Together the names cover every width.
			for width := minWidth + n%4; width <= 200; width += 4 {
				r.app.Update(tea.WindowSizeMsg{Width: width, Height: 20})
				uitest.Exact(t, r.frame(), width, 20)
			}
		})
	}
}

var (
	// wellFormed matches dates with or without a time, and periods.
	wellFormed = regexp.MustCompile(`\d{1,2} [A-Z][a-z]{2} \d{4}(( \d\d:\d\d)?( –| to) \d{1,2} [A-Z][a-z]{2} \d{4})?( \d\d:\d\d(–\d\d:\d\d)?)? UTC`)
	// axis matches the line below a chart.
	axis = regexp.MustCompile(`UTC( {2,}(\d\d:\d\d|\d{4}|(\d{1,2} )?[A-Z][a-z]{2}))+ *($|│)`)
	// dated matches any date or time of day.
	dated = regexp.MustCompile(`(?i)\d{1,2} (jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\b.{0,20}|\d{4}-\d\d-\d\d.{0,20}|\d\d:\d\d.{0,8}`)
)

// datesOf returns the dates and times in a frame: those in the common format, and the others.
func datesOf(frame string) (good, bad []string) {
	for line := range strings.SplitSeq(frame, "\n") {
		line = axis.ReplaceAllString(line, "")
		good = append(good, wellFormed.FindAllString(line, -1)...)
		bad = append(bad, dated.FindAllString(wellFormed.ReplaceAllString(line, "✓"), -1)...)
	}
	return good, bad
}

// datedScreens are screens that show many dates.
var datedScreens = map[string]func(r *robot){
	"history": func(r *robot) {
		r.settle()
		past := whatFired(3)
		past.Alerts[1].At, past.Alerts[2].Since = uitest.Now.Add(-20*time.Hour), uitest.Now.Add(-20*time.Hour)
		past.Alerts = append(past.Alerts,
			store.Alert{Rule: alert.Rule{Request: "00mclosed", Measure: alert.State}, ID: 9, At: uitest.Now,
				Since: uitest.Now.Add(-time.Hour), Facts: alert.FactsOf(retirement.Closed)})
		r.hear(past)
		r.Press("w")
	},
	"watch list": func(r *robot) {
		r.settle()
		r.hear(whatFired(1),
			session.WatchlistEvent{Watchlist: session.Watchlist{}.WithRule(
				alert.Rule{Vintage: uitest.Key("003bale", 0), Compare: alert.Below, Price: 700})})
		r.Press("w", "w")
	},
	"changes": func(r *robot) {
		r.settle()
		r.hear(session.MissedMovesEvent{Since: uitest.Now.Add(-10 * time.Hour), At: uitest.Now, Moves: []session.MissedMove{{
			Was: store.Observation{Vintage: uitest.Key("003bale", 0), BestAsk: 600},
			Now: store.Observation{Vintage: uitest.Key("003bale", 0), BestAsk: 620},
		}}})
		r.Press("v")
	},
	"moves of another day": func(r *robot) {
		r.settle()
		r.ShowInventory()
		e := uitest.Opened()
		e.Since = e.Since.Add(-40 * time.Hour)
		r.hear(e)
		r.Press("1")
	},
	"paused":    func(r *robot) { r.settle(); r.Press("space", "2") },
	"chart":     func(r *robot) { r.settle(); r.Press("c") },
	"statement": func(r *robot) { r.settle(); r.ShowRetirements(); r.Press("S") },
}

func TestAllScreensUseOneDateFormat(t *testing.T) {
	t.Parallel()
	found := 0
	for _, all := range []map[string]func(r *robot){screens, datedScreens} {
		for name, show := range all {
			for _, size := range sizes {
				r := newRobot(t, size[0], size[1])
				show(r)
				if r.app.dialog.shown() {
					continue // A dialog may cut a date below it.
				}
				good, bad := datesOf(r.Text())
				found += len(good)
				must.Hold(t, len(bad) == 0, name, size[0], size[1], bad)
			}
		}
	}
	r := settled(t, 160, 45)
	r.showDesk()
	_, bad := datesOf(r.Text())
	must.Hold(t, len(bad) == 0, "the desk view: dates in another format", bad)
	must.Hold(t, found >= 50, "only", found)
}

// If the terminal is too small from the start, the panes have no size yet.
func TestKeysBeforeFirstDrawDoNotPanic(t *testing.T) {
	t.Parallel()
	keys := []string{"enter", "esc", "tab", "up", "down", "left", "right", "pgup", "pgdown", "home", "end", "ctrl+d",
		"ctrl+u", "ctrl+l"}
	for c := '!'; c <= '~'; c++ {
		keys = append(keys, string(c))
	}
	for _, tab := range []string{"1", "2", "3"} {
		for _, key := range keys {
			t.Run(fmt.Sprint(tab, " ", key), func(t *testing.T) {
				t.Parallel()
				r := settled(t, 40, 10)
				r.Press(tab)
				r.send(uitest.Stroke(key))
				r.send(uitest.Stroke(key))
				r.send(tea.WindowSizeMsg{Width: 120, Height: 36})
				uitest.Exact(t, r.frame(), 120, 36)
			})
		}
	}
}
