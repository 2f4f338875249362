package cli

import (
	"archive/zip"
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"tonne/api"
	"tonne/api/apitest"
	"tonne/api/audit"
	"tonne/api/audit/pdftext"
	"tonne/api/session"
	"tonne/model"
	"tonne/model/retirement"
	"tonne/model/statement"
	"tonne/model/store"
	"tonne/ui"
	"tonne/ui/cli/command"
	"tonne/ui/cli/filing"
)

// anyPDF is a PDF with an empty page.
const anyPDF = "%PDF-1.7\n% a certificate\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj " +
	"2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj 3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj\ntrailer<</Root 1 0 R>>"

// certificates is a service on which every request is complete, except that ids ending in
// x are not found. The serial numbers of T1 and T2 overlap.
type certificates struct {
	host *httptest.Server
	// answer, if not nil, is the response of the host instead of a PDF.
	answer atomic.Pointer[http.Handler]
}

func newCertificates(t *testing.T) *certificates {
	c := new(certificates)
	c.host = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if answer := c.answer.Load(); answer != nil {
			(*answer).ServeHTTP(w, r)
			return
		}
		fmt.Fprint(w, anyPDF)
	}))
	t.Cleanup(c.host.Close)
	return c
}

func (c *certificates) setAnswer(h http.Handler) {
	if c.answer.Store(nil); h != nil {
		c.answer.Store(&h)
	}
}

// withCertificates returns a world with such a service.
func withCertificates(t *testing.T) (*world, *certificates) {
	t.Helper()
	c := newCertificates(t)
	w := newWorld(t, c)
	w.env["TONNE_BASE_URL"] = "http://127.0.0.1:1"
	return w, c
}

func (c *certificates) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/api/projects":
		fmt.Fprint(w, projectDetails)
		return
	case "/api/inventory":
		fmt.Fprint(w, pageOf(r.URL.Query().Get("page"), inventoryProjects(true)))
		return
	}
	id := r.URL.Query().Get("id")
	serial := map[string]string{"T1": "1 to 2", "T2": "2 to 3"}[id]
	if serial == "" {
		start := 100 * int(id[len(id)-1])
		serial = fmt.Sprintf("%d to %d", start, start+1)
	}
	if strings.HasSuffix(id, "x") {
		apitest.Status(422, `{"statusCode":422,"error":"NOT_FOUND","message":"Not found"}`).ServeHTTP(w, r)
		return
	}
	fmt.Fprintf(w, `{"id":%q,"status":"COMPLETE","total_quantity":"2000000","type":"WHOLE","project_id":"P1","vintage_id":"V1",`+
		`"created_at":"2026-01-01T10:00:00.000Z","retired_at":"2026-02-01T10:00:00.000Z","x_proof_of_retirement_certificate_url":%q,`+
		`"retired_serial_numbers":["ACR-FR-1129-2025-2917-%s"],"all_invoices_settled":true,"retirement_request_items":[`+
		`{"id":"I%[1]s","quantity":"1000000","created_at":"2026-01-01T10:00:00.000Z","retiree_name":"Ann","retiree_tax_id":"GB 123 456 789","retiree_country":"GB","invoice_id":"N1","trade_id":"G1"}]}`,
		id, c.host.URL+"/"+id+".pdf", serial)
}

// packedText returns the content of a file in a pack.
func packedText(t *testing.T, pack, name string) string {
	t.Helper()
	archive := must(zip.OpenReader(pack))
	defer archive.Close()
	return string(must(io.ReadAll(must(archive.Open(name)))))
}

