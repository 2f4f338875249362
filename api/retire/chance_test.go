package retire

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"tonne/api/apitest"
	"tonne/api/wire"
	"tonne/model"
	"tonne/model/longtest"
	"tonne/model/must"
	"tonne/model/retirement"
)

var account = Account{Origin: "https://market.example", Profile: "desk"}

// For every response, and a kill at any time, the service has carried out each call of
// the journal once or not at all, and the journal says which.
func TestEachCallTakesEffectAtMostOnce(t *testing.T) {
	t.Parallel()
	runs := longtest.Runs(100, 1000)
	synctest.Test(t, func(t *testing.T) {
		m := apitest.NewMarket(t, apitest.Order{ID: "006a", VintageID: "004a", Tonnes: 1, Price: 600})
		m.Rand, m.Late, m.Endless = apitest.Guarded(2), lateCommit, true
		b := buyerAt(t, m)
		b.kill = func(_ int, send func()) {
			switch m.Rand.IntN(10) {
			case 0: // before it is sent
				runtime.Goexit()
			case 1: // before the answer is read, or before there is one
				send()
				runtime.Goexit()
			}
		}
		for n := range runs {
			id := fmt.Sprint("line-", n)
			send := func() error {
				_, err := b.SendNew(context.Background(), buyOne(id), nil)
				return err
			}
			if m.Rand.IntN(2) == 0 {
				must.Succeed(t, b.Confirm(t.Context(), Confirmed{Calls: []Call{buyOne(id)}, Known: -1}))
				send = b.resumes(id)
			}
			for range 1 + m.Rand.IntN(3) {
				b.sendOrDie(id, send)
			}
			b.stands(id)
		}
		b.kill = nil
		m.Calm()
		open, err := b.Unsettled(t.Context())
		if err != nil || len(open) < runs/100 {
			t.Fatalf("%d calls are open after %d runs, %v", len(open), runs, err)
		}
		for _, call := range open {
			b.sendOrDie(call.ExternalID, b.resumes(call.ExternalID))
			state := b.stands(call.ExternalID)
			must.Hold(t, state == Done || state == Refused, call.ExternalID, state)
		}
		all, err := b.Calls(t.Context(), OfAccount)
		if err != nil || len(all) != runs {
			t.Fatalf("%d calls, %v", len(all), err)
		}
		time.Sleep(lateCommit)
		for _, call := range all {
			b.stands(call.ExternalID)
		}
	})
}

func buyOne(id string) Call {
	c := Call{ExternalID: id, Plan: retirement.Call{VintageID: "004a", Quantity: model.GramsPerTonne, BuyTonnes: 1, SellOrderID: "006a", Price: 600}}
	c.Body = wire.AppendRetireCall(nil, id, c.Plan)
	return c
}

func (b *buyer) resumes(id string) func() error {
	return func() error {
		_, err := b.Resume(context.Background(), id, nil)
		return err
	}
}

func (b *buyer) sendOrDie(id string, send func() error) {
	b.t.Helper()
	b.dies(func() {
		if err := send(); err != nil && !errors.Is(err, ErrEnded) {
			b.t.Errorf("%s: %v", id, err)
		}
	})
}

// stands compares what the journal says of a call with the books of the service, and
// returns it.
func (b *buyer) stands(id string) State {
	b.t.Helper()
	call := must.Get(b.Call(context.Background(), id))
	_, carried := b.market.Carried()[id]
	late := b.market.Pending(id)
	switch {
	case call.State == Done && !carried,
		call.State == Refused && (carried || late),
		call.State == Sent && !call.Unsure && (carried || late),
		call.State == Prepared && carried:
		b.t.Fatalf("%s is %s (unsure %t), and it is %t that it had its effect", id, call.State, call.Unsure, carried)
	}
	return call.State
}
