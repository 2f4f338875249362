package retire

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"tonne/api"
	"tonne/api/retire"
	"tonne/model"
	"tonne/model/market"
	"tonne/model/retirement"
	"tonne/ui/tab"
	"tonne/ui/uitest"
)

// pendingCall returns an unsettled call of the journal.
func pendingCall(id string, state retire.State, unsure bool) retire.Call {
	return retire.Call{
		ExternalID: id, Reference: "2026-Q4/flight-9", State: state, Unsure: unsure, Tries: 5, MadeBy: "ann", MadeAt: uitest.Now.Add(-time.Hour),
		Message: "no answer in time",
		Plan: retirement.Call{
			VintageID: bale.VintageID, Quantity: 2_500_000, FromInventory: 874_900, BuyTonnes: 2, SellOrderID: "006bale00", Price: 620, Cost: 1240,
			Retiree: retirement.Retiree{Name: "Your Customer Ltd", TaxID: "123456789", Country: "GB"},
		},
	}
}

var scenes = map[string]func(p *person){
	"form":           func(p *person) { p.do(p.Begin(tab.RetireFrom{Vintage: bale, SellOrderID: "006bale00"})) },
	"form-reference": func(p *person) { p.begins("2.5") },
	"form-wrong": func(p *person) {
		p.do(p.Begin(tab.RetireFrom{Vintage: bale}))
		p.types("a")
		p.press("enter", "enter", "enter")
	},
	"form-customer":  func(p *person) { p.customer("united") },
	"reading":        func(p *person) { p.held = true; p.plans("2.5") },
	"review":         func(p *person) { p.plans("2.5") },
	"review-whole":   func(p *person) { p.plans("3") },
	"review-covered": func(p *person) { p.plans("0.5") },
	"review-several": func(p *person) { p.plans("900.5") },
	"review-short":   func(p *person) { p.plans("9000") },
	"review-customer": func(p *person) {
		p.customer("GB")
		p.press("enter")
		p.types("c-7")
		p.press("enter")
		p.types("2026-Q4/flight-9")
		p.press("enter")
	},
	"review-too-soon": func(p *person) { p.begins("2.5"); p.press("enter", "2") },
	"review-pasted":   func(p *person) { p.plans("2.5"); p.Panel.Paste(tea.PasteMsg{Content: "2.5"}) },
	"review-mistyped": func(p *person) { p.plans("2.5"); p.types("25"); p.press("enter") },
	"sending":         func(p *person) { p.plans("2.5"); p.held = true; p.types("2.5"); p.press("enter") },
	"asking-again": func(p *person) {
		p.flow.outcome = func(_ int, again func(int, error)) (retire.Call, error) {
			again(1, nil)
			return retire.Call{}, nil
		}
		p.plans("2.5")
		p.held = true
		p.types("2.5")
		p.press("enter")
		p.work[0](p.view.Context)
		p.held, p.work = false, p.work[1:]
		p.settle()
	},
	"done":    func(p *person) { p.retires("2.5") },
	"unknown": func(p *person) { p.flow.outcome = silent; p.retires("2.5") },
	"price-moved": func(p *person) {
		p.plans("2.5")
		p.flow.supply = func() (retire.Supply, error) {
			s, err := offers(400, 999_980)()
			s.Book.Asks[0].Order.Price = 625
			return s, err
		}
		p.types("2.5")
		p.press("enter")
	},
	"order-sold":   func(p *person) { p.plans("2.5"); p.flow.supply = empty; p.types("2.5"); p.press("enter") },
	"wallet-moved": func(p *person) { p.plans("2.5"); p.flow.supply = offers(400, 1); p.types("2.5"); p.press("enter") },
	"not-reached": func(p *person) {
		p.flow.outcome = func(int, func(int, error)) (retire.Call, error) {
			return retire.Call{State: retire.Sent, Err: &api.Error{Kind: api.Unauthorized, Status: 401}}, nil
		}
		p.retires("2.5")
	},
	"second-refused": func(p *person) {
		p.flow.outcome = func(n int, again func(int, error)) (retire.Call, error) {
			if n == 1 {
				return accepted(n, again)
			}
			return refusedWith("SELL_ORDER_SUPPLY_TOO_LOW")(n, again)
		}
		p.retires("900.5")
	},
	"disk-full": func(p *person) {
		p.flow.outcome = func(int, func(int, error)) (retire.Call, error) {
			return retire.Call{}, errors.New("the journal cannot be used: disk full")
		}
		p.retires("2.5")
	},
	"unfinished": func(p *person) {
		p.flow.pending = []retire.Call{pendingCall("tonne-one", retire.Unknown, true), pendingCall("tonne-two", retire.Prepared, false)}
		p.do(p.Start())
	},
	"unfinished-give-up": func(p *person) {
		p.flow.pending = []retire.Call{pendingCall("tonne-one", retire.Unknown, true)}
		p.do(p.Start())
		p.later("x")
	},
	"unfinished-none": func(p *person) { p.do(p.Unfinished()) },
}

