package audit

import (
	"io/fs"
	"strings"
	"testing"

	"tonne/api/audit/pdftext"
	"tonne/model/modeltest"
	"tonne/model/retirement"
)

func shows(text string) pdftext.Content {
	return pdftext.Content{Pages: [][]string{strings.Split(text, "\n")}}
}

func textCheck(r retirement.Request, content pdftext.Content, err error) retirement.Check {
	s := Subject{Answer: &r, Certificate: retirement.Certificate{Path: "a.pdf"}}
	return s.CheckText(func(string) (pdftext.Content, error) { return content, err })
}

func certified() retirement.Request {
	r := modeltest.RetirementOf("00m1", "003a", "004a", "2026-02-08", modeltest.Verra, "Your Customer Ltd", 15000e6)
	return r
}

func TestCertificateTextMatchesInAnyLayout(t *testing.T) {
	t.Parallel()
	broken := modeltest.Verra[:30] + "\n      " + modeltest.Verra[30:]
	for _, text := range []string{
		"15,000 t retired for\nYour Customer Ltd\n" + modeltest.Verra + "\non 2026-02-08",
		"Quantity: 15000\n\nYOUR  CUSTOMER\nLtd\n" + broken,
		"15.000 tCO2e " + modeltest.Verra + " Your Customer Ltd", "15 000 t, " + modeltest.Verra + " Your Customer Ltd",
		"Beneficiary: Your Customer Ltd\nCredits retired: 15’000\n" + modeltest.Verra + "\n4 pages",
	} {
		got := textCheck(certified(), shows(text), nil)
		if got.Result != retirement.Pass || got.Name != CertificateAgrees {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

func TestMissingValuesOfCertificateAreNotCheckable(t *testing.T) {
	t.Parallel()
	sound := "15,000 t retired for Your Customer Ltd " + modeltest.Verra + " on 2026-02-08"
	for _, c := range []struct{ old, now, want string }{
		{"15,000", "115,000", "the quantity 15,000 t"}, {"15,000", "15,000,000", "the quantity 15,000 t"},
		{"15,000", "1 15,000", "the quantity 15,000 t"}, {"15,000 t", "15,000 pages", "the quantity 15,000 t"},
		{"Customer", "Competitor", "the beneficiary Your Customer Ltd"}, {"Your", "Four Your", ""}, {"Your", "FourYour", "the beneficiary Your Customer Ltd"},
		{"940097954", "940097955", "the serial number " + modeltest.Verra}, {modeltest.Verra, modeltest.Verra + "1", "the serial number " + modeltest.Verra},
	} {
		text := strings.Replace(sound, c.old, c.now, 1)
		got := textCheck(certified(), shows(text), nil)
		if (got.Result == retirement.Pass) != (c.want == "") || got.Result == retirement.Fail || !strings.Contains(got.Detail, c.want) {
			t.Errorf("%q: %+v", text, got)
		}
	}
	got := textCheck(certified(), pdftext.Content{Pages: [][]string{{"part"}}, Cut: true}, nil)
	if got.Result != retirement.NotCheckable || got.Detail != "only part of its text is readable" {
		t.Errorf("cut: %+v", got)
	}
}

// Many certificates define their unit, such as "1 VCU = 1 tonne".
func TestQuantityOfOneTonneIsNotCheckable(t *testing.T) {
	t.Parallel()
	got := textCheck(modeltest.RetirementOf("00m1", "003a", "004a", "2026-02-08", modeltest.Verra, "Ltd", 1e6), shows("Ltd "+modeltest.Verra+" 1 VCU = 1 tonne"), nil)
	if got.Result != retirement.NotCheckable {
		t.Errorf("%+v", got)
	}
}

func TestOnlyDamagedCertificateFails(t *testing.T) {
	t.Parallel()
	pdf := pdftext.Content{Media: "application/pdf"}
	for _, c := range []struct {
		content pdftext.Content
		err     error
		want    retirement.Check
	}{
		{pdf, pdftext.ErrPicture, retirement.Check{Result: retirement.NotCheckable, Detail: "the certificate is a picture"}},
		{shows(" \n\f"), nil, retirement.Check{Result: retirement.NotCheckable, Detail: "its text is empty"}},
		{pdf, pdftext.ErrDamaged, retirement.Check{Result: retirement.Fail, Detail: pdftext.ErrDamaged.Error()}},
		{pdf, pdftext.ErrOther, retirement.Check{Result: retirement.Fail, Detail: pdftext.ErrOther.Error()}},
		{pdf, pdftext.ErrNoReader, retirement.Check{Result: retirement.NotCheckable, Detail: pdftext.ErrNoReader.Error()}},
		{pdftext.Content{}, fs.ErrPermission, retirement.Check{Result: retirement.NotCheckable, Detail: "the file cannot be read"}},
	} {
		c.want.Name = CertificateAgrees
		if got := textCheck(certified(), c.content, c.err); got != c.want {
			t.Errorf("%v: %+v", c.err, got)
		}
	}
	if got := (Subject{}).CheckText(nil); got.Detail != "no certificate was saved" || got.Result != retirement.NotCheckable {
		t.Errorf("without a certificate: %+v", got)
	}
}
