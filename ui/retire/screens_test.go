package retire

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"tonne/api"
	"tonne/api/retire"
	"tonne/model"
	must "tonne/model/musttest"
	"tonne/model/portfolio"
	"tonne/model/retirement"
	"tonne/ui/tab"
	"tonne/ui/uitest"
)

// scenes are the states of the dialogs.
var scenes = map[string]func(p *person){
	"form":           func(p *person) { p.do(p.Begin(tab.RetireFrom{Vintage: bale, SellOrderID: "006bale00"})) },
	"form-reference": func(p *person) { p.Begins("2.5") },
	"form-wrong": func(p *person) {
		p.do(p.Begin(tab.RetireFrom{Vintage: bale}))
		p.Press("a", "enter", "enter", "enter")
	},
	"form-customer":  func(p *person) { p.Customer("united") },
	"reading":        func(p *person) { p.held = true; p.Plans("2.5") },
	"review":         plans("2.5"),
	"review-whole":   plans("3"),
	"review-covered": plans("0.5"),
	"review-several": plans("900.5"),
	"review-short":   plans("9000"),
	"review-customer": func(p *person) {
		p.Customer("GB")
		p.Press("enter")
		p.types("c-7")
		p.types("2026-Q4/flight-9")
	},
	"review-too-soon": func(p *person) { p.Begins("2.5"); p.Press("enter", "2") },
	"review-pasted":   func(p *person) { p.Plans("2.5"); p.Panel.Paste(tea.PasteMsg{Content: "2.5"}) },
	"review-mistyped": func(p *person) { p.Plans("2.5"); p.types("25") },
	"sending":         func(p *person) { p.Plans("2.5"); p.held = true; p.types("2.5") },
	"asking-again": func(p *person) {
		p.flow.outcomes = []outcome{func(_ int, again func(int, error)) (retire.Call, error) {
			again(1, nil)
			return retire.Call{}, nil
		}}
		p.Plans("2.5")
		p.held = true
		p.types("2.5")
		p.work[0](p.View.Context)
		p.work = p.work[1:]
		p.Release()
	},
	"done":    retires("2.5"),
	"unknown": retires("2.5", silent),
	"price-moved": func(p *person) {
		p.Plans("2.5")
		p.flow.supply = func() (retire.Supply, error) {
			s, err := offers(400, 999_980)()
			s.Book.Asks[0].Order.Price = 625
			return s, err
		}
		p.types("2.5")
	},
	"order-sold": func(p *person) {
		p.Plans("2.5")
		p.flow.supply = func() (retire.Supply, error) { return retire.Supply{Held: 999_980}, nil }
		p.types("2.5")
	},
	"wallet-moved": func(p *person) { p.Plans("2.5"); p.flow.supply = offers(400, 1); p.types("2.5") },
	"not-reached": retires("2.5",
		gives(retire.Call{State: retire.Sent, Err: &api.Error{Kind: api.Unauthorized, Status: 401}}, nil)),
	"second-refused": retires("900.5", accepted, refuses("SELL_ORDER_SUPPLY_TOO_LOW")),
	"disk-full":      retires("2.5", gives(retire.Call{}, errors.New("the journal cannot be used: disk full"))),
	"unfinished": starts(pendingCall("tonne-one", retire.Unknown, true),
		pendingCall("tonne-two", retire.Prepared, false)),
	"unfinished-give-up": func(p *person) {
		starts(pendingCall("tonne-one", retire.Unknown, true))(p)
		p.Press("wait", "x")
	},
	"unfinished-none": func(p *person) { p.do(p.Unfinished()) },

	"basket-form":        func(p *person) { p.do(p.Begin(threeLines())) },
	"basket-noreference": func(p *person) { p.do(p.Begin(threeLines())); p.Press("enter", "enter") },
	"basket-review":      (*person).PlansBasket,
	"basket-read":        (*person).ReadsBasket,
	"basket-dear":        func(p *person) { sells(1000, 413)(p); p.ReadsBasket() },
	"basket-uncovered":   func(p *person) { sells(200, 412)(p); p.ReadsBasket() },
	"basket-done":        func(p *person) { p.RetiresBasket("accepted") },
	"basket-refused":     func(p *person) { p.RetiresBasket("refuses SELL_ORDER_NOT_LIVE", "accepted") },
	"basket-unknown":     func(p *person) { p.RetiresBasket("accepted", "silent") },
}