func empty() (retire.Supply, error) { return retire.Supply{Held: 999_980}, nil }

// customer fills in the form for a customer, up to the country.
func (p *person) customer(country string) {
	p.do(p.Begin(tab.RetireFrom{Vintage: bale}))
	p.types("3")
	p.press("enter")
	p.types("Your Customer Ltd")
	p.press("enter")
	p.types("123456789")
	p.press("enter")
	p.types(country)
}

func TestDialogScreens(t *testing.T) {
	t.Parallel()
	for name, lead := range scenes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPerson(t)
			lead(p)
			uitest.Golden(t, name, p.frame())
		})
	}
}

func TestRefusalScreens(t *testing.T) {
	t.Parallel()
	for _, r := range api.Refusals() {
		code := r.Code
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			p := newPerson(t)
			p.flow.outcome = refusedWith(code)
			p.retires("2.5")
			p.Sees(code, "nothing was bought", "plans again")
			uitest.Golden(t, "refused-"+strings.ToLower(code), p.frame())
			p.waits(time.Second)
			p.flow.outcome = accepted
			p.press("enter")
			p.Sees("type 2.5 to retire")
			if len(p.flow.sent) != 1 {
				t.Errorf("sent %d calls before the second plan was confirmed, want 1", len(p.flow.sent))
			}
			p.confirms("2.5")
			p.Sees("✓ done")
			if a, b := p.flow.sent[0], p.flow.sent[1]; a.ExternalID == b.ExternalID {
				t.Errorf("the new plan has the id of the refused call: %s", a.ExternalID)
			}
		})
	}
}

func TestDialogsFitSmallTerminals(t *testing.T) {
	t.Parallel()
	for name, lead := range scenes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, size := range [...][2]int{{60, 15}, {80, 24}, {120, 36}, {160, 45}, {200, 60}, {61, 16}} {
				p := newPerson(t)
				p.width, p.height = size[0], size[1]
				lead(p)
				w, h := p.Panel.Size(p.width-8, p.height-6)
				uitest.Exact(t, p.frame(), w, h+1)
			}
		})
	}
}

func TestLongPlanMustBeScrolledBeforeConfirmation(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.width, p.height = 60, 15
	p.begins("2.5")
	p.press("enter")
	p.waits(time.Second)
	p.SeesNot("undone")
	p.types("2.5")
	p.press("enter")
	p.Sees("Read the whole plan first")
	if len(p.flow.sent) > 0 {
		t.Fatal("the plan was sent before it was read to the end")
	}
	var seen strings.Builder
	for range 20 {
		seen.WriteString(p.Text())
		p.press("down")
	}
	for _, number := range []string{"0.999980 t", "2 t", "006bale00", "$6.20", "$12.40", "2.5 t", "0.499980 t", "flight-9", "undone"} {
		if !strings.Contains(seen.String(), number) {
			t.Errorf("%q was never on the screen", number)
		}
	}
	p.types("2.5")
	p.press("enter")
	p.Sees("✓ done")
}

func TestRetirementIsSentAsShownAndTracked(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.retires("2.5")
	for i := range p.flow.sent {
		p.flow.sent[i].Body, p.flow.sent[i].ExternalID = nil, ""
	}
	want := []retire.Call{{
		State: retire.Prepared, Reference: "2026-Q4/flight-9", Request: `2500000 g of "004bale0" from "" for ["" "" "" ""]`,
		Plan: retirement.Call{VintageID: "004bale0", Quantity: 2_500_000, FromInventory: 999_980, BuyTonnes: 2, SellOrderID: "006bale00", Price: 620, Cost: 1240},
	}}
	if !reflect.DeepEqual(p.flow.sent, want) {
		t.Errorf("sent %+v", p.flow.sent)
	}
	if got := p.added(); !slices.Equal(got, []string{"00mrequest00000001"}) {
		t.Errorf("the ledger has %v", got)
	}
	if last := uitest.LastOf(p.Said); last != "Retired 2.5 t." {
		t.Errorf("message %q", last)
	}
	if p.Out() {
		t.Error("a call is still in flight")
	}
}

