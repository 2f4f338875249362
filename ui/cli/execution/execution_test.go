package execution

import (
	"testing"

	"tonne/model"
	"tonne/model/execution"
	must "tonne/model/musttest"
)

func TestSelectedVintageIsNamed(t *testing.T) {
	t.Parallel()
	row := func(vintage, project string, year int32) execution.Row {
		p := execution.Purchase{Vintage: model.VintageKey{ProjectID: "P" + vintage[1:], VintageID: vintage}}
		return execution.Row{Purchase: p, Project: model.Project{Name: project}, Year: year}
	}
	rows := []execution.Row{row("V2", "Cabo", 2021), row("V1", "Bale", 0), row("V1", "Bale", 2019), row("V3", "", 0)}
	for vintage, want := range map[string]string{
		"": "", "V1": "Bale 2019 (V1)", "V2": "Cabo 2021 (V2)", "V3": "P3 (V3)",
	} {
		r := &run{vintage: vintage}
		must.Equal(t, r.vintageName(rows), want, vintage)
	}
}
