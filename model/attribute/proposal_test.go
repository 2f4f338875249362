package attribute_test

import (
	"testing"

	"tonne/model"
	"tonne/model/attribute"
)

func TestATypeProposesOnlyWhatItsProjectsHaveInCommon(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		project                 model.Project
		wantRemoval, wantMethod string
	}{
		{model.Project{Type: "REDD+", RegistryID: "VCS1340"}, attribute.ReducesEmissions, ""},
		{model.Project{Type: "REDD+", RegistryID: "ART102"}, attribute.ReducesEmissions, "TREES"},
		{model.Project{Type: "Biochar", RegistryName: "PURO_EARTH"}, attribute.RemovesCarbon, "Puro Standard Biochar Methodology"},
		{model.Project{Type: "Afforestation, Reforestation & Restoration"}, attribute.RemovesCarbon, ""},
		{model.Project{Type: "Improved Forest Management"}, "", ""},
		{model.Project{Type: "Avoided reforestation"}, "", ""},
		{model.Project{}, "", ""},
	} {
		p := test.project
		if removal, method := attribute.Proposed(p, attribute.Removal), attribute.Proposed(p, attribute.Methodology); removal != test.wantRemoval || method != test.wantMethod {
			t.Errorf("%q of %q proposes %q, %q", p.Type, p.RegistryID, removal, method)
		}
		for _, a := range []attribute.Attribute{attribute.CCP, attribute.CORSIA, attribute.Article6, attribute.Verifier} {
			if value := attribute.Proposed(p, a); value != "" {
				t.Errorf("%q proposes %s %q: labels belong to units", p.Type, a, value)
			}
		}
	}
}
