package model_test

import (
	"testing"
	"time"

	"tonne/model"
)

func TestATypeProposesOnlyWhatItsProjectsHaveInCommon(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		project                 model.Project
		wantRemoval, wantMethod string
	}{
		{model.Project{Type: "REDD+", RegistryID: "VCS1340"}, model.ReducesEmissions, ""},
		{model.Project{Type: "REDD+", RegistryID: "ART102"}, model.ReducesEmissions, "TREES"},
		{model.Project{Type: "Biochar", RegistryName: "PURO_EARTH"}, model.RemovesCarbon, "Puro Standard Biochar Methodology"},
		{model.Project{Type: "Afforestation, Reforestation & Restoration"}, model.RemovesCarbon, ""},
		{model.Project{Type: "Improved Forest Management"}, "", ""},
		{model.Project{Type: "Avoided reforestation"}, "", ""},
		{model.Project{}, "", ""},
	} {
		p := test.project
		if removal, method := p.Proposed(model.Removal), p.Proposed(model.Methodology); removal != test.wantRemoval || method != test.wantMethod {
			t.Errorf("%q of %q proposes %q, %q", p.Type, p.RegistryID, removal, method)
		}
		for _, a := range []model.Attribute{model.CCP, model.CORSIA, model.Article6, model.Verifier} {
			if value := p.Proposed(a); value != "" {
				t.Errorf("%q proposes %s %q: labels belong to units", p.Type, a, value)
			}
		}
	}
}

func TestWhatIsProposedIsNoFactUntilSomebodyConfirmsIt(t *testing.T) {
	t.Parallel()
	projects := model.Projects{"b": {Type: "Wind"}, "a": {Type: "Biochar"}, "c": {Type: "Improved Forest Management"}}
	var none *model.BuyerFacts
	got := none.Proposals(projects)
	if len(got) != 2 || got[0].ID != "a" || got[0].Value != model.RemovesCarbon || got[1].ID != "b" {
		t.Fatalf("proposes %+v", got)
	}
	if err := got[0].Check(time.Date(2026, 11, 2, 0, 0, 0, 0, time.UTC)); err == nil {
		t.Error("a proposal is taken for a fact")
	}
	told := got[0]
	told.Value, told.Source, told.Checked = model.ReducesEmissions, "https://registry.example/a", time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	if got := model.NewBuyerFacts([]model.BuyerFact{told}).Proposals(projects); len(got) != 1 || got[0].ID != "b" {
		t.Errorf("what was told is proposed again: %+v", got)
	}
}
