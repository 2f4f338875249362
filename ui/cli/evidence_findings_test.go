package cli

import (
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"tonne/api/apitest"
	"tonne/api/audit"
	"tonne/model/retirement"
	"tonne/model/store"
	"tonne/ui/cli/command"
	"tonne/ui/cli/filing"
	"tonne/ui/cli/terminal"
)

// anyPDF is a PDF with an empty page.
const anyPDF = "%PDF-1.7\n% a certificate\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj " +
	"2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj 3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj\ntrailer<</Root 1 0 R>>"

// certificates is a service on which every request is complete, except that ids ending in
// x are not found. The serial numbers of T1 and T2 overlap.
type certificates struct {
	host *httptest.Server
	// pdf is the content of every certificate.
	pdf string
	// lost is the id of a request that is no longer found.
	lost string
}

// withCertificates returns a world with such a service, and a host of certificates.
func withCertificates(t *testing.T) (*world, *certificates) {
	t.Helper()
	c := newCertificates(t)
	w := newWorld(t, c)
	w.env["TONNE_BASE_URL"] = "http://127.0.0.1:1"
	return w, c
}

func newCertificates(t *testing.T) *certificates {
	c := &certificates{pdf: anyPDF}
	c.host = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, c.pdf) }))
	t.Cleanup(c.host.Close)
	return c
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
	if strings.HasSuffix(id, "x") || id == c.lost {
		apitest.Status(422, `{"statusCode":422,"error":"NOT_FOUND","message":"Not found"}`).ServeHTTP(w, r)
		return
	}
	fmt.Fprintf(w, `{"id":%q,"status":"COMPLETE","total_quantity":"2000000","type":"WHOLE","project_id":"P1","vintage_id":"V1",`+
		`"created_at":"2026-01-01T10:00:00.000Z","retired_at":"2026-02-01T10:00:00.000Z","x_proof_of_retirement_certificate_url":%q,`+
		`"retired_serial_numbers":["ACR-FR-1129-2025-2917-%s"],"all_invoices_settled":true,"retirement_request_items":[`+
		`{"id":"I%[1]s","quantity":"1000000","created_at":"2026-01-01T10:00:00.000Z","retiree_name":"Ann","retiree_tax_id":"GB 123 456 789","retiree_country":"GB","invoice_id":"N1","trade_id":"G1"}]}`,
		id, c.host.URL+"/"+id+".pdf", serial)
}

