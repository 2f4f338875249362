package retire

import (
	"testing"
	"time"

	"tonne/api/retire"
	"tonne/model"
	"tonne/model/journal"
)

// A wish that a call of the journal may have served already is planned anew
// only under another reference.
func TestAWishWhoseOutcomeIsNotKnownIsNotPlannedAnew(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	pending := pendingCall("tonne-one", journal.Unknown, true)
	pending.Wish = retire.WishText(model.RetireWish{VintageID: bale.VintageID, Quantity: 2_500_000})
	p.desk.pending = []journal.Call{pending}
	p.do(p.Start())
	p.press("esc")
	p.width, p.height = 80, 24
	p.begins("2.5")
	p.press("enter")
	p.waits(time.Second)
	p.Sees("Not known whether this was done: Esc, then U. Or another reference.")
	p.types("2.5")
	p.press("enter")
	if len(p.desk.orders) != 0 {
		t.Fatalf("sent %d calls", len(p.desk.orders))
	}
	p.waits(time.Second)
	p.Sees("type 2.5 to retire")
}
