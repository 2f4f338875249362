package retire

import (
	"context"
	"errors"
	"fmt"
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
	"tonne/ui/effect"
	"tonne/ui/tab"
	"tonne/ui/uitest"
)

type journeys = uitest.Journeys[*person]

func TestPlanJourneys(t *testing.T) {
	t.Parallel()
	journeys{
		"Esc returns from a plan to the filled form": {
			{Do: scenes["review-customer"], Sees: "type 3 to retire|Esc back"},
			{Keys: "wait 3 esc", Sees: "❯ quantity|Your Customer Ltd|123456789|GB|c-7|2026-Q4/flight-9|Esc leaves"},
			{Keys: "0 enter enter enter enter enter enter enter", Sees: "Retire 30 t|type 30 to retire|tax id 123456789"},
			{Keys: "wait esc esc", Sees: "[open false] [sent 0]"},
		},
		"Esc returns from a plan without enough supply": {
			{Do: plans("9000")},
			{Keys: "esc", Sees: "❯ quantity|9000|2026-Q4/flight-9"},
		},
		// A sent tax id cannot be corrected, so the plan shows it in full. The list masks it.
		"the tax id is shown in full": {
			{Do: begin(tab.RetireFrom{Vintage: bale})},
			{Keys: "3 enter C enter", Typed: "RSS 85T"},
			{Keys: "enter G B enter enter enter", Sees: "tax id RSS 85T|type 3 to retire"},
		},
		// Users mistype the zeros of a small quantity in tonnes.
		"grams are confirmed in grams": {
			{Do: begin(tab.RetireFrom{Vintage: bale})},
			{Keys: "2 0 g enter enter enter wait", Sees: "Retire 20 g of|type 20 g to retire|retired now              20 g"},
			{Keys: "2 0 enter", Sees: "Type 20 g, then ↵.|[sent 0]"},
			{Keys: "backspace backspace 2 0 space g enter", Sees: "✓ done|[sent 1]", Do: func(p *person) {
				if got := p.flow.sent[0].Plan; got.Quantity != 20 || got.BuyTonnes != 0 {
					p.T.Errorf("sent %+v", got)
				}
			}},
		},
		"a customer needs whole tonnes and a known country": {
			{Do: customer("united k")},
			{Keys: "enter enter enter", Sees: "for|customer: Your Customer Ltd, |tax id 123456789"},
			{Keys: "esc", Do: customer("nowhere")},
			{Sees: "No country matches"},
			{Keys: "enter enter enter", Sees: "Enter the code or the full name of the customer's country"},
			{Keys: "esc", Do: begin(tab.RetireFrom{Vintage: bale, Quantity: 2_500_000})},
			{Keys: "enter C enter 1 enter K E enter enter enter", Sees: "whole tonnes|[sent 0]"},
		},
		"a long plan is read before it is confirmed": {
			{Size: [2]int{60, 15}, Do: begins("2.5")},
			{Keys: "enter wait", Lacks: "undone"},
			{Keys: "2 . 5 enter", Sees: "Read the whole plan first|[sent 0]"},
			{Do: func(p *person) {
				var seen strings.Builder
				for range 20 {
					seen.WriteString(p.Text())
					p.Press("down")
				}
				for _, number := range []string{"0.999980 t", "2 t", "006bale00", "$6.20", "$12.40", "2.5 t", "0.499980 t", "flight-9", "undone"} {
					if !strings.Contains(seen.String(), number) {
						p.T.Errorf("%q was never on the screen", number)
					}
				}
			}},
			{Keys: "2 . 5 enter", Sees: "✓ done"},
		},
		// A plan that was only read must not change the sell order that the user chose.
		"a plan keeps the chosen order": {
			{Do: fromOrder, Sees: "type 5 to retire|from 006bale00"},
			{Keys: "esc backspace 8 enter enter enter", Sees: "The order 006bale00|R on the vintage takes any order", Lacks: "type 8 to retire|006bale01"},
			{Keys: "esc", Sees: "[open false] [sent 0]"},
		},
		// If the chosen order cannot serve the rest of a submission, the new plan says that it uses other orders.
		"a chosen order that is gone is replaced": {
			{Do: fromOrder},
			{Do: func(p *person) { p.flow.outcomes = []outcome{refuses("SELL_ORDER_NOT_LIVE")} }},
			{Keys: "5 enter wait enter", Sees: "⚠ The order 006bale00 no longer sells this. The plan uses other orders.|from 006bale01|type 5 to retire"},
			{Keys: "wait esc backspace 6 enter enter enter", Sees: "type 6 to retire|from 006bale01", Lacks: "006bale00"},
		},
		"a sold order is replaced": {
			{Do: begin(tab.RetireFrom{Vintage: bale, SellOrderID: "006bale01", Quantity: 2_000_000})},
			{Keys: "enter enter enter wait", Sees: "006bale01"},
			{Do: supplies(func() (retire.Supply, error) {
				return retire.Supply{Book: market.NewBook([]market.SellOrder{{ID: "006other", Quantity: 5e6, Price: 700}}), Held: 999_980}, nil
			})},
			{Keys: "2 enter", Sees: "the sell order 006bale01 is not for sale any more"},
			{Keys: "wait enter", Sees: "006other|type 2 to retire"},
		},
		"one order is enough": {{Do: supplies(offers(600, 0))}, {Do: plans("11"), Lacks: "together cost"}},
		"one order costs more than several": {
			{Do: supplies(offers(10, 0))},
			{Do: plans("11"), Sees: "$71.61|The cheapest orders together cost $3.10 less: retire in parts"},
		},
		"a changed price stops the call": {
			{Do: scenes["price-moved"], Sees: "moved: $6.20 → $6.25 · nothing was bought|↵ plans again"},
			{Keys: "wait enter", Sees: "$6.25|type 2.5 to retire|[sent 0]"},
		},
	}.Each(t, newPerson)
}