// readEvidence returns the rows of an evidence file of any format, by id.
func readEvidence(t *testing.T, path string) map[string]map[string]string {
	t.Helper()
	var table [][]string
	rows := make(map[string]map[string]string)
	switch filepath.Ext(path) {
	case ".json":
		text, err := os.ReadFile(path)
		var objects []map[string]string
		if err == nil {
			err = json.Unmarshal(text, &objects)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range objects {
			rows[o["retirement_request_id"]] = o
		}
		return rows
	case ".xlsx":
		book, err := excelize.OpenFile(path)
		if err != nil {
			t.Fatal(err)
		}
		defer book.Close()
		if table, err = book.GetRows("Evidence"); err != nil {
			t.Fatal(err)
		}
	default:
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		if table, err = csv.NewReader(file).ReadAll(); err != nil {
			t.Fatal(err)
		}
	}
	for _, cells := range table[1:] {
		row := make(map[string]string)
		for i, cell := range cells {
			row[table[0][i]] = cell
		}
		rows[row["retirement_request_id"]] = row
	}
	return rows
}

func TestFailedChecksAppearInEveryEvidenceFormat(t *testing.T) {
	t.Parallel()
	w, c := withCertificates(t)
	dir := filepath.Join(w.env["HOME"], "certificates")
	w.must("retirement", "C1", "C2", "C3", "C4", "T1", "--certificates", dir)
	w.write("certificates/C2.pdf", anyPDF+" altered")
	if err := os.Remove(filepath.Join(dir, "C3.pdf")); err != nil {
		t.Fatal(err)
	}
	for _, ending := range []string{".csv", ".json", ".xlsx"} {
		path := filepath.Join(w.env["HOME"], "evidence"+ending)
		r := w.run("retirement", "C1", "C2", "C3", "T2", "gone-x", "--evidence", path)
		if r.status != command.StatusNotFound {
			t.Errorf("status %d\n%s", r.status, r.stderr)
		}
		for _, want := range []string{
			"C2: the file saved at ", "C3: the file saved at ", "T2: ACR 2 to 2 also retired by T1", "lacks 1 of 5 requests", "gone-x: Not found",
			"checks failed in " + path + ", which says why: C1 (items_sum_to_total, ", "; C2 (", ", certificate_on_file)", "; T2 (", ", serials_retired_once).",
		} {
			if !strings.Contains(r.stderr, want) {
				t.Errorf("%s: standard error lacks %q:\n%s", ending, want, r.stderr)
			}
		}
		rows := readEvidence(t, path)
		for id, want := range map[string]map[string]string{
			"C1": {"check_certificate_on_file": "pass", "check_serials_retired_once": "pass", "check_items_sum_to_total": "fail",
				"doubts": "items_sum_to_total: 1 item, 1,000,000 g of 2,000,000 g"},
			"C2": {"check_certificate_on_file": "fail", "doubts": "certificate_on_file: the file saved at "},
			"C3": {"check_certificate_on_file": "fail", "doubts": "is gone"},
			"T2": {"check_serials_retired_once": "fail", "doubts": "serials_retired_once: ACR 2 to 2 also retired by T1",
				"check_certificate_on_file": "not_checkable"},
		} {
			for column, value := range want {
				if got := rows[id][column]; got != value && !(column == "doubts" && strings.Contains(got, value)) {
					t.Errorf("%s: %s of %s is %q, want %q", ending, column, id, got, value)
				}
			}
			if got := rows[id]["left_out"]; got != "1 of 5 requests left out: gone-x" {
				t.Errorf("%s: left_out of %s is %q", ending, id, got)
			}
		}
		if got := rows["C2"]["doubts"]; !strings.Contains(got, "was altered") {
			t.Errorf("%s: doubts of C2 are %q", ending, got)
		}
		manifest, err := os.ReadFile(path + ".manifest.json")
		for _, want := range []string{"was altered", "is gone", "also retired by T1", `"id": "gone-x"`, `"reason": "Not found (NOT_FOUND)"`, `"requests": 4`} {
			if !strings.Contains(string(manifest), want) {
				t.Errorf("%s: the manifest lacks %q (%v):\n%s", ending, want, err, manifest)
			}
		}
	}
	c.pdf += " of another kind"
	path := filepath.Join(w.env["HOME"], "evidence.csv")
	w.must("retirement", "C1", "--evidence", path, "--certificates", filepath.Join(w.env["HOME"], "second"))
	// The first saved certificate remains the reference.
	w.must("retirement", "C1", "--evidence", path, "--certificates", filepath.Join(w.env["HOME"], "second"))
	if got := readEvidence(t, path)["C1"]["doubts"]; !strings.Contains(got, "the service now serves a certificate that differs from the one saved at ") {
		t.Errorf("doubts of C1 are %q", got)
	}
}

func TestUnfetchedCertificateFailsCheck(t *testing.T) {
	t.Parallel()
	w, c := withCertificates(t)
	c.pdf = "a page"
	path := filepath.Join(w.env["HOME"], "evidence.csv")
	w.run("retirement", "C1", "--evidence", path, "--certificates", filepath.Join(w.env["HOME"], "certificates"))
	if got := readEvidence(t, path)["C1"]["doubts"]; !strings.Contains(got, "certificate_on_file: not fetched: ") {
		t.Errorf("doubts are %q", got)
	}
}

func TestDashboardEvidenceUsesLedger(t *testing.T) {
	t.Parallel()
	answer := retirement.Request{ID: "T2", Status: retirement.Complete, TotalQuantity: 10_000_000, SerialNumbers: []string{"ART-GY-102-2019-3-1 to 10"}}
	other := answer
	other.ID = "T1"
	local := store.Open("")
	defer local.Close()
	now := time.Now()
	if err := errors.Join(local.Of(baseURL).Ledger.Remember(t.Context(), now, "T1"),
		local.Of(baseURL).Ledger.Record(t.Context(), store.LookUp{ID: "T1", At: now, Answer: &other})); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "e.csv")
	home := t.TempDir()
	auditor := filing.NewAuditor((command.NewApp(command.Process{Now: time.Now, Getenv: func(string) string { return home }}, new(terminal.Terminal))), nil, local, baseURL)
	w, err := auditor.WriteFile(t.Context(), audit.File{
		Path: path, Of: []audit.Request{{Retirement: answer}},
		LeftOut: []audit.Request{{Retirement: retirement.Request{ID: "T3"}, LeftOut: "not found"}},
	})
	if err != nil || w.Requests != 1 || w.LeftOut != 1 || len(w.Failed) != 2 {
		t.Fatalf("wrote %+v (%v)", w, err)
	}
	if got := readEvidence(t, path)["T2"]["left_out"]; got != "1 of 2 requests left out: T3" {
		t.Errorf("left out is %q", got)
	}
	if got := readEvidence(t, path)["T2"]["doubts"]; got != "serials_retired_once: ART 1 to 10 also retired by T1" {
		t.Errorf("doubts are %q", got)
	}
}

