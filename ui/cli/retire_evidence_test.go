package cli

import (
	"archive/zip"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"tonne/api/marketplace"
	"tonne/api/marketplace/exchange"
	"tonne/model/store"
)

// records reads a CSV file as one map per row.
func records(t *testing.T, path string) (all []map[string]string) {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(string(must(os.ReadFile(path))))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows[1:] {
		record := make(map[string]string)
		for i, name := range rows[0] {
			record[name] = row[i]
		}
		all = append(all, record)
	}
	return all
}

func TestBatchResultsSelectEvidence(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	r.env["USER"] = "ann"
	flags, results := r.batchOf(shortHeader + "a,004bale21,4000000\nb,004bale21,20\nc,004bale21,30\n")
	r.before = func(_ http.ResponseWriter, req *http.Request) bool {
		if req.Method == http.MethodPost && r.sent.Load() == 1 {
			r.must("serve", "--db", r.db, "orders", "reprice", "006b", "630")
		}
		return false
	}
	path := filepath.Join(r.env["HOME"], "e.csv")
	for range 2 {
		r.retire(flags...)
	}
	r.must("retirement", "--file", results, "--evidence", path)
	var calls []string
	for _, row := range records(t, path) {
		calls = append(calls, row["call_references"]+" by "+row["call_made_by"])
	}
	if got := strings.Join(calls, ", "); got != "a by ann, b; c by ann; ann" {
		t.Errorf("calls in the evidence are %s", got)
	}
}

func TestEvidenceIncludesJournalInEveryFormat(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	r.env["USER"] = "ann"
	var done retirePlanText
	for _, reference := range []string{"flight-9", "flight-10"} {
		r.read(r.must("retire", "--allow-retire", "--yes", "--vintage", "004bale21", "--grams", "20", "--reference", reference, "-o", "json"), &done)
	}
	id, second := done.Calls[0].RequestID, done.Calls[0].ID
	for _, name := range []string{"e.csv", "e.json", "e.xlsx"} {
		path := filepath.Join(r.env["HOME"], name)
		r.must("retirement", id, "--evidence", path)
		row := readEvidence(t, path)[id]
		ids := strings.Split(row["call_external_ids"], "; ")
		if len(ids) != 2 || ids[1] != second || row["call_references"] != "flight-9; flight-10" || row["call_made_by"] != "ann; ann" || row["call_costs_cents"] != "600; 0" {
			t.Errorf("%s: %v", name, row)
		}
		checkManifest(t, name, must(os.ReadFile(path+".manifest.json")), second)
	}
	book := must(excelize.OpenFile(filepath.Join(r.env["HOME"], "e.xlsx")))
	defer book.Close()
	if rows := must(book.GetRows("Journal")); len(rows) != 3 || rows[2][0] != second {
		t.Errorf("the sheet contains %v", rows)
	}
	pack := filepath.Join(r.env["HOME"], "p.zip")
	r.must("retirement", id, "--pack", pack)
	files := must(zip.OpenReader(pack))
	defer files.Close()
	for _, f := range files.File {
		text := must(io.ReadAll(must(f.Open())))
		switch f.Name {
		case "evidence.csv", "evidence.json":
			if !strings.Contains(string(text), second) || !strings.Contains(string(text), "flight-10") {
				t.Errorf("%s in the pack lacks the call:\n%s", f.Name, text)
			}
		case "manifest.json":
			checkManifest(t, "the pack", text, second)
		}
	}
	r.must("evidence", "verify", pack)
}

func checkManifest(t *testing.T, of string, text []byte, second string) {
	t.Helper()
	var manifest struct {
		Journal []map[string]string `json:"journal"`
	}
	if err := json.Unmarshal(text, &manifest); err != nil || len(manifest.Journal) != 2 || manifest.Journal[1]["external_id"] != second || manifest.Journal[1]["state"] != "done" || len(manifest.Journal[1]["body_sha256"]) != 64 {
		t.Errorf("the manifest of %s: %v, %v", of, manifest, err)
	}
}

// A fraction can be split over the requests of two months. The evidence and the ledger show
// where its grams are.
func TestFractionSplitOverTwoMonthsIsTraced(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	r.retireOutside("before", "318089")
	flags, results := r.batchOf(shortHeader + "flight-9,004bale21,2500000\n")
	r.retire(flags...)
	first := r.rows(results)[0][3]
	must(marketplace.Operate(t.Context(), r.service, "close", exchange.CloseMonth))
	r.retireOutside("after", "40")
	r.must("retirement", first)
	var second retirePlanText
	r.read(r.must("retire", "--allow-retire", "--yes", "--vintage", "004bale21", "--grams", "20", "--reference", "flight-10", "-o", "json"), &second)
	next := second.Calls[0].RequestID
	r.must("retirement", next)
	path := filepath.Join(r.env["HOME"], "e.csv")
	r.must("retirement", first, next, "--evidence", path)
	for id, want := range map[string]string{
		first: "flight-9|1681911|not known: this machine retired 1.681911 t of 2 t",
		next:  "flight-9, flight-10|818089; 20|not known: this machine retired 0.818109 t of 0.818149 t",
	} {
		for _, row := range records(t, path) {
			got := row["reference"] + "|" + row["call_grams_in_request"] + "|" + row["cost_basis"]
			if row["retirement_request_id"] == id && !strings.HasPrefix(got, want) {
				t.Errorf("%s: %q, want %q", id, got, want)
			}
		}
	}
	if found := r.must("ledger", "find", "flight-9"); !strings.Contains(found, first) || !strings.Contains(found, next) {
		t.Errorf("ledger find prints\n%s", found)
	}
}

func TestLedgerImportsRequestsFromJournal(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	var done retirePlanText
	r.read(r.must("retire", "--allow-retire", "--yes", "--vintage", "004bale21", "--grams", "20", "-o", "json"), &done)
	id := done.Calls[0].RequestID
	path := filepath.Join(r.env["XDG_STATE_HOME"], "tonne", "tonne.db")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if out := r.must("ledger"); !strings.Contains(out, id) {
		t.Errorf("the ledger prints\n%s", out)
	}
	local := store.Open(path)
	if err := errors.Join(local.Of(baseURL).Ledger.Remove(t.Context(), id), local.Close()); err != nil {
		t.Fatal(err)
	}
	if out := r.must("ledger"); strings.Contains(out, id) {
		t.Errorf("a removed request is in the ledger again:\n%s", out)
	}
}
