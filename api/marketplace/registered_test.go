package marketplace

import (
	"bytes"
	"errors"
	"fmt"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"tonne/api/marketplace/exchange"
	"tonne/api/marketplace/pdf"
	"tonne/model"
	"tonne/model/retirement"
)

// inProgress is a fixture with a request that the registry works on.
func (d *fixture) inProgress(external string, tonnes int64) string {
	d.t.Helper()
	v := d.vintages[0]
	order := d.sell(v, tonnes, 620)
	id := d.retired(body{"vintage_id": v.id, "quantity_grams": fmt.Sprint(tonnes * model.GramsPerTonne), "external_id": external,
		"sell_order_id": order, "expected_price_cents": "620"})
	if _, err := d.closeMonth(); err != nil {
		d.t.Fatal(err)
	}
	if err := d.settle(d.lookup(id).Items[0].InvoiceID); err != nil {
		d.t.Fatal(err)
	}
	return id
}

// verra is a range of the fixture's project and vintage.
func verra(start, end int) string {
	return fmt.Sprintf("19334-%d-%d-VCS-VCU-576-VER-ET-14-1340-01012021-31122021-0", start, end)
}

func TestSerialNumbersOfTheRegistryMustFitTheRequest(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	if err := d.CompleteAs(t.Context(), d.inProgress("before", 5), exchange.Registered{Serials: []string{verra(101, 105)}}); err != nil {
		t.Fatal(err)
	}
	id := d.inProgress("a", 40)
	for name, serials := range map[string][]string{
		"none, and no demo":       nil,
		"too few tonnes":          {verra(1, 39)},
		"too many":                {verra(1, 41)},
		"too many in all":         {verra(1, 40), verra(41, 41)},
		"a sum beyond counting":   {"X=9223372036854775807", "Y=9223372036854775807"},
		"one that overlaps":       {verra(1, 20), verra(20, 39)},
		"one that is there twice": {"ABC-1=20", "ABC-1=20"},
		"one that was retired":    {verra(70, 109)},
		"another project":         {strings.ReplaceAll(verra(1, 40), "-1340-", "-1341-")},
		"another vintage":         {strings.ReplaceAll(verra(1, 40), "2021", "2020")},
		"an unknown format":       {"ABC-1-40"},
		"tonnes that are none":    {"ABC-1-40=forty"},
		"other tonnes":            {verra(1, 40) + "=41"},
		"no number":               {"=40"},
		"text that hides":         {"ABC\u202e=40"},
	} {
		err := d.CompleteAs(t.Context(), id, exchange.Registered{Serials: serials})
		var serial *exchange.SerialError
		var text *TextError
		if !errors.As(err, &serial) && !errors.As(err, &text) && !errors.Is(err, exchange.ErrSerialsNeeded) {
			t.Errorf("%s: %v", name, err)
		}
		if r := d.lookup(id); r.Status != retirement.InProgress {
			t.Fatalf("%s: the request is %s", name, r.Status)
		}
	}
	said := []string{verra(1, 30), "ABC-9=8", verra(31, 32) + "=2"}
	if err := d.CompleteAs(t.Context(), id, exchange.Registered{Serials: said}); err != nil {
		t.Fatal(err)
	}
	if r := d.lookup(id); r.Status != retirement.Complete || fmt.Sprint(r.SerialNumbers) != fmt.Sprint([]string{verra(1, 30), "ABC-9", verra(31, 32)}) {
		t.Errorf("%+v", r)
	}
	for id, want := range map[string]error{id: exchange.ErrNotInProgress, "00mnope": exchange.ErrUnknownRequest} {
		if err := d.CompleteAs(t.Context(), id, exchange.Registered{}); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", id, err, want)
		}
	}
	checkBooks(t, d)
}

