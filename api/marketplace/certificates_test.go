package marketplace

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/time/rate"

	"tonne/api/marketplace/exchange"
	"tonne/api/marketplace/pdf"
	must "tonne/model/musttest"
	"tonne/model/retirement"
	"tonne/model/texttest"
)

// certificateOf returns the path of the certificate of a request.
func (d *fixture) certificateOf(id string) string {
	d.Helper()
	link := must.Get(url.Parse(d.Retirement(id).CertificateURL))
	return link.Path
}

// completed is a fixture with a request of 2,000 t that is COMPLETE, and the path of its
// certificate.
func completed(t testing.TB, retiree string) (d *fixture, id, path string) {
	t.Helper()
	d = newFixture(t)
	id = d.Retired(d.Purchase("a", 2_000_000_000,
		d.Sell(d.Vintages[0], 5000, 620)).With(customer).With(body{"external_retiree_name": retiree}))
	d.Advance(3)
	return d, id, d.certificateOf(id)
}

// download gets a path without a key, from an address.
func (d *fixture) download(path, remote, forwarded string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, path, nil)
	r.RemoteAddr = remote
	r.Header.Set("X-Forwarded-For", forwarded)
	return d.answer(r)
}

func TestCertificateNeedsNoKey(t *testing.T) {
	t.Parallel()
	d, id, path := completed(t, "Customer")
	w := call(d.Marketplace, "", http.MethodGet, path, "")
	must.Hold(t, w.Code == http.StatusOK && w.Header().Get("Content-Type") == "application/pdf" &&
		bytes.HasPrefix(w.Body.Bytes(), []byte("%PDF-")), w.Code, w.Header())
	must.Equal(t, w.Header().Get("Content-Disposition"), `inline; filename="retirement-`+id+`.pdf"`)
	for _, wrong := range []string{"/certificates/" + id + ".pdf", strings.TrimSuffix(path, ".pdf"), "/certificates/.pdf",
		"/certificates/%27.pdf"} {
		must.Equal(t, call(d.Marketplace, "", http.MethodGet, wrong, "").Code, http.StatusNotFound, wrong)
	}
	// The hash of a certificate is kept as evidence, so the file must not change.
	d.Clock.Set(testNow.Add(1000 * time.Hour))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			again := call(d.Marketplace, "", http.MethodGet, path, "")
			must.Equal(t, again.Body.String(), w.Body.String(), "a download differs from the first")
		})
	}
	wg.Wait()
}

func TestCertificateText(t *testing.T) {
	t.Parallel()
	reader, err := exec.LookPath("pdftotext")
	if err != nil {
		t.Skip("pdftotext is not installed")
	}
	d, id, path := completed(t, "Müller & Søn Ελλάς Россия")
	extract := exec.CommandContext(t.Context(), reader, "-layout", "-", "-")
	extract.Stdin = call(d.Marketplace, "", http.MethodGet, path, "").Body
	out := must.Get(extract.Output())
	text := strings.ReplaceAll(string(out), "\u2010", "-")
	want := []string{"2,000 t", "Müller & Søn Ελλάς Россия", "Project 1340", "2021", "VERRA", id, "20 November 2026",
		"DE 1"}
	for _, words := range append(want, d.Retirement(id).SerialNumbers...) {
		must.Hold(t, strings.Contains(text, words), "the certificate lacks", words, text)
	}
	must.Hold(t, !strings.Contains(text, "ynthetic"), "the certificate of a real retirement says that it is synthetic")
}

func TestCertificatesAreLimitedPerAddress(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	id := d.InProgress("a", 1)
	file := []byte("%PDF-1.7\nstartxref\n9\n%%EOF\n")
	must.Succeed(t, d.CompleteAs(t.Context(), id, exchange.Registered{Serials: []string{serial(1, 1)}, Certificate: file}))
	path := d.certificateOf(id)
	for range certificateBurst {
		w := d.download(path, "198.51.100.7:1", "")
		must.Need(t, w.Code == http.StatusOK, w.Code)
	}
	w := d.download(path, "198.51.100.7:2", "203.0.113.1")
	d.Refused(w, http.StatusTooManyRequests)
	must.Equal(t, w.Header().Get("Retry-After"), "1", "Retry-After")
	must.Equal(t, d.download(path, "198.51.100.8:1", "").Code, http.StatusOK, "another address is answered with")
	d.Clock.Set(testNow.Add(time.Second))
	must.Equal(t, d.download(path, "198.51.100.7:1", "").Code, http.StatusOK)
}

