package session_test

import (
	"testing"
	"time"

	"tonne/api/session"
	"tonne/model"
	"tonne/model/portfolio"
	"tonne/model/store"
)

func TestRuleFiresOnceWhenItBeginsToHold(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		r := begin(t, &fake{market: offers(500, 450, 450, 500, 450)}, store.Open(""))
		r.Record()
		r.AddRule(rule(t, "best ask <= 4.60").On(vintage))
		if e, fired := fires(r); fired {
			t.Errorf("a rule that does not hold fires: %+v", e)
		}
		for poll, want := range []int{1, 0, 0, 1} {
			pause()
			e, _ := fires(r)
			if len(e.Fired) != want {
				t.Errorf("poll %d: %d rules fire, want %d", poll+2, len(e.Fired), want)
			}
			for _, f := range e.Fired {
				if f.Vintage != vintage || f.Facts.BestAsk != 450 {
					t.Errorf("fired is %+v", f)
				}
			}
		}
	})
}

func TestRuleThatHoldsFiresAsSoonAsItIsSet(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		r := begin(t, &fake{market: offers(450)}, store.Open(""))
		r.Record()
		r.news()
		r.AddRule(rule(t, "best ask <= 4.60").On(vintage))
		if e := must[session.AlertsEvent](r); len(e.Fired) != 1 {
			t.Errorf("fired is %+v", e)
		}
	})
}

func TestRuleIsHeldAgainstWhatWasLastPaid(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		f := &fake{market: offers(450), paid: portfolio.LastPaidPrices{vintage: {Price: 600}}}
		r := begin(t, f, store.Open(""))
		r.Record()
		r.AddRule(rule(t, "5% under last paid").On(vintage))
		if e := must[session.AlertsEvent](r); len(e.Fired) != 1 || e.Fired[0].Facts.LastPaid != 600 {
			t.Errorf("fired is %+v", e)
		}
	})
}

func TestRulesThatFireAddUpUntilTheyAreRead(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		r := begin(t, &fake{market: offers(500, 450, 400)}, store.Open(""))
		r.Record()
		r.AddRule(rule(t, "best ask <= 4.60").On(vintage))
		r.AddRule(rule(t, "best ask <= 4.10").On(vintage))
		r.news()
		for range 5 {
			pause()
		}
		e := must[session.AlertsEvent](r)
		if len(e.Fired) != 2 {
			t.Errorf("fired is %+v", e)
		}
	})
}

func TestEveryChangeOfTheMarketReachesASlowReader(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		r := begin(t, &fake{market: offers(500, 490, 480, 470)}, store.Open(""))
		must[session.MarketEvent](r)
		for range 4 {
			pause()
		}
		e := must[session.MarketEvent](r)
		if len(e.Changes.Asks) != 1 || e.Changes.Asks[0].Was != 500 || e.Changes.Asks[0].Now != 470 {
			t.Errorf("changes are %+v", e.Changes)
		}
	})
}

func TestEditsShowAtOnceAndOutliveTheSession(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		path, cheap := file(t), rule(t, "best ask <= 1.00")
		r := begin(t, &fake{}, store.Open(path))
		r.Watch(model.VintageKey{ProjectID: "Q", VintageID: "W"}, true)
		r.AddRule(cheap.On(vintage))
		r.AddRule(cheap.On(vintage))
		e := must[session.WatchlistEvent](r)
		if len(e.Watched) != 2 || len(e.Rules) != 1 {
			t.Errorf("the list is %+v", e)
		}
		r.RemoveRule(cheap.On(vintage))
		r.Watch(model.VintageKey{ProjectID: "Q", VintageID: "W"}, false)
		r.end() // before any of it was read
		next := begin(t, &fake{}, store.Open(path))
		next.Record()
		e = must[session.WatchlistEvent](next)
		if len(e.Watched) != 1 || !e.Watched[vintage] || len(e.Rules) != 0 {
			t.Errorf("the list is %+v", e)
		}
	})
}

func TestListSaysHowManyEditsItHasInIt(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		path := file(t)
		r := begin(t, &fake{market: offers(500)}, store.Open(path))
		r.Record()
		r.Watch(vintage, true)
		r.AddRule(rule(t, "best ask <= 1.00").On(vintage))
		r.RemoveRule(rule(t, "best ask <= 1.00").On(vintage))
		if e := must[session.WatchlistEvent](r); e.Edits != 3 {
			t.Errorf("after three edits there are %d", e.Edits)
		}
		other := store.Open(path)
		defer other.Close()
		if err := other.Of(origin).Alerts.Watch(t.Context(), vintage, false); err != nil {
			t.Fatal(err)
		}
		pause()
		if e := must[session.WatchlistEvent](r); e.Edits != 3 || len(e.Watched) != 0 {
			t.Errorf("another process edits, and the list is %+v", e)
		}
	})
}

