package retire

import (
	"strings"
	"testing"
	"time"

	"tonne/api/retire"
	"tonne/model/retirement"
	"tonne/ui/tab"
)

// An unsettled call may already have served the request, so the same request needs
// another reference.
func TestRequestWithUnknownOutcomeNeedsAnotherReference(t *testing.T) {
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
	p.Sees("Press Esc, then U to settle it, or use another reference.")
	p.types("2.5")
	p.press("enter")
	if len(p.flow.sent) != 0 {
		t.Fatalf("sent %d calls, want none", len(p.flow.sent))
	}
	p.waits(time.Second)
	p.Sees("type 2.5 to retire")
}

// A call that was never sent certainly had no effect, so there is nothing to ask the
// service's operator.
func TestUnsentCallIsNotShownAsUnknown(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	c := pendingCall("tonne-one", retire.Prepared, false)
	c.Reference, c.Request = "", retire.RequestText(retirement.RetireRequest{VintageID: bale.VintageID, Quantity: 2_500_000})
	p.flow.pending = []retire.Call{c}
	p.do(p.Start())
	p.Sees("Unresolved retirements (0) · 1 not sent", "confirmed, never sent")
	p.press("esc")
	p.width, p.height = 80, 24
	p.do(p.Begin(tab.RetireFrom{Vintage: bale}))
	p.types("2.5")
	p.press("enter", "enter", "enter")
	p.Sees("confirmed and not sent, as", "Press Esc, then U to settle it, or use another reference.")
	p.SeesNot("ot known", "nknown")
	if what := why(retire.ErrUnsettled); strings.Contains(what, "known") || strings.Contains(what, "sent before") {
		t.Errorf("message %q calls an unsent plan unknown", what)
	}
}
