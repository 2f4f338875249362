package retire

import (
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tonne/api"
	"tonne/api/apitest"
	"tonne/api/retire"
	"tonne/model"
	"tonne/model/market"
	"tonne/model/retirement"
	"tonne/ui/tab"
	"tonne/ui/uitest"
)

var camb = uitest.Key("003camb", 0)

// threeLines is a basket over two vintages, of which the wallet has fractions of one and 12 t of the other.
func threeLines() tab.RetireFrom {
	line := func(key model.VintageKey, order string, tonnes model.Grams, price model.PriceCents) tab.BasketLine {
		return tab.BasketLine{Vintage: key, SellOrderID: order, Quantity: tonnes * model.GramsPerTonne, MaxPrice: price}
	}
	return tab.RetireFrom{Basket: []tab.BasketLine{
		line(bale, "006bale00", 400, 620), line(bale, "006bale01", 100, 651), line(camb, "006camb00", 250, 412),
	}}
}

// sells sets the sell orders of the second vintage.
func sells(tonnes model.Grams, price model.PriceCents) func(*person) {
	orders := []market.SellOrder{{ID: "006camb00", Quantity: tonnes * model.GramsPerTonne, Price: price}}
	return func(p *person) {
		p.flow.others = retire.Supplies{camb.VintageID: {Book: market.NewBook(orders), Held: 12_500_000}}
	}
}

// plansBasket plans the basket with the reference Q4.
func plansBasket(p *person) {
	p.T.Helper()
	if p.flow.others == nil {
		sells(1000, 412)(p)
	}
	p.do(p.Begin(threeLines()))
	p.Press("enter", "Q", "4", "enter")
}

// readsBasket plans the basket and reads the plan.
func readsBasket(p *person) {
	p.T.Helper()
	plansBasket(p)
	p.Press("read")
}

func retiresBasket(outcomes ...outcome) func(*person) {
	return func(p *person) {
		p.T.Helper()
		p.flow.outcomes = outcomes
		readsBasket(p)
		p.types("750")
	}
}

func TestBasketJourneys(t *testing.T) {
	t.Parallel()
	sentLines := func(p *person) {
		var sent []string
		for _, c := range p.flow.sent {
			sent = append(sent, strings.Join([]string{c.Batch, c.Reference, c.Plan.Quantity.FormatTonnes(), c.Plan.SellOrderID, c.Plan.Price.FormatDollars()}, " "))
		}
		want := []string{"Q4 Q4-1 400 t 006bale00 $6.20", "Q4 Q4-2 100 t 006bale01 $6.51", "Q4 Q4-3 12 t  ?", "Q4 Q4-3 238 t 006camb00 $4.12"}
		if !slices.Equal(sent, want) || len(p.feed.Requests()) != len(want) {
			p.T.Errorf("sent %q, want %q; the ledger has %d", sent, want, len(p.feed.Requests()))
		}
	}
	journeys{
		"it is confirmed once with the total": {
			{Do: readsBasket},
			{Keys: "2 5 0 enter", Sees: "✗ Type 750, then ↵.|[sent 0]"},
			{Keys: "backspace backspace backspace 7 5 0 enter", Do: sentLines},
		},
		"the market moves before the confirmation": {
			{Do: readsBasket},
			{Do: sells(1000, 413)},
			{Keys: "7 5 0 enter", Sees: "the price of the sell order 006camb00 moved: $4.12 → $4.13 · nothing was bought"},
			{Keys: "wait enter", Sees: "✗ Q4-3: the sell order 006camb00 costs $4.13 per tonne now, more than the limit of $4.12.|[sent 0]"},
		},
		"it continues in the dialog": {
			{Do: retiresBasket(accepted, silent, accepted), Sees: "Retired 400 t of 750 t.|? outcome unknown|– not sent|sends it again with the same id"},
			{Keys: "wait enter", Sees: "Retired 500 t of 750 t.|↵ plans the rest, 250 t", Do: func(p *person) {
				if !slices.Equal(p.flow.resumed, []string{p.flow.sent[1].ExternalID}) {
					p.T.Errorf("sent again %q", p.flow.resumed)
				}
			}},
			{Keys: "wait enter read wait 2 5 0 enter", Sees: "✓ done|[sent 4]", Lacks: "Retired 500 t"},
		},
		"a refused order is not planned again": {
			{Do: retiresBasket(refuses("PURCHASE_OWN_CREDITS"), accepted)},
			{
				Keys: "wait enter",
				Sees: "✗ Q4-1: the sell order 006bale01 costs $6.51 per tonne now, more than the limit of $6.20.|Nothing can be sent at these limits.",
			},
		},
	}.Each(t, newPerson)
}

