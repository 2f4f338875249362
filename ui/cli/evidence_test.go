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
	"tonne/model/file/store"
	must "tonne/model/musttest"
	"tonne/model/retirement"
	"tonne/model/statement"
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
	fmt.Fprintf(w,
		`{"id":%q,"status":"COMPLETE","total_quantity":"2000000","type":"WHOLE","project_id":"P1","vintage_id":"V1",`+
			`"created_at":"2026-01-01T10:00:00.000Z","retired_at":"2026-02-01T10:00:00.000Z","x_proof_of_retirement_certificate_url":%q,`+
			`"retired_serial_numbers":["ACR-FR-1129-2025-2917-%s"],"all_invoices_settled":true,"retirement_request_items":[`+
			`{"id":"I%[1]s","quantity":"1000000","created_at":"2026-01-01T10:00:00.000Z","retiree_name":"Ann","retiree_tax_id":"GB 123 456 789","retiree_country":"GB","invoice_id":"N1","trade_id":"G1"}]}`,
		id, c.host.URL+"/"+id+".pdf", serial)
}

// packedText returns the content of a file in a pack.
func packedText(t *testing.T, pack, name string) string {
	t.Helper()
	archive := must.Get(zip.OpenReader(pack))
	defer archive.Close()
	return string(must.Get(io.ReadAll(must.Get(archive.Open(name)))))
}

// repack copies a pack, with a text replaced in some files, or in all if files is empty, and with
// matching hashes. Without a text, it drops the files.
func repack(t *testing.T, pack, files, old, replaced string) string {
	t.Helper()
	archive := must.Get(zip.OpenReader(pack))
	defer archive.Close()
	var packed bytes.Buffer
	out, sums := zip.NewWriter(&packed), ""
	for _, f := range archive.File {
		content, altered := packedText(t, pack, f.Name), slices.Contains(strings.Fields(files), f.Name)
		if f.Name == "SHA256SUMS" || altered && old == "" {
			continue
		}
		if old != "" && (altered || files == "") {
			content = strings.ReplaceAll(content, old, replaced)
		}
		if hash := sha256.Sum256([]byte(content)); f.Name != "SHA256SUMS.sig" {
			sums += hex.EncodeToString(hash[:]) + "  " + f.Name + "\n"
		}
		must.Get(io.WriteString(must.Get(out.Create(f.Name)), content))
	}
	must.Get(io.WriteString(must.Get(out.Create("SHA256SUMS")), sums))
	path := filepath.Join(t.TempDir(), "altered.zip")
	must.Succeed(t, out.Close(), os.WriteFile(path, packed.Bytes(), 0o600))
	return path
}

