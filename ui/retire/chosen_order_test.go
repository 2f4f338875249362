package retire

import (
	"testing"
	"time"

	"tonne/ui/tab"
)

// orders plans a retirement from one sell order.
func (p *person) orders(quantity string) {
	p.T.Helper()
	p.flow.supply = offers(6, 0)
	p.do(p.Begin(tab.RetireFrom{Vintage: bale, SellOrderID: "006bale00"}))
	p.types(quantity)
	p.press("enter", "enter", "enter")
	p.waits(time.Second)
}

// A plan that was only read must not change the sell order that the user chose.
func TestReadingAPlanKeepsTheChosenOrder(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.orders("5")
	p.Sees("type 5 to retire", "from 006bale00")
	p.press("esc", "backspace", "8", "enter", "enter", "enter")
	p.Sees("The order 006bale00", "R on the vintage takes any order")
	p.SeesNot("type 8 to retire", "006bale01")
	p.press("esc")
	if p.Panel != nil || len(p.flow.sent) != 0 {
		t.Errorf("the dialog is still open, or calls were sent: %v", p.flow.sent)
	}
}

// If the chosen order cannot serve the rest of a submission, the new plan says that
// it uses other orders.
func TestPlanReportsThatChosenOrderIsReplaced(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.orders("5")
	p.flow.outcome = refusedWith("SELL_ORDER_NOT_LIVE")
	p.types("5")
	p.press("enter")
	p.later("enter")
	p.Sees("⚠ The order 006bale00 no longer sells this. The plan uses other orders.", "from 006bale01", "type 5 to retire")
	p.later("esc", "backspace", "6", "enter", "enter", "enter")
	p.Sees("type 6 to retire", "from 006bale01")
	p.SeesNot("006bale00")
}
