package retire

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"tonne/api"
	"tonne/api/retire"
	"tonne/model"
	"tonne/model/advice"
	"tonne/model/market"
	must "tonne/model/musttest"
	"tonne/model/retirement"
	"tonne/ui/effect"
	"tonne/ui/tab"
	"tonne/ui/uitest"
)

// actions are those of the scripts.
var actions = uitest.Actions{
	// What the user does.
	"begin": func(p *person) { p.do(p.Begin(tab.RetireFrom{Vintage: bale})) },
	"beginWith": func(p *person, g model.Grams, order ...string) {
		p.do(p.Begin(tab.RetireFrom{Vintage: bale, Quantity: g, SellOrderID: strings.Join(order, "")}))
	},
	"retires": func(p *person, quantity string, outcomes ...string) {
		retires(quantity, outcomesOf(outcomes)...)(p)
	},
	"scene":  func(p *person, name string) { scenes[name](p) },
	"pastes": func(p *person, text string) { p.Panel.Paste(tea.PasteMsg{Content: text}) },
	// Presses a key some times, each some time after the one before.
	"holds": func(p *person, key string, times int, apart time.Duration) {
		for range times {
			p.stroke(key, apart)
		}
	},
	"repeatsEnter": func(p *person) { p.key(tea.KeyPressMsg{Code: tea.KeyEnter, IsRepeat: true}) },
	"withFlags": func(p *person) {
		p.View.WithFlags = func(text advice.Text) string {
			return text.For(advice.Reader{Command: func(c advice.Command) string {
				return append(c, "--profile", "acme").String()
			}})
		}
	},

	// What the service and other programs do.
	"outcomes": func(p *person, names ...string) { p.flow.outcomes = outcomesOf(names) },
	"supplies": func(p *person, tonnes, held model.Grams) { p.flow.supply = offers(tonnes, held) },
	"otherOrder": func(p *person) {
		p.flow.supply = func() (retire.Supply, error) {
			return retire.Supply{Book: market.NewBook([]market.SellOrder{{ID: "006other", Quantity: 5e6, Price: 700}}),
				Held: 999_980}, nil
		}
	},
	"sells":    sells,
	"noOthers": func(p *person) { p.flow.others = retire.Supplies{} },
	"locked":   func(p *person) { p.flow.unusable = retire.ErrLocked },
	"unusable": func(p *person, why string) {
		p.flow.unusable = errors.New(why)
		p.do(p.Start())
	},
	"journal":   func(p *person, names ...string) { p.flow.made = callsOf(names) },
	"elsewhere": func(p *person, ids ...string) { p.flow.elsewhere = retire.Elsewhere(ids...) },
	"confirmedElsewhere": func(p *person) {
		p.flow.made = append(p.flow.made, retire.Call{
			ExternalID: "other", Reference: "2026-Q4/flight-9", Request: p.Panel.(*dialog).line().Request,
		})
	},
	"starts":   func(p *person, names ...string) { starts(callsOf(names)...)(p) },
	"restarts": func(p *person) { p.do(p.Start()) },
	"rereads": func(p *person, names ...string) {
		p.flow.pending = callsOf(names)
		p.do(p.Recount())
	},
	"lists": func(p *person, names ...string) {
		p.held, p.flow.pending = false, callsOf(names)
		p.do(p.Unfinished())
	},
	"settles": func(p *person, n int) { p.flow.pending = slices.Delete(p.flow.pending, n, n+1) },
	// Another program settles the first call.
	"settlesFirst": func(p *person) { p.unfinished = p.unfinished[1:] },
	"givesUp": func(p *person, n int) {
		p.flow.pending[n].GivenUp = true
		p.do(p.Recount())
	},

	// Checks of what no text on the screen shows.
	"sentGrams": func(p *person, quantity model.Grams, tonnes int64) {
		p.Equal("quantity", p.flow.sent[0].Plan.Quantity, quantity)
		p.Equal("tonnes to buy", int64(p.flow.sent[0].Plan.BuyTonnes), tonnes)
	},
	"sentInAll": func(p *person, want model.Grams, calls ...int) {
		for _, n := range calls {
			want -= p.flow.sent[n].Plan.Quantity
		}
		p.Equal("difference", want, model.Grams(0))
	},
	"inFlight":     func(p *person) { p.Equal("in flight", p.Out(), true) },
	"nothingMade":  func(p *person) { p.Equal("number of calls", len(p.flow.made), 0) },
	"resumedFirst": func(p *person) { p.resumedCalls(0) },
	"resumed":      func(p *person, calls ...int) { p.resumedCalls(calls...) },
	"replacedThree": func(p *person) {
		p.Equal("replaced calls", p.flow.replaced[0], []string{"three"})
		p.Equal("request", p.flow.sent[0].Request, requestOf(110*model.GramsPerTonne))
	},
}

