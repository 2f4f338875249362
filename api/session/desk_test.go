package session_test

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"tonne/api"
	"tonne/api/session"
	"tonne/model"
	"tonne/model/market"
	"tonne/model/portfolio"
	"tonne/model/retirement"
	"tonne/model/store"
)

// sharedDesk is a desk in a bubble.
type sharedDesk struct {
	*session.SharedSession
	t     *testing.T
	store *store.Store
}

func openDesk(t *testing.T, f session.Client) *sharedDesk {
	t.Helper()
	d := &sharedDesk{t: t, store: store.Open("")}
	d.SharedSession = session.NewShared(f, session.Options{Origin: origin, Store: d.store})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- d.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if err := d.store.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// sit opens a session at the desk as the dashboard does.
func (d *sharedDesk) sit(name string) *running {
	d.t.Helper()
	return d.sitWith(name, store.Open(""))
}

// sitWith is sit with a store, which end closes.
func (d *sharedDesk) sitWith(name string, own *store.Store) *running {
	d.t.Helper()
	ctx, cancel := context.WithCancel(d.t.Context())
	r := &running{Session: d.Join(name, own), t: d.t, store: own, stop: cancel, ended: make(chan error, 1)}
	go func() { r.ended <- r.Run(ctx) }()
	d.t.Cleanup(r.end)
	r.Record()
	r.OpenLedger()
	r.ShowInventory(api.InventoryQuery{Page: 1})
	return r
}

// requests returns how often each operation was called within a minute in which
// a number of people looked.
func requests(t *testing.T, people int) (calls map[string]int) {
	in(t, func(t *testing.T) {
		f := &fake{market: offers(500, 490, 480, 470)}
		d := openDesk(t, f)
		for n := range people {
			d.sit(fmt.Sprint("person ", n))
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		f.mu.Lock()
		defer f.mu.Unlock()
		calls = make(map[string]int)
		for operation, at := range f.calls {
			calls[operation] = len(at)
		}
	})
	return calls
}

func TestADeskAsksAsMuchForAHundredAsForOne(t *testing.T) {
	t.Parallel()
	one, hundred := requests(t, 1), requests(t, 100)
	if one["market"] < 11 || one["inventory 1"] < 3 || one["last paid"] < 3 {
		t.Errorf("for one person, the calls are %v", one)
	}
	if !maps.Equal(one, hundred) {
		t.Errorf("for one person, the calls are %v; for a hundred, %v", one, hundred)
	}
}

func TestWhoeverJoinsADeskIsToldHowThingsStand(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		f := &fake{market: offers(500), paid: portfolio.LastPaidPrices{vintage: {Price: 400}}}
		d := openDesk(t, f)
		first := d.sit("Ada")
		time.Sleep(2 * time.Second)
		current := must[session.MarketEvent](first).Market
		asked := f.count("market")
		second := d.sit("Ben")
		var found *market.Market
		var paid portfolio.LastPaidPrices
		for _, e := range second.news() {
			switch e := e.(type) {
			case session.MarketEvent:
				found = e.Market
			case session.PortfolioEvent:
				paid = e.LastPaid
			}
		}
		if found == nil || found != current || paid[vintage].Price != 400 {
			t.Errorf("the market is %p, want %p; paid was %v", found, current, paid)
		}
		if again := f.count("market"); again != asked {
			t.Errorf("the market was read %d times, and %d times before", again, asked)
		}
	})
}

func TestADeskRecordsAPriceOnce(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		d := openDesk(t, &fake{market: offers(500, 490)})
		ada, ben := d.sit("Ada"), d.sit("Ben")
		time.Sleep(12 * time.Second)
		if got := pricesOf(t, d.store); got != "[500 490]" {
			t.Errorf("recorded is %s", got)
		}
		for _, r := range []*running{ada, ben} {
			if got := pricesOf(t, r.store); got != "[]" {
				t.Errorf("in their own store is %s", got)
			}
			r.news()
			r.LoadPrices(vintage)
			if e := must[session.PricesEvent](r); len(e.Observations[vintage]) != 2 {
				t.Errorf("the prices are %v", e.Observations)
			}
		}
	})
}

func TestSharedSessionsHavePrivateLedgerRulesAndWatchlist(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		f := &fake{market: offers(500)}
		d := openDesk(t, f)
		ada, ben := d.sit("Ada"), d.sit("Ben")
		ada.news()
		ben.news()
		ada.Add(session.Entry{ID: "R1", Label: "mine"})
		ada.AddRule(rule(t, "best ask <= 9.00").On(vintage))
		time.Sleep(6 * time.Second)
		if e := must[session.LedgerEvent](ada); len(e.Requests) != 1 || e.Requests[0].Answer == nil {
			t.Errorf("Ada's ledger is %+v", e.Requests)
		}
		for _, e := range ben.news() {
			switch e := e.(type) {
			case session.AlertsEvent, session.WatchlistEvent, session.LedgerEvent:
				t.Errorf("Ben receives %+v", e)
			}
		}
	})
}

