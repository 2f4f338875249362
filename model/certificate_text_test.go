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

func TestACertificateAgreesHoweverItIsLaidOut(t *testing.T) {
	t.Parallel()
	broken := verra[:30] + "\n      " + verra[30:]
	for _, text := range []string{
		"15,000 t retired for\nYour Customer Ltd\n" + verra + "\non 2026-02-08",
		"Quantity: 15000\n\nYOUR  CUSTOMER\nLtd\n" + broken + "\nDate: 8 February 2026",
		"15.000 tCO2e " + verra + " Your Customer Ltd 08/02/2026", "15 000 t, " + verra + " Your Customer Ltd Feb 8, 2026",
	} {
		got := model.CheckCertificateAgrees(certified(), model.CertificateText{Lines: strings.Split(text, "\n")})
		if got.Result != model.Pass || got.Name != model.CertificateAgrees {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

func TestWhatACertificateDoesNotSayIsNamed(t *testing.T) {
	t.Parallel()
	sound := "15,000 t retired for Your Customer Ltd " + verra + " on 2026-02-08"
	for want, change := range map[string][2]string{
		"the quantity 15,000 t":             {"15,000", "115,000"},
		"its text does not have the quanti": {"15,000", "15,000,000"},
		"the beneficiary Your Customer Ltd": {"Customer", "Competitor"},
		"the serial number " + verra:        {"940097954", "940097955"},
		"the date 2026-02-08":               {"2026-02-08", "2026-02-09"},
	} {
		text := strings.Replace(sound, change[0], change[1], 1)
		got := model.CheckCertificateAgrees(certified(), model.CertificateText{Lines: []string{text}})
		if got.Result != model.Fail || !strings.Contains(got.Detail, want) {
			t.Errorf("%q: %+v", text, got)
		}
		got = model.CheckCertificateAgrees(certified(), model.CertificateText{Lines: []string{text}, Cut: true})
		if got.Result != model.NotCheckable {
			t.Errorf("cut: %+v", got)
		}
	}
	got := model.CheckCertificateAgrees(certified(), model.CertificateText{Lines: []string{"something else"}})
	if !strings.HasSuffix(got.Detail, " and 1 more") {
		t.Errorf("%+v", got)
	}
}

func TestALongerNumberIsAnotherDayAndAnotherSerial(t *testing.T) {
	t.Parallel()
	const gold = "GS1-1-KE-GS11603-3-2023-30383-4203964-4203967"
	for text, want := range map[string]string{
		"4 t Ltd " + gold + " 2 January 2026":                   "",
		"Serial " + gold + "\n4 t Ltd 15 2 January 2026":        "",
		"4 t Ltd " + gold + " 02 01 2026":                       "",
		"4 t Ltd " + gold + " 12 January 2026":                  "the date 2026-01-02",
		"4 t Ltd " + gold + " 12.1.2026":                        "the date 2026-01-02",
		"4 t Ltd " + gold + " 11/2/2026":                        "the date 2026-01-02",
		"4 t Ltd " + gold + " vintage 1-0-02012026-31122026-0":  "the date 2026-01-02",
		"4 t Ltd " + gold + "0 2 January 2026":                  "the serial number " + gold,
		"4 t Ltd " + gold + "9 and " + gold + " 2 January 2026": "serial numbers that the answer lacks",
	} {
		got := model.CheckCertificateAgrees(retirementOf("00m1", "003a", "004a", "2026-01-02", gold, "Ltd", 4e6),
			model.CertificateText{Lines: strings.Split(text, "\n")})
		if (got.Result == model.Fail) != (want != "") || !strings.Contains(got.Detail, want) {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

func TestAQuantityIsNoPartOfAnotherNumberNorOfSomethingElse(t *testing.T) {
	t.Parallel()
	const gold = "GS1-1-KE-GS11603-3-2023-30383-4203964-4203967"
	for _, c := range []struct {
		tonnes model.Grams
		text   string
		want   model.Result
	}{
		{234, "1 234 tonnes", model.NotCheckable}, {234, "1’234 tonnes", model.NotCheckable}, {234, "1\u00a0234 tonnes", model.NotCheckable},
		{234, "12 345 234 t", model.NotCheckable}, {15, "15 000 t", model.NotCheckable}, {1, "1’234 tonnes", model.NotCheckable},
		{234, "Page 1 234 t", model.NotCheckable}, {234, "Page 1: 234 t", model.Pass}, {234, "Page 1 234 t of 234 t", model.Pass},
		{234, "Vintage 2024 234 t", model.Pass}, {234, "No. 12345 234 t", model.Pass}, {1234, "1 234 tonnes", model.Pass},
		{1234, "1’234 tonnes", model.Pass}, {234, "235 t", model.Fail}, {2026, "9 t", model.NotCheckable}, {2026, "2,026 t", model.Pass},
		{8, "9 t", model.NotCheckable}, {8, "9 tonnes", model.NotCheckable}, {9, "9 t", model.Pass}, {1, "12 t. Page 1 of 2", model.NotCheckable},
		{1, "1 t. Page 1 of 1", model.Pass}, {8, "8 tCO₂e", model.Pass}, {8, "8 VCUs", model.Pass}, {8, "Quantity (tonnes): 8", model.Pass},
		{8, "Credits retired: 8", model.Pass}, {8, "15 credits 8 pages", model.NotCheckable}, {8, "8 tax ids, 9 t", model.NotCheckable},
		{8, "Date of the credits: 8 Feb, 9 t", model.NotCheckable}, {7, "9 t", model.Fail}, {4, "8.00 t", model.Fail},
	} {
		text := c.text + " retired for Ltd on 8 February 2026, serial number " + gold
		got := model.CheckCertificateAgrees(retirementOf("00m1", "003a", "004a", "2026-02-08", gold, "Ltd", c.tonnes*model.GramsPerTonne),
			model.CertificateText{Lines: []string{text}})
		if got.Result != c.want {
			t.Errorf("%d t, %q: %+v", c.tonnes, text, got)
		}
	}
	got := model.CheckCertificateAgrees(retirementOf("00m1", "003a", "004a", "2026-02-08", gold[:len(gold)-3]+"\n 967", "Ltd", 967e6),
		model.CertificateText{Lines: []string{"9 t for Ltd on 2026-02-08: " + gold[:len(gold)-3], "967"}})
	if got.Result != model.NotCheckable || got.Detail != "whether its text has the quantity 967 t cannot be told" {
		t.Errorf("a part of a broken serial number: %+v", got)
	}
}

func TestWhatACertificateSaysOfEveryCreditIsNoQuantity(t *testing.T) {
	t.Parallel()
	for _, definition := range []string{
		"1 VCU = 1 tonne", "1 VCU=1 tCO2e", "1 VCU is equal to 1 tonne", "One (1) VCU represents one (1) tonne", "1 t = 1 credit", "1 tonne (= 1 VCU)",
		"Each Verified Carbon Unit (VCU) represents the reduction or removal of one tonne of carbon dioxide equivalent (1 tCO2e).",
		"Every credit corresponds to 1 metric ton of CO2", "A credit is 1 tonne.", "1 credit stands for 1 tonne avoided", "USD 5 per 1 tonne",
		"1 CORC unit means 1 t", "1 Gold Standard VER equals 1 tCO₂e",
	} {
		for quantity, want := range map[string]model.Result{"5 tonnes": model.NotCheckable, "1 tonne": model.Pass, "Quantity: 1": model.Pass} {
			for _, text := range []string{definition + "\n" + quantity, quantity + "\n" + definition} {
				got := model.CheckCertificateAgrees(retirementOf("00m1", "003a", "004a", "2026-02-08", verra, "Ltd", 1e6),
					model.CertificateText{Lines: strings.Split(text+"\nretired for Ltd on 8 February 2026\n"+verra, "\n")})
				if got.Result != want {
					t.Errorf("%q: %+v", text, got)
				}
			}
		}
	}
	for text, want := range map[string]model.Result{"9 t. 1 tonne = 1,000 kg": model.NotCheckable, "1,000 t. 1 t = 1000 kg": model.Pass, "1 t is 1 000 kg. 1 000 t": model.Pass} {
		got := model.CheckCertificateAgrees(retirementOf("00m1", "003a", "004a", "2026-02-08", verra, "Ltd", 1000e6), model.CertificateText{Lines: []string{text, "Ltd 2026-02-08", verra}})
		if got.Result != want {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

func TestABeneficiaryIsNoPartOfAWord(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		want       model.Result
	}{
		{"ING", "Beneficiary: Trading Ltd", model.Fail}, {"ING", "retired in good faith", model.Fail}, {"ING", "Beneficiary:ING, Amsterdam", model.NotCheckable}, {"ING", "Beneficiary:ING\nPurpose: none", model.Pass},
		{"ING", "trading for ing", model.NotCheckable}, {"ING", "trading, retired for ing", model.Pass}, {"ING Bank", "ING\nBank's", model.Pass}, {"Acme 1", "ACME 12", model.Fail},
		{"Acme", "Acme1", model.NotCheckable}, {"中国石油", "受益人中国石油公司", model.NotCheckable}, {"中国石油", "受益人: 中国石油", model.Pass}, {"Rene", "Rene\u0301", model.Fail},
	} {
		got := model.CheckCertificateAgrees(retirementOf("00m1", "003a", "004a", "2026-02-08", verra, c.name, 15000e6),
			model.CertificateText{Lines: strings.Split(c.text+"\n15,000 t "+verra+" 2026-02-08", "\n")})
		if got.Result != c.want || got.Result == model.Fail && !strings.Contains(got.Detail, "beneficiary "+c.name) {
			t.Errorf("%s in %q: %+v", c.name, c.text, got)
		}
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