func TestScreens(t *testing.T) {
	t.Parallel()
	for name, lead := range scenes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, size := range [...][2]int{{120, 36}, {80, 24}, {60, 15}, {160, 45}, {200, 60}, {61, 16}} {
				p := newPerson(t)
				p.width, p.height = size[0], size[1]
				lead(p)
				w, h := p.Panel.Size(p.width-8, p.height-6)
				uitest.Exact(t, p.frame(), w, h+1)
				switch {
				case p.width == 120:
					uitest.Golden(t, name, p.frame())
				case p.width == 80 && strings.HasPrefix(name, "basket"):
					uitest.Golden(t, name+"-80x24", p.frame())
				}
			}
		})
	}
}

func TestRefusalScreens(t *testing.T) {
	t.Parallel()
	for _, r := range api.Refusals() {
		t.Run(r.Code, func(t *testing.T) {
			t.Parallel()
			p := newPerson(t)
			retires("2.5", refuses(r.Code), accepted)(p)
			p.Sees(r.Code, "nothing was bought", "plans again")
			uitest.Golden(t, "refused-"+strings.ToLower(r.Code), p.frame())
			p.Press("wait", "enter")
			p.Sees("type 2.5 to retire", "[sent 1]")
			p.Press("wait")
			p.types("2.5")
			p.Sees("✓ done")
			a, b := p.flow.sent[0], p.flow.sent[1]
			must.Hold(t, a.ExternalID != b.ExternalID, "the new plan has the id of the refused call", a.ExternalID)
		})
	}
}

func TestRetirementIsSentAsShown(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	retires("2.5")(p)
	p.Sees("[ledger [00mrequest00000001]]", "[said Retired 2.5 t.]")
	must.Need(t, len(p.flow.sent) == 1 && !p.Out(), "sent", p.flow.sent, p.Out())
	sent := p.flow.sent[0]
	must.Hold(t, sent.State == retire.Prepared && sent.Batch == "" && sent.Reference == "2026-Q4/flight-9", sent)
	must.Equal(t, sent.Request, requestOf(2_500_000))
	must.Equal(t, sent.Plan, retirement.Call{
		VintageID: "004bale0", Quantity: 2_500_000, FromInventory: 999_980,
		BuyTonnes: 2, SellOrderID: "006bale00", Price: 620, Cost: 1240,
	})
	p = newPerson(t)
	scenes["review-customer"](p)
	p.Press("wait")
	p.types("3")
	must.Equal(t, p.flow.sent[0].Plan.Retiree,
		(retirement.Retiree{ID: "c-7", Name: "Your Customer Ltd", TaxID: "123456789", Country: "GB"}))
}

func TestEachErrorHasAdvice(t *testing.T) {
	t.Parallel()
	for _, err := range []*retire.Problem{
		retire.ErrNoCall, retire.ErrHeld, retire.ErrEnded, retire.ErrOtherBody, retire.ErrOtherKey, retire.ErrUnsettled,
		retire.ErrNotSent,
		retire.ErrLocked, retire.ErrDisk, retire.ErrEmptied, retire.ErrWalletUnread, retire.ErrBookUnread,
	} {
		what, todo := retire.Why(fmt.Errorf("wrapped: %w", err)), tab.Capital(err.Todo.String())
		p := newPerson(t)
		retires("2.5", gives(retire.Call{}, err))(p)
		says := "✗ not done · "
		if errors.Is(err, retire.ErrHeld) {
			says = "? outcome unknown · "
		}
		p.Sees(says+what, todo[:20])
		p = newPerson(t)
		retires("2.5", silent, gives(retire.Call{}, err))(p)
		p.Press("wait", "enter")
		p.Sees("? outcome unknown · "+what, todo[:20])
	}
	c := New(&tab.View{}, nil, nil)
	others := []error{context.DeadlineExceeded}
	for kind := api.Unauthorized; kind <= api.Refused; kind++ {
		others = append(others, &api.Error{Kind: kind})
	}
	for _, err := range others {
		must.Hold(t, c.advice(retire.Todo(err)).left.String() != "", "no advice for", err)
	}
}

func TestPlanNamesWalletsThatAreNotCounted(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	others := []portfolio.Wallet{{Type: "ESCROW", Quantity: 5 * model.GramsPerTonne}}
	supply, err := offers(400, 0)()
	supply.Others = others
	p.flow.supply = func() (retire.Supply, error) { return supply, err }
	p.View.Book.Balances[bale] = 5 * model.GramsPerTonne
	p.View.Book.Unusable = map[model.VintageKey][]portfolio.Wallet{bale: others}
	p.Plans("2.5")
	p.Sees("5 t in a wallet of the type ESCROW: not counted", "nothing of 0 t that you hold")
}
