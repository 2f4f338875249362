package ui

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"tonne/api"
	"tonne/api/retire"
	"tonne/api/session"
	"tonne/model"
	"tonne/model/longtest"
	"tonne/model/retirement"
	"tonne/ui/uitest"
)

// carriesOut is a workflow over the fixtures' market in which every call succeeds.
type carriesOut struct {
	sent    []retire.Call
	pending []retire.Call
}

func (w *carriesOut) Supplies(_ context.Context, vintages ...string) (retire.Supplies, error) {
	m, all := uitest.Market(0), make(retire.Supplies)
	if at, ok := m.FindVintage(vintages[0]); ok {
		all[vintages[0]] = retire.Supply{Book: m.Book(at), Held: 874_900}
	}
	return all, nil
}

func (w *carriesOut) Confirm(context.Context, retire.Confirmed) error { return nil }

func (w *carriesOut) Recall(context.Context, string) (retire.History, error) {
	return retire.History{}, nil
}

func (w *carriesOut) SendNew(_ context.Context, c retire.Call, _ func(int, error)) (retire.Call, error) {
	c.State, c.RequestID = retire.Done, "00mnew00000000001"
	w.sent = append(w.sent, c)
	return c, nil
}

func (w *carriesOut) Resume(context.Context, string, func(int, error)) (retire.Call, error) {
	return retire.Call{}, retire.ErrEnded
}

func (w *carriesOut) Calls(context.Context, retire.Query) ([]retire.Call, error) { return nil, nil }

func (w *carriesOut) Unsettled(context.Context) ([]retire.Call, error) { return w.pending, nil }

func (w *carriesOut) Remember(context.Context, []*retire.Call) error { return nil }

func (w *carriesOut) Abandon(context.Context, string) (retire.Call, error) {
	return retire.Call{}, errors.New("no")
}

func retiring(t testing.TB, width, height int, choose func(*Options)) (*robot, *carriesOut) {
	d := &carriesOut{}
	r := newRobotWith(t, width, height, func(o *Options) {
		o.Retire = d
		choose(o)
	})
	r.run(r.app.Init())
	r.settle()
	return r, d
}

// types presses keys at the speed of a person.
func (r *robot) types(keys ...string) {
	for _, key := range keys {
		r.now = r.now.Add(100 * time.Millisecond)
		r.Press(key)
	}
}

// reviews opens the plan to retire 2.5 t of the first vintage.
func (r *robot) reviews() {
	r.types("R", "2", ".", "5", "enter", "enter", "f", "9", "enter")
	r.now = r.now.Add(time.Second)
}

var unknownCall = retire.Call{
	ExternalID: "tonne-one", State: retire.Unknown, Unsure: true, Tries: 5, Plan: retirement.Call{VintageID: "004bale0", Quantity: 20, Price: model.UnknownPrice},
}

func TestUnresolvedCallsAreShownAtStart(t *testing.T) {
	t.Parallel()
	r := newRobotWith(t, 120, 36, func(o *Options) { o.Retire = &carriesOut{pending: []retire.Call{unknownCall}} })
	r.run(r.app.Init())
	r.settle()
	r.Sees("tonne-one", "CAN RETIRE · 1 unresolved")
	r.types("esc")
	r.SeesNot("tonne-one")
	r.types("U")
	r.Sees("tonne-one")
}

func TestReadOnlyDashboardReportsUnresolvedCalls(t *testing.T) {
	t.Parallel()
	for _, failure := range []error{nil, errors.New("it is another program's")} {
		r := newRobotWith(t, 120, 36, func(o *Options) {
			o.Unfinished = func(context.Context) (int, error) { return 2, failure }
		})
		r.run(r.app.Init())
		r.settle()
		if failure == nil {
			r.Sees("READ-ONLY · 2 unresolved", "2 retirements with unknown outcome. `tonne retire pending` lists them.")
			continue
		}
		r.Sees(" READ-ONLY ")
		r.SeesNot("unresolved", "not known", "another program's")
	}
}