func begin(from tab.RetireFrom) func(*person) { return func(p *person) { p.do(p.Begin(from)) } }

// fromOrder plans a retirement of 5 t from one sell order, which sells 6 t.
func fromOrder(p *person) {
	p.flow.supply = offers(6, 0)
	p.do(p.Begin(tab.RetireFrom{Vintage: bale, SellOrderID: "006bale00"}))
	p.Press("5", "enter", "enter", "enter", "wait")
}

func TestAccidentalKeysDoNotConfirm(t *testing.T) {
	t.Parallel()
	journeys{
		"keys as the dialog appears": {{Do: begins("2.5")}, {Keys: "enter 2 . 5 enter"}},
		"keys long after the dialog appeared": {
			{Do: begins("2.5")}, {Keys: "enter " + strings.Repeat("2 . 5 enter ", 20)},
		},
		"held Enter": {{Do: begins("2.5")}, {Do: func(p *person) {
			for range 200 {
				p.stroke("enter", 30*time.Millisecond)
			}
		}}},
		"bracketed paste": {{Do: plans("2.5")}, {Do: func(p *person) {
			p.Panel.Paste(tea.PasteMsg{Content: "2.5\n"})
			p.stroke("enter", time.Second)
		}}},
		"unbracketed paste": {{Do: plans("2.5")}, {Do: func(p *person) {
			for _, key := range []string{"2", ".", "5", "enter"} {
				p.stroke(key, time.Millisecond/2)
			}
		}}},
		"key repeats reported by the terminal": {{Do: plans("2.5")}, {Keys: "2 . 5 wait", Do: func(p *person) {
			p.key(tea.KeyPressMsg{Code: tea.KeyEnter, IsRepeat: true})
		}}},
		"wrong quantity": {{Do: plans("2.5")}, {Keys: "2 . 5 0 0 0 1 enter"}},
		"grams":          {{Do: plans("2.5")}, {Keys: "2 5 0 0 0 0 0 enter"}},
		"no quantity":    {{Do: plans("2.5")}, {Keys: "enter"}},
		"Esc":            {{Do: plans("2.5")}, {Keys: "2 . 5 esc"}},
	}.Each(t, func(t testing.TB) *person {
		p := newPerson(t)
		t.Cleanup(func() { p.Sees("[sent 0]") })
		return p
	})
}

