package retire

import (
	"slices"
	"testing"
	"time"

	"tonne/api/retire"
	"tonne/model"
	"tonne/model/retirement"
	"tonne/ui/uitest"
)

func (p *person) line() *retire.Line { return p.Panel.(*dialog).line() }

func TestTheListSaysOfWhatAnUnsentCallIsAPart(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	c := pendingCall("tonne-two", retire.Prepared, false)
	c.Request = retire.RequestText(retirement.RetireRequest{VintageID: bale.VintageID, Quantity: 105 * model.GramsPerTonne})
	c.MadeAt = uitest.Now
	p.flow.pending = []retire.Call{c}
	p.do(p.Start())
	p.Sees("written down, never sent: 2.5 t of the 105 t that were confirmed", "↵ sends it as it was planned")
	p.waits(time.Second)
	p.press("enter")
	p.Sees("type 2.5 to send it ")
}

// A reference is one wish, whatever dashboard or command served a part of it.
func TestAReferenceThatWasServedIsNotRetiredTwice(t *testing.T) {
	t.Parallel()
	wish := retirement.RetireRequest{VintageID: bale.VintageID, Quantity: 110 * model.GramsPerTonne}
	made := func(id string, tonnes model.Grams, state retire.State) retire.Call {
		return retire.Call{ExternalID: id, Reference: "2026-Q4/flight-9", Request: retire.RequestText(wish), State: state,
			Plan: retirement.Call{VintageID: bale.VintageID, Quantity: tonnes * model.GramsPerTonne}}
	}
	p := newPerson(t)
	p.flow.made = []retire.Call{made("one", 10, retire.Done), made("two", 20, retire.Refused), made("three", 100, retire.Prepared)}
	p.plans("110")
	p.Sees("⚠ 10 t of 110 t are retired already under this reference; 100 t remain.", "Retire 100 t of", "type 100 to retire")
	p.types("100")
	p.press("enter")
	if !slices.Equal(p.flow.replaced[0], []string{"three"}) || p.flow.sent[0].Request != retire.RequestText(wish) {
		t.Errorf("instead of %v, for %q", p.flow.replaced, p.flow.sent[0].Request)
	}
	p.press("esc")
	p.width, p.height = 80, 24
	p.begins("110")
	p.press("enter")
	p.Sees("❯ reference", "✗ Retired already under this reference; another one retires it again.")
	p.types("b")
	p.press("enter")
	p.Sees("type 110 to retire")
	p.SeesNot("already")
}

func TestAWishThatWasGivenUpInDoubtIsNotPlannedUnderItsReference(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.flow.made = []retire.Call{{ExternalID: "one", Reference: "2026-Q4/flight-9", State: retire.Unknown, Unsure: true, GivenUp: true,
		Request: retire.RequestText(retirement.RetireRequest{VintageID: bale.VintageID, Quantity: 2_500_000})}}
	p.begins("2.5")
	p.press("enter")
	p.Sees("❯ reference", "Esc, then U.")
}