// repack copies a pack and passes each file through change. It drops empty files and
// writes matching hashes.
func repack(t *testing.T, pack string, change func(name, content string) string) string {
	t.Helper()
	archive := must(zip.OpenReader(pack))
	defer archive.Close()
	var packed bytes.Buffer
	out, sums := zip.NewWriter(&packed), ""
	for _, f := range archive.File {
		content := change(f.Name, packedText(t, pack, f.Name))
		if f.Name == "SHA256SUMS" || content == "" {
			continue
		}
		if hash := sha256.Sum256([]byte(content)); f.Name != "SHA256SUMS.sig" {
			sums += hex.EncodeToString(hash[:]) + "  " + f.Name + "\n"
		}
		must(io.WriteString(must(out.Create(f.Name)), content))
	}
	must(io.WriteString(must(out.Create("SHA256SUMS")), sums))
	path := filepath.Join(t.TempDir(), "altered.zip")
	if err := errors.Join(out.Close(), os.WriteFile(path, packed.Bytes(), 0o600)); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestVerifyDetectsAlteredPack(t *testing.T) {
	t.Parallel()
	w, _ := withCertificates(t)
	w.must("retirement", "C1", "T1", "T2")
	key, fingerprint := w.sshKey("")
	pack := filepath.Join(w.env["HOME"], "january.zip")
	w.must("ledger", "close", "2026-01", "--pack", pack, "--sign", key)
	replace := func(old, replaced string, files ...string) func(string, string) string {
		return func(file, content string) string {
			if len(files) == 0 || slices.Contains(files, file) {
				return strings.ReplaceAll(content, old, replaced)
			}
			return content
		}
	}
	drop := func(name string) func(string, string) string {
		return func(file, content string) string {
			if file == name {
				return ""
			}
			return content
		}
	}
	w.must("evidence", "verify", repack(t, pack, drop("")), "--signer", fingerprint)
	unsigned := filepath.Join(w.env["HOME"], "unsigned.zip")
	w.must("ledger", "close", "2026-01", "--pack", unsigned)
	for wrong, c := range map[string]struct {
		pack   string
		change func(name, content string) string
	}{
		"SHA256SUMS.sig does not match SHA256SUMS":         {pack, replace("Ann", "Eve")},
		"is unsigned: origin not proven":                   {pack, drop("SHA256SUMS.sig")},
		"close.csv does not match the evidence":            {unsigned, replace("doubtful", "complete", "close.csv")},
		"close.xlsx does not match the evidence":           {unsigned, replace(`"bought_cents":"`, `"bought_cents":"1`, "close.json")},
		"the sums of close.json do not match its requests": {unsigned, replace(`"requested_grams":"6000000"`, `"requested_grams":"7000000"`, "close.json")},
		"and manifest.json differ in the failed checks of": {unsigned, replace("doubtful", "complete", "close.csv", "close.json")},
		"close.json and the API response of C1 differ":     {unsigned, replace("2000000", "3000000", "close.csv", "close.json")},
		"close.json lacks C1, which is in the evidence":    {unsigned, replace("C1", "C9", "close.csv", "close.json")},
		"close.xlsx is missing":                            {unsigned, drop("close.xlsx")},
	} {
		args := []string{"evidence", "verify", repack(t, c.pack, c.change)}
		if c.pack == pack {
			args = append(args, "--signer", fingerprint)
		}
		if r := w.run(args...); r.status != command.StatusFailed || !strings.Contains(r.stderr, wrong) {
			t.Errorf("status %d, want %s:\n%s%s", r.status, wrong, r.stdout, r.stderr)
		}
	}
}

// sshKey writes an SSH private key and returns its path and fingerprint.
func (w *world) sshKey(passphrase string) (path, fingerprint string) {
	w.t.Helper()
	key := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	block, err := ssh.MarshalPrivateKey(key, "")
	if passphrase != "" {
		block, err = ssh.MarshalPrivateKeyWithPassphrase(key, "", []byte(passphrase))
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return w.write("id_ed25519", string(pem.EncodeToMemory(block))), ssh.FingerprintSHA256(must(ssh.NewSignerFromKey(key)).PublicKey())
}

// dashboardAudit is the part of a dashboard that writes evidence.
type dashboardAudit struct {
	App     *command.App
	auditor *audit.Auditor
}

func (w *world) dashboardAudit(handler http.Handler) dashboardAudit {
	w.t.Helper()
	client := must(api.New(api.Options{BaseURL: w.env["TONNE_BASE_URL"], Key: w.env["TONNE_API_KEY"], Transport: apitest.Transport(handler)}))
	w.t.Cleanup(client.Close)
	a, local := w.app(), w.memory()
	return dashboardAudit{a, filing.NewAuditor(a, client, local, client.BaseURL())}
}

// requests returns retirement requests with the ids.
func requests(ids ...string) (all []audit.Request) {
	for _, id := range ids {
		all = append(all, audit.Request{Retirement: retirement.Request{ID: id}})
	}
	return all
}

func TestDashboardWritesSamePackAsCommand(t *testing.T) {
	t.Parallel()
	w, c := withCertificates(t)
	byCommand, byDashboard := filepath.Join(w.env["HOME"], "a.zip"), filepath.Join(w.env["HOME"], "b.zip")
	w.must("retirement", "C1", "C2", "--pack", byCommand)
	d := w.dashboardAudit(c)
	file := audit.File{Path: byDashboard, Of: requests("C1", "C2")}
	if written, err := d.auditor.WriteFile(t.Context(), file); err != nil || written.Requests != 2 || written.Certificates != 2 {
		t.Fatalf("wrote %+v (%v)", written, err)
	}
	if a, b := must(os.ReadFile(byCommand)), must(os.ReadFile(byDashboard)); !bytes.Equal(a, b) {
		t.Errorf("the packs differ: %d and %d bytes", len(a), len(b))
	}
	if _, err := d.auditor.WriteFile(t.Context(), file); !errors.Is(err, fs.ErrExist) {
		t.Errorf("an existing pack is replaced: %v", err)
	}
	file.Replace, file.Of, file.LeftOut = true, requests("C1"), []audit.Request{{Retirement: retirement.Request{ID: "Nx"}, LeftOut: "not found"}}
	if written, err := d.auditor.WriteFile(t.Context(), file); err != nil || written.Requests != 1 || written.LeftOut != 1 {
		t.Errorf("wrote %+v (%v)", written, err)
	}
	file.Of = nil
	if _, err := d.auditor.WriteFile(t.Context(), file); !errors.Is(err, audit.ErrNothingFound) {
		t.Errorf("empty pack: %v", err)
	}
}

func TestDashboardSavesCertificatesOfPackOnce(t *testing.T) {
	t.Parallel()
	w, c := withCertificates(t)
	var saved []string
	d := w.dashboardAudit(c)
	d.auditor.Kept = func(id string, c retirement.Certificate) { saved = append(saved, id+" "+filepath.Base(c.Path)) }
	write := func(name string) audit.Written {
		return must(d.auditor.WriteFile(t.Context(), audit.File{Path: filepath.Join(w.env["HOME"], name), Of: requests("C1")}))
	}
	write("a.zip")
	write("b.zip")
	if len(saved) != 1 || saved[0] != "C1 C1.pdf" {
		t.Errorf("the dashboard receives %q", saved)
	}
	path := must(d.auditor.Store.Of(d.auditor.Origin).Ledger.Entries(t.Context()))[0].Certificate.Path
	if got, err := os.ReadFile(path); string(got) != anyPDF || !strings.HasPrefix(path, filepath.Join(w.env["XDG_DATA_HOME"], "tonne", "certificates")) {
		t.Errorf("%s contains %q (%v)", path, got, err)
	}
	// A deleted copy is reported, even though the service still has it.
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if failed := write("c.zip").Failed; !strings.Contains(failed[len(failed)-1].Detail, "is gone, a new download is identical to the saved file") {
		t.Errorf("failed checks %+v", failed)
	}
}

func TestDemoSavesNoCertificates(t *testing.T) {
	t.Parallel()
	w, c := withCertificates(t)
	d := w.dashboardAudit(c)
	d.App.Fleeting = filepath.Join(w.env["HOME"], "fleeting")
	d.auditor.KeepIn = d.App.CertificatesDir()
	must(d.auditor.WriteFile(t.Context(), audit.File{Path: filepath.Join(w.env["HOME"], "a.zip"), Of: requests("C1")}))
	if _, err := os.Stat(filepath.Join(w.env["XDG_DATA_HOME"], "tonne", "certificates")); err == nil {
		t.Error("the demo left certificates in the data directory")
	}
	if found := must(filepath.Glob(filepath.Join(d.App.Fleeting, "*", "C1.pdf"))); len(found) != 1 {
		t.Errorf("%q", found)
	}
}

func TestDashboardEvidenceNeedsReadableStores(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"tonne.db", "journal.db"} {
		w, c := withCertificates(t)
		w.write("state/tonne/"+name, strings.Repeat("something else ", 1000))
		w.env["XDG_DATA_HOME"] = w.env["XDG_STATE_HOME"]
		path := filepath.Join(w.env["HOME"], "dashboard.csv")
		_, err := w.dashboardAudit(c).auditor.WriteFile(t.Context(), audit.File{Path: path, Of: requests("C1")})
		if _, missing := os.Stat(path); err == nil || !strings.Contains(err.Error(), name) || missing == nil {
			t.Errorf("%s: the dashboard writes evidence: %v", name, err)
		}
	}
}

// The certificates of the demo cover each format of serial numbers.
func TestCertificateTextMatchesResponse(t *testing.T) {
	t.Parallel()
	w, market := knownDemo(t)
	checked := make(map[string]bool)
	for _, id := range texts(t, market.Service, `SELECT r.id FROM retirement_requests r JOIN api_keys k ON k.tenant = r.tenant
		WHERE r.status = 'COMPLETE' ORDER BY r.total_grams DESC LIMIT 12`) {
		answer := market.Retirement(id)
		_, address, _ := strings.Cut(answer.CertificateURL, "/certificates/")
		path := w.write(id+".pdf", market.Get("/certificates/"+address).Body.String())
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

func TestUnreadableCertificateFailsCheck(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("pdftotext"); err != nil {
		t.Skip("poppler is not installed")
	}
	w, c := withCertificates(t)
	pack := filepath.Join(w.env["HOME"], "a.zip")
	for _, content := range []string{anyPDF[:20], "%PDF-1.4 fake other certificate", "\x89PNG\r\n\x1a\n"} {
		c.setAnswer(apitest.JSON(content))
		w.must("retirement", "C1", "--pack", pack)
		if text := packedText(t, pack, "evidence.json"); !strings.Contains(text, `"check_certificate_agrees": "fail"`) && !strings.Contains(text, `"check_certificate_agrees":"fail"`) {
			t.Errorf("%q:\n%s", content, text)
		}
	}
}

func TestDashboardShowsSameStatementAsCommand(t *testing.T) {
	t.Parallel()
	w, client := knownDemo(t)
	w.env["USER"] = "ada"
	d := w.dashboardAudit(client.Service.Handler())
	var o ui.Options
	filing.OfferAudit(d.App, &o, d.auditor.Client, d.auditor.Store, d.auditor.Origin, nil)
	source := must(o.ReadStatementData(t.Context()))
	source.From, source.By = time.Date(recordedAt.Year(), 1, 1, 0, 0, 0, 0, time.UTC), statement.PerType
	source.To = source.From.AddDate(1, 0, 0)
	s := must(statement.New(source))
	printed := w.statementOf("--fiscal-year", source.From.Format("2006"), "--by", "type")
	cents := must(s.Total.Cost.Cents())
	if len(s.Rows) != len(printed.Rows) || int64(s.Total.Retired) != printed.Total.Retired || int64(cents) != printed.Total.Cents {
		t.Errorf("%d rows, %s g, %s cents; the command prints %+v", len(s.Rows), s.Total.Retired, cents, printed.Total)
	}
	if o.Who != "ada" {
		t.Errorf("user is %q", o.Who)
	}
}

// memory opens the local store of the world.
func (w *world) memory() *store.Store {
	s := store.Open(filepath.Join(w.env["XDG_STATE_HOME"], "tonne", "tonne.db"))
	w.t.Cleanup(func() { _ = s.Close() })
	return s
}
