package inventory

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"tonne/api/session"
	"tonne/model"
	"tonne/model/portfolio"
	"tonne/ui/uitest"
)

func TestSortingReportsThatItCoversOnePage(t *testing.T) {
	t.Parallel()
	r := settled(t)
	r.tab.wallets.table.SelectColumn("over")
	said := func(want string) {
		t.Helper()
		r.Press("s")
		if said := uitest.LastOf(r.Said); said != want {
			t.Errorf("s reports %q, want %q", said, want)
		}
	}
	said("Sorted by VS COST on this page, lowest first. ← → mark another column.")
	r.Press("enter")
	said("Sorted by DATE, lowest first. ← → mark another column.")
	r.Press("esc")
	r.Hear(session.InventoryEvent{
		Status: uitest.Live(), Query: r.feed.Query, Inventory: uitest.Inventory(),
		Page: model.Page{PerPage: 20, TotalPages: 1, TotalItems: 4, Current: 1},
	})
	said("Sorted by VS COST, highest first. ← → mark another column.")
}

func TestTradesPerWalletSingularAndPlural(t *testing.T) {
	t.Parallel()
	r := settled(t)
	for typed, want := range map[string]string{"1": "· 1 trade per wallet", "3": "· 3 trades per wallet"} {
		r.Press("n")
		r.Reply(typed)
		r.answer(uitest.Inventory())
		r.Sees(want)
	}
}

// Nothing can be sold on this market, so a balance has a cost of replacement and no
// gain. A higher cost has the colour of higher prices.
func TestNoColumnClaimsAGain(t *testing.T) {
	t.Parallel()
	r := settled(t)
	r.SeesNot("UNREALISED", "VALUE")
	r.Sees("TO REPLACE", "VS COST", "▲ +$4.13", "▼ −$0.01")
}

// The footer cuts text at the end. The filters are more important than the count of
// projects.
func TestStatusShowsFiltersBeforeCounts(t *testing.T) {
	t.Parallel()
	r := settled(t)
	r.Press("t")
	r.answer(uitest.Inventory())
	if status := r.tab.Info().Status; !strings.HasPrefix(status, "page 1/7 · trades: BUY · without empty wallets · projects ") {
		t.Errorf("the status is %q", status)
	}
}

func TestEmptyInventoryIsExplainedAtAnyWidth(t *testing.T) {
	t.Parallel()
	r := settled(t)
	r.Press("z")
	r.answer(&portfolio.Inventory{})
	if text := ansi.Strip(r.FrameAt(60, 15)); strings.Contains(text, "…") || !strings.Contains(text, "as you buy") {
		t.Errorf("the sentence is cut:\n%s", text)
	}
}