func TestScripts(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"plans", "outcomes", "unfinished", "baskets"} {
		uitest.Play(t, name, actions, newPerson)
	}
}

// resumedCalls checks that calls were sent again, with their ids.
func (p *person) resumedCalls(calls ...int) {
	var want []string
	for _, n := range calls {
		want = append(want, p.flow.sent[n].ExternalID)
	}
	p.Equal("resumed", p.flow.resumed, want)
}

// outcomesOf returns outcomes by their names in scripts.
func outcomesOf(names []string) (all []outcome) {
	unrecorded := retire.Call{State: retire.Refused,
		Err: &api.Error{Kind: api.Invalid, Status: 422, Code: "PRICE_SUPPLIED_DIFF_CURRENT_PRICE"}}
	done := retire.Call{State: retire.Done, RequestID: "00mrequest00000001"}
	tooMany := retire.Call{State: retire.Sent, TurnedAway: 429, Err: &api.Error{Kind: api.RateLimited, Status: 429}}
	named := map[string]outcome{
		"accepted":                 accepted,
		"silent":                   silent,
		"unrecorded":               gives(unrecorded, retire.ErrDisk),
		"moved":                    gives(unrecorded, nil),
		"disk":                     gives(retire.Call{}, retire.ErrDisk),
		"full disk":                gives(retire.Call{}, fmt.Errorf("%w: sqlite: step: SQLITE_FULL", retire.ErrDisk)),
		"full disk after the call": gives(done, retire.ErrDisk),
		"slow disk":                gives(retire.Call{}, fmt.Errorf("%w: %w", retire.ErrDisk, context.DeadlineExceeded)),
		"held":                     gives(retire.Call{}, retire.ErrHeld),
		"ended":                    gives(retire.Call{}, retire.ErrEnded),
		"exiting":                  gives(retire.Call{}, context.Canceled),
		"deadline":                 gives(retire.Call{}, context.DeadlineExceeded),
		"other key":                gives(retire.Call{}, retire.ErrOtherKey),
		"elsewhere":                gives(retire.Call{State: retire.Done, RequestID: "00m1", Elsewhere: true}, nil),
		"too many":                 gives(tooMany, nil),
	}
	for _, name := range names {
		if code, refused := strings.CutPrefix(name, "refuses "); refused {
			named[name] = refuses(code)
		}
		all = append(all, named[name])
	}
	return all
}

