package retire

import (
	"slices"
	"testing"
	"time"

	"tonne/api/retire"
	"tonne/model/retirement"
	"tonne/ui/uitest"
)

func twoPending() []retire.Call {
	first, second := pendingCall("tonne-one", retire.Unknown, true), pendingCall("tonne-two", retire.Unknown, true)
	second.Plan.Quantity, second.Plan.BuyTonnes = 7_500_000, 7
	return []retire.Call{first, second}
}

func TestResumedCallReportsRetiredQuantity(t *testing.T) {
	t.Parallel()
	p := starts(t, twoPending())
	p.press("down", "enter")
	p.confirms("7.5")
	if said := uitest.LastOf(p.Said); said != "Retired 7.5 t." {
		t.Errorf("message %q", said)
	}
}

// Another program may settle a call above the selected one at any time.
func TestSelectionFollowsItsCallWhenTheListShrinks(t *testing.T) {
	t.Parallel()
	p := starts(t, append(twoPending(), pendingCall("tonne-three", retire.Unknown, true)))
	p.press("down")
	p.Sees("external id              tonne-two")
	p.unfinished = p.unfinished[1:]
	p.Sees("external id              tonne-two")
	p.press("enter")
	p.confirms("7.5")
	if !slices.Equal(p.flow.resumed, []string{"tonne-two"}) {
		t.Errorf("resumed %v, want tonne-two", p.flow.resumed)
	}
}

func TestCallSettledByAnotherProgramCannotBeConfirmed(t *testing.T) {
	t.Parallel()
	p := starts(t, twoPending())
	p.press("x")
	p.waits(time.Second)
	p.unfinished = p.unfinished[1:]
	p.Sees("Another program has settled it or is sending it. Press Esc.")
	p.SeesNot("external id              tonne-two", "to abandon it")
	p.types("2.5")
	p.press("enter")
	if len(p.flow.abandoned)+len(p.flow.resumed) > 0 {
		t.Errorf("abandoned %v and resumed %v, want none", p.flow.abandoned, p.flow.resumed)
	}
	p.press("esc")
	p.Sees("external id              tonne-two")
}

func TestCallBeingSentByAnotherProgramIsNotListed(t *testing.T) {
	t.Parallel()
	p := starts(t, twoPending())
	p.press("x")
	p.waits(time.Second)
	request := retirement.RetireRequest{VintageID: "004bale0", Quantity: 2_500_000}
	p.flow.pending[0].UnderWay, p.flow.pending[0].Request = true, retire.RequestText(request)
	p.do(p.Recount())
	p.Sees("Another program has settled it or is sending it. Press Esc.", "Unresolved retirements (1)")
	p.press("esc")
	p.Sees("external id              tonne-two")
	p.SeesNot("tonne-one")
	p.press("esc")
	p.begins("2.5")
	p.press("enter")
	p.Sees("It is not known whether")
}

func TestOutcomeNamesItsCall(t *testing.T) {
	t.Parallel()
	p := starts(t, twoPending())
	p.press("enter")
	p.confirms("2.5")
	p.Sees("2.5 t  tonne-one")
}

// An abandoned call with an unknown outcome blocks the same request, so the list must
// show it.
func TestAbandonedCallWithUnknownOutcomeIsListedAndCounted(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.flow.pending = twoPending()
	p.flow.pending[0].GivenUp = true
	p.do(p.Start())
	p.waits(time.Second)
	p.Sees("Unresolved retirements (2)", "tonne-two")
	p.press("down")
	p.Sees("abandon tonne-one --carried-out REQUEST", "Esc leaves")
	if p.Mode() != "CAN RETIRE · 2 unresolved" {
		t.Errorf("the header has %q", p.Mode())
	}
	p.press("enter", "x")
	p.SeesNot("to send it again", "to abandon it")
	p.press("up", "x")
	p.waits(time.Second)
	p.flow.pending[1].GivenUp = true
	p.do(p.Recount())
	p.Sees("Another program has settled it or is sending it. Press Esc.")
	p.press("esc", "esc")
	p.do(p.Start())
	if p.Panel != nil {
		t.Error("the list opens at the start, although the user can settle none of its calls")
	}
}

func TestUnsentCallIsNotCountedAsUnresolved(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.flow.pending = []retire.Call{pendingCall("tonne-one", retire.Prepared, false), pendingCall("tonne-two", retire.Sent, true)}
	p.flow.pending[1].UnderWay = true
	p.do(p.Start())
	p.Sees("Unresolved retirements (0) · 1 not sent · 1 being sent")
	if p.Mode() != "CAN RETIRE · 1 not sent" {
		t.Errorf("the header has %q", p.Mode())
	}
	p.flow.pending = p.flow.pending[1:]
	p.do(p.Recount())
	p.Sees("Calls are being sent.")
	p.SeesNot("no unresolved retirements")
}

func TestListReadsJournalWhileACallIsInFlight(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.plans("2.5")
	p.held = true
	p.types("2.5")
	p.press("enter", "esc")
	p.held = false
	p.flow.pending = twoPending()
	p.do(p.Unfinished())
	p.Sees("tonne-one", "7.5 t")
	if p.Mode() != "CAN RETIRE · 2 unresolved" {
		t.Errorf("the header has %q", p.Mode())
	}
}
