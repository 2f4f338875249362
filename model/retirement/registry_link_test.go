package retirement_test

import (
	"testing"

	"tonne/model"
	"tonne/model/retirement"
)

func TestRegistryLinkOfEveryRegistry(t *testing.T) {
	t.Parallel()
	for serial, want := range map[string]string{
		"19334-940082955-940097954-VCS-VCU-576-VER-US-14-4268-01062024-31122024-1": "https://registry.verra.org/app/projectDetail/VCS/4268",
		"GS1-1-KE-GS11603-16-2025-30256-110-5463":                                  "https://registry.goldstandard.org/projects?q=gs11603",
		"ACR-FR-1129-2025-2917-30932 to 35143":                                     "https://acr2.apx.com/mymodule/reg/prjView.asp?id1=1129",
		"CAR-1-US-1335-31-983-KS-2025-9205-1 to 5000":                              "https://thereserve2.apx.com/mymodule/reg/prjView.asp?id1=1335",
		"ART-GY-102-2019-3-2500001 to 2600000":                                     "https://art.apx.com/mymodule/reg/prjView.asp?id1=102",
		"PURO_PR_CORC100+_FI_577166_2020_0b_1-100":                                 "",
		"unknown": "",
	} {
		s, _ := retirement.ParseSerial(serial)
		if got := retirement.RegistryLink(model.Project{}, "004a", s); got != want {
			t.Errorf("%s leads to %q, want %q", serial, got, want)
		}
	}
}

func TestRegistryLinkPrefersThePageOfTheProject(t *testing.T) {
	t.Parallel()
	p := model.Project{
		RegistryURL: "https://registry.example/p", RegistryID: "VCS-1340",
		Vintages: []model.ProjectVintage{{ID: "a", RegistryURL: "https://registry.example/v"}, {ID: "b", RegistryURL: "javascript:alert(1)"}},
	}
	s, _ := retirement.ParseSerial("ART-GY-102-2019-3-1 to 2")
	if got := retirement.RegistryLink(p, "a", s) + " " + retirement.RegistryLink(p, "b", s); got != "https://registry.example/v https://registry.example/p" {
		t.Error(got)
	}
	for _, address := range []string{"http://registry.example", "https://me@registry.example", "https://", "file:///etc/passwd", "https://a.example/\x1b"} {
		p.RegistryURL = address
		if got := retirement.RegistryLink(p, "b", s); got != "https://registry.verra.org/app/projectDetail/VCS/1340" {
			t.Errorf("%q: %s", address, got)
		}
	}
}