func TestChangedListLeavesTheOneBeforeAsItWas(t *testing.T) {
	t.Parallel()
	there := model.VintageKey{ProjectID: "Q", VintageID: "W"}
	cheap, plenty := rule(t, "best ask <= 1.00"), rule(t, "available > 5 t")
	before := session.Watchlist{}.With(there).WithRule(cheap.On(vintage))
	after := before.WithRule(plenty.On(vintage))
	if again := after.WithRule(plenty.On(vintage)); len(again.Rules) != 2 {
		t.Errorf("a rule that is there is added: %+v", again)
	}
	if left := after.WithoutRule(cheap.On(vintage)); len(left.Rules) != 1 || left.Rules[0] != plenty.On(vintage) || !left.Watched[vintage] {
		t.Errorf("without a rule it is %+v", left)
	}
	if left := after.Without(vintage); len(left.Rules) != 0 || len(left.Watched) != 1 {
		t.Errorf("without the vintage it is %+v", left)
	}
	if len(before.Watched) != 2 || len(before.Rules) != 1 || before.Rules[0] != cheap.On(vintage) {
		t.Errorf("the list before is now %+v", before)
	}
	if none := (session.Watchlist{}).Without(vintage); len(none.Watched) != 0 {
		t.Errorf("an empty list becomes %+v", none)
	}
}

func TestTakingAVintageOffTheListTakesItsRules(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		r := begin(t, &fake{market: offers(500)}, store.Open(""))
		r.Record()
		r.AddRule(rule(t, "best ask <= 1.00").On(vintage))
		sent := must[session.WatchlistEvent](r)
		r.Watch(vintage, false)
		if e := must[session.WatchlistEvent](r); len(e.Watched) != 0 || len(e.Rules) != 0 {
			t.Errorf("the list is %+v", e)
		}
		if len(sent.Watched) != 1 || len(sent.Rules) != 1 {
			t.Errorf("what was sent before is now %+v", sent)
		}
		pause()
		if e, again := latest[session.WatchlistEvent](r); again {
			t.Errorf("the list comes again: %+v", e)
		}
	})
}

func TestEditsOfAnotherProcessAreTakenOverAndNeverWinOverOnesOwn(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		path := file(t)
		r := begin(t, &fake{market: offers(500)}, store.Open(path))
		r.Record()
		r.news()
		other := store.Open(path)
		defer other.Close()
		there := model.VintageKey{ProjectID: "Q", VintageID: "W"}
		if err := other.Of(origin).Alerts.Watch(t.Context(), there, true); err != nil {
			t.Fatal(err)
		}
		pause()
		if e := must[session.WatchlistEvent](r); !e.Watched[there] {
			t.Errorf("the list is %+v", e)
		}
		// A poll reads the list while it is being edited: each event has the
		// edits up to then.
		for n := range 20 {
			time.Sleep(250 * time.Millisecond)
			key := model.VintageKey{ProjectID: "E", VintageID: string(rune('a' + n))}
			r.Watch(key, true)
			if e := must[session.WatchlistEvent](r); !e.Watched[key] || len(e.Watched) != n+2 {
				t.Errorf("after %d edits the list is %+v", n+1, e)
			}
		}
	})
}

func TestWhatAPersonChangesWinsOverWhatIsBeingRead(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		r := begin(t, &fake{market: offers(500)}, store.Open(""))
		r.Record()
		r.news()
		hold(t, r.store, 8*time.Second)
		time.Sleep(6 * time.Second) // a poll has come that the store is to work on
		r.Watch(vintage, true)
		r.AddRule(rule(t, "best ask <= 1.00").On(vintage))
		there := model.VintageKey{ProjectID: "Q", VintageID: "W"}
		r.Watch(there, true)
		if e := must[session.WatchlistEvent](r); !e.Watched[there] {
			t.Errorf("the list is %+v", e)
		}
		for range 20 {
			time.Sleep(500 * time.Millisecond)
			if e, again := latest[session.WatchlistEvent](r); again {
				t.Errorf("the list comes again: %+v", e)
			}
		}
	})
}

func TestAListThatAnotherProgramChangedIsReadAtTheNextPoll(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		path := file(t)
		r := begin(t, &fake{market: offers(500, 490, 480, 470, 460)}, store.Open(path))
		r.Record()
		pause()
		r.news()
		other := store.Open(path)
		defer other.Close()
		second := model.VintageKey{ProjectID: "Q", VintageID: "W"}
		if err := other.Of(origin).Alerts.Watch(t.Context(), second, true); err != nil {
			t.Fatal(err)
		}
		pause()
		if e := must[session.WatchlistEvent](r); !e.Watched[second] {
			t.Errorf("the list is %+v", e)
		}
	})
}