// The evidence of a pack is checked in the same way, see the tests of package audit.
func TestVerifyDetectsAlteredMonth(t *testing.T) {
	t.Parallel()
	w, _ := withCertificates(t)
	w.must("retirement", "C1", "T1", "T2")
	key, fingerprint := w.sshKey("")
	signed, unsigned := filepath.Join(w.env["HOME"], "signed.zip"), filepath.Join(w.env["HOME"], "unsigned.zip")
	w.must("ledger", "close", "2026-01", "--pack", signed, "--sign", key)
	w.must("ledger", "close", "2026-01", "--pack", unsigned)
	w.must("evidence", "verify", repack(t, signed, "", "", ""), "--signer", fingerprint)
	for wrong, c := range map[string]struct{ pack, files, old, replaced string }{
		"SHA256SUMS.sig does not match SHA256SUMS": {signed, "", "Ann", "Eve"},
		"is unsigned: origin not proven":           {signed, "SHA256SUMS.sig", "", ""},
		"close.csv does not match the evidence":    {unsigned, "close.csv", "doubtful", "complete"},
		"close.xlsx does not match the evidence":   {unsigned, "close.json", `"bought_cents":"`, `"bought_cents":"1`},
		"the sums of close.json do not match its requests": {unsigned, "close.json", `"requested_grams":"6000000"`,
			`"requested_grams":"7000000"`},
		"and manifest.json differ in the failed checks of": {unsigned, "close.csv close.json", "doubtful", "complete"},
		"close.json and the API response of C1 differ":     {unsigned, "close.csv close.json", "2000000", "3000000"},
		"close.json lacks C1, which is in the evidence":    {unsigned, "close.csv close.json", "C1", "C9"},
		"close.xlsx is missing":                            {unsigned, "close.xlsx", "", ""},
	} {
		args := []string{"evidence", "verify", repack(t, c.pack, c.files, c.old, c.replaced)}
		if c.pack == signed {
			args = append(args, "--signer", fingerprint)
		}
		r := w.run(args...)
		must.Hold(t, r.status == command.StatusFailed && strings.Contains(r.stderr, wrong),
			"status", r.status, "want", wrong, r.stdout, r.stderr)
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
	must.Succeed(w.t, err)
	return w.write("id_ed25519", string(pem.EncodeToMemory(block))),
		ssh.FingerprintSHA256(must.Get(ssh.NewSignerFromKey(key)).PublicKey())
}

// dashboardAudit is the part of a dashboard that writes evidence.
type dashboardAudit struct {
	App     *command.App
	auditor *audit.Auditor
}

func (w *world) dashboardAudit(handler http.Handler) dashboardAudit {
	w.t.Helper()
	client := must.Get(api.New(api.Options{BaseURL: w.env["TONNE_BASE_URL"], Key: w.env["TONNE_API_KEY"],
		Transport: apitest.Transport(handler)}))
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
	written, err := d.auditor.WriteFile(t.Context(), file)
	must.Need(t, err == nil && written.Requests == 2 && written.Certificates == 2, "wrote", written, err)
	a, b := must.Get(os.ReadFile(byCommand)), must.Get(os.ReadFile(byDashboard))
	must.Hold(t, bytes.Equal(a, b), "the packs differ", len(a), "and", len(b), "bytes")
	must.Fail(t, must.Err(d.auditor.WriteFile(t.Context(), file)), fs.ErrExist, "an existing pack is replaced")
	file.Path, file.Of, file.LeftOut = byDashboard+".other.zip", requests("C1"),
		[]audit.Request{{Retirement: retirement.Request{ID: "Nx"}, LeftOut: "not found"}}
	written, err = d.auditor.WriteFile(t.Context(), file)
	must.Hold(t, err == nil && written.Requests == 1 && written.LeftOut == 1, "wrote", written, err)
	file.Path, file.Of = byDashboard+".third.zip", nil
	must.Fail(t, must.Err(d.auditor.WriteFile(t.Context(), file)), audit.ErrNothingFound, "empty pack")
}

func TestDashboardSavesCertificatesOfPackOnce(t *testing.T) {
	t.Parallel()
	for _, fleeting := range []string{"", "fleeting"} {
		w, c := withCertificates(t)
		kept, usual := []string(nil), filepath.Join(w.env["XDG_DATA_HOME"], "tonne", "certificates")
		d, dir := w.dashboardAudit(c), usual
		if fleeting != "" {
			// A demo leaves nothing.
			dir = filepath.Join(w.env["HOME"], fleeting)
			d.App.Fleeting = dir
			d.auditor.KeepIn = d.App.CertificatesDir()
		}
		d.auditor.Kept = func(id string, c retirement.Certificate) { kept = append(kept, id+" "+filepath.Base(c.Path)) }
		write := func(name string) audit.Written {
			return must.Get(d.auditor.WriteFile(t.Context(),
				audit.File{Path: filepath.Join(w.env["HOME"], name), Of: requests("C1")}))
		}
		write("a.zip")
		write("b.zip")
		path := must.Get(d.auditor.Store.Of(d.auditor.Origin).Ledger.Entries(t.Context()))[0].Certificate.Path
		got, err := os.ReadFile(path)
		must.Hold(t, slices.Equal(kept, []string{"C1 C1.pdf"}) && string(got) == anyPDF && strings.HasPrefix(path, dir),
			"the dashboard receives", kept, path, "contains", got, err)
		_, err = os.Stat(usual)
		must.Hold(t, (err == nil) == (fleeting == ""), usual, err)
		// A deleted copy is reported, even though the service still has it.
		must.Succeed(t, os.Remove(path))
		failed := write("c.zip").Failed
		must.Hold(t, strings.Contains(failed[len(failed)-1].Detail, "is gone, a new download is identical to the saved file"),
			"failed checks", failed)
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
		_, missing := os.Stat(path)
		must.Hold(t, err != nil && strings.Contains(err.Error(), name) && missing != nil,
			name, "the dashboard writes evidence", err)
	}
}

// The demo has certificates in the formats of several registries. One tonne is never checkable.
func TestCertificateTextMatchesResponse(t *testing.T) {
	t.Parallel()
	w, market := knownDemo(t)
	ids := texts(t, market.Service,
		`SELECT min(r.id) FROM retirement_requests r JOIN api_keys k ON k.tenant = r.tenant JOIN vintages v ON v.number =
			r.vintage
		JOIN projects p ON p.number = v.project WHERE r.status = 'COMPLETE' AND r.total_grams <> 1000000 GROUP BY p.registry`)
	for _, id := range ids {
		answer := market.Retirement(id)
		_, address, _ := strings.Cut(answer.CertificateURL, "/certificates/")
		path := w.write(id+".pdf", market.Get("/certificates/"+address).Body.String())
		text, err := audit.ReadCertificate(t.Context(), path)
		if errors.Is(err, pdftext.ErrNoReader) {
			t.Skip(err)
		}
		// This number does not appear in a date, page or serial number by chance.
		for _, wrong := range []model.Grams{0, 987_654_321 * model.GramsPerTonne} {
			answer.TotalQuantity += wrong
			saved := audit.Subject{Answer: &answer, File: session.Unchanged, Certificate: retirement.Certificate{Path: path}}
			got := saved.CheckText(func(string) (pdftext.Content, error) { return text, err })
			agrees := got.Result == retirement.Pass || text.Cut && got.Result == retirement.NotCheckable
			must.Equal(t, agrees, wrong == 0,
				id, "with a difference of", wrong, "g", got, strings.Join(slices.Concat(text.Pages...), "\n"))
		}
	}
	must.Hold(t, len(ids) >= 5, "only", len(ids), "certificates were read")
}

func TestDashboardShowsSameStatementAsCommand(t *testing.T) {
	t.Parallel()
	w, client := knownDemo(t)
	w.env["USER"] = "ada"
	d := w.dashboardAudit(client.Service.Handler())
	var o ui.Options
	filing.OfferAudit(d.App, &o, d.auditor.Client, d.auditor.Store, d.auditor.Origin, nil)
	source := must.Get(o.ReadStatementData(t.Context()))
	source.From, source.By = time.Date(recordedAt.Year(), 1, 1, 0, 0, 0, 0, time.UTC), statement.PerType
	source.To = source.From.AddDate(1, 0, 0)
	s := must.Get(statement.New(source))
	printed := w.statementOf("--fiscal-year", source.From.Format("2006"), "--by", "type")
	cents := must.Get(s.Total.Cost.Cents())
	must.Hold(t,
		len(s.Rows) == len(printed.Rows) && int64(s.Total.Retired) == printed.Total.Retired &&
			int64(cents) == printed.Total.Cents,
		len(s.Rows), "rows", s.Total.Retired, "g", cents, "cents; the command prints", printed.Total)
	must.Equal(t, o.Who, "ada", "user is")
}

// memory opens the local store of the world.
func (w *world) memory() *store.Store {
	s := store.Open(filepath.Join(w.env["XDG_STATE_HOME"], "tonne", "tonne.db"))
	w.t.Cleanup(func() { _ = s.Close() })
	return s
}