func TestTheCertificateOfTheRegistryIsTheOneThatIsServed(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	id := d.inProgress("a", 1)
	for name, test := range map[string]struct {
		file []byte
		want error
	}{
		"no PDF":    {[]byte("<html>"), pdf.ErrNotPDF},
		"nothing":   {[]byte{}, pdf.ErrNotPDF},
		"too large": {append([]byte("%PDF-1.7\n"), make([]byte, MaxCertificate)...), pdf.ErrTooLarge},
	} {
		err := d.CompleteAs(t.Context(), id, exchange.Registered{Serials: []string{verra(1, 1)}, Certificate: test.file})
		if !errors.Is(err, test.want) || d.lookup(id).Status != retirement.InProgress {
			t.Errorf("%s: %v", name, err)
		}
	}
	file := []byte("%PDF-1.7\n" + strings.Repeat("a registry's own\n", 10_000) + "startxref\n9\n%%EOF\n")
	if err := d.CompleteAs(t.Context(), id, exchange.Registered{Serials: []string{verra(1, 1)}, Certificate: file}); err != nil {
		t.Fatal(err)
	}
	for range 2 { // read, and kept
		w := d.certificate(id)
		if w.Code != 200 || !bytes.Equal(w.Body.Bytes(), file) || w.Header().Get("Content-Type") != "application/pdf" ||
			!strings.Contains(w.Header().Get("Content-Disposition"), id) {
			t.Errorf("%d, %d bytes, %v", w.Code, w.Body.Len(), w.Header())
		}
	}
}

// certificate gets the certificate of a request.
func (d *fixture) certificate(id string) *httptest.ResponseRecorder {
	d.t.Helper()
	link, err := url.Parse(d.lookup(id).CertificateURL)
	if err != nil {
		d.t.Fatal(err)
	}
	return d.get(link.Path)
}

func TestADemoCompletesWithSerialNumbersThatAreMadeUp(t *testing.T) {
	t.Parallel()
	d, _ := openDemo(t)
	id := d.text("SELECT id FROM retirement_requests WHERE status = 'IN_PROGRESS' LIMIT 1")
	if err := d.CompleteAs(t.Context(), id, exchange.Registered{}); err != nil {
		t.Fatal(err)
	}
	if n := d.query("SELECT count(*) FROM serial_numbers s JOIN retirement_requests r ON r.number = s.request WHERE r.id = $1", id); n == 0 {
		t.Error("there are no serial numbers")
	}
}

func TestACertificateGoesOnSayingWhatItsProjectWasCalled(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	if _, err := d.importCatalogue(bale + "004b21,2021,\n"); err != nil {
		t.Fatal(err)
	}
	d.vintages[0] = testVintage{d.vintageOf("004b21"), "004b21"}
	old := d.inProgress("a", 1)
	if err := d.CompleteAs(t.Context(), old, exchange.Registered{Serials: []string{verra(1, 1)}}); err != nil {
		t.Fatal(err)
	}
	before := d.certificate(old).Body.Bytes()
	renamed := strings.NewReplacer("Bale Mountains", "Bale Eco-Region", "projectDetail/VCS/1340", "projectDetail/VCS/1340?new").Replace(bale)
	d.clock.set(testNow.Add(time.Hour))
	for _, row := range []string{renamed, bale, renamed} {
		if _, err := d.importCatalogue(row + "004b21,2021,\n"); err != nil {
			t.Fatal(err)
		}
		d.clock.set(d.clock.Now().Add(time.Hour))
	}
	if after := d.certificate(old).Body.Bytes(); !bytes.Equal(before, after) {
		t.Error("a certificate changed with its project's name")
	}
	young := d.inProgress("b", 1)
	if err := d.CompleteAs(t.Context(), young, exchange.Registered{Serials: []string{verra(2, 2)}}); err != nil {
		t.Fatal(err)
	}
	if name := d.certified(young).Project.Name; name != "Bale Eco-Region" {
		t.Errorf("a new certificate names %s", name)
	}
	if name := d.certified(old).Project.Name; name != "Bale Mountains" {
		t.Errorf("the old certificate names %s", name)
	}
}

func (d *fixture) vintageOf(id string) (v exchange.Vintage) {
	d.t.Helper()
	v.Number, v.Project = d.query("SELECT number FROM vintages WHERE id = $1", id), d.query("SELECT project FROM vintages WHERE id = $1", id)
	return v
}

// certified is what the certificate of a request says.
func (d *fixture) certified(id string) exchange.Certificate {
	d.t.Helper()
	name := d.text("SELECT certificate FROM retirement_requests WHERE id = $1", id)
	c, err := exchange.Read(d.t.Context(), d, func(tx exchange.Tx) exchange.Certificate { return exchange.FindCertificate(tx, name) })
	if err != nil {
		d.t.Fatal(err)
	}
	return c
}
