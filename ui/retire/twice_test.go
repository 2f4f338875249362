package retire

import (
	"strings"
	"testing"
	"time"

	"tonne/api/retire"
	"tonne/model/retirement"
	"tonne/ui/tab"
)

// A wish that a call of the journal may have served already is planned anew
// only under another reference.
func TestAWishWhoseOutcomeIsNotKnownIsNotPlannedAnew(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	pending := pendingCall("tonne-one", retire.Unknown, true)
	pending.Request = retire.RequestText(retirement.RetireRequest{VintageID: bale.VintageID, Quantity: 2_500_000})
	p.flow.pending = []retire.Call{pending}
	p.do(p.Start())
	p.press("esc")
	p.width, p.height = 80, 24
	p.begins("2.5")
	p.press("enter")
	p.waits(time.Second)
	p.Sees("Esc, then U. Or give a new reference.")
	p.types("2.5")
	p.press("enter")
	if len(p.flow.sent) != 0 {
		t.Fatalf("sent %d calls", len(p.flow.sent))
	}
	p.waits(time.Second)
	p.Sees("type 2.5 to retire")
}

// What was confirmed and never sent has certainly not been done: whoever asks the
// operator of the service for it asks in vain.
func TestWhatWasNeverSentIsNotSaidToBeUnknown(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	c := pendingCall("tonne-one", retire.Prepared, false)
	c.Reference, c.Request = "", retire.RequestText(retirement.RetireRequest{VintageID: bale.VintageID, Quantity: 2_500_000})
	p.flow.pending = []retire.Call{c}
	p.do(p.Start())
	p.Sees("is not known · 0 · 1 not sent", "written down, never sent")
	p.press("esc")
	p.width, p.height = 80, 24
	p.do(p.Begin(tab.RetireFrom{Vintage: bale}))
	p.types("2.5")
	p.press("enter", "enter", "enter")
	p.Sees("confirmed and not sent, as", "Esc, then U. Or give a new reference.")
	p.SeesNot("ot known")
	if what := why(retire.ErrUnsettled); strings.Contains(what, "known") || strings.Contains(what, "sent before") {
		t.Errorf("another desk's plan that was not sent is %q", what)
	}
}
