package market

import (
	"strings"
	"testing"
	"time"

	"tonne/api/session"
	must "tonne/model/musttest"
	"tonne/ui/tab"
	"tonne/ui/uitest"
)

func TestPaneFollowsBackgroundFilter(t *testing.T) {
	t.Parallel()
	r := newRobot(t, nil)
	market, projects := large(20_000)
	r.Hear(session.ProjectsEvent{Projects: projects})
	r.poll(market)
	for _, keys := range [][]string{{"/", "2", "0", "0", "0", "enter"}, {"esc"}} {
		r.Press(keys...)
		key, _ := r.tab.list.table.CurrentKey()
		got := r.tab.panes.book.key
		must.Hold(t, got == key && r.session.vintage == key, "after", keys, key, got, r.session.vintage)
	}
}

func TestChangedPricesFlashWithOneTimer(t *testing.T) {
	t.Parallel()
	r := settled(t)
	if _, any := r.tab.Expire(r.Now); any {
		t.Error("a cell flashes before any change")
	}
	r.poll(uitest.Market(10))
	flash := "\x1b[0;1;4m$19.90"
	must.Hold(t, strings.Contains(r.Frame(), flash), "the best ask does not flash", r.Frame())
	at, any := r.tab.Expire(r.Now)
	want := r.Now.Add(tab.FlashTime)
	must.Hold(t, any && at.Equal(want), "the timer is for", at, any, want)
	r.later(tab.FlashTime - time.Millisecond)
	must.Hold(t, strings.Contains(r.Frame(), flash), "the mark ends too early")
	r.later(time.Millisecond)
	if _, any := r.tab.Expire(r.Now); any || strings.Contains(r.Frame(), flash) {
		t.Error("the mark or the timer does not end")
	}
}

func TestIdleTabIsNotRedrawn(t *testing.T) {
	t.Parallel()
	r := settled(t)
	before := r.Frame()
	r.Hear(session.MarketEvent{Status: r.View.Market.Status, Generation: r.generation, Market: r.market})
	_, any := r.tab.Expire(r.Now)
	must.Hold(t, !any, "a timer runs")
	must.Equal(t, r.Frame(), before, "the frame differs")
}

func TestDisabledKeysGiveReasons(t *testing.T) {
	t.Parallel()
	r := newRobot(t, nil)
	for _, g := range r.tab.Groups() {
		for _, b := range g.Bindings {
			why := b.Disabled()
			must.Hold(t, why == "" || strings.HasSuffix(why, "."), b.Name, why)
		}
	}
	for _, name := range []string{"b", "i", "c", "f", "F", "a", "o", "x", "y"} {
		before := len(r.Said)
		r.Press(name)
		must.Hold(t, len(r.Said) != before || name == "i", name)
	}
}
