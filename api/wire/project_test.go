package wire

import (
	"reflect"
	"testing"

	"tonne/model"
)

func TestProjectsAreReadWhole(t *testing.T) {
	t.Parallel()
	got, err := DecodeProjects([]byte(`{"projects":[
		{"project_id":"p1","project_name":"Bale Mountains","type":"REDD+","location":"ET","registry_project_url":"https://registry.example/1",
		 "registry_id":"VCS-1340","registry_name":"VERRA","sdgs":["No Poverty","Life on Land"],"description":"A forest.",
		 "vintages":[{"vintage_id":"v1","vintage_year":2019,"registry_vintage_url":"https://registry.example/1/2019"}],"methodology":"VM0009"},
		{"project_id":"p2","project_name":null,"sdgs":null,"vintages":null}],"took_ms":3}`))
	want := []model.Project{
		{ID: "p1", Name: "Bale Mountains", Type: "REDD+", Country: "ET", RegistryURL: "https://registry.example/1",
			RegistryID: "VCS-1340", RegistryName: "VERRA", SDGs: []string{"No Poverty", "Life on Land"}, Description: "A forest.",
			Vintages: []model.ProjectVintage{{ID: "v1", Year: 2019, RegistryURL: "https://registry.example/1/2019"}},
			Extra:    []model.Field{{Name: "methodology", Value: "VM0009"}}},
		{ID: "p2"},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("projects are\n%+v (%v), want\n%+v", got, err, want)
	}
}
