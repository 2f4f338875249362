package ui

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"tonne/api"
	"tonne/api/apitest"
	"tonne/api/retire"
	"tonne/api/wire"
	"tonne/model"
	"tonne/model/longtest"
	must "tonne/model/musttest"
	"tonne/model/retirement"
	"tonne/ui/uitest"
)

// carriesOut is a workflow over the fixtures' market in which every call succeeds.
type carriesOut struct {
	sent    []retire.Call
	pending []retire.Call
}

func (w *carriesOut) Supplies(_ context.Context, needs ...retire.Need) (retire.Supplies, error) {
	m, all := uitest.Market(0), make(retire.Supplies)
	if at, ok := m.FindVintage(needs[0].VintageID); ok {
		all[needs[0].VintageID] = retire.Supply{Book: m.Book(at), Held: 874_900}
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
	r.flow = d
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

// Reviews opens the plan to retire 2.5 t of the first vintage.
func (r *robot) Reviews() {
	r.types("R", "2", ".", "5", "enter", "enter", "f", "9", "enter")
	r.now = r.now.Add(time.Second)
}

var unknownCall = retire.Call{
	ExternalID: "tonne-one", State: retire.Unknown, Unsure: true, Tries: 5,
	Plan: retirement.Call{VintageID: "004bale0", Quantity: 20, Price: model.UnknownPrice},
}

func TestUnresolvedCallsAreShownAtStart(t *testing.T) {
	t.Parallel()
	r := newRobotWith(t, 120, 36, func(o *Options) { o.Retire = &carriesOut{pending: []retire.Call{unknownCall}} })
	r.run(r.app.Init())
	r.settle()
	r.Sees("tonne-one", "CAN RETIRE · 1 unresolved")
	r.types("esc")
	r.SeesNot("tonne-one")
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
			r.Sees("NO RETIRING · 2 unresolved", "2 retirements with unknown outcome. `tonne retire pending` lists them.")
			continue
		}
		r.Sees(" NO RETIRING ")
		r.SeesNot("unresolved", "not known", "another program's")
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
		must.Hold(t, len(d.sent) == 0, "seed", seed, d.sent)
	}
}

func TestTwoDashboardsOnOneJournalSendACallOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := apitest.NewMarket(t, apitest.Order{ID: "006a", VintageID: "004bale0", Tonnes: 3, Price: 600})
		m.Project, m.Held, m.Rand = "003bale", 874_900, apitest.Guarded(1)
		m.Calm()
		var posts atomic.Int64
		counted := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				posts.Add(1)
				time.Sleep(time.Second)
			}
			m.ServeHTTP(w, r)
		})
		client, err := api.NewRetirer(api.Options{BaseURL: "https://market.example", Key: "k",
			Transport: apitest.Transport(counted)})
		must.Succeed(t, err)
		defer client.Close()
		path := filepath.Join(t.TempDir(), "journal.db")
		var people []*robot
		for n := range 2 {
			flow := &retire.Workflow{Path: path, Account: retire.Account{Origin: "https://market.example", Profile: "desk"},
				Client: client, Now: time.Now}
			defer func() { _ = flow.Close(time.Second) }()
			if n == 0 {
				prepareUnsent(t, flow)
			}
			r := newRobotWith(t, 120, 36, func(o *Options) { o.Retire, o.Now = flow, time.Now })
			r.run(r.app.Init())
			r.settle()
			people = append(people, r)
		}
		ended := make(chan struct{})
		for _, r := range people {
			go func() {
				for _, key := range []string{"enter", "2", "enter", "enter"} {
					time.Sleep(time.Second)
					r.Press(key)
				}
				ended <- struct{}{}
			}()
		}
		<-ended
		<-ended
		must.Hold(t, posts.Load() == 1 && m.Carried()["tonne-left"] == 2_000_000,
			"sent", posts.Load(), people[0].Text(), people[1].Text())
	})
}

func prepareUnsent(t *testing.T, w *retire.Workflow) {
	t.Helper()
	plan := retirement.Call{VintageID: "004bale0", Quantity: 2_000_000, FromInventory: 0, BuyTonnes: 2,
		SellOrderID: "006a", Price: 600, Cost: 1200}
	call := retire.Call{ExternalID: "tonne-left", Plan: plan, Body: wire.AppendRetireCall(nil, "tonne-left", plan)}
	must.Succeed(t, w.Confirm(t.Context(), retire.Confirmed{Calls: []retire.Call{call}}))
}