func TestBasketIsRefusedBeforeAnythingIsSent(t *testing.T) {
	t.Parallel()
	made := func(batch, reference string, state retire.State, same bool) func(*person) {
		return func(p *person) {
			request := "7 g of another vintage"
			if same {
				s := (&dialog{controller: p.Controller, from: threeLines()}).newBasket("Q4", retirement.Retiree{})
				request = retire.RequestText(s.Lines[0].Request)
			}
			p.flow.made = []retire.Call{{
				ExternalID: "tonne-x", Batch: batch, Reference: reference, State: state, Request: request, Unsure: state == retire.Unknown,
			}}
		}
	}
	stopped := make(journeys)
	for name, test := range map[string]struct {
		lead func(p *person)
		sees string
	}{
		"order is gone": {
			func(p *person) { p.flow.others = retire.Supplies{} }, "✗ Q4-3: 250 t are neither in your wallet nor for sale.",
		},
		"reference of another basket": {made("Q4", "Q4-2", retire.Done, false), "Q4-2 is the reference of another retirement; use another one."},
		"another line of a file":      {made("q4.csv", "Q4-3", retire.Done, false), "Q4-3 is the reference of another retirement; use another one."},
		"same lines in a file":        {made("q4.csv", "Q4-1", retire.Done, true), "Q4-1 is the reference of another retirement; use another one."},
		"a call is not settled":       {made("Q4", "Q4-1", retire.Unknown, true), "not settled: tonne-x. Press Esc, then U"},
		"journal cannot be read": {
			func(p *person) { p.flow.unusable = retire.ErrLocked }, "Another program has locked the journal.",
		},
		"price above the limit": {sells(1000, 413), "Nothing can be sent at these limits."},
		"order is smaller":      {sells(200, 412), "37.5 t not covered"},
	} {
		stopped[name] = []uitest.Step[*person]{
			{Do: test.lead}, {Do: plansBasket, Sees: test.sees, Lacks: "type 750"}, {Keys: "wait 7 5 0 enter", Sees: "[sent 0]"},
		}
	}
	stopped.Each(t, newPerson)
}

// TestInterruptedBasketRetiresNothingTwice uses the journal. The second call takes effect, but a proxy answers.
func TestInterruptedBasketRetiresNothingTwice(t *testing.T) {
	t.Parallel()
	world := apitest.NewMarket(t,
		apitest.Order{ID: "006bale00", VintageID: bale.VintageID, Tonnes: 400, Price: 620},
		apitest.Order{ID: "006bale01", VintageID: bale.VintageID, Tonnes: 1000, Price: 651},
		apitest.Order{ID: "006camb00", VintageID: camb.VintageID, Tonnes: 400, Price: 435},
	)
	world.Answer = func(n int, commit func()) http.Handler {
		if n != 2 {
			return nil
		}
		commit()
		return apitest.Status(http.StatusUnauthorized, `{}`)
	}
	client, err := api.New(api.Options{BaseURL: "https://market.example", Key: "k", Transport: apitest.Transport(world), MayRetire: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	path := filepath.Join(t.TempDir(), "journal.db")
	opens := func() *person {
		p := newPerson(t)
		flow := &retire.Workflow{Path: path, Account: retire.NewAccount("https://market.example", "p", "k"), Client: client, By: "ann", Now: time.Now}
		t.Cleanup(func() { _ = flow.Close(time.Second) })
		p.Controller = New(p.View, flow, p.feed)
		return p
	}
	from := tab.RetireFrom{Basket: []tab.BasketLine{
		{Vintage: bale, SellOrderID: "006bale00", Quantity: 400_000_000, MaxPrice: 620},
		{Vintage: bale, SellOrderID: "006bale01", Quantity: 100_000_000, MaxPrice: 800},
		{Vintage: camb, SellOrderID: "006camb00", Quantity: 50_000_000, MaxPrice: 500},
	}}
	plans := func(p *person) {
		p.do(p.Begin(from))
		p.Press("enter", "Q", "4", "enter")
	}
	p := opens()
	plans(p)
	p.Press("read")
	p.types("550")
	p.Sees("Retired 400 t of 550 t.", "outcome not known        Q4-2", "not retired in full      Q4-3", "a basket of 50 t", "rejected with HTTP status 401", "– not sent")

	// Another run of the program finds the call, and sends it again with its id.
	p = opens()
	p.do(p.Start())
	p.Sees("Q4-2", "100 t")
	p.Press("esc")
	plans(p)
	p.Sees("not settled")
	p.Press("esc")
	p.do(p.Unfinished())
	p.Press("wait", "enter", "wait")
	p.types("100")
	p.Sees("✓ done")
	p.Press("esc")

	plans(p)
	p.Sees("⚠ 500 t of 550 t are already retired under these references; 50 t remain.", "already retired")
	p.Press("read")
	p.types("50")
	p.Sees("✓ done")
	p.Press("esc")
	plans(p)
	p.Sees("Already retired under this reference")
	if n := len(world.Carried()); n != 3 || world.Posts() != 4 {
		t.Errorf("%d calls took effect of %d that were sent, want 3 of 4", n, world.Posts())
	}
}
