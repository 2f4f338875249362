package marketplace

import (
	"bytes"
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// completed is a fixture with a request that is COMPLETE, and the path of its
// certificate.
func completed(t testing.TB, retiree string) (d *fixture, id, path string) {
	t.Helper()
	d = newFixture(t)
	id = d.retired(body{
		"vintage_id": d.vintages[0].id, "quantity_grams": "2000000000", "external_id": "a",
		"sell_order_id": d.sell(d.vintages[0], 5000, 620), "expected_price_cents": "620", "should_retire_external_customer": true,
		"external_retiree_name": retiree, "external_retiree_tax_id": "X-1", "external_retiree_location": "SE",
	})
	for range 3 {
		if err := d.advance(d.clock.Now()); err != nil {
			t.Fatal(err)
		}
	}
	return d, id, strings.TrimPrefix(d.lookup(id).CertificateURL, "http://example.com")
}

func TestCertificateNeedsNoKey(t *testing.T) {
	t.Parallel()
	d, id, path := completed(t, "Customer")
	w := call(d.Marketplace, "", http.MethodGet, path, "")
	if w.Code != http.StatusOK || w.Header().Get("Content-Type") != "application/pdf" || !bytes.HasPrefix(w.Body.Bytes(), []byte("%PDF-")) {
		t.Errorf("%d %v", w.Code, w.Header())
	}
	if got := w.Header().Get("Content-Disposition"); got != `inline; filename="retirement-`+id+`.pdf"` {
		t.Error(got)
	}
	for _, wrong := range []string{"/certificates/" + id + ".pdf", strings.TrimSuffix(path, ".pdf"), "/certificates/.pdf", "/certificates/%27.pdf"} {
		if w := call(d.Marketplace, "", http.MethodGet, wrong, ""); w.Code != http.StatusNotFound {
			t.Errorf("%s: %d", wrong, w.Code)
		}
	}
}

// The hash of a certificate is filed as evidence: it must not change.
func TestCertificateHasTheSameBytesEveryTime(t *testing.T) {
	t.Parallel()
	d, _, path := completed(t, "Customer")
	first := call(d.Marketplace, "", http.MethodGet, path, "").Body.String()
	d.clock.set(testNow.Add(1000 * time.Hour))
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 2 {
				if second := call(d.Marketplace, "", http.MethodGet, path, "").Body.String(); second != first {
					t.Error("a download differs from the first")
				}
			}
		})
	}
	wg.Wait()
}

func TestCertificateSaysWhatWasRetired(t *testing.T) {
	t.Parallel()
	reader, err := exec.LookPath("pdftotext")
	if err != nil {
		t.Skip("pdftotext is not installed")
	}
	d, id, path := completed(t, "Müller & Søn Ελλάς Россия")
	pdf := call(d.Marketplace, "", http.MethodGet, path, "").Body.Bytes()
	extract := exec.CommandContext(t.Context(), reader, "-layout", "-", "-")
	extract.Stdin = bytes.NewReader(pdf)
	out, err := extract.Output()
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(string(out), "\u2010", "-")
	want := append([]string{"2,000 t", "Müller & Søn Ελλάς Россия", "Project 1340", "2021", "VERRA", id, "20 November 2026", "X-1"}, d.lookup(id).SerialNumbers...)
	for _, words := range want {
		if !strings.Contains(text, words) {
			t.Errorf("the certificate lacks %q:\n%s", words, text)
		}
	}
	if strings.Contains(text, "ynthetic") {
		t.Error("a certificate of no demo says that it is synthetic")
	}
}
