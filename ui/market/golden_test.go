package market

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"tonne/api/feed"
	"tonne/model"
	"tonne/ui/uitest"
)

// scenes are the panes and the states of the tab.
var scenes = map[string]func(r *robot){
	"book":  func(r *robot) { r.later(time.Minute); r.poll(uitest.Market(10)) },
	"buy":   func(r *robot) { r.press("b"); r.answer("500") },
	"short": func(r *robot) { r.press("b"); r.answer("9000") },
	"retire": func(r *robot) {
		r.press("b")
		r.answer("retire 1.5")
	},
	"project": func(r *robot) { r.press("j", "i") },
	"changes": func(r *robot) { r.later(time.Minute); r.poll(uitest.Market(-5)); r.press("v") },
	"chart": func(r *robot) {
		for n := range 20 {
			r.later(34 * time.Minute)
			r.poll(uitest.Market(model.PriceCents(n * n % 37)))
		}
		r.press("c")
	},
	"watched": func(r *robot) {
		r.press("j", "f", "j", "j", "a")
		r.answer("best ask <= 19.50")
		r.press("a")
		r.answer("available > 1000 t")
		r.press("w")
	},
	"filtered":     func(r *robot) { r.press("/", "w", "i", "n", "d", "enter") },
	"filtering":    func(r *robot) { r.press("/") },
	"no-match":     func(r *robot) { r.press("/", "z", "z", "z", "enter") },
	"watched-only": func(r *robot) { r.press("j", "f", "F") },
	"stale": func(r *robot) {
		r.view.Market.Status = feed.Status{State: feed.Stale, At: r.now, Err: errors.New("connection refused")}
	},
	"paused": func(r *robot) {
		r.later(time.Minute)
		r.poll(uitest.Market(10))
		r.view.Market.State = feed.Paused
	},
	"empty": func(r *robot) { r.poll(model.NewMarket()) },
}

func TestPanesAndStatesAsTheyLook(t *testing.T) {
	t.Parallel()
	for name, scene := range scenes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := settled(t)
			scene(r)
			uitest.Golden(t, name, r.frame()+"\n"+r.tab.Status())
		})
	}
}

// firstRead are the states before the market has been read whole.
var firstRead = map[string]feed.MarketEvent{
	"loading":   {Status: feed.Status{State: feed.Loading, Fetching: true}},
	"no-answer": {Status: feed.Status{State: feed.Loading, Err: errors.New("connection refused")}},
	"partial":   {Status: feed.Status{State: feed.Loading, Fetching: true, Done: 1, Total: 12}, Market: uitest.Market(0), Partial: true},
}

func TestTheFirstReadAsItLooks(t *testing.T) {
	t.Parallel()
	for name, event := range firstRead {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRobot(t, nil)
			r.hear(feed.ProjectsEvent{Projects: uitest.Projects()})
			r.hear(event)
			uitest.Golden(t, name, r.frame()+"\n"+r.tab.Status())
		})
	}
}

func TestEveryPaneFitsEverySize(t *testing.T) {
	t.Parallel()
	for name, scene := range scenes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := settled(t)
			scene(r)
			for _, size := range [...][2]int{{60, 11}, {80, 20}, {160, 41}, {200, 56}, {60, 5}, {30, 1}} {
				for range 2 {
					frame, _ := r.tab.Render(size[0], size[1])
					uitest.Exact(t, frame, size[0], size[1])
					r.press("enter")
				}
			}
		})
	}
}

func TestTheBookLooksTheSameAtEverySize(t *testing.T) {
	t.Parallel()
	for _, size := range [...][2]int{{60, 11}, {80, 20}, {160, 41}} {
		r := settled(t)
		frame, _ := r.tab.Render(size[0], size[1])
		uitest.Golden(t, fmt.Sprintf("book-%dx%d", size[0], size[1]), frame)
	}
}
