package market

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"tonne/api/session"
	"tonne/model"
	"tonne/model/market"
	"tonne/ui/uitest"
)

var scenes = uitest.Scenes[*robot]{
	"book":  func(r *robot) { r.later(time.Minute); r.poll(uitest.Market(10)) },
	"buy":   func(r *robot) { r.Press("b"); r.Reply("500") },
	"short": func(r *robot) { r.Press("b"); r.Reply("9000") },
	"retire": func(r *robot) {
		r.Press("b")
		r.Reply("retire 1.5")
	},
	"project": func(r *robot) { r.Press("j", "i") },
	"changes": func(r *robot) { r.later(time.Minute); r.poll(uitest.Market(-5)); r.Press("v") },
	"chart": func(r *robot) {
		for n := range 20 {
			r.later(34 * time.Minute)
			r.poll(uitest.Market(model.PriceCents(n * n % 37)))
		}
		r.Press("c")
	},
	"watched": func(r *robot) {
		r.Press("j", "f", "j", "j", "a")
		r.Reply("best ask <= 19.50")
		r.Press("a")
		r.Reply("available > 1000 t")
		r.Press("w", "w")
	},
	"history":           (*robot).Alert,
	"filtered":          func(r *robot) { r.Press("/", "w", "i", "n", "d", "enter") },
	"filtering":         func(r *robot) { r.Press("/") },
	"no-match":          func(r *robot) { r.Press("/", "z", "z", "z", "enter") },
	"filter-unfinished": func(r *robot) { r.Press("/"); r.Type("wind ask<") },
	"filter-wrong":      func(r *robot) { r.Press("/"); r.Type("wind colour:red") },
	"basket-limits": func(r *robot) {
		r.poll(stoves(0))
		r.Press("B")
		r.Fill("tonnes=9000", "price=10", "project=40", "country=80", "floors=Cookstoves=30")
		r.later(time.Minute)
		r.poll(stoves(10))
	},
	"basket-short": func(r *robot) { r.Press("B"); r.Type("900,000"); r.Press("enter") },
	"compare":      (*robot).Comparing,
	"watched-only": func(r *robot) { r.Press("j", "f", "F") },
	"stale": func(r *robot) {
		r.View.Market.Status = session.Status{State: session.Stale, At: r.Now, Err: errors.New("connection refused")}
	},
	"paused": func(r *robot) {
		r.later(time.Minute)
		r.poll(uitest.Market(10))
		r.View.Market.State = session.Paused
	},
	"empty": func(r *robot) { r.poll(market.New()) },
}

func TestPanesAndStatesGolden(t *testing.T) {
	t.Parallel()
	scenes.Each(t, settled, func(name string, r *robot) {
		uitest.Golden(r.T, name, r.Frame()+"\n"+r.tab.list.status().String())
	})
}

// firstRead are the states before the market is completely loaded.
var firstRead = map[string]session.MarketEvent{
	"loading":   {Status: session.Status{State: session.Loading, Fetching: true}},
	"no-answer": {Status: session.Status{State: session.Loading, Err: errors.New("connection refused")}},
	"partial": {Status: session.Status{State: session.Loading, Fetching: true, Done: 1, Total: 12},
		Market: uitest.Market(0), Partial: true},
}

func TestFirstLoadGolden(t *testing.T) {
	t.Parallel()
	for name, event := range firstRead {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRobot(t, nil)
			r.Hear(session.ProjectsEvent{Projects: uitest.Projects()})
			r.Hear(event)
			uitest.Golden(t, name, r.Frame()+"\n"+r.tab.list.status().String())
		})
	}
}

func TestEveryPaneFitsEverySize(t *testing.T) {
	t.Parallel()
	scenes.Each(t, settled, func(_ string, r *robot) {
		r.FitsEverySize()
		r.FrameAt(160, 41)
		r.Press("D")
		for _, size := range [...][2]int{{160, 18}, {160, 41}, {200, 56}, {240, 66}, {161, 19}, {120, 30}} {
			for range 2 {
				r.FrameAt(size[0], size[1])
				r.Press("enter", "w")
			}
		}
	})
}

func TestGoldenAtEverySize(t *testing.T) {
	t.Parallel()
	for name, scene := range map[string]func(r *robot){"book": func(*robot) {}, "compare": (*robot).Comparing} {
		r := settled(t)
		scene(r)
		for _, size := range [...][2]int{{60, 11}, {80, 20}, {160, 41}} {
			uitest.Golden(t, fmt.Sprintf("%s-%dx%d", name, size[0], size[1]), r.FrameAt(size[0], size[1]))
		}
	}
}