func TestAddressOfAClient(t *testing.T) {
	t.Parallel()
	texttest.Table(t, "addresses", func(input string) string {
		remote, forwarded, proxy := strings.Cut(input, " ")
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		if r.RemoteAddr = remote; proxy {
			r.Header["X-Forwarded-For"] = strings.Split(forwarded, " | ")
		}
		return addressOf(r)
	})
}

// An attacker may use many addresses.
func TestLimitersAreBounded(t *testing.T) {
	t.Parallel()
	l := newLimiter(rate.Every(time.Hour), 1, func() time.Time { return testNow })
	l.take("busy")
	for n := range 10 * limitersKept {
		l.take(fmt.Sprint(n))
		if n%1000 == 0 {
			_, ok := l.take("busy")
			must.Need(t, !ok, "the limit of a busy client was dropped after", n)
		}
	}
	n := len(l.recent) + len(l.older)
	must.Hold(t, n <= 2*limitersKept, n)
}

func TestRateLimitIsPerKey(t *testing.T) {
	t.Parallel()
	d := openFixture(t, "", Options{RatePerSecond: 0.5, Burst: 3})
	for range 3 {
		w := d.Get("/api/market")
		must.Need(t, w.Code == http.StatusOK, w.Code)
	}
	w := d.Get("/api/market")
	f := d.Refused(w, http.StatusTooManyRequests)
	must.Hold(t, w.Header().Get("Retry-After") == "2" && f.Message != "", "Retry-After",
		w.Header().Get("Retry-After"), f)
	w = call(d.Marketplace, d.OtherKey, "GET", "/api/market", "")
	must.Equal(t, w.Code, http.StatusOK, "another key is answered with")
	d.Clock.Set(testNow.Add(2 * time.Second))
	must.Equal(t, d.Get("/api/market").Code, http.StatusOK)
}

func TestRegistryCertificateIsServed(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	id := d.InProgress("a", 1)
	broken := exchange.Registered{Serials: []string{serial(1, 1)}, Certificate: []byte("<html>")}
	err := d.CompleteAs(t.Context(), id, broken)
	must.Hold(t, errors.Is(err, pdf.ErrNotPDF) && d.Retirement(id).Status == retirement.InProgress, err)
	file := []byte("%PDF-1.7\n" + strings.Repeat("a registry's own\n", 10_000) + "startxref\n9\n%%EOF\n")
	must.Succeed(t, d.CompleteAs(t.Context(), id, exchange.Registered{Serials: []string{serial(1, 1)}, Certificate: file}))
	w := d.Get(d.certificateOf(id))
	must.Hold(t, w.Code == 200 && bytes.Equal(w.Body.Bytes(), file) &&
		w.Header().Get("Content-Type") == "application/pdf" &&
		strings.Contains(w.Header().Get("Content-Disposition"), id), w.Code, w.Body.Len(), w.Header())
}

func TestCertificateKeepsTheFormerNameOfItsProject(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	d.importOne(bale + "004b21,2021,\n")
	d.Vintages[0] = d.VintageOf("004b21")
	complete := func(external string, n int) (path string) {
		id := d.InProgress(external, 1)
		must.Succeed(t, d.CompleteAs(t.Context(), id, exchange.Registered{Serials: []string{serial(n, n)}}))
		return d.certificateOf(id)
	}
	old := complete("a", 1)
	before := d.Get(old).Body.Bytes()
	renamed := strings.NewReplacer("Bale Mountains", "Bale Eco-Region", "projectDetail/VCS/1340",
		"projectDetail/VCS/1340?new").Replace(bale)
	for _, row := range []string{renamed, bale, strings.ReplaceAll(bale, "Bale Mountains", "Bale"), renamed} {
		d.Clock.Set(d.Clock.Now().Add(time.Hour))
		d.importOne(row + "004b21,2021,\n")
	}
	d.Clock.Set(d.Clock.Now().Add(time.Hour))
	must.Hold(t, bytes.Equal(before, d.Get(old).Body.Bytes()), "a certificate changed with its project's name")
	for path, want := range map[string]string{old: "Bale Mountains", complete("b", 2): "Bale Eco-Region"} {
		token := strings.TrimSuffix(strings.TrimPrefix(path, "/certificates/"), ".pdf")
		c, err := exchange.Read(t.Context(), d,
			func(tx exchange.Tx) exchange.Certificate { return exchange.FindCertificate(tx, token) })
		must.Hold(t, err == nil && c.Project.Name == want, "the certificate names", c.Project.Name, want, err)
	}
}