func TestRepeatedEnterSendsOnce(t *testing.T) {
	t.Parallel()
	for _, apart := range []time.Duration{10 * time.Millisecond, 30 * time.Millisecond, 300 * time.Millisecond} {
		p := newPerson(t)
		p.plans("2.5")
		p.Press("2", ".", "5")
		p.held = true
		for range 5 {
			p.stroke("enter", apart)
		}
		release(p)
		p.Sees("[sent 1]")
	}
}

func TestRetirementIsSentAsShown(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	retires("2.5")(p)
	p.Sees("[ledger [00mrequest00000001]]", "[said Retired 2.5 t.]")
	p.flow.sent[0].Body, p.flow.sent[0].ExternalID = nil, ""
	want := []retire.Call{{
		State: retire.Prepared, Reference: "2026-Q4/flight-9", Request: `2500000 g of "004bale0" from "" for ["" "" "" ""]`,
		Plan: retirement.Call{VintageID: "004bale0", Quantity: 2_500_000, FromInventory: 999_980, BuyTonnes: 2, SellOrderID: "006bale00", Price: 620, Cost: 1240},
	}}
	if !reflect.DeepEqual(p.flow.sent, want) || p.Out() {
		t.Errorf("sent %+v, in flight %t", p.flow.sent, p.Out())
	}
	p = newPerson(t)
	scenes["review-customer"](p)
	p.Press("wait")
	p.types("3")
	if got := p.flow.sent[0].Plan.Retiree; got != (retirement.Retiree{ID: "c-7", Name: "Your Customer Ltd", TaxID: "123456789", Country: "GB"}) {
		t.Errorf("%+v", got)
	}
}

