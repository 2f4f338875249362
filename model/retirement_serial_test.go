package model_test

import (
	"math"
	"strings"
	"testing"

	"tonne/model"
	must "tonne/model/musttest"
	"tonne/model/retirement"
)

// serials are one real serial number of each registry.
var serials = map[string]retirement.Serial{
	"19334-940082955-940097954-VCS-VCU-576-VER-US-14-4268-01062024-31122024-1": serialOf(
		retirement.Verra, "19334-VCS-VCU-576-VER-US-14-4268-01062024-31122024-1", 940082955, 940097954, 15_000, "4268", "US", 2024, 2024),
	"GS1-1-KE-GS11603-16-2025-30256-110-5463": serialOf(
		retirement.GoldStandard, "GS1-1-KE-GS11603-16-2025-30256", 110, 5463, 5_354, "11603", "KE", 2025, 2025),
	"ACR-FR-1129-2025-2917-30932 to 35143": serialOf(
		retirement.ACR, "ACR-FR-1129-2025-2917", 30932, 35143, 4_212, "1129", "FR", 2025, 2025),
	"CAR-1-US-1335-31-983-KS-2025-9205-1 to 5000": serialOf(
		retirement.CAR, "CAR-1-US-1335-31-983-KS-2025-9205", 1, 5000, 5_000, "1335", "US", 2025, 2025),
	"ART-GY-102-2019-3-2500001 to 2600000": serialOf(
		retirement.ART, "ART-GY-102-2019-3", 2500001, 2600000, 100_000, "102", "GY", 2019, 2019),
	"ART-GY-102-2019-3-1 to 9223372036854775807": serialOf(
		retirement.ART, "ART-GY-102-2019-3", 1, math.MaxInt64, math.MaxInt64, "102", "GY", 2019, 2019,
	),
	"PURO_PR_CORC100+_FI_577166_2020_055a3fbe-eabc-4535-b9cf-1028e7d18f89_1-100": serialOf(
		retirement.Puro, "PURO_PR_CORC100+_FI_577166_2020_055a3fbe-eabc-4535-b9cf-1028e7d18f89", 1, 100, 100, "", "FI", 2020, 2020),
}

func serialOf(registry, block string, start, end, tonnes int64, project, country string, first, last int) retirement.Serial {
	return retirement.Serial{
		Registry: registry, Block: block, Start: start, End: end, Tonnes: tonnes, Project: project, Country: country, FirstYear: first, LastYear: last,
	}
}

func TestParseSerialOfEachRegistry(t *testing.T) {
	for text, want := range serials {
		got, ok := retirement.ParseSerial(text)
		must.Hold(t, ok && got == want, text, got, ok, want)
	}
}

func TestParseSerialRejectsOtherFormats(t *testing.T) {
	for _, text := range []string{
		"", "-", "1-100", "n/a", "VCS-1340", "=1+1",
		// one field too few, one too many
		"940082955-940097954-VCS-VCU-576-VER-US-14-4268-01062024-31122024-1",
		"19334-940082955-940097954-VCS-VCU-576-VER-US-14-4268-01062024-31122024-1-9",
		// another prefix, another case, blanks
		"GS2-1-KE-GS11603-16-2025-30256-110-5463",
		"gs1-1-ke-gs11603-16-2025-30256-110-5463",
		" GS1-1-KE-GS11603-16-2025-30256-110-5463",
		"ACR-FR-1129-2025-2917-30932  to  35143",
		"ACR-FR-1129-2025-2917-30932",
		"ACR-FRA-1129-2025-2917-30932 to 35143",
		// invalid numbers
		"GS1-1-KE-GSabc-16-2025-30256-110-5463",
		"GS1-1-KE-GS11603-16-2025-30256-110-+5463",
		"GS1-1-KE-GS11603-16-20255-30256-110-5463",
		"GS1-1-KE-GS11603-16-2025-30256-110-9223372036854775808",
		// invalid dates, years in reverse order
		"19334-1-2-VCS-VCU-576-VER-US-14-4268-31022024-31122024-1",
		"19334-1-2-VCS-VCU-576-VER-US-14-4268-01062025-31122024-1",
		// ranges in reverse order or too large
		"ART-GY-102-2019-3-2600000 to 2500001",
		"ART-GY-102-2019-3-0 to 9223372036854775807",
		"ART-GY-102-2019-3-0 to 18446744073709551615",
		"PURO_PR_CORC100+_FI_577166_2020__1-100",
		"PURO_PR_CORC100+_FI_577166_2020_a_1-2-3",
	} {
		got, ok := retirement.ParseSerial(text)
		must.Hold(t, !ok && got == (retirement.Serial{}), text, got)
	}
}

func TestSerialOfTwoYearsCoversBoth(t *testing.T) {
	s, ok := retirement.ParseSerial("19334-1-2-VCS-VCU-576-VER-US-14-4268-01062022-31052024-1")
	must.Hold(t, ok && !s.Covers(2021) && s.Covers(2022) && s.Covers(2023) && s.Covers(2024) && !s.Covers(2025), s, ok)
}

