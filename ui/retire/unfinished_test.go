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

func TestACallOfTheListSaysHowMuchItRetired(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.flow.pending = twoPending()
	p.do(p.Start())
	p.waits(time.Second)
	p.press("down", "enter")
	p.waits(time.Second)
	p.types("7.5")
	p.press("enter")
	if said := uitest.LastOf(p.Said); said != "Retired 7.5 t." {
		t.Errorf("said %q", said)
	}
}

// Another program settles calls at any time: the list shrinks above the one that
// a person looks at.
func TestTheSelectionFollowsItsCallWhenTheListShrinks(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.flow.pending = append(twoPending(), pendingCall("tonne-three", retire.Unknown, true))
	p.do(p.Start())
	p.waits(time.Second)
	p.press("down")
	p.Sees("external id              tonne-two")
	p.unfinished = p.unfinished[1:]
	p.Sees("external id              tonne-two")
	p.press("enter")
	p.waits(time.Second)
	p.types("7.5")
	p.press("enter")
	if !slices.Equal(p.flow.resumed, []string{"tonne-two"}) {
		t.Errorf("resumed %v", p.flow.resumed)
	}
}

func TestACallWhoseOutcomeBecameKnownMeanwhileIsNotConfirmed(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.flow.pending = twoPending()
	p.do(p.Start())
	p.waits(time.Second)
	p.press("x")
	p.waits(time.Second)
	p.unfinished = p.unfinished[1:]
	p.Sees("Another program settled it by now, or is sending it: Esc.")
	p.SeesNot("external id              tonne-two", "to give it up")
	p.types("2.5")
	p.press("enter")
	if len(p.flow.abandoned)+len(p.flow.resumed) > 0 {
		t.Errorf("given up %v, resumed %v", p.flow.abandoned, p.flow.resumed)
	}
	p.press("esc")
	p.Sees("external id              tonne-two")
}

func TestACallThatAnotherProgramIsSendingIsNoneToSettle(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.flow.pending = twoPending()
	p.do(p.Start())
	p.waits(time.Second)
	p.press("x")
	p.waits(time.Second)
	wish := retirement.RetireRequest{VintageID: "004bale0", Quantity: 2_500_000}
	p.flow.pending[0].UnderWay, p.flow.pending[0].Request = true, retire.RequestText(wish)
	p.do(p.Recount())
	p.Sees("Another program settled it by now, or is sending it: Esc.", "is not known · 1")
	p.press("esc")
	p.Sees("external id              tonne-two")
	p.SeesNot("tonne-one")
	p.press("esc")
	p.begins("2.5")
	p.press("enter")
	p.Sees("It is not known whether")
}

func TestWhatBecameOfACallIsSaidWithItsName(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.flow.pending = twoPending()
	p.do(p.Start())
	p.waits(time.Second)
	p.press("enter")
	p.waits(time.Second)
	p.types("2.5")
	p.press("enter")
	p.Sees("2.5 t  tonne-one")
}

// What is given up in doubt stands in the way of the same: who looks for the
// reason finds it.
func TestACallThatWasGivenUpInDoubtIsListedAndCounted(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.flow.pending = twoPending()
	p.flow.pending[0].GivenUp = true
	p.do(p.Start())
	p.waits(time.Second)
	p.Sees("is not known · 2", "tonne-two")
	p.press("down")
	p.Sees("abandon tonne-one --carried-out REQUEST", "Esc leaves")
	if p.Mode() != "CAN RETIRE · 2 not known" {
		t.Errorf("the header says %q", p.Mode())
	}
	p.press("enter", "x")
	p.SeesNot("to send it again", "to give it up")
	p.press("up", "x")
	p.waits(time.Second)
	p.flow.pending[1].GivenUp = true
	p.do(p.Recount())
	p.Sees("Another program settled it by now, or is sending it: Esc.")
	p.press("esc", "esc")
	p.do(p.Start())
	if p.Panel != nil {
		t.Error("the start shows what only the operator of the service can settle")
	}
}

func TestWhatWasNeverSentIsNotCountedAsNotKnown(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.flow.pending = []retire.Call{pendingCall("tonne-one", retire.Prepared, false), pendingCall("tonne-two", retire.Sent, true)}
	p.flow.pending[1].UnderWay = true
	p.do(p.Start())
	p.Sees("is not known · 0 · 1 not sent · 1 being sent")
	if p.Mode() != "CAN RETIRE · 1 not sent" {
		t.Errorf("the header says %q", p.Mode())
	}
	p.flow.pending = p.flow.pending[1:]
	p.do(p.Recount())
	p.Sees("Calls are being sent.")
	p.SeesNot("every call is known")
}

// The list is as the journal is when it opens, whatever is on its way.
func TestTheListReadsTheJournalWhileACallIsOut(t *testing.T) {
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
	if p.Mode() != "CAN RETIRE · 2 not known" {
		t.Errorf("the header says %q", p.Mode())
	}
}