func TestOutcomeJourneys(t *testing.T) {
	t.Parallel()
	unrecorded := retire.Call{State: retire.Refused, Err: &api.Error{Kind: api.Invalid, Status: 422, Code: "PRICE_SUPPLIED_DIFF_CURRENT_PRICE"}}
	journeys{
		"an unknown outcome is sent again with the same id": {
			{Do: retires("2.5", silent, accepted), Sees: "? outcome unknown|sends it again with the same id"},
			{Keys: "wait enter", Sees: "✓ done|[sent 1]", Do: resumedFirst},
		},
		"an unrecorded refusal is sent again, and then planned again": {
			{
				Do:   retires("2.5", gives(unrecorded, retire.ErrDisk), gives(unrecorded, nil)),
				Sees: "✗ not done · the price moved|The journal could not be written|sends it again with the same id",
			},
			{Keys: "wait enter", Sees: "✗ the price moved|plans again", Lacks: "could not be written", Do: resumedFirst},
		},
		"a full disk has a cause and advice": {{
			Do:    retires("2.5", gives(retire.Call{}, fmt.Errorf("%w: sqlite: step: SQLITE_FULL", retire.ErrDisk))),
			Sees:  "✗ not done · the journal cannot be written · nothing was bought|Make room on the disk|plans again",
			Lacks: "sqlite|SQLITE",
		}},
		"a full disk after the call": {{
			Do:   retires("2.5", gives(retire.Call{State: retire.Done, RequestID: "00mrequest00000001"}, retire.ErrDisk)),
			Sees: "✓ done · request 00mrequest00000001|The journal could not be written|Make room on the disk",
		}},
		// Confirming a plan writes all its calls to the journal, so another program may send the second call
		// while this one sends the first.
		"the second call is sent by another program": {{
			Do:    retires("900.5", accepted, gives(retire.Call{}, retire.ErrHeld)),
			Sees:  "? outcome unknown · another program is making this call|sends it again with the same id|then outcome unknown",
			Lacks: "nothing was bought|plans the rest",
		}},
		// Confirm fails if another program has confirmed the same request first.
		"a plan that cannot be confirmed": {
			{Do: plans("2.5")},
			{Do: func(p *person) {
				p.flow.made = append(p.flow.made, retire.Call{
					ExternalID: "other", Reference: "2026-Q4/flight-9", Request: retire.RequestText(p.Panel.(*dialog).line().Request),
				})
			}},
			{Keys: "2 . 5 enter", Sees: "✗ not done · another program is making this call · nothing was bought"},
		},
		// A lost journal may have made the whole plan. The service reports this for the first call.
		"a call of another journal stops the plan": {{
			Do:    retires("900.5", gives(retire.Call{State: retire.Done, RequestID: "00m1", Elsewhere: true}, nil)),
			Sees:  "✗ this was retired before|retirement requests: 00m1|nothing more|↵ leaves|[sent 1] [resumed []] [abandoned [tonne-|[said This was retired before",
			Lacks: "✓ done",
		}},
		"only the rest is planned again": {
			{Do: retires("900.5", accepted, refuses("SELL_ORDER_SUPPLY_TOO_LOW"), accepted), Sees: "✓ done|✗ another buyer bought from the sell order|plans the rest, 500.5 t"},
			{Do: supplies(offers(600, 0))},
			{Keys: "wait enter", Sees: "type 500.5 to retire"},
			{Keys: "wait 5 0 0 . 5 enter", Sees: "[sent 3]", Do: func(p *person) {
				if sum := p.flow.sent[0].Plan.Quantity + p.flow.sent[2].Plan.Quantity; sum != 900_500_000 {
					p.T.Errorf("retired %d g", sum)
				}
			}},
		},
		"an order of our own is not planned again": {
			{Do: retires("2.5", refuses("PURCHASE_OWN_CREDITS"))},
			{Keys: "wait enter", Sees: "whole tonnes, from 006bale01"},
		},
		"an order that had too little is planned again": {
			{Do: retires("2.5", refuses("SELL_ORDER_SUPPLY_TOO_LOW"))},
			{Keys: "wait enter", Sees: "whole tonnes, from 006bale00"},
		},
		"the outcome is reported after the dialog is closed": {
			{Do: plans("2.5")},
			{Do: hold},
			{Keys: "2 . 5 enter esc", Sees: "[open false]", Do: func(p *person) {
				if !p.Out() {
					p.T.Error("no call is in flight")
				}
			}},
			{Do: release, Sees: "[said Retired 2.5 t.]|[ledger [00mrequest00000001]]"},
		},
		"advice repeats the flags of the dashboard": {
			{Do: func(p *person) {
				p.View.WithFlags = func(text string) string {
					return strings.ReplaceAll(text, "--same-tenant`", "--same-tenant --profile acme`")
				}
			}},
			{Do: retires("2.5", gives(retire.Call{}, retire.ErrOtherKey)), Sees: "`tonne retire resume --same-tenant|--profile acme`"},
		},
	}.Each(t, newPerson)
}

// resumedFirst checks that the first call was sent again, with its id.
func resumedFirst(p *person) {
	if want := []string{p.flow.sent[0].ExternalID}; !slices.Equal(p.flow.resumed, want) {
		p.T.Errorf("resumed %v, want %v", p.flow.resumed, want)
	}
}

// If the dialog is closed, the message in the footer is the only report.
func TestMessageReportsPartRetiredBeforeFailure(t *testing.T) {
	t.Parallel()
	tooMany := retire.Call{State: retire.Sent, TurnedAway: 429, Err: &api.Error{Kind: api.RateLimited, Status: 429}}
	for says, second := range map[string]outcome{
		"another buyer bought from the sell order · nothing was bought.": refuses("SELL_ORDER_SUPPLY_TOO_LOW"),
		"outcome unknown · ": silent,
		"rejected with HTTP status 429 · too many requests · if sent again, it keeps its id · U sends it again with the same id.": gives(tooMany, nil),
		"not done · the journal cannot be written · nothing was bought.":                                                          gives(retire.Call{}, retire.ErrDisk),
	} {
		p := newPerson(t)
		retires("900.5", accepted, second)(p)
		p.Sees("[said Retired 400 t of 900.5 t; then " + says)
	}
}

