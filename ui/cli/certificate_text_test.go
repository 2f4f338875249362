package cli

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"tonne/api/audit"
	"tonne/api/audit/pdftext"
	"tonne/api/session"
	"tonne/model"
	"tonne/model/retirement"
)

// The certificates of the demo cover each format of serial numbers.
func TestCertificateTextMatchesResponse(t *testing.T) {
	t.Parallel()
	w, market := knownDemo(t)
	checked := make(map[string]bool)
	for _, id := range texts(t, market.Service, `SELECT r.id FROM retirement_requests r JOIN api_keys k ON k.tenant = r.tenant
		WHERE r.status = 'COMPLETE' ORDER BY r.total_grams DESC LIMIT 12`) {
		answer := market.Retirement(id)
		_, address, _ := strings.Cut(answer.CertificateURL, "/certificates/")
		certificate := market.Get("/certificates/" + address)
		path := w.write(id+".pdf", certificate.Body.String())
		text, err := audit.ReadCertificate(t.Context(), path)
		if errors.Is(err, pdftext.ErrNoReader) {
			t.Skip(err)
		}
		check := func() retirement.Check {
			saved := audit.Subject{Answer: &answer, File: session.Unchanged, Certificate: retirement.Certificate{Path: path}}
			return saved.CheckText(func(string) (pdftext.Content, error) { return text, err })
		}
		if got := check(); got.Result != retirement.Pass && !(text.Cut && got.Result == retirement.NotCheckable) {
			t.Errorf("%s: %+v\n%s", id, got, strings.Join(slices.Concat(text.Pages...), "\n"))
		}
		for _, s := range answer.Serials() {
			checked[s.Registry] = true
		}
		// This number does not appear in a date, page or serial number by chance.
		answer.TotalQuantity += 987_654_321 * model.GramsPerTonne
		if got := check(); got.Result == retirement.Pass {
			t.Errorf("%s: the check passes with a wrong quantity", id)
		}
	}
	if len(checked) < 5 {
		t.Errorf("only certificates of %v were read", checked)
	}
	if _, err := audit.ReadCertificate(t.Context(), w.write("a.png", onePixel)); !errors.Is(err, pdftext.ErrPicture) {
		t.Errorf("PNG: %v", err)
	}
}

// onePixel is a PNG.
const onePixel = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x00\x00\x00\x00:~\x9bU\x00\x00\x00\nIDATx\x9cc`\x00\x00\x00\x02\x00\x01H\xaf\xa4q\x00\x00\x00\x00IEND\xaeB`\x82"