func TestRetirementPrintsEveryEvidenceCheck(t *testing.T) {
	t.Parallel()
	w, _ := withCertificates(t)
	dir := filepath.Join(w.env["HOME"], "certificates")
	w.must("retirement", "C1", "C2", "T1", "T2", "--certificates", dir)
	w.write("certificates/C2.pdf", anyPDF+" altered")
	var printed []struct {
		ID     string
		Checks []retirement.Check
	}
	if err := json.Unmarshal([]byte(w.must("retirement", "C1", "C2", "T2", "-o", "json")), &printed); err != nil || len(printed) != 3 {
		t.Fatal(err, printed)
	}
	found := make(map[string]retirement.Result)
	for _, r := range printed {
		for _, c := range r.Checks {
			found[r.ID+" "+c.Name] = c.Result
		}
	}
	for check, want := range map[string]retirement.Result{
		"C1 certificate_on_file": retirement.Pass, "C2 certificate_on_file": retirement.Fail, "T2 certificate_on_file": retirement.Pass,
		// The text of an altered file is not evidence.
		"C2 certificate_agrees": retirement.NotCheckable, "C1 serials_retired_once": retirement.Pass, "T2 serials_retired_once": retirement.Fail,
	} {
		if found[check] != want {
			t.Errorf("%s is %q, want %q", check, found[check], want)
		}
	}
	if table := w.must("retirement", "C2"); !strings.Contains(table, "4 pass, 3 fail") {
		t.Errorf("the table does not count the altered certificate:\n%s", table)
	}
}

func TestEvidenceNamesSavedCertificate(t *testing.T) {
	t.Parallel()
	w, _ := withCertificates(t)
	w.must("retirement", "C1", "--certificates", filepath.Join(w.env["HOME"], "certificates"))
	path := filepath.Join(w.env["HOME"], "e.csv")
	w.must("retirement", "C1", "C2", "--evidence", path)
	rows := readEvidence(t, path)
	sum := sha256.Sum256([]byte(anyPDF))
	if got := rows["C1"]; got["certificate_file"] != "C1.pdf" || got["certificate_sha256"] != hex.EncodeToString(sum[:]) || got["certificate_fetched_at"] == "" {
		t.Errorf("C1: %s %s %s", got["certificate_file"], got["certificate_sha256"], got["certificate_fetched_at"])
	}
	if got := rows["C2"]; got["certificate_file"]+got["certificate_sha256"]+got["certificate_fetched_at"] != "" {
		t.Errorf("C2 has a certificate that was never saved: %v", got)
	}
}

func TestUnreadableCertificateFailsCheck(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("pdftotext"); err != nil {
		t.Skip("poppler is not installed")
	}
	w, c := withCertificates(t)
	pack := filepath.Join(w.env["HOME"], "a.zip")
	for content, want := range map[string]retirement.Result{
		anyPDF: retirement.NotCheckable, anyPDF[:20]: retirement.Fail, "%PDF-1.4 fake other certificate": retirement.Fail, "\x89PNG\r\n\x1a\n": retirement.Fail,
	} {
		c.pdf = content
		w.must("retirement", "C1", "--pack", pack)
		row := readEvidence(t, w.write("evidence.json", packedText(t, pack, "evidence.json")))["C1"]
		failed := strings.Contains(row["doubts"], "certificate_agrees: ")
		if got := retirement.Result(row["check_certificate_agrees"]); got != want || failed != (want == retirement.Fail) {
			t.Errorf("%q: %s, want %s; doubts: %s", content, got, want, row["doubts"])
		}
	}
}
