package retire

import (
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"tonne/api"
	"tonne/api/apitest"
	"tonne/api/retire"
	"tonne/model"
	"tonne/model/market"
	must "tonne/model/musttest"
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

// PlansBasket plans the basket with the reference Q4.
func (p *person) PlansBasket() {
	p.T.Helper()
	if p.flow.others == nil {
		sells(1000, 412)(p)
	}
	p.do(p.Begin(threeLines()))
	p.Press("enter", "Q", "4", "enter")
}

// ReadsBasket plans the basket and reads the plan.
func (p *person) ReadsBasket() {
	p.T.Helper()
	p.PlansBasket()
	p.Press("read")
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
	client, err := api.NewRetirer(api.Options{BaseURL: "https://market.example", Key: "k",
		Transport: apitest.Transport(world)})
	must.Succeed(t, err)
	t.Cleanup(client.Close)
	path := filepath.Join(t.TempDir(), "journal.db")
	opens := func() *person {
		p := newPerson(t)
		flow := &retire.Workflow{Path: path, Account: retire.NewAccount("https://market.example", "p", "k"), Client: client,
			By: "ann", Now: time.Now}
		t.Cleanup(func() { _ = flow.Close(time.Second) })
		p.Controller = New(p.View, flow, p.feed)
		return p
	}
	bale, camb := bale, camb
	bale.ProjectID, camb.ProjectID = world.Project, world.Project
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
	p.Sees("Retired 400 t of 550 t.", "outcome not known        Q4-2", "not retired in full      Q4-3", "a basket of 50 t",
		"rejected with HTTP status 401", "– not sent")

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
	n := len(world.Carried())
	must.Hold(t, n == 3 && world.Posts() == 4, n, world.Posts())
}
