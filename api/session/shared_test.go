package session_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"tonne/api"
	"tonne/api/session"
	"tonne/model/longtest"
	"tonne/model/market"
	must "tonne/model/musttest"
)

func share(t *testing.T, f *fake, people int, test func(t *testing.T, sessions []*session.Session)) {
	synctest.Test(t, func(t *testing.T) {
		shared := session.NewShared(f, session.Options{Origin: origin})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		run := func(run func(context.Context) error) { go func() { ended <- run(ctx) }() }
		run(shared.Run)
		var sessions []*session.Session
		for n := range people {
			s := shared.Join(fmt.Sprint("person ", n), nil)
			run(s.Run)
			s.Record()
			s.OpenLedger()
			s.ShowInventory(api.InventoryQuery{Page: 1})
			sessions = append(sessions, s)
		}
		test(t, sessions)
		cancel()
		for range people + 1 {
			must.Succeed(t, <-ended)
		}
	})
}

func TestADeskAsksAsMuchForManyAsForOne(t *testing.T) {
	t.Parallel()
	requests := func(people int) map[string]int {
		f, calls := newFake(), make(map[string]int)
		f.set("market", "500", "490", "480", "470")
		share(t, f, people, func(*testing.T, []*session.Session) {
			time.Sleep(time.Minute)
			synctest.Wait()
			for _, operation := range []string{"market", "page", "wallets"} {
				calls[operation] = len(f.called(operation))
			}
		})
		return calls
	}
	people := longtest.Runs(20, 100)
	one, many := requests(1), requests(people)
	must.Hold(t, one["market"] >= 11 && one["page"] >= 3 && one["wallets"] >= 3, "for one person, the calls are", one)
	must.Equal(t, one, many, people)
}

func TestChangesAreComputedOnceForAllReaders(t *testing.T) {
	f := newFake()
	f.set("market", "500", "490", "480")
	share(t, f, 3, func(t *testing.T, sessions []*session.Session) {
		read := func(of ...int) (changes []*market.AskChange) {
			t.Helper()
			for _, n := range of {
				events := must.Get(sessions[n].Next(t.Context()))
				for _, e := range events {
					if e, ok := e.(session.MarketEvent); ok && len(e.Changes.Asks) == 1 {
						changes = append(changes, &e.Changes.Asks[0])
					}
				}
			}
			return changes
		}
		time.Sleep(time.Second)
		read(0, 1, 2)
		time.Sleep(5 * time.Second)
		both := read(0, 1)
		must.Hold(t, len(both) == 2 && both[0] == both[1], "the changes are computed twice", both)
		time.Sleep(5 * time.Second)
		// One of them missed a market.
		all := read(0, 2, 1)
		must.Hold(t, len(all) == 3 && all[0].Was == 490 && all[1].Was == 500 && all[2].Was == 490 && all[2].Now == 480,
			"the changes are", all)
	})
}
