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
	wish := model.RetireWish{VintageID: "004bale0", Quantity: 2_500_000}
	p.desk.pending[0].UnderWay, p.desk.pending[0].Wish = true, retire.WishText(wish)
	p.do(p.Recount())
	p.Sees("Another program is sending it: Esc.", "is not known · 1")
	p.press("esc")
	p.Sees("external id              tonne-two")
	p.SeesNot("tonne-one")
	if !p.mayHaveServed(p.desk.pending[0].Reference, wish) {
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