func TestTwoWhoFollowOneRequestAskOnceAndBothLearnOfIt(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		var complete atomic.Bool
		f := &fake{retirement: func(_ context.Context, id string) (retirement.Request, error) {
			r := retirement.Request{ID: id, Status: retirement.Open}
			if complete.Load() {
				r.Status = retirement.Complete
			}
			return r, nil
		}}
		d := openDesk(t, f)
		ada, ben := d.sit("Ada"), d.sit("Ben")
		ada.Add(session.Entry{ID: "R1"})
		time.Sleep(time.Second)
		ben.Add(session.Entry{ID: "R1"})
		time.Sleep(time.Second)
		before := f.count("retirement R1")
		ada.news()
		ben.news()
		complete.Store(true)
		time.Sleep(2 * time.Minute)
		if asked := f.count("retirement R1") - before; asked != 1 {
			t.Errorf("the request was looked up %d times", asked)
		}
		for _, r := range []*running{ada, ben} {
			if e := must[session.LedgerEvent](r); len(e.Changed) != 1 || e.Requests[0].Answer.Status != retirement.Complete || !e.Requests[0].NextAt.IsZero() {
				t.Errorf("the ledger is %+v", e)
			}
		}
	})
}

func TestARequestIsFollowedUntilTheLastWhoWaitsForItLeaves(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		f := &fake{retirement: func(_ context.Context, id string) (retirement.Request, error) {
			return retirement.Request{ID: id, Status: retirement.Open}, nil
		}}
		d := openDesk(t, f)
		ada, ben := d.sit("Ada"), d.sit("Ben")
		ada.Add(session.Entry{ID: "R1"})
		ben.Add(session.Entry{ID: "R1"})
		time.Sleep(time.Second)
		ada.end()
		before := f.count("retirement R1")
		time.Sleep(2 * time.Minute)
		if f.count("retirement R1") == before {
			t.Error("Ben receives no look-up")
		}
		ben.end()
		before = f.count("retirement R1")
		time.Sleep(10 * time.Minute)
		if f.count("retirement R1") != before {
			t.Error("no one requested it")
		}
	})
}

func TestARequestThatIsNamedAsAnotherTerminalRemovesItStays(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		d := openDesk(t, &fake{})
		path := file(t)
		first := d.sitWith("Ada", store.Open(path))
		first.Add(session.Entry{ID: "R1"})
		first.news()
		second := d.sitWith("Ada", store.Open(path))
		second.news()
		first.Remove("R1")
		first.news()
		second.SetLabel("R1", "mine")
		time.Sleep(2 * time.Minute)
		for name, r := range map[string]*running{"who removed it": first, "who named it": second} {
			got := must[session.LedgerEvent](r).Requests
			if len(got) != 1 || got[0].Label != "mine" || got[0].Answer == nil {
				t.Errorf("%s has %v", name, got)
			}
		}
	})
}

func TestAPauseOfOneIsNoPauseOfAnother(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		d := openDesk(t, &fake{market: offers(500, 490, 480, 470, 460)})
		ada, ben := d.sit("Ada"), d.sit("Ben")
		time.Sleep(time.Second)
		ada.news()
		ben.news()
		ada.Pause(true)
		if e := must[session.MarketEvent](ada); e.State != session.Paused {
			t.Errorf("Ada's market is %v", e.State)
		}
		time.Sleep(10 * time.Second)
		if e, told := latest[session.MarketEvent](ada); told {
			t.Errorf("Ada, who paused, receives %+v", e)
		}
		if e := must[session.MarketEvent](ben); e.State != session.Live {
			t.Errorf("Ben's market is %v", e.State)
		}
		ada.Pause(false)
		if e := must[session.MarketEvent](ada); e.State != session.Live || len(e.Changes.Asks) == 0 {
			t.Errorf("Ada's market is %v, with the changes %v", e.State, e.Changes)
		}
	})
}

func TestEachLooksAtAPageOfTheirOwn(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		f := &fake{}
		d := openDesk(t, f)
		ada, ben := d.sit("Ada"), d.sit("Ben")
		time.Sleep(time.Second)
		ada.news()
		ben.news()
		ben.ShowInventory(api.InventoryQuery{Page: 2})
		time.Sleep(20 * time.Second)
		if e := must[session.InventoryEvent](ada); e.Query.Page != 1 || e.Inventory == nil {
			t.Errorf("Ada's page is %+v", e)
		}
		if e := must[session.InventoryEvent](ben); e.Query.Page != 2 || e.Inventory == nil {
			t.Errorf("Ben's page is %+v", e)
		}
		ben.HideInventory()
		ada.end()
		before := f.count("inventory 1") + f.count("inventory 2")
		time.Sleep(time.Minute)
		if after := f.count("inventory 1") + f.count("inventory 2"); after != before {
			t.Errorf("pages that no screen shows were read %d times", after-before)
		}
	})
}

