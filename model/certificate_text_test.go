package model_test

import (
	"strings"
	"testing"

	"tonne/model"
)

func certified() model.Retirement {
	r := retirementOf("00m1", "003a", "004a", "2026-02-08", verra, "Your Customer Ltd", 15000e6)
	return r
}

func TestCertificateAgreesWhateverItsLayout(t *testing.T) {
	t.Parallel()
	broken := verra[:30] + "\n      " + verra[30:]
	for _, text := range []string{
		"15,000 t retired for\nYour Customer Ltd\n" + verra + "\non 2026-02-08",
		"Quantity: 15000\n\nYOUR  CUSTOMER\nLtd\n" + broken,
		"15.000 tCO2e " + verra + " Your Customer Ltd", "15 000 t, " + verra + " Your Customer Ltd",
		"Beneficiary: Your Customer Ltd\nCredits retired: 15’000\n" + verra + "\n4 pages",
	} {
		got := model.CheckCertificateAgrees(certified(), model.CertificateText{Lines: strings.Split(text, "\n")})
		if got.Result != model.Pass || got.Name != model.CertificateAgrees {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

func TestValuesThatACertificateLacksAreNamedAndNotCheckable(t *testing.T) {
	t.Parallel()
	sound := "15,000 t retired for Your Customer Ltd " + verra + " on 2026-02-08"
	for _, c := range []struct{ old, now, want string }{
		{"15,000", "115,000", "the quantity 15,000 t"}, {"15,000", "15,000,000", "the quantity 15,000 t"},
		{"15,000", "1 15,000", "the quantity 15,000 t"}, {"15,000 t", "15,000 pages", "the quantity 15,000 t"},
		{"Customer", "Competitor", "the beneficiary Your Customer Ltd"}, {"Your", "Four Your", ""}, {"Your", "FourYour", "the beneficiary Your Customer Ltd"},
		{"940097954", "940097955", "the serial number " + verra}, {verra, verra + "1", "the serial number " + verra},
	} {
		text := strings.Replace(sound, c.old, c.now, 1)
		got := model.CheckCertificateAgrees(certified(), model.CertificateText{Lines: []string{text}})
		if (got.Result == model.Pass) != (c.want == "") || got.Result == model.Fail || !strings.Contains(got.Detail, c.want) {
			t.Errorf("%q: %+v", text, got)
		}
	}
	got := model.CheckCertificateAgrees(certified(), model.CertificateText{Lines: []string{"part"}, Cut: true})
	if got.Result != model.NotCheckable || got.Detail != "only part of its text can be read" {
		t.Errorf("cut: %+v", got)
	}
}

// Many certificates define their unit: "1 VCU = 1 tonne".
func TestOneTonneIsNotCheckable(t *testing.T) {
	t.Parallel()
	got := model.CheckCertificateAgrees(retirementOf("00m1", "003a", "004a", "2026-02-08", verra, "Ltd", 1e6),
		model.CertificateText{Lines: []string{"Ltd " + verra + " 1 VCU = 1 tonne"}})
	if got.Result != model.NotCheckable {
		t.Errorf("%+v", got)
	}
}

func TestACertificateWithoutTextIsNoVerdict(t *testing.T) {
	t.Parallel()
	for want, text := range map[string]model.CertificateText{
		"it is a picture": {Unread: "it is a picture"}, "its text is empty": {Lines: []string{" ", "\f"}},
	} {
		if got := model.CheckCertificateAgrees(certified(), text); got.Result != model.NotCheckable || got.Detail != want {
			t.Errorf("%+v", got)
		}
	}
}

func TestEverySerialNumberLeadsToAPublicPage(t *testing.T) {
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
		s, _ := model.ParseSerial(serial)
		if got := (model.Project{}).RegistryLink("004a", s); got != want {
			t.Errorf("%s leads to %q, want %q", serial, got, want)
		}
	}
}

func TestThePageThatTheProjectNamesComesFirst(t *testing.T) {
	t.Parallel()
	p := model.Project{
		RegistryURL: "https://registry.example/p", RegistryID: "VCS-1340",
		Vintages: []model.ProjectVintage{{ID: "a", RegistryURL: "https://registry.example/v"}, {ID: "b", RegistryURL: "javascript:alert(1)"}},
	}
	s, _ := model.ParseSerial("ART-GY-102-2019-3-1 to 2")
	if got := p.RegistryLink("a", s) + " " + p.RegistryLink("b", s); got != "https://registry.example/v https://registry.example/p" {
		t.Error(got)
	}
	for _, address := range []string{"http://registry.example", "https://me@registry.example", "https://", "file:///etc/passwd", "https://a.example/\x1b"} {
		p.RegistryURL = address
		if got := p.RegistryLink("b", s); got != "https://registry.verra.org/app/projectDetail/VCS/1340" {
			t.Errorf("%q: %s", address, got)
		}
	}
}

func TestAFileThatNobodyCanReadAgreesWithNothing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text model.CertificateText
		want model.Result
	}{
		{model.CertificateText{Unread: "it is damaged", Broken: true}, model.Fail},
		{model.CertificateText{Unread: "pdftotext is not installed"}, model.NotCheckable},
		{model.CertificateText{}, model.NotCheckable},
	} {
		got := model.CheckCertificateAgrees(certified(), c.text)
		if got.Result != c.want || got.Detail == "" {
			t.Errorf("%+v: %+v", c.text, got)
		}
	}
}