func TestGramsAndCustomerAreSentAsEntered(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.begins("20 g")
	p.press("enter")
	p.confirms("0.00002")
	if got := p.flow.sent[0].Plan; got.Quantity != 20 || got.BuyTonnes != 0 {
		t.Errorf("%+v", got)
	}
	p = newPerson(t)
	scenes["review-customer"](p)
	p.confirms("3")
	if got := p.flow.sent[0].Plan.Retiree; got != (retirement.Retiree{ID: "c-7", Name: "Your Customer Ltd", TaxID: "123456789", Country: "GB"}) {
		t.Errorf("%+v", got)
	}
}

func TestGramsAcceptThousandsSeparators(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]model.Grams{"20 g": 20, "1,500 g": 1500, "1,234,567g": 1_234_567, "1,5 g": -1, "1,50 g": -1, ",5 g": -1, "1.5 g": -1, "g": -1, "1,5": -1} {
		got, err := retire.ParseQuantity(text)
		if err != nil {
			got = -1
		}
		if got != want {
			t.Errorf("%q is %d g, want %d", text, got, want)
		}
	}
}

func TestCustomerNeedsWholeTonnesAndKnownCountry(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.customer("united k")
	p.press("enter", "enter", "enter")
	p.Sees("for", "customer: Your Customer Ltd, ", "tax id 123456789")
	p.press("esc")
	p.customer("nowhere")
	p.Sees("No country matches")
	p.press("enter", "enter", "enter")
	p.Sees("Enter the code or the full name of the customer's country")
	p.press("esc")
	p.do(p.Begin(tab.RetireFrom{Vintage: bale, Quantity: 2_500_000}))
	p.press("enter")
	p.types("C")
	p.press("enter")
	p.types("1")
	p.press("enter")
	p.types("KE")
	p.press("enter", "enter", "enter")
	p.Sees("whole tonnes")
	if len(p.flow.sent) > 0 {
		t.Error("a call was sent")
	}
}

func TestAccidentalKeysDoNotConfirm(t *testing.T) {
	t.Parallel()
	for name, keys := range map[string]func(p *person){
		"keys as the dialog appears": func(p *person) { p.begins("2.5"); p.press("enter"); p.types("2.5"); p.press("enter") },
		"keys long after the dialog appeared": func(p *person) {
			p.begins("2.5")
			p.press("enter")
			for range 20 {
				p.types("2.5")
				p.press("enter")
			}
		},
		"held Enter": func(p *person) {
			p.begins("2.5")
			for range 200 {
				p.stroke("enter", 30*time.Millisecond)
			}
		},
		"bracketed paste": func(p *person) {
			p.plans("2.5")
			p.Panel.Paste(tea.PasteMsg{Content: "2.5\n"})
			p.stroke("enter", time.Second)
		},
		"unbracketed paste": func(p *person) {
			p.plans("2.5")
			for _, key := range []string{"2", ".", "5", "enter"} {
				p.stroke(key, time.Millisecond/2)
			}
		},
		"key repeats reported by the terminal": func(p *person) {
			p.plans("2.5")
			p.types("2.5")
			p.waits(time.Second)
			p.key(tea.KeyPressMsg{Code: tea.KeyEnter, IsRepeat: true})
		},
		"wrong quantity": func(p *person) { p.plans("2.5"); p.types("2.50001"); p.press("enter") },
		"grams":          func(p *person) { p.plans("2.5"); p.types("2500000"); p.press("enter") },
		"no quantity":    func(p *person) { p.plans("2.5"); p.press("enter") },
		"Esc":            func(p *person) { p.plans("2.5"); p.types("2.5"); p.press("esc") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPerson(t)
			keys(p)
			if len(p.flow.sent) > 0 {
				t.Errorf("sent %+v, want none", p.flow.sent)
			}
		})
	}
}

func TestRepeatedEnterSendsOnce(t *testing.T) {
	t.Parallel()
	for _, apart := range []time.Duration{0, time.Millisecond, 30 * time.Millisecond, 300 * time.Millisecond} {
		p := newPerson(t)
		p.plans("2.5")
		p.types("2.5")
		p.held = true
		for range 5 {
			p.stroke("enter", max(apart, 10*time.Millisecond))
		}
		p.held = false
		p.settle()
		if len(p.flow.sent) != 1 {
			t.Errorf("keys %v apart: sent %d calls, want 1", apart, len(p.flow.sent))
		}
	}
}

func TestUnknownOutcomeIsResumedWithTheSameID(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.flow.outcome = silent
	p.retires("2.5")
	p.Sees("? outcome unknown", "sends it again with the same id")
	p.flow.outcome = accepted
	p.later("enter")
	p.Sees("✓ done")
	if !slices.Equal(p.flow.resumed, []string{p.flow.sent[0].ExternalID}) || len(p.flow.sent) != 1 {
		t.Errorf("sent %+v, resumed %v", p.flow.sent, p.flow.resumed)
	}
}

