package retirement_test

import (
	"testing"

	"tonne/model"
	must "tonne/model/musttest"
	"tonne/model/retirement"
)

// planned returns the record of a request that this machine made and that was never looked up.
func planned(customer string) retirement.LedgerRecord {
	made := retirement.NewJournaled("00mnew", []retirement.JournalEntry{
		{RequestID: "00mnew", Reference: "PO-1", Call: retirement.Call{
			VintageID: "004old", Quantity: 3_000_000, Retiree: retirement.Retiree{Name: customer, TaxID: "GB 123-456 789"}}},
		{RequestID: "00mnew", Reference: "PO-2", Call: retirement.Call{VintageID: "004old", Quantity: 1_000_000}},
	})
	projects := model.Projects{
		"003bale": {ID: "003bale", Name: "Bale Mountains", Vintages: []model.ProjectVintage{{ID: "004old", Year: 2019}}},
		"003wind": {ID: "003wind", Vintages: []model.ProjectVintage{{ID: "004new", Year: 2020}}},
	}
	plan := made.Plan(projects.ByVintage())
	return retirement.LedgerRecord{ID: "00mnew", Reference: made.Reference(), Planned: plan, Project: projects[plan.ProjectID]}
}

func TestPlannedRequestIsFound(t *testing.T) {
	t.Parallel()
	record := planned("Ümlaut Brothers Ltd")
	must.Equal(t, record.Planned.TotalQuantity, model.Grams(4_000_000))
	x := retirement.NewLedgerIndex([]retirement.LedgerRecord{record})
	for _, search := range []struct{ text, found string }{
		{"brothers", "0 by beneficiary_name"},
		{"123456789", "0 by beneficiary_tax_id"},
		{"bale mount", "0 by project"},
		{"003bale", "0 by project"},
		{"2019", "0 by vintage"},
		{"po-2", "0 by reference"},
		{"complete", ""},
	} {
		must.Equal(t, finds(x, search.text), search.found)
	}
}

func TestVintageOfTwoProjectsHasNoProject(t *testing.T) {
	t.Parallel()
	of := []model.ProjectVintage{{ID: "004old", Year: 2019}}
	project := model.Projects{"a": {ID: "a", Vintages: of}, "b": {ID: "b", Vintages: of}}.ByVintage()
	must.Equal(t, project("004old"), "")
	must.Equal(t, project("other"), "")
}

func TestSelectionOfPlannedRequests(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, customer, search string
		selected, decided      bool
	}{
		{"its beneficiary", "Acme Ltd", "beneficiary:acme", true, true},
		{"another beneficiary", "Acme Ltd", "beneficiary:ümlaut", false, true},
		{"the name of the tenant is unknown", "", "beneficiary:acme", false, false},
		{"its state is unknown", "Acme Ltd", "status:OPEN beneficiary:acme", false, false},
		{"its date is unknown", "Acme Ltd", "from:2026-01-01", false, false},
	} {
		of, _, err := retirement.ParseLedgerSearch(test.search)
		must.Succeed(t, err)
		selected, decided := of.Selects(planned(test.customer))
		if selected != test.selected || decided != test.decided {
			t.Errorf("%s: selected %v, decided %v", test.name, selected, decided)
		}
	}
}
