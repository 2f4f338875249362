package retire

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tonne/api"
	"tonne/api/retire"
	"tonne/api/wire"
	"tonne/model"
	"tonne/model/market"
	"tonne/model/portfolio"
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
func (p *person) sells(tonnes model.Grams, price model.PriceCents) {
	orders := []market.SellOrder{{ID: "006camb00", Quantity: tonnes * model.GramsPerTonne, Price: price}}
	p.flow.others = retire.Supplies{camb.VintageID: {Book: market.NewBook(orders), Held: 12_500_000}}
}

// opensPlan plans the basket with the reference Q4.
func (p *person) opensPlan() {
	p.T.Helper()
	if p.flow.others == nil {
		p.sells(1000, 412)
	}
	p.do(p.Begin(threeLines()))
	p.press("enter")
	p.types("Q4")
	p.press("enter")
}

// plansBasket opens the plan and reads it.
func (p *person) plansBasket() {
	p.T.Helper()
	p.opensPlan()
	p.later("pgdown", "pgdown", "pgdown", "pgdown")
}

func (p *person) retiresBasket() {
	p.T.Helper()
	p.plansBasket()
	p.types("750")
	p.press("enter")
}

// answers returns the outcomes of calls in order; the last repeats.
func answers(outcomes ...func(int, func(int, error)) (retire.Call, error)) func(int, func(int, error)) (retire.Call, error) {
	return func(n int, again func(int, error)) (retire.Call, error) {
		return outcomes[min(n, len(outcomes))-1](n, again)
	}
}

var basketScenes = map[string]func(p *person){
	"basket-form":        func(p *person) { p.do(p.Begin(threeLines())) },
	"basket-noreference": func(p *person) { p.do(p.Begin(threeLines())); p.press("enter", "enter") },
	"basket-review":      (*person).opensPlan,
	"basket-read":        (*person).plansBasket,
	"basket-dear":        func(p *person) { p.sells(1000, 413); p.plansBasket() },
	"basket-uncovered":   func(p *person) { p.sells(200, 412); p.plansBasket() },
	"basket-done":        (*person).retiresBasket,
	"basket-refused": func(p *person) {
		p.flow.outcome = answers(refusedWith("SELL_ORDER_NOT_LIVE"), accepted)
		p.retiresBasket()
	},
	"basket-unknown": func(p *person) { p.flow.outcome = answers(accepted, silent); p.retiresBasket() },
}

func TestBasketScreens(t *testing.T) {
	t.Parallel()
	for name, lead := range basketScenes {
		for size, height := range map[int]int{80: 24, 120: 36} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				p := newPerson(t)
				p.width, p.height = size, height
				lead(p)
				uitest.Golden(t, name+map[int]string{80: "-80x24", 120: ""}[size], p.frame())
			})
		}
	}
}

func TestBasketIsConfirmedOnceWithTheTotal(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.plansBasket()
	p.types("250")
	p.press("enter")
	p.Sees("✗ Type 750, then ↵.")
	if len(p.flow.sent) > 0 {
		t.Fatalf("sent %d calls before the total was typed", len(p.flow.sent))
	}
	p.press("backspace", "backspace", "backspace")
	p.types("750")
	p.press("enter")
	var sent []string
	for _, c := range p.flow.sent {
		sent = append(sent, strings.Join([]string{c.Batch, c.Reference, c.Plan.Quantity.FormatTonnes(), c.Plan.SellOrderID, c.Plan.Price.FormatDollars()}, " "))
	}
	want := []string{"Q4 Q4-1 400 t 006bale00 $6.20", "Q4 Q4-2 100 t 006bale01 $6.51", "Q4 Q4-3 12 t  ?", "Q4 Q4-3 238 t 006camb00 $4.12"}
	if !slices.Equal(sent, want) {
		t.Errorf("sent %q, want %q", sent, want)
	}
	if got := len(p.added()); got != 4 {
		t.Errorf("%d requests are in the ledger, want 4", got)
	}
}

