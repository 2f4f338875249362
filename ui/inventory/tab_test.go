package inventory

import (
	"slices"
	"strings"
	"testing"
	"time"

	"tonne/api/session"
	must "tonne/model/musttest"
	"tonne/ui/column"
	"tonne/ui/tab"
	"tonne/ui/uitest"
)

func TestChangedValuesFlashOnceAndExpire(t *testing.T) {
	t.Parallel()
	r := settled(t)
	if _, any := r.tab.Expire(r.Now); any {
		t.Error("a value flashes after the first read")
	}
	before := uitest.Market(0)
	now := uitest.Market(10)
	r.Hear(session.MarketEvent{Status: uitest.Live(), Generation: 2, Market: now, Changes: now.Since(before)})
	must.Hold(t, strings.Contains(r.Frame(), "\x1b[0;1;4;7m$6.30"), "the best ask does not flash")
	inv := uitest.Inventory()
	inv.Projects[2].Vintages[0].Wallets[0].Quantity = 11_000_000
	r.Now = r.Now.Add(time.Second)
	r.answer(inv)
	must.Hold(t, strings.Contains(r.Frame(), "\x1b[0;1;4m11 t"), "the balance does not flash", r.Frame())
	first, any := r.tab.Expire(r.Now)
	want := uitest.Now.Add(1500 * time.Millisecond)
	must.Hold(t, any && first.Equal(want), "the first mark expires at", first, any, want)
	if _, any := r.tab.Expire(r.Now.Add(2 * time.Second)); any || strings.Contains(r.Frame(), "\x1b[0;1;4;7m$6.30") {
		t.Error("a mark does not expire")
	}
}

// A saved view works in commands if they have its columns.
func TestColumnsHaveTheNamesOfCommands(t *testing.T) {
	t.Parallel()
	known := append(strings.Split(column.Wallets.Header(), ","), column.Wallets.Extras()...)
	var others []string
	for _, c := range spec(new(tab.View)).Columns {
		switch {
		case c.Auto:
		case c.Name == "":
			others = append(others, c.Key)
		case !slices.Contains(known, c.Name):
			t.Errorf("commands have no column %s", c.Name)
		}
	}
	must.Equal(t, others, []string{"today"}, "only the dashboard has")
}