// callsOf returns calls of the journal by their names in scripts.
func callsOf(names []string) (all []retire.Call) {
	part := func(id string, tonnes model.Grams, state retire.State) retire.Call {
		return retire.Call{ExternalID: id, Reference: "2026-Q4/flight-9", Request: requestOf(110 * model.GramsPerTonne),
			State: state,
			Plan:  retirement.Call{VintageID: bale.VintageID, Quantity: tonnes * model.GramsPerTonne}}
	}
	with := func(id string, state retire.State, unsure bool, change func(*retire.Call)) retire.Call {
		c := pendingCall(id, state, unsure)
		change(&c)
		return c
	}
	named := map[string]retire.Call{
		"first": pendingCall("tonne-one", retire.Unknown, true),
		"second": with("tonne-two", retire.Unknown, true,
			func(c *retire.Call) { c.Plan.Quantity, c.Plan.BuyTonnes = 7_500_000, 7 }),
		"third":          pendingCall("tonne-three", retire.Unknown, true),
		"first given up": with("tonne-one", retire.Unknown, true, func(c *retire.Call) { c.GivenUp = true }),
		"given up": {
			ExternalID: "one", Reference: "2026-Q4/flight-9", State: retire.Unknown, Unsure: true, GivenUp: true,
			Request: requestOf(2_500_000),
		},
		"unknown": with("tonne-one", retire.Unknown, true, func(c *retire.Call) { c.Request = requestOf(2_500_000) }),
		"sending": with("tonne-one", retire.Unknown, true,
			func(c *retire.Call) { c.UnderWay, c.Request = true, requestOf(2_500_000) }),
		"on its way": with("tonne-two", retire.Sent, true, func(c *retire.Call) { c.UnderWay = true }),
		"forbidden":  with("tonne-one", retire.Sent, false, func(c *retire.Call) { c.TurnedAway = 403 }),
		"prepared":   pendingCall("tonne-one", retire.Prepared, false),
		"unsent": with("tonne-one", retire.Prepared, false,
			func(c *retire.Call) { c.Reference, c.Request = "", requestOf(2_500_000) }),
		"unsent of 105 t": with("tonne-two", retire.Prepared, false, func(c *retire.Call) {
			c.Request, c.MadeAt = requestOf(105*model.GramsPerTonne), uitest.Now
		}),
		"made one":   part("one", 10, retire.Done),
		"made two":   part("two", 20, retire.Refused),
		"made three": part("three", 100, retire.Prepared),
	}
	for _, name := range names {
		all = append(all, named[name])
	}
	return all
}

// FromOrder plans a retirement of 5 t from one sell order, which sells 6 t.
func (p *person) FromOrder() {
	p.flow.supply = offers(6, 0)
	p.do(p.Begin(tab.RetireFrom{Vintage: bale, SellOrderID: "006bale00"}))
	p.Press("5", "enter", "enter", "enter", "wait")
}

// ReadsAll reads the plan to its end, and checks that the texts were on the screen.
func (p *person) ReadsAll(texts ...string) {
	var seen strings.Builder
	for range 20 {
		seen.WriteString(p.Text())
		p.Press("down")
	}
	for _, text := range texts {
		must.Hold(p.T, strings.Contains(seen.String(), text), text)
	}
}

// ReadsTwice reads the journal twice at once, and gets the older result last.
func (p *person) ReadsTwice() {
	p.held = true
	p.do(p.Recount())
	p.do(p.Recount())
	p.flow.pending = p.flow.pending[:1]
	newer := p.work[1](p.View.Context).(effect.Then)
	p.flow.pending = callsOf([]string{"first", "second", "third"})
	older := p.work[0](p.View.Context).(effect.Then)
	_, _ = newer(), older()
}

func (p *person) RetiresBasket(outcomes ...string) {
	p.T.Helper()
	p.flow.outcomes = outcomesOf(outcomes)
	p.ReadsBasket()
	p.types("750")
}

// SentLines checks that the whole basket was sent, and its requests are in the ledger.
func (p *person) SentLines() {
	var sent []string
	for _, c := range p.flow.sent {
		sent = append(sent,
			strings.Join([]string{c.Batch, c.Reference, c.Plan.Quantity.FormatTonnes(), c.Plan.SellOrderID,
				c.Plan.Price.FormatDollars()}, " "))
	}
	p.Equal("sent", sent,
		[]string{"Q4 Q4-1 400 t 006bale00 $6.20", "Q4 Q4-2 100 t 006bale01 $6.51", "Q4 Q4-3 12 t  ?",
			"Q4 Q4-3 238 t 006camb00 $4.12"})
	p.Equal("number of requests", len(p.feed.Requests()), 4)
}

// Made puts a call of a basket or a file into the journal, for the same request or another one.
func (p *person) Made(batch, reference, state string, same bool) {
	request := retirement.RetireRequest{VintageID: "004other", Quantity: 7}
	if same {
		s := (&dialog{controller: p.Controller, from: threeLines()}).newBasket("Q4", retirement.Retiree{})
		request = s.Lines[0].Request
	}
	c := retire.Call{ExternalID: "tonne-x", Batch: batch, Reference: reference, State: retire.Done, Request: request}
	if state == "unknown" {
		c.State, c.Unsure = retire.Unknown, true
	}
	p.flow.made = []retire.Call{c}
}