// The service reports a missing role only as status 403 of any request.
func TestHeaderShowsMissingRole(t *testing.T) {
	t.Parallel()
	for _, width := range []int{60, 80, 120} {
		r, d := retiring(t, width, 24, func(o *Options) { o.Alarm = true })
		is := func(barred bool) {
			t.Helper()
			wants := map[bool][2]string{true: {" role missing ", " CAN RETIRE "}, false: {" CAN RETIRE ", " role missing "}}[barred]
			r.Sees(wants[0], production)
			r.SeesNot(wants[1])
		}
		is(false)
		r.hear(session.MarketEvent{Status: session.Status{State: session.Refused, Err: &api.Error{Kind: api.Forbidden, Status: 403, Role: api.RoleAPIUser}}, Generation: 1, Market: uitest.Market(0)})
		is(true)
		r.hear(session.MarketEvent{Status: session.Status{State: session.Live, At: r.now}, Generation: 1, Market: uitest.Market(0)})
		is(false)
		for _, barred := range []bool{true, false} {
			d.pending = nil
			if barred {
				d.pending = []retire.Call{{ExternalID: "tonne-one", State: retire.Sent, TurnedAway: 403, Plan: retirement.Call{Price: model.UnknownPrice}}}
			}
			r.now = r.now.Add(recountAfter)
			r.send(tick{r.app.clock})
			r.settle()
			is(barred)
		}
	}
}

func TestRetireStartsFromSelectedThing(t *testing.T) {
	t.Parallel()
	r, d := retiring(t, 160, 45, func(*Options) {})
	confirm := func(quantity ...string) retire.Call {
		r.types("enter", "enter", "enter")
		r.now = r.now.Add(time.Second)
		r.types(append(quantity, "enter")...)
		r.now = r.now.Add(time.Second)
		r.types("enter")
		if len(d.sent) == 0 {
			t.Fatalf("nothing was sent:\n%s", r.Text())
		}
		return d.sent[len(d.sent)-1]
	}
	r.types("j", "R", "3")
	if got := confirm("3").Plan; got.VintageID != "004bale1" || got.SellOrderID != "006bale10" {
		t.Errorf("on a vintage: %+v", got)
	}
	r.types("enter", "j", "j", "R")
	r.Sees("the order 006bale12")
	r.types("3")
	if got := confirm("3").Plan; got.SellOrderID != "006bale12" {
		t.Errorf("on an order: %+v", got)
	}
	r.types("esc", "b")
	r.send(tea.PasteMsg{Content: "retire 1.5"})
	r.types("enter", "enter", "R")
	if got := confirm("1", ".", "5").Plan; got.Quantity != 1_500_000 || got.VintageID != "004bale1" {
		t.Errorf("in a quote: %+v", got)
	}
	r.showInventory()
	r.types("R", "1")
	if got := confirm("1").Plan; got.VintageID != "004bale0" {
		t.Errorf("on a wallet: %+v", got)
	}
}

func TestHeaderCountsCallsOfOtherPrograms(t *testing.T) {
	t.Parallel()
	calls := []retire.Call{unknownCall}
	d := &carriesOut{}
	for mode, r := range map[string]*robot{
		"READ-ONLY": newRobotWith(t, 120, 36, func(o *Options) {
			o.Unfinished = func(context.Context) (int, error) { return len(d.pending), nil }
		}),
		"CAN RETIRE": newRobotWith(t, 120, 36, func(o *Options) { o.Retire = d }),
	} {
		d.pending = nil
		r.run(r.app.Init())
		later := func(want bool) {
			t.Helper()
			r.now = r.now.Add(recountAfter)
			r.send(tick{r.app.clock})
			r.settle()
			if got := strings.Contains(r.Text(), mode+" · 1 unresolved"); got != want {
				t.Errorf("%s: count shown: %v:\n%s", mode, got, strings.Join(strings.Split(r.Text(), "\n")[:headerLines], "\n"))
			}
		}
		later(false)
		d.pending = calls
		later(true)
		r.types("U")
		r.Sees(map[string]string{"READ-ONLY": "`tonne retire pending`", "CAN RETIRE": "tonne-one"}[mode])
		r.types("esc")
		d.pending = nil
		later(false)
	}
}

// Random input must never confirm a retirement, because it does not pause between keys like a
// person.
func TestNoRandomInputConfirms(t *testing.T) {
	t.Parallel()
	for range longtest.Runs(1, 20) {
		seed := rand.Uint64()
		d := &carriesOut{}
		c := newChanceWith(t, seed, func(o *Options) { o.Retire = d })
		for range 1000 {
			c.do(c.message())
		}
		if len(d.sent) > 0 {
			t.Errorf("seed %d: sent %+v", seed, d.sent)
		}
	}
}