func TestOnlyTheUnservedRestIsPlannedAgain(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	scenes["second-refused"](p)
	p.Sees("✓ done", "✗ another buyer bought from the sell order", "plans the rest, 500.5 t")
	p.flow.supply = offers(600, 0)
	p.flow.outcome = accepted
	p.later("enter")
	p.Sees("type 500.5 to retire")
	p.confirms("500.5")
	var sum model.Grams
	for _, o := range []int{0, 2} {
		sum += p.flow.sent[o].Plan.Quantity
	}
	if len(p.flow.sent) != 3 || sum != 900_500_000 {
		t.Errorf("retired %d g in %d calls", sum, len(p.flow.sent))
	}
}

func TestChangedPriceIsShownAndNothingIsSent(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	scenes["price-moved"](p)
	p.Sees("moved: $6.20 → $6.25 · nothing was bought", "↵ plans again")
	p.later("enter")
	p.Sees("$6.25", "type 2.5 to retire")
	if len(p.flow.sent) > 0 {
		t.Errorf("sent %+v", p.flow.sent)
	}
}

func TestUnusableOrderIsNotPlannedAgain(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{"PURCHASE_OWN_CREDITS": "006bale01", "SELL_ORDER_SUPPLY_TOO_LOW": "006bale00"} {
		p := newPerson(t)
		p.flow.outcome = refusedWith(code)
		p.retires("2.5")
		p.later("enter")
		p.Sees("whole tonnes, from " + want)
	}
}

func TestSoldChosenOrderIsReplaced(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.do(p.Begin(tab.RetireFrom{Vintage: bale, SellOrderID: "006bale01", Quantity: 2_000_000}))
	p.press("enter", "enter", "enter")
	p.Sees("006bale01")
	p.flow.supply = func() (retire.Supply, error) {
		return retire.Supply{Book: market.NewBook([]market.SellOrder{{ID: "006other", Quantity: 5e6, Price: 700}}), Held: 999_980}, nil
	}
	p.confirms("2")
	p.Sees("the sell order 006bale01 is not for sale any more")
	p.later("enter")
	p.Sees("006other", "type 2 to retire")
}

func TestOutcomeIsReportedAfterTheDialogIsClosed(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.plans("2.5")
	p.held = true
	p.types("2.5")
	p.press("enter", "esc")
	if !p.Out() || p.Panel != nil {
		t.Fatal("no call is in flight, or the dialog is still open")
	}
	p.held = false
	p.settle()
	if p.Out() || uitest.LastOf(p.Said) != "Retired 2.5 t." || len(p.added()) != 1 {
		t.Errorf("messages %q; the ledger has %v", p.Said, p.added())
	}
}

func TestUnfinishedCallsAreListedAtStartAndNotSent(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	scenes["unfinished"](p)
	p.Sees("tonne-one", "may have been carried out")
	if p.Mode() != "CAN RETIRE · 1 unresolved" {
		t.Errorf("the header has %q", p.Mode())
	}
	p.press("enter", "enter")
	p.types("2.5")
	p.press("enter")
	if len(p.flow.resumed)+len(p.flow.abandoned) > 0 {
		t.Fatal("keys that came too early sent a call")
	}
	p.press("esc")
	p = newPerson(t)
	scenes["unfinished"](p)
	p.later("down")
	p.Sees("confirmed, never sent")
	p.press("up", "enter")
	p.waits(time.Second)
	p.types("2.5")
	p.flow.pending = p.flow.pending[1:]
	p.press("enter")
	p.Sees("✓ done", "tonne-two")
	if !slices.Equal(p.flow.resumed, []string{"tonne-one"}) || len(p.added()) != 1 {
		t.Errorf("resumed %v, the ledger has %v", p.flow.resumed, p.added())
	}
	p.later("x")
	p.confirms("2.5")
	p.Sees("Abandoned. It was never carried out.", "There are no unresolved retirements.")
	if !slices.Equal(p.flow.abandoned, []string{"tonne-two"}) {
		t.Errorf("abandoned %v, want tonne-two", p.flow.abandoned)
	}
}

func TestUnreadableJournalIsReported(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.flow.unusable = errors.New("it is another program's")
	p.do(p.Start())
	if p.Panel != nil || !strings.Contains(uitest.LastOf(p.Said), "another program's") {
		t.Errorf("messages %q", p.Said)
	}
}
