package retire

import (
	"slices"
	"testing"
	"time"

	"tonne/api/retire"
	"tonne/model"
	"tonne/model/journal"
	"tonne/ui/uitest"
)

// The plan that takes the place of what is left of another names its calls, so
// that the journal never has both to be sent.
func TestThePlanOfTheRestTakesThePlaceOfWhatWasNotSent(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.desk.outcome = silent
	p.retires("900.5")
	if len(p.desk.confirmed) != 1 || len(p.desk.confirmed[0]) < 2 || len(p.desk.orders) != 1 {
		t.Fatalf("%v were written down, %d sent", p.desk.confirmed, len(p.desk.orders))
	}
	p.desk.outcome = accepted
	p.waits(time.Second)
	p.press("enter")
	p.Sees("plans the rest")
	p.waits(time.Second)
	p.press("enter")
	rest := p.round().wish.Quantity
	p.waits(time.Second)
	p.types(typed(rest))
	p.press("enter")
	if len(p.desk.instead) != 2 || len(p.desk.instead[1]) != len(p.desk.confirmed[0])-1 || p.desk.instead[1][0] != p.desk.confirmed[0][1] {
		t.Errorf("confirmed %v, instead of %v", p.desk.confirmed, p.desk.instead)
	}
}

func (p *person) round() *round { return p.Panel.(*dialog).round }

func TestTheListSaysOfWhatAnUnsentCallIsAPart(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	c := pendingCall("tonne-two", journal.Prepared, false)
	c.Wish = retire.WishText(model.RetireWish{VintageID: bale.VintageID, Quantity: 105 * model.GramsPerTonne})
	c.MadeAt = uitest.Now
	p.desk.pending = []journal.Call{c}
	p.do(p.Start())
	p.Sees("written down, never sent: 2.5 t of the 105 t that were confirmed")
}

func TestAPlanWhoseFirstCallIsRefusedLeavesNothingInTheJournal(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.desk.outcome = refusedWith("SELL_ORDER_NOT_LIVE")
	p.retires("900.5")
	if len(p.desk.givenUp) == 0 || !slices.Equal(p.desk.givenUp, p.desk.confirmed[0][1:]) {
		t.Errorf("confirmed %v, given up %v", p.desk.confirmed, p.desk.givenUp)
	}
}
