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

func TestSortingSaysThatItIsOfOnePage(t *testing.T) {
	t.Parallel()
	r := settled(t)
	r.tab.wallets.table.SelectColumn("over")
	said := func(want string) {
		t.Helper()
		r.Press("s")
		if said := uitest.LastOf(r.Said); said != want {
			t.Errorf("s says %q, want %q", said, want)
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

func TestOneTradeAWalletIsNotMany(t *testing.T) {
	t.Parallel()
	r := settled(t)
	for typed, want := range map[string]string{"1": "· 1 trade a wallet", "3": "· 3 trades a wallet"} {
		r.Press("n")
		r.Reply(typed)
		r.answer(uitest.Inventory())
		r.Sees(want)
	}
}

// Nothing can be sold on this market: a balance has a cost of replacement, and
// what is dearer to replace looks like all that is dearer.
func TestNothingIsCalledAGain(t *testing.T) {
	t.Parallel()
	r := settled(t)
	r.SeesNot("UNREALISED", "VALUE")
	r.Sees("TO REPLACE", "VS COST", "▲ +$4.13", "▼ −$0.01")
}

// The footer cuts what it has no room for at the end: rather the count of
// projects than the filter that the rows are read by.
func TestTheFiltersAreToldBeforeTheCounts(t *testing.T) {
	t.Parallel()
	r := settled(t)
	r.Press("t")
	r.answer(uitest.Inventory())
	if status := r.tab.Info().Status; !strings.HasPrefix(status, "page 1/7 · trades: BUY · without empty wallets · projects ") {
		t.Errorf("the status is %q", status)
	}
}

func TestAnEmptyInventoryIsExplainedAtAnyWidth(t *testing.T) {
	t.Parallel()
	r := settled(t)
	r.Press("z")
	r.answer(&portfolio.Inventory{})
	if text := ansi.Strip(r.FrameAt(60, 15)); strings.Contains(text, "…") || !strings.Contains(text, "when they") {
		t.Errorf("the sentence is cut:\n%s", text)
	}
}
