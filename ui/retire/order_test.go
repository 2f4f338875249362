package retire

import (
	"testing"
	"time"

	"tonne/ui/tab"
)

// orders begins to retire from a sell order, up to the plan.
func (p *person) orders(quantity string) {
	p.T.Helper()
	p.flow.supply = offers(6, 0)
	p.do(p.Begin(tab.RetireFrom{Vintage: bale, SellOrderID: "006bale00"}))
	p.types(quantity)
	p.press("enter", "enter", "enter")
	p.waits(time.Second)
}

// Who chose a sell order is told if it sells less than is asked for, however many
// plans were looked at before.
func TestAChosenOrderIsNotLeftForAnotherByAPlanThatWasOnlyLookedAt(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.orders("5")
	p.Sees("type 5 to retire", "from 006bale00")
	p.press("esc", "backspace", "8", "enter", "enter", "enter")
	p.Sees("The order 006bale00", "R on the vintage takes any order")
	p.SeesNot("type 8 to retire", "006bale01")
	p.press("esc")
	if p.Panel != nil || len(p.flow.sent) != 0 {
		t.Errorf("sent %v", p.flow.sent)
	}
}

// Where the order cannot serve the rest of a plan that was carried out, the new
// plan says that it takes another.
func TestAPlanThatLeavesAChosenOrderSaysSo(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.orders("5")
	p.flow.outcome = refusedWith("SELL_ORDER_NOT_LIVE")
	p.types("5")
	p.press("enter")
	p.waits(time.Second)
	p.press("enter")
	p.Sees("⚠ The order 006bale00 does not sell this any more: the plan takes any order.", "from 006bale01", "type 5 to retire")
	p.waits(time.Second)
	p.press("esc", "backspace", "6", "enter", "enter", "enter")
	p.Sees("type 6 to retire", "from 006bale01")
	p.SeesNot("006bale00")
}
