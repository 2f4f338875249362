package market

import (
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"tonne/api/session"
	"tonne/model"
	"tonne/model/market"
	"tonne/model/portfolio"
	"tonne/model/store"
	"tonne/ui/uitest"
)

func TestParseQuoteOrder(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		typed string
		want  quoteOrder
	}{
		{"500", quoteOrder{false, 500_000_000}},
		{" 1,500 t ", quoteOrder{false, 1_500_000_000}},
		{"buy 3t", quoteOrder{false, 3_000_000}},
		{"Retire 0.02", quoteOrder{true, 20_000}},
		{"retire 15 t", quoteOrder{true, 15_000_000}},
	} {
		got, problem := parseQuoteOrder(c.typed)
		if problem != "" || got != c.want {
			t.Errorf("%q: %+v, %q", c.typed, got, problem)
		}
		if again, _ := parseQuoteOrder(got.String()); again != got {
			t.Errorf("%q is shown as %q, which is %+v", c.typed, got, again)
		}
	}
	for _, typed := range []string{"", "0", "retire", "-5", "1e3", "0.02", "five", "1.0000001", "99999999999999999999"} {
		if got, problem := parseQuoteOrder(typed); problem == "" {
			t.Errorf("%q was parsed as %+v", typed, got)
		}
	}
}

func quoted(t *testing.T, typed string) *robot {
	r := settled(t)
	r.Press("b")
	if problem := r.Reply(typed); problem != "" {
		t.Fatal(problem)
	}
	return r
}

func TestQuoteFollowsMarketAndCursor(t *testing.T) {
	t.Parallel()
	r := quoted(t, "500")
	r.Sees("Bale Mountains · 2019  quote", "costs         $3,131.00", "average       $6.26 per tonne", "▲ +5.2%", "left in book  4,150 t")
	r.poll(uitest.Market(-20))
	r.Sees("costs         $3,051.00", "$6.00")
	r.Press("j")
	r.Sees("Bale Mountains · 2020  quote", "costs         $3,434.00", "▼ −3.3%") // from $6.868, not from the rounded average
	r.Press("b")
	if r.Prompt.Value(0) != "500" {
		t.Errorf("the next prompt starts with %q", r.Prompt.Value(0))
	}
}

func TestRetirePlanUsesInventoryFirst(t *testing.T) {
	t.Parallel()
	r := quoted(t, "retire 0.5")
	r.Sees("inventory     0.500000 t of the 0.999980 t we hold", "buy           0 t", "wallet after  0.499980 t")
	r.SeesNot("costs")
	r.Press("b")
	r.Reply("retire 2.5")
	r.Sees("inventory     0.999980 t of the 0.999980 t we hold", "buy           2 t", "costs         $12.40",
		"remainder     0.499980 t of the purchase stays", "wallet after  0.499980 t")
}

func TestRetirePlanWarnsUntilInventoryIsLoaded(t *testing.T) {
	t.Parallel()
	r := newRobot(t, nil)
	r.poll(uitest.Market(0))
	r.Press("b")
	r.Reply("retire 0.5")
	r.Sees("⚠ Our inventory is not loaded yet")
	inv := uitest.Inventory()
	r.Hear(session.PortfolioEvent{Status: uitest.Live(), LastPaid: inv.LastPaid(), Balances: inv.Balances()})
	r.SeesNot("Our inventory is not loaded yet")
	r.Sees("inventory     0.500000 t")
}

func TestQuoteBeyondDepthShowsShortfall(t *testing.T) {
	t.Parallel()
	r := quoted(t, "5000")
	r.Sees("✗ Short by 350 t: the order book has 4,650 t.", "costs         $32,085.00", "1 order under one tonne not shown")
}

func TestQuoteOfEmptyBook(t *testing.T) {
	t.Parallel()
	r := settled(t)
	var part market.Page
	part.AddProject("003bale")
	part.AddVintage(bale.VintageID, 2019)
	part.AddOrder("small", 999_999, 600)
	r.poll(market.New(&part))
	r.Press("b")
	r.Reply("5")
	r.Sees("✗ Short by 5 t: the order book has 0 t.", "1 order under one tonne not shown")
	r.SeesNot("costs")
}

func TestQuoteOfTooLargeAmount(t *testing.T) {
	t.Parallel()
	r := settled(t)
	var part market.Page
	part.AddProject("003bale")
	part.AddVintage(bale.VintageID, 2019)
	part.AddOrder("huge", 1<<63-1, 1<<63-1)
	r.poll(market.New(&part))
	r.Press("b")
	r.Reply("9000000000000")
	r.Sees("✗ The amount is too large to price.")
}