func TestBasketIsRefusedBeforeAnythingIsSent(t *testing.T) {
	t.Parallel()
	call := func(batch, reference string, state retire.State, request string) retire.Call {
		return retire.Call{ExternalID: "tonne-x", Batch: batch, Reference: reference, State: state, Request: request, Unsure: state == retire.Unknown}
	}
	same := func(p *person) string {
		s := (&dialog{controller: p.Controller, from: threeLines()}).newBasket("Q4", retirement.Retiree{})
		return retire.RequestText(s.Lines[0].Request)
	}
	for name, test := range map[string]struct {
		lead func(p *person)
		sees []string
	}{
		"price above the limit": {func(p *person) { p.sells(1000, 413) }, []string{
			"✗ Q4-3: the sell order 006camb00 costs $4.13 per tonne now, more than the limit of $4.12.", "Nothing can be sent at these limits.",
		}},
		"order is smaller": {func(p *person) { p.sells(200, 412) }, []string{"✗ Q4-3: 37.5 t are neither in your wallet nor for sale.", "37.5 t not covered"}},
		"order is gone":    {func(p *person) { p.flow.others = retire.Supplies{} }, []string{"✗ Q4-3: 250 t are neither in your wallet nor for sale."}},
		"reference of another basket": {
			func(p *person) {
				p.flow.made = []retire.Call{call("Q4", "Q4-2", retire.Done, "7 g of another vintage")}
			},
			[]string{"Q4-2 is the reference of another retirement; use another one."},
		},
		"another line of a file": {
			func(p *person) {
				p.flow.made = []retire.Call{call("q4.csv", "Q4-3", retire.Done, "7 g of another vintage")}
			},
			[]string{"Q4-3 is the reference of another retirement; use another one."},
		},
		"same lines in a file": {
			func(p *person) { p.flow.made = []retire.Call{call("q4.csv", "Q4-1", retire.Done, same(p))} },
			[]string{"Q4-1 is the reference of another retirement; use another one."},
		},
		"a call is not settled": {
			func(p *person) { p.flow.made = []retire.Call{call("Q4", "Q4-1", retire.Unknown, same(p))} },
			[]string{"not settled: tonne-x. Press Esc, then U"},
		},
		"journal cannot be read": {func(p *person) { p.flow.unusable = retire.ErrLocked }, []string{"Another program has locked the journal."}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPerson(t)
			test.lead(p)
			p.opensPlan()
			p.Sees(test.sees...)
			p.SeesNot("type 750")
			p.waits(time.Second)
			p.types("750")
			p.press("enter")
			if len(p.flow.sent) > 0 {
				t.Errorf("sent %d calls", len(p.flow.sent))
			}
		})
	}
}

func TestMarketThatMovesBeforeConfirmationStopsBasket(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.plansBasket()
	p.sells(1000, 413)
	p.types("750")
	p.press("enter")
	p.Sees("the price of the sell order 006camb00 moved: $4.12 → $4.13 · nothing was bought")
	p.later("enter")
	p.Sees("✗ Q4-3: the sell order 006camb00 costs $4.13 per tonne now, more than the limit of $4.12.")
	if len(p.flow.sent) > 0 {
		t.Errorf("sent %d calls", len(p.flow.sent))
	}
}

// service is a marketplace in memory. It carries each external id out once.
type service struct {
	market  *market.Market
	retired map[string]string
	bodies  []string
	// lose are the numbers of the calls that are carried out without an answer, from 1.
	lose  map[int]bool
	calls int
}

func (s *service) Market(context.Context, int, func(*market.Page, model.Page)) (*market.Market, error) {
	return s.market, nil
}

func (s *service) Inventory(context.Context, api.InventoryQuery, func(*portfolio.Inventory, model.Page)) (*portfolio.Inventory, error) {
	return &portfolio.Inventory{}, nil
}

func (s *service) RequestRetirement(_ context.Context, body []byte) (wire.RetireAccepted, error) {
	s.calls++
	_, replayed := s.retired[string(body)]
	if !replayed {
		s.retired[string(body)] = "00mrequest" + string(rune('a'+len(s.retired)))
		s.bodies = append(s.bodies, string(body))
	}
	if s.lose[s.calls] {
		return wire.RetireAccepted{}, &api.Error{Kind: api.Unauthorized, Status: 401, Message: "a proxy"}
	}
	return wire.RetireAccepted{RequestID: s.retired[string(body)], Replayed: replayed}, nil
}

