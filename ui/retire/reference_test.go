package retire

import (
	"slices"
	"testing"

	"tonne/api/retire"
	"tonne/model"
	"tonne/model/retirement"
	"tonne/ui/uitest"
)

func (p *person) line() *retire.Line { return p.Panel.(*dialog).line() }

func TestListShowsConfirmedTotalOfUnsentCall(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	c := pendingCall("tonne-two", retire.Prepared, false)
	c.Request = retire.RequestText(retirement.RetireRequest{VintageID: bale.VintageID, Quantity: 105 * model.GramsPerTonne})
	c.MadeAt = uitest.Now
	p.flow.pending = []retire.Call{c}
	p.do(p.Start())
	p.Sees("confirmed, never sent: 2.5 t of the 105 t that you confirmed", "↵ sends it as planned")
	p.later("enter")
	p.Sees("type 2.5 to send it ")
}

// A reference stands for one request, even if several dashboards and commands served
// parts of it.
func TestReferenceIsNotRetiredTwice(t *testing.T) {
	t.Parallel()
	request := retirement.RetireRequest{VintageID: bale.VintageID, Quantity: 110 * model.GramsPerTonne}
	made := func(id string, tonnes model.Grams, state retire.State) retire.Call {
		return retire.Call{ExternalID: id, Reference: "2026-Q4/flight-9", Request: retire.RequestText(request), State: state,
			Plan: retirement.Call{VintageID: bale.VintageID, Quantity: tonnes * model.GramsPerTonne}}
	}
	p := newPerson(t)
	p.flow.made = []retire.Call{made("one", 10, retire.Done), made("two", 20, retire.Refused), made("three", 100, retire.Prepared)}
	p.plans("110")
	p.Sees("⚠ 10 t of 110 t are already retired under this reference; 100 t remain.", "Retire 100 t of", "type 100 to retire")
	p.types("100")
	p.press("enter")
	if !slices.Equal(p.flow.replaced[0], []string{"three"}) || p.flow.sent[0].Request != retire.RequestText(request) {
		t.Errorf("the plan replaced %v and sent the request %q", p.flow.replaced, p.flow.sent[0].Request)
	}
	p.press("esc")
	p.width, p.height = 80, 24
	p.begins("110")
	p.press("enter")
	p.Sees("❯ reference", "✗ Already retired under this reference; use another one to retire again.")
	p.types("b")
	p.press("enter")
	p.Sees("type 110 to retire")
	p.SeesNot("already")
}

func TestAbandonedCallWithUnknownOutcomeBlocksItsReference(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.flow.made = []retire.Call{{ExternalID: "one", Reference: "2026-Q4/flight-9", State: retire.Unknown, Unsure: true, GivenUp: true,
		Request: retire.RequestText(retirement.RetireRequest{VintageID: bale.VintageID, Quantity: 2_500_000})}}
	p.begins("2.5")
	p.press("enter")
	p.Sees("❯ reference", "Press Esc, then U")
}
