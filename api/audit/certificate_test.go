package audit

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
		got := checkAgrees(certified(), CertificateText{Lines: strings.Split(text, "\n")})
		if got.Result != model.Pass || got.Name != CertificateAgrees {
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
		got := checkAgrees(certified(), CertificateText{Lines: []string{text}})
		if (got.Result == model.Pass) != (c.want == "") || got.Result == model.Fail || !strings.Contains(got.Detail, c.want) {
			t.Errorf("%q: %+v", text, got)
		}
	}
	got := checkAgrees(certified(), CertificateText{Lines: []string{"part"}, Cut: true})
	if got.Result != model.NotCheckable || got.Detail != "only part of its text can be read" {
		t.Errorf("cut: %+v", got)
	}
}

// Many certificates define their unit: "1 VCU = 1 tonne".
func TestOneTonneIsNotCheckable(t *testing.T) {
	t.Parallel()
	got := checkAgrees(retirementOf("00m1", "003a", "004a", "2026-02-08", verra, "Ltd", 1e6),
		CertificateText{Lines: []string{"Ltd " + verra + " 1 VCU = 1 tonne"}})
	if got.Result != model.NotCheckable {
		t.Errorf("%+v", got)
	}
}

func TestACertificateWithoutTextIsNoVerdict(t *testing.T) {
	t.Parallel()
	for want, text := range map[string]CertificateText{
		"it is a picture": {Unread: "it is a picture"}, "its text is empty": {Lines: []string{" ", "\f"}},
	} {
		if got := checkAgrees(certified(), text); got.Result != model.NotCheckable || got.Detail != want {
			t.Errorf("%+v", got)
		}
	}
}

func TestAFileThatNobodyCanReadAgreesWithNothing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text CertificateText
		want model.Result
	}{
		{CertificateText{Unread: "it is damaged", Broken: true}, model.Fail},
		{CertificateText{Unread: "pdftotext is not installed"}, model.NotCheckable},
		{CertificateText{}, model.NotCheckable},
	} {
		got := checkAgrees(certified(), c.text)
		if got.Result != c.want || got.Detail == "" {
			t.Errorf("%+v: %+v", c.text, got)
		}
	}
}