// TestInterruptedBasketRetiresNothingTwice uses the journal. The second call takes effect, but a proxy answers.
func TestInterruptedBasketRetiresNothingTwice(t *testing.T) {
	t.Parallel()
	world := &service{market: uitest.Market(0), retired: make(map[string]string), lose: map[int]bool{2: true}}
	path := filepath.Join(t.TempDir(), "journal.db")
	opens := func() *person {
		p := newPerson(t)
		flow := &retire.Workflow{Path: path, Account: retire.NewAccount("https://market.example", "p", "k"), Client: world, By: "ann", Now: time.Now}
		t.Cleanup(func() { _ = flow.Close(time.Second) })
		p.Controller = New(p.view, flow, p.feed)
		return p
	}
	from := tab.RetireFrom{Basket: []tab.BasketLine{
		{Vintage: bale, SellOrderID: "006bale00", Quantity: 400_000_000, MaxPrice: 620},
		{Vintage: bale, SellOrderID: "006bale01", Quantity: 100_000_000, MaxPrice: 800},
		{Vintage: camb, SellOrderID: "006camb00", Quantity: 50_000_000, MaxPrice: 500},
	}}
	plans := func(p *person) {
		p.do(p.Begin(from))
		p.press("enter")
		p.types("Q4")
		p.press("enter")
	}
	p := opens()
	plans(p)
	p.later("pgdown", "pgdown", "pgdown")
	p.types("550")
	p.press("enter")
	p.Sees("Retired 400 t of 550 t.", "outcome not known        Q4-2", "not retired in full      Q4-3", "a basket of 50 t", "rejected with HTTP status 401", "– not sent")

	// Another run of the program finds the call, and sends it again with its id.
	p = opens()
	p.do(p.Start())
	p.Sees("Q4-2", "100 t")
	p.press("esc")
	plans(p)
	p.Sees("not settled")
	p.press("esc")
	p.do(p.Unfinished())
	p.later("enter")
	p.confirms("100")
	p.Sees("✓ done")
	p.press("esc")

	plans(p)
	p.Sees("⚠ 500 t of 550 t are already retired under these references; 50 t remain.", "already retired")
	p.later("pgdown", "pgdown", "pgdown")
	p.types("50")
	p.press("enter")
	p.Sees("✓ done")
	p.press("esc")
	plans(p)
	p.Sees("Already retired under this reference")
	if len(world.bodies) != 3 || world.calls != 4 {
		t.Errorf("%d calls took effect of %d that were sent, want 3 of 4:\n%s", len(world.bodies), world.calls, strings.Join(world.bodies, "\n"))
	}
}

func TestBasketContinuesInTheDialog(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.flow.outcome = answers(accepted, silent, accepted)
	p.retiresBasket()
	p.Sees("Retired 400 t of 750 t.", "? outcome unknown", "– not sent", "sends it again with the same id")
	p.later("enter")
	if !slices.Equal(p.flow.resumed, []string{p.flow.sent[1].ExternalID}) {
		t.Fatalf("sent again %q", p.flow.resumed)
	}
	p.Sees("Retired 500 t of 750 t.", "↵ plans the rest, 250 t")
	p.later("enter", "pgdown", "pgdown", "pgdown")
	p.waits(time.Second)
	p.types("250")
	p.press("enter")
	p.Sees("✓ done")
	p.SeesNot("Retired 500 t")
	if len(p.flow.sent) != 4 {
		t.Errorf("sent %d calls, want 4", len(p.flow.sent))
	}
}

func TestRefusedOrderOfBasketIsNotPlannedAgain(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.flow.outcome = answers(refusedWith("PURCHASE_OWN_CREDITS"), accepted)
	p.retiresBasket()
	p.later("enter")
	p.Sees("✗ Q4-1: the sell order 006bale01 costs $6.51 per tonne now, more than the limit of $6.20.", "Nothing can be sent at these limits.")
}
