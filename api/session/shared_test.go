package session_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"tonne/api/session"
	"tonne/model/market"
	must "tonne/model/musttest"
)

func TestChangesAreComputedOnceForAllReaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.set("market", "500", "490", "480")
		shared := session.NewShared(f, session.Options{Origin: origin})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		runs := []func(context.Context) error{shared.Run}
		var sessions []*session.Session
		for n := range 3 {
			s := shared.Join(fmt.Sprint("person ", n), nil)
			sessions, runs = append(sessions, s), append(runs, s.Run)
		}
		for _, run := range runs {
			go func() { ended <- run(ctx) }()
		}
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
		cancel()
		for range runs {
			must.Succeed(t, <-ended)
		}
	})
}