// A call that may have taken effect and cannot be sent again now would be made twice by a new plan.
func TestUnknownOutcomeIsNeverPlannedAgain(t *testing.T) {
	t.Parallel()
	for says, err := range map[string]error{
		"another program is making this call": retire.ErrHeld, "another program has ended this call": retire.ErrEnded,
		"the journal cannot be written": fmt.Errorf("%w: %w", retire.ErrDisk, context.DeadlineExceeded),
		"the program is exiting":        context.Canceled, "outcome unknown": context.DeadlineExceeded,
	} {
		p := newPerson(t)
		retires("2.5", silent, gives(retire.Call{}, err))(p)
		for range 2 {
			p.Press("wait", "enter")
			p.Sees("? outcome unknown", says, "sends it again with the same id")
		}
		p.SeesNot("plans again", "nothing was bought")
		if len(p.flow.sent) != 1 || len(p.flow.resumed) != 2 {
			t.Errorf("sent %d calls and resumed %v, want 1 call resumed twice", len(p.flow.sent), p.flow.resumed)
		}
	}
}

func TestEachErrorHasAdvice(t *testing.T) {
	t.Parallel()
	for _, err := range []*retire.Problem{
		retire.ErrNoCall, retire.ErrHeld, retire.ErrEnded, retire.ErrOtherBody, retire.ErrOtherKey, retire.ErrUnsettled, retire.ErrNotSent,
		retire.ErrLocked, retire.ErrDisk, retire.ErrEmptied, retire.ErrWalletUnread, retire.ErrBookUnread,
	} {
		what, todo := why(fmt.Errorf("wrapped: %w", err)), tab.Capital(err.Todo)
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
		if c.advice(err).left.String() == "" {
			t.Errorf("no advice for %v", err)
		}
	}
}

// A reference stands for one request, even if several dashboards and commands served parts of it.
func TestReferenceJourneys(t *testing.T) {
	t.Parallel()
	made := func(id string, tonnes model.Grams, state retire.State) retire.Call {
		return retire.Call{ExternalID: id, Reference: "2026-Q4/flight-9", Request: requestOf(110 * model.GramsPerTonne), State: state,
			Plan: retirement.Call{VintageID: bale.VintageID, Quantity: tonnes * model.GramsPerTonne}}
	}
	journal := func(calls ...retire.Call) func(*person) { return func(p *person) { p.flow.made = calls } }
	givenUp := retire.Call{ExternalID: "one", Reference: "2026-Q4/flight-9", State: retire.Unknown, Unsure: true, GivenUp: true, Request: requestOf(2_500_000)}
	unknown, unsent := pendingCall("tonne-one", retire.Unknown, true), pendingCall("tonne-one", retire.Prepared, false)
	unknown.Request = requestOf(2_500_000)
	unsent.Reference, unsent.Request = "", requestOf(2_500_000)
	journeys{
		"only the rest of a reference is retired": {
			{Do: journal(made("one", 10, retire.Done), made("two", 20, retire.Refused), made("three", 100, retire.Prepared))},
			{Do: plans("110"), Sees: "⚠ 10 t of 110 t are already retired under this reference; 100 t remain.|Retire 100 t of|type 100 to retire"},
			{Keys: "1 0 0 enter", Do: func(p *person) {
				if !slices.Equal(p.flow.replaced[0], []string{"three"}) || p.flow.sent[0].Request != requestOf(110*model.GramsPerTonne) {
					p.T.Errorf("the plan replaced %v and sent the request %q", p.flow.replaced, p.flow.sent[0].Request)
				}
			}},
			{Keys: "esc", Size: [2]int{80, 24}, Do: begins("110")},
			{Keys: "enter", Sees: "❯ reference|✗ Already retired under this reference; use another one to retire again."},
			{Keys: "b enter", Sees: "type 110 to retire", Lacks: "already"},
		},
		"an abandoned call with an unknown outcome blocks its reference": {
			{Do: journal(givenUp)}, {Do: begins("2.5")}, {Keys: "enter", Sees: "❯ reference|Press Esc, then U"},
		},
		"a reference of another journal is not planned": {
			{Do: func(p *person) { p.flow.elsewhere = retire.Elsewhere("00m1", "00m2") }},
			{Do: begins("2.5")},
			{Keys: "enter", Sees: "retired before|00m1, 00m2|[sent 0]", Do: func(p *person) {
				if len(p.flow.made) > 0 {
					p.T.Errorf("confirmed %v", p.flow.made)
				}
			}},
		},
		// An unsettled call may already have served the request, so the same request needs another reference.
		"a request with an unknown outcome needs another reference": {
			{Do: starts(unknown)},
			{Keys: "esc", Size: [2]int{80, 24}, Do: begins("2.5")},
			{Keys: "enter wait", Sees: "Press Esc, then U to settle it, or use another reference."},
			{Keys: "2 . 5 enter", Sees: "[sent 0]"},
			{Keys: "wait", Sees: "type 2.5 to retire"},
		},
		// A call that was never sent certainly had no effect, so there is nothing to ask the service's operator.
		"an unsent call is not called unknown": {
			{Do: starts(unsent), Sees: "Unresolved retirements (0) · 1 not sent|confirmed, never sent"},
			{Keys: "esc", Size: [2]int{80, 24}, Do: begin(tab.RetireFrom{Vintage: bale})},
			{
				Keys: "2 . 5 enter enter enter", Lacks: "ot known|nknown",
				Sees: "confirmed and not sent, as|Press Esc, then U to settle it, or use another reference.",
			},
		},
	}.Each(t, newPerson)
	if what := why(retire.ErrUnsettled); strings.Contains(what, "known") || strings.Contains(what, "sent before") {
		t.Errorf("message %q calls an unsent plan unknown", what)
	}
}

