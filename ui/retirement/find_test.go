package retirement

import (
	"strings"
	"testing"

	"tonne/api/session"
	must "tonne/model/musttest"
	"tonne/model/retirement"
	"tonne/ui/uitest"
)

// TwoOwners fills the ledger with requests of two customers.
func (r *robot) TwoOwners() {
	r.Pastes(idA + " " + idB + " " + idC)
	first := uitest.Retirement(idA, retirement.Complete)
	second := uitest.Retirement(idB, retirement.Complete)
	second.SerialNumbers = []string{"ACR-FR-1129-2025-2917-30932 to 35143"}
	second.Items = []retirement.Item{{ID: "00p0009", Quantity: second.TotalQuantity, RetireeName: "Someone Else GmbH", RetireeTaxID: "DE 811 907 980", InvoiceID: "00i0009", TradeID: "00g0009"}}
	second.ProjectID, second.VintageID = "003cabo", uitest.Key("003cabo", 0).VintageID
	r.found(first, second, uitest.Retirement(idC, retirement.Closed))
}

func (r *robot) shownIDs() (ids []string) {
	for row := range r.tab.panes.ledger.Shown() {
		ids = append(ids, row.ID)
	}
	return ids
}

func TestSearchFindsRequests(t *testing.T) {
	t.Parallel()
	r := newRobot(t, Options{})
	r.TwoOwners()
	r.Hear(session.AnnotationsEvent{Journal: map[string]retirement.Journaled{idC: {References: []string{"PO-4711"}}}})
	r.Pastes("00mnever0001")
	for text, want := range map[string]string{
		// Any field.
		"33000": idB, "1 to 31000": idB, "30932-30933": idB, "940090000": idA,
		"ACR-FR-1129-2025-2917-33000 to 33001": idB, "00p0009": idB, "00i0009": idB, "00g0009": idB, "someone": idB,
		"DE811907980": idB, "cabo leones": idB, "2021": idB, "PO-4711": idC, "closed": idC, "complete else": idB, "complete !else": idA,
		"nobody": "",
		// A range as it is shown.
		"940,082,960": idA, "940,082,955–940,097,954": idA, "940,082,960 to 940,082,969": idA,
		// Conditions.
		"status:closed": idC, "beneficiary:someone": idB, "bale status:COMPLETE": idA, `beneficiary:"else gmbh"`: idB,
		"from:2020-01-01 status:closed": idC, "from:2099-01-01": "", "to:2020-01-01": "",
	} {
		r.Press("/")
		r.typed(text)
		must.Equal(t, strings.Join(r.shownIDs(), " "), want, text)
		r.Press("esc")
	}
	r.Press("/")
	r.typed("status:clos")
	must.Equal(t, len(r.shownIDs()), 4, "an unfinished condition leaves")
	r.Sees("✗ status:clos is not a state such as COMPLETE")
	r.typed("ed")
	r.SeesNot("✗ status")
}

func TestIndexIsBuiltInBackground(t *testing.T) {
	t.Parallel()
	r := newRobot(t, Options{})
	work := r.CarryOut(r.tab.Handle(session.LedgerEvent{Requests: []*session.Request{
		{ID: idA, Answer: uitest.Retirement(idA, retirement.Complete)}, {ID: idB},
	}}))
	r.Robot.Press("/")
	r.typed("940090000")
	got := r.shownIDs()
	must.Equal(t, len(got), 0, "without the index: shown", got)
	r.Run(work)
	must.Equal(t, r.shownIDs(), []string{idA}, "with the index: shown")
}
