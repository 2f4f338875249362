package ui

import (
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
	must "tonne/model/musttest"
	"tonne/model/retirement"
)

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
		client, err := api.New(api.Options{BaseURL: "https://market.example", Key: "k", Transport: apitest.Transport(counted), MayRetire: true})
		must.Succeed(t, err)
		defer client.Close()
		path := filepath.Join(t.TempDir(), "journal.db")
		var people []*robot
		for n := range 2 {
			flow := &retire.Workflow{Path: path, Account: retire.Account{Origin: "https://market.example", Profile: "desk"}, Client: client, Now: time.Now}
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
	plan := retirement.Call{VintageID: "004bale0", Quantity: 2_000_000, FromInventory: 0, BuyTonnes: 2, SellOrderID: "006a", Price: 600, Cost: 1200}
	call := retire.Call{ExternalID: "tonne-left", Plan: plan, Body: wire.AppendRetireCall(nil, "tonne-left", plan)}
	must.Succeed(t, w.Confirm(t.Context(), retire.Confirmed{Calls: []retire.Call{call}, Known: -1}))
}