func TestRegistryNumberOfAProject(t *testing.T) {
	for _, c := range []struct {
		project          model.Project
		registry, number string
	}{
		{model.Project{RegistryURL: "https://registry.verra.org/app/projectDetail/VCS/1340"}, retirement.Verra, "1340"},
		{model.Project{RegistryURL: "https://registry.goldstandard.org/projects?q=gs11603"}, retirement.GoldStandard, "11603"},
		{model.Project{RegistryID: "VCS-1340"}, retirement.Verra, "1340"},
		{model.Project{RegistryID: "GS11603"}, retirement.GoldStandard, "11603"},
		{model.Project{RegistryID: "ACR1129"}, retirement.ACR, "1129"},
		{model.Project{RegistryID: "CAR1459"}, retirement.CAR, "1459"},
		{model.Project{RegistryID: "ART102"}, retirement.ART, "102"},
		{model.Project{RegistryID: "005abc", RegistryURL: "https://registry.verra.org/app/projectDetail/VCS/1340"}, retirement.Verra, "1340"},
		{model.Project{}, "", ""},
		{model.Project{RegistryID: "1340"}, "", ""},
		{model.Project{RegistryID: "VCS-1340a"}, "", ""},
		{model.Project{RegistryURL: "https://registry.example/projects/1340"}, "", ""},
		{model.Project{RegistryURL: "https://registry.verra.org/app/projectDetail/VCS/1340/more"}, "", ""},
	} {
		if registry, number := retirement.RegistryNumber(c.project); registry != c.registry || number != c.number {
			t.Errorf("%q %q: %q, %q", c.project.RegistryID, c.project.RegistryURL, registry, number)
		}
	}
}

func FuzzParseSerial(f *testing.F) {
	for text := range serials {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, ok := retirement.ParseSerial(text)
		if !ok {
			must.Equal(t, s, (retirement.Serial{}), text)
			return
		}
		if s.Tonnes < 1 || s.End-s.Start != s.Tonnes-1 || s.Start < 0 || s.LastYear < s.FirstYear || s.Registry == "" || s.Block == "" || len(s.Country) != 2 {
			t.Errorf("%q is read as %+v", text, s)
		}
		must.Hold(t, strings.Contains(text, s.Project) && strings.Contains(text, s.Country), text, s)
	})
}

func TestPartOfSerial(t *testing.T) {
	for _, c := range []struct {
		whole      string
		start, end int64
		want       string
	}{
		{"GS1-1-KE-GS11603-16-2025-30256-110-5463", 110, 111, "GS1-1-KE-GS11603-16-2025-30256-110-111"},
		{"ACR-FR-1129-2025-2917-30932 to 35143", 30940, 30940, "ACR-FR-1129-2025-2917-30940 to 30940"},
		{"CAR-1-US-1335-31-983-KS-2025-9205-1 to 5000", 1, 5000, "CAR-1-US-1335-31-983-KS-2025-9205-1 to 5000"},
		{"ART-GY-102-2019-3-2500001 to 2600000", 2500002, 2500003, "ART-GY-102-2019-3-2500002 to 2500003"},
		{"PURO_PR_CORC100+_FI_577166_2020_055a3fbe-eabc-4535-b9cf-1028e7d18f89_1-100", 7, 9, "PURO_PR_CORC100+_FI_577166_2020_055a3fbe-eabc-4535-b9cf-1028e7d18f89_7-9"},
		{"19334-940082955-940097954-VCS-VCU-576-VER-ET-14-1340-01012019-31122019-1", 940082960, 940082969, "19334-940082960-940082969-VCS-VCU-576-VER-ET-14-1340-01012019-31122019-1"},
		{"ACR-FR-1129-2025-2917-30932 to 35143", 30931, 30940, ""},
		{"ACR-FR-1129-2025-2917-30932 to 35143", 30940, 35144, ""},
		{"ACR-FR-1129-2025-2917-30932 to 35143", 30941, 30940, ""},
		{"something else 1-2", 1, 2, ""},
	} {
		got, ok := retirement.PartOfSerial(c.whole, c.start, c.end)
		must.Hold(t, got == c.want && ok == (c.want != ""), c.whole, c.start, c.end, got)
	}
}

func TestRegistryLinkOfEveryRegistry(t *testing.T) {
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
		must.Equal(t, retirement.RegistryLink(model.Project{}, "004a", s), want, serial)
	}
}

func TestRegistryLinkPrefersThePageOfTheProject(t *testing.T) {
	p := model.Project{
		RegistryURL: "https://registry.example/p", RegistryID: "VCS-1340",
		Vintages: []model.ProjectVintage{{ID: "a", RegistryURL: "https://registry.example/v"}, {ID: "b", RegistryURL: "javascript:alert(1)"}},
	}
	s, _ := retirement.ParseSerial("ART-GY-102-2019-3-1 to 2")
	must.Equal(t, retirement.RegistryLink(p, "a", s)+" "+retirement.RegistryLink(p, "b", s), "https://registry.example/v https://registry.example/p")
	for _, address := range []string{"http://registry.example", "https://me@registry.example", "https://", "file:///etc/passwd", "https://a.example/\x1b"} {
		p.RegistryURL = address
		got := retirement.RegistryLink(p, "b", s)
		must.Hold(t, got == "https://registry.verra.org/app/projectDetail/VCS/1340", address, got)
	}
}