func TestWholeQuoteIsCopied(t *testing.T) {
	t.Parallel()
	r := quoted(t, "500")
	r.Press("Y")
	copied := uitest.LastOf(r.Copied)
	for _, want := range []string{
		"Bale Mountains · 2019 · 004bale0 · 2 Nov 2026 09:14 UTC\n", "Buy 500 t of Bale Mountains · 2019, cheapest first\n", "costs         $3,131.00\n", "006bale01\n",
	} {
		if !strings.Contains(copied, want) {
			t.Errorf("%q is not in %q", want, copied)
		}
	}
	r.Press("esc", "Y")
	if !strings.HasPrefix(uitest.LastOf(r.Copied), "Bale Mountains\tREDD+\tET\t2019") {
		t.Errorf("copied %q", uitest.LastOf(r.Copied))
	}
}

func TestLongQuoteScrolls(t *testing.T) {
	t.Parallel()
	r := settled(t)
	var part market.Page
	part.AddProject("003bale")
	part.AddVintage(bale.VintageID, 2019)
	for n := range 60 {
		part.AddOrder("o"+strconv.Itoa(n/10)+strconv.Itoa(n%10), model.GramsPerTonne, model.PriceCents(600+n))
	}
	r.later(time.Second)
	r.poll(market.New(&part))
	r.Press("b")
	r.Reply("60")
	r.Sees("o00")
	r.Press("enter", "G")
	r.Sees("o59", "costs")
	r.Press("g", "g")
	r.Sees("o00")
}

// Users buy from the quote, so it names the vintage and our last paid price, and warns as soon
// as its prices are old.
func TestQuoteNamesVintageAndWarnsOfOldPrices(t *testing.T) {
	t.Parallel()
	r := quoted(t, "500")
	r.Sees("Buy 500 t of Bale Mountains · 2019, cheapest first", "last paid     ★ $5.95 per tonne, 3 t on 1 Nov 2026 UTC")
	r.SeesNot("These prices")
	r.Now = r.Now.Add(45 * time.Second)
	r.Hear(session.MarketEvent{Status: session.Status{State: session.Stale, At: r.Now.Add(-45 * time.Second), Err: errors.New("connection refused")}, Market: r.market})
	r.Sees("⚠ These prices are 45s old: connection refused.")
	r.Hear(session.MarketEvent{Status: session.Status{State: session.Paused, At: uitest.Now}, Market: r.market})
	r.Sees("⚠ Polling is paused: these prices are from 2 Nov 2026 09:14 UTC.")
	r.Hear(session.MarketEvent{Status: uitest.Live(), Market: r.market})
	r.SeesNot("⚠")
	r.Press("j", "j")
	r.Sees("last paid     never bought by us")
}

func TestChartMarksOurPurchases(t *testing.T) {
	t.Parallel()
	r := newRobot(t, store.Open(""))
	r.know()
	r.Now = uitest.Now.AddDate(0, 0, -20)
	r.poll(uitest.Market(0))
	r.Now = uitest.Now
	r.poll(uitest.Market(30))
	r.Press("c", "c")
	r.Sees("★ our purchases, 1 trade")
	r.Hear(uitest.Book())
	r.Sees("★ our purchases, 2 trades")
	r.Press("j", "j")
	r.SeesNot("bought by us")
}

func TestRetirePlanNeedsPricesOfThisRun(t *testing.T) {
	t.Parallel()
	r := quoted(t, "retire 2.5")
	r.Sees("remainder")
	earlier := session.Status{State: session.Stale, Earlier: true, At: uitest.Now.Add(-16 * time.Hour)}
	r.Hear(session.MarketEvent{Status: earlier, Market: r.market})
	r.Sees("A plan to retire needs current prices", "16h old")
	r.SeesNot("remainder", "buy             2 t")
	r.Press("b")
	r.Reply("2")
	r.Sees("average", "16h old")
	r.Hear(session.MarketEvent{Status: uitest.Live(), Market: r.market}, session.PortfolioEvent{Status: earlier, Balances: portfolio.Balances{{ProjectID: "003bale", VintageID: "004bale0"}: 5_000_000}})
	r.Press("b")
	r.Reply("retire 2.5")
	r.Sees("Our inventory is not loaded yet: the plan counts none of it.")
}
