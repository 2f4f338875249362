package session_test

import (
	"testing"
	"time"

	"tonne/api/session"
	"tonne/model"
	"tonne/model/market"
)

func TestWhatChangedIsFoundOutOnceForEverybodyAtADesk(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		d := openDesk(t, &fake{market: offers(500, 490, 480)})
		ada, ben, cleo := d.sit("Ada"), d.sit("Ben"), d.sit("Cleo")
		time.Sleep(2 * time.Second)
		for _, r := range []*running{ada, ben, cleo} {
			must[session.MarketEvent](r)
		}
		time.Sleep(5 * time.Second)
		one, other := must[session.MarketEvent](ada), must[session.MarketEvent](ben)
		if one.Market != other.Market {
			t.Error("there are two markets")
		}
		asks := func(e session.MarketEvent, was, now model.PriceCents) *market.AskChange {
			t.Helper()
			if len(e.Changes.Asks) != 1 || e.Changes.Asks[0].Was != was || e.Changes.Asks[0].Now != now {
				t.Fatalf("changed has %+v", e.Changes.Asks)
			}
			return &e.Changes.Asks[0]
		}
		if asks(one, 500, 490) != asks(other, 500, 490) {
			t.Error("what changed is found out twice")
		}
		// A reader that missed a market receives the changes of both steps.
		time.Sleep(5 * time.Second)
		asks(must[session.MarketEvent](ada), 490, 480)
		asks(must[session.MarketEvent](cleo), 500, 480)
		asks(must[session.MarketEvent](ben), 490, 480)
	})
}
