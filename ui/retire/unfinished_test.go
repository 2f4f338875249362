package retire

import (
	"errors"
	"slices"
	"testing"
	"time"

	"tonne/api/retire"
	"tonne/api/retire/journal"
	"tonne/model"
	"tonne/ui/uitest"
)

func twoPending() []journal.Call {
	first, second := pendingCall("tonne-one", journal.Unknown, true), pendingCall("tonne-two", journal.Unknown, true)
	second.Plan.Quantity, second.Plan.BuyTonnes = 7_500_000, 7
	return []journal.Call{first, second}
}

func TestACallOfTheListSaysHowMuchItRetired(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.desk.pending = twoPending()
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
	p.desk.pending = append(twoPending(), pendingCall("tonne-three", journal.Unknown, true))
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
	if !slices.Equal(p.desk.resumed, []string{"tonne-two"}) {
		t.Errorf("resumed %v", p.desk.resumed)
	}
}

func TestACallWhoseOutcomeBecameKnownMeanwhileIsNotConfirmed(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.desk.pending = twoPending()
	p.do(p.Start())
	p.waits(time.Second)
	p.press("x")
	p.waits(time.Second)
	p.unfinished = p.unfinished[1:]
	p.Sees("Its outcome is known by now: Esc.")
	p.SeesNot("external id              tonne-two", "to give it up")
	p.types("2.5")
	p.press("enter")
	if len(p.desk.givenUp)+len(p.desk.resumed) > 0 {
		t.Errorf("given up %v, resumed %v", p.desk.givenUp, p.desk.resumed)
	}
	p.press("esc")
	p.Sees("external id              tonne-two")
}

func TestACallThatAnotherProgramIsSendingIsNoneToSettle(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.desk.pending = twoPending()
	p.do(p.Start())
	p.waits(time.Second)
	p.press("x")
	p.waits(time.Second)
	wish := model.RetireRequest{VintageID: "004bale0", Quantity: 2_500_000}
	p.desk.pending[0].UnderWay, p.desk.pending[0].Wish = true, retire.WishText(wish)
	p.do(p.Recount())
	p.Sees("Another program is sending it: Esc.", "is not known · 1")
	p.press("esc")
	p.Sees("external id              tonne-two")
	p.SeesNot("tonne-one")
	if !errors.Is(p.inTheWay(p.desk.pending[0].Reference, wish), errDoubt) {
		t.Error("the same may be planned while another program sends it")
	}
}

func TestWhatBecameOfACallIsSaidWithItsName(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.desk.pending = twoPending()
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
	p.desk.pending = twoPending()
	p.desk.pending[0].GivenUp = true
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
	p.desk.pending[1].GivenUp = true
	p.do(p.Recount())
	p.Sees("It was given up by now: Esc.")
	p.press("esc", "esc")
	p.do(p.Start())
	if p.Panel != nil {
		t.Error("the start shows what only the operator of the service can settle")
	}
}

func TestWhatWasNeverSentIsNotCountedAsNotKnown(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.desk.pending = []journal.Call{pendingCall("tonne-one", journal.Prepared, false), pendingCall("tonne-two", journal.Sent, true)}
	p.desk.pending[1].UnderWay = true
	p.do(p.Start())
	p.Sees("is not known · 0 · 1 not sent · 1 being sent")
	if p.Mode() != "CAN RETIRE · 1 not sent" {
		t.Errorf("the header says %q", p.Mode())
	}
	p.desk.pending = p.desk.pending[1:]
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
	p.desk.pending = twoPending()
	p.do(p.Unfinished())
	p.Sees("tonne-one", "7.5 t")
	if p.Mode() != "CAN RETIRE · 2 not known" {
		t.Errorf("the header says %q", p.Mode())
	}
}
