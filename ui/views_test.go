package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"tonne/api/session"
	must "tonne/model/musttest"
	"tonne/ui/uitest"
)

// Command runs what is typed into the palette.
func (r *robot) Command(typed string) {
	r.Press(":")
	r.send(tea.PasteMsg{Content: typed})
	r.Press("enter")
}

// body returns the words on the screen below the header after the messages have disappeared. Widths depend on earlier
// rows.
func (r *robot) body() string {
	r.Later(2 * failureTime)
	_, body, _ := strings.Cut(r.Text(), "\n")
	return strings.Join(strings.Fields(body), " ")
}

// chosen returns the saved choices.
func (r *robot) chosen() (all []string) {
	for _, asked := range r.feed.Asked {
		if choice, ok := strings.CutPrefix(asked, "choose "); ok {
			all = append(all, choice)
		}
	}
	return all
}

// savedViews are two usable views of the market, one of the inventory, and choices that are no views.
var savedViews = map[string]string{
	"view.market.morning":    `{"columns":"project_name,vintage_year,best_ask_cents,available_grams","filter":"ask<7","sort":"-best_ask_cents"}`,
	"view.market.Month end":  `{"columns":"project_name,trend","watched only":"yes"}`,
	"view.inventory.morning": `{"columns":"project_name,quantity_grams","sort":"quantity_grams"}`,
	"view.market.broken":     `{"columns":`,
	"view.market.empty":      `{}`,
	"view.market.save it":    `{"columns":"project_name"}`,
	"market.desk":            "off",
}

func TestSavedViewsAreRestored(t *testing.T) {
	t.Parallel()
	for name, tab := range map[string]struct {
		show func(*robot)
		// changed are the keys that change columns, sort and filter.
		changed string
		// saved is the choice with the changed view.
		saved string
	}{
		"market": {
			func(r *robot) {
				r.hear(session.WatchlistEvent{Watchlist: session.Watchlist{}.With(uitest.Key("003cabo", 0)).With(
					uitest.Key("003bale", 0))})
			},
			"C down x esc l l l s s / a s k < 7 enter F",
			`view.market.mine {"columns":"project_name,country,vintage_year,best_ask_cents,delta,last_paid_price_cents,versus_paid_permille,` +
				`available_grams,asks,trend","filter":"ask\u003c7","sort":"-best_ask_cents","watched only":"yes"}`,
		},
		"inventory": {
			(*robot).ShowInventory, "C down x down down x esc l l l s z / b a l e enter",
			`view.inventory.mine {"columns":"project_name,country,registry,vintage_year,wallet_type,quantity_grams,last_paid_price_cents,` +
				`average_cost_cents,best_ask_cents,value_cents,over_cost_cents,today","filter":"bale","sort":"vintage_year"}`,
		},
		"retirements": {
			(*robot).ShowRetirements, "C down x esc l s s / s t a t u s : c l o s e d enter",
			`view.ledger.mine {"columns":"id,label,total_quantity","filter":"status:closed","sort":"-label"}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := settled(t, 160, 45)
			tab.show(r)
			r.Command("view save plain")
			before := r.body()
			r.Press(strings.Fields(tab.changed)...)
			r.Command("view save mine")
			r.Sees("Saved the view mine.")
			after := r.body()
			saved := r.chosen()[1]
			must.Equal(t, saved, tab.saved, "saved")
			for range 2 {
				r.Command("view plain")
				r.Sees("Restored the view plain.")
				must.Equal(t, r.body(), before, "plain")
				r.Command("view mine")
				must.Equal(t, r.body(), after, "mine")
			}
		})
	}
}