func TestPollsAreRarerWhileNobodyAtTheDeskLooks(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		f := &fake{}
		d := openDesk(t, f)
		polls := func() int {
			before := f.count("market")
			time.Sleep(2 * time.Minute)
			return f.count("market") - before
		}
		ada, ben := d.sit("Ada"), d.sit("Ben")
		ben.Focus(false)
		if n := polls(); n < 20 {
			t.Errorf("while Ada looks, there are %d polls", n)
		}
		ada.Focus(false)
		if n := polls(); n > 8 || n < 4 {
			t.Errorf("while no screen is watched, there are %d polls", n)
		}
		ada.Focus(true)
		if n := polls(); n < 20 {
			t.Errorf("while Ada looks again, there are %d polls", n)
		}
		ada.end()
		ben.end()
		if n := polls(); n > 8 || n < 4 {
			t.Errorf("without subscribers, there are %d polls", n)
		}
	})
}

func TestEverybodyIsToldWhoIsAtTheDesk(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		d := openDesk(t, &fake{})
		names := func(r *running) string {
			var all []string
			for _, p := range must[session.PresenceEvent](r).People {
				all = append(all, p.Name)
			}
			return strings.Join(all, " ")
		}
		ben := d.sit("Ben")
		if got := names(ben); got != "Ben" {
			t.Errorf("there is %s", got)
		}
		ada, again := d.sit("Ada"), d.sit("Ben")
		for _, r := range []*running{ada, ben, again} {
			if got := names(r); got != "Ada Ben Ben" {
				t.Errorf("there are %s", got)
			}
		}
		again.end()
		if got := names(ada); got != "Ada Ben" {
			t.Errorf("there are %s", got)
		}
	})
}

func TestASeatSavesAndReadsNoFiles(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		d := openDesk(t, &fake{})
		r := d.sit("Ada")
		r.Add(session.Entry{ID: "R1"})
		r.news()
		r.SaveCertificate("R1", "https://files.example/c", t.TempDir())
		if e := must[session.CertificateEvent](r); e.Saved != nil || e.Err == nil {
			t.Errorf("it is %+v", e)
		}
		r.VerifyCertificate("R1")
		if e, told := latest[session.VerifiedEvent](r); told {
			t.Errorf("it is %+v", e)
		}
	})
}

// A reader that does not come back holds up neither the desk nor the others, and
// finds the newest when it does.
func TestAReaderThatStallsSlowsNobody(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		d := openDesk(t, &fake{market: offers(500, 490, 480, 470, 460)})
		stalled, other := d.sit("Ada"), d.sit("Ben")
		time.Sleep(time.Second)
		stalled.news()
		other.news()
		for range 4 {
			pause()
			must[session.MarketEvent](other)
		}
		e := must[session.MarketEvent](stalled)
		if i, _ := e.Market.Find(vintage); e.Market.Vintage(i).BestAsk != 460 || len(e.Changes.Asks) != 1 {
			t.Errorf("it reads %+v", e)
		}
	})
}

func TestTheEndOfADeskEndsItsSessions(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		f := &fake{market: func(context.Context, func(*market.Page, model.Page)) (*market.Market, error) { panic("broken") }}
		d := session.NewShared(f, session.Options{Origin: origin})
		r := d.Join("Ada", nil)
		ended := make(chan error, 1)
		go func() { ended <- r.Run(t.Context()) }()
		synctest.Wait()
		if err := d.Run(t.Context()); err == nil {
			t.Error("the desk ends well")
		}
		if err := <-ended; err == nil {
			t.Error("the session ends well")
		}
	})
}

func TestWhoLooksUpThousandsIsServedBesideTheOthers(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		f := &fake{retirement: func(_ context.Context, id string) (retirement.Request, error) {
			time.Sleep(time.Second)
			return retirement.Request{ID: id, Status: retirement.Complete}, nil
		}}
		d := openDesk(t, f)
		ada, ben := d.sit("Ada"), d.sit("Ben")
		for n := range 1000 {
			ada.Add(session.Entry{ID: fmt.Sprint("A", n)})
		}
		ben.Add(session.Entry{ID: "B"})
		time.Sleep(5 * time.Second)
		if f.count("retirement B") != 1 {
			t.Error("Ben waits for all that Ada asked for")
		}
		ada.end()
		time.Sleep(time.Minute)
		asked := 0
		for n := range 1000 {
			asked += f.count(fmt.Sprint("retirement A", n))
		}
		if asked < 12 || asked > 40 {
			t.Errorf("%d requests of Ada, who has left, are looked up", asked)
		}
	})
}

func TestRefusedKeyFailsAllLookUps(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		f := &fake{retirement: func(context.Context, string) (retirement.Request, error) {
			return retirement.Request{}, &api.Error{Kind: api.Forbidden, Status: 403}
		}}
		d := openDesk(t, f)
		ada := d.sit("Ada")
		for n := range 100 {
			ada.Add(session.Entry{ID: fmt.Sprint("A", n)})
		}
		time.Sleep(time.Minute)
		asked, failed := 0, 0
		for n := range 100 {
			asked += f.count(fmt.Sprint("retirement A", n))
		}
		for _, r := range must[session.LedgerEvent](ada).Requests {
			if r.Err != nil {
				failed++
			}
		}
		if asked > 8 || failed != 100 {
			t.Errorf("%d are asked for, and %d fail", asked, failed)
		}
	})
}