func TestUnfinishedJourneys(t *testing.T) {
	t.Parallel()
	first, second, third := pendingCall("tonne-one", retire.Unknown, true), pendingCall("tonne-two", retire.Unknown, true), pendingCall("tonne-three", retire.Unknown, true)
	second.Plan.Quantity, second.Plan.BuyTonnes = 7_500_000, 7
	givenUp, unsent, sending := first, pendingCall("tonne-two", retire.Prepared, false), first
	givenUp.GivenUp = true
	unsent.Request, unsent.MadeAt = requestOf(105*model.GramsPerTonne), uitest.Now
	sending.UnderWay, sending.Request = true, requestOf(2_500_000)
	onItsWay := pendingCall("tonne-two", retire.Sent, true)
	onItsWay.UnderWay = true
	forbidden := pendingCall("tonne-one", retire.Sent, false)
	forbidden.TurnedAway = 403
	const settled = "Another program has settled it or is sending it. Press Esc."
	// rereads changes the journal, and reads it again.
	rereads := func(pending ...retire.Call) func(*person) {
		return func(p *person) { p.flow.pending = slices.Clone(pending); p.do(p.Recount()) }
	}
	// settlesFirst settles the first call in another program.
	settlesFirst := func(p *person) { p.unfinished = p.unfinished[1:] }
	journeys{
		"calls are listed at the start and not sent": {
			{Do: scenes["unfinished"], Sees: "tonne-one|may have been carried out|[CAN RETIRE · 1 unresolved]"},
			// These keys come too early.
			{Keys: "enter enter 2 . 5 enter", Sees: "[resumed []] [abandoned []]"},
		},
		"a call is sent again, and another is abandoned": {
			{Do: scenes["unfinished"]},
			{Keys: "wait down", Sees: "confirmed, never sent"},
			{Keys: "up enter wait 2 . 5", Do: func(p *person) { p.flow.pending = p.flow.pending[1:] }},
			{Keys: "enter", Sees: "✓ done|tonne-two|[resumed [tonne-one]]|[ledger [00mrequest00000001]]"},
			{Keys: "wait x wait 2 . 5 enter", Sees: "Abandoned. It was never carried out.|There are no unresolved retirements.|[abandoned [tonne-two]]"},
		},
		"the result of an older read is dropped": {
			{Do: starts(first, second)},
			{Do: func(p *person) {
				p.held = true
				p.do(p.Recount())
				p.do(p.Recount())
				p.flow.pending = p.flow.pending[:1]
				newer := p.work[1](p.View.Context).(effect.Then)
				p.flow.pending = []retire.Call{first, second, third}
				older := p.work[0](p.View.Context).(effect.Then)
				_, _ = newer(), older()
			}, Sees: "Unresolved retirements (1)"},
		},
		"an unreadable journal is reported": {
			{Do: func(p *person) { p.flow.unusable = errors.New("it is another program's"); p.do(p.Start()) }, Sees: "[open false]|another program's"},
		},
		"the outcome names its call and its quantity": {
			{Do: starts(first, second)},
			{Keys: "wait down enter wait 7 . 5 enter", Sees: "7.5 t  tonne-two", Said: "Retired 7.5 t."},
		},
		// Another program may settle a call above the selected one at any time.
		"the selection follows its call": {
			{Do: starts(first, second, third)},
			{Keys: "wait down", Sees: "external id              tonne-two"},
			{Do: settlesFirst, Sees: "external id              tonne-two"},
			{Keys: "enter wait 7 . 5 enter", Sees: "[resumed [tonne-two]]"},
		},
		"a call that another program settled cannot be confirmed": {
			{Do: starts(first, second)},
			{Keys: "wait x wait", Do: settlesFirst, Sees: settled, Lacks: "external id              tonne-two|to abandon it"},
			{Keys: "2 . 5 enter", Sees: "[resumed []] [abandoned []]"},
			{Keys: "esc", Sees: "external id              tonne-two"},
		},
		"a call that another program sends is not listed": {
			{Do: starts(first, second)},
			{Keys: "wait x wait", Do: rereads(sending, second), Sees: settled + "|Unresolved retirements (1)"},
			{Keys: "esc", Sees: "external id              tonne-two", Lacks: "tonne-one"},
			{Keys: "esc", Do: begins("2.5")},
			{Keys: "enter", Sees: "It is not known whether"},
		},
		// An abandoned call with an unknown outcome blocks the same request, so the list must show it.
		"an abandoned call with an unknown outcome is listed and counted": {
			{Do: starts(givenUp, second)},
			{Keys: "wait", Sees: "Unresolved retirements (2)|tonne-two"},
			{Keys: "down", Sees: "abandon tonne-one --carried-out REQUEST|Esc leaves|[CAN RETIRE · 2 unresolved]"},
			{Keys: "enter x", Lacks: "to send it again|to abandon it"},
			{Keys: "up x wait", Do: func(p *person) {
				p.flow.pending[1].GivenUp = true
				p.do(p.Recount())
			}, Sees: settled},
			// The user can settle none of the calls.
			{Keys: "esc esc", Do: func(p *person) { p.do(p.Start()) }, Sees: "[open false]"},
		},
		"only a call that is not abandoned shows the missing role": {
			{Do: starts(forbidden), Sees: "[role missing · 1 not sent]"},
			{Do: func(p *person) { p.flow.pending[0].GivenUp = true; p.do(p.Recount()) }, Sees: "[CAN RETIRE", Lacks: "role missing"},
		},
		"an unsent call does not count as unresolved": {
			{Do: starts(pendingCall("tonne-one", retire.Prepared, false), onItsWay), Sees: "Unresolved retirements (0) · 1 not sent · 1 being sent|[CAN RETIRE · 1 not sent]"},
			{Do: rereads(onItsWay), Sees: "Calls are being sent.", Lacks: "no unresolved retirements"},
		},
		"an unsent call has the confirmed total": {
			{Do: starts(unsent), Sees: "confirmed, never sent: 2.5 t of the 105 t that you confirmed|↵ sends it as planned"},
			{Keys: "wait enter", Sees: "type 2.5 to send it "},
		},
		"the list reads the journal while a call is in flight": {
			{Do: plans("2.5")},
			{Do: hold},
			{Keys: "2 . 5 enter esc", Do: func(p *person) {
				p.held, p.flow.pending = false, []retire.Call{first, second}
				p.do(p.Unfinished())
			}, Sees: "tonne-one|7.5 t|[CAN RETIRE · 2 unresolved]"},
		},
		"another program sends a listed call": {
			{Do: starts(first)},
			{Keys: "wait enter", Do: func(p *person) { p.flow.outcomes = []outcome{gives(retire.Call{}, retire.ErrHeld)} }},
			{Keys: "wait 2 . 5 enter", Sees: "? outcome unknown|another program is making this call", Lacks: "nothing was bought"},
		},
	}.Each(t, newPerson)
}
