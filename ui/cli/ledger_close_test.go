package cli

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"tonne/ui/cli/command"
)

func TestClosedMonthOfDemoMatchesInvoice(t *testing.T) {
	t.Parallel()
	w, market := knownDemo(t)
	for months := range 4 {
		now := time.Now().UTC()
		month := time.Date(now.Year(), now.Month()-time.Month(months), 1, 0, 0, 0, 0, time.UTC).Format("2006-01")
		var got struct {
			Counts   map[string]int
			Requests []struct{ State string }
			Sums     struct {
				Cents string `json:"bought_cents"`
			}
			Unknown []string
		}
		text := w.must("ledger", "close", month, "-o", "json")
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		invoiced := market.Number(`SELECT i.total_cents FROM invoices i JOIN periods p ON p.number = i.period
			JOIN api_keys k ON k.tenant = i.tenant WHERE p.month = $1`, month)
		if got.Sums.Cents != fmt.Sprint(invoiced) || len(got.Unknown) > 0 {
			t.Errorf("%s: bought for %s, invoiced %d", month, got.Sums.Cents, invoiced)
		}
		states := 0
		for _, n := range got.Counts {
			states += n
		}
		if states != len(got.Requests) || states == 0 {
			t.Errorf("%s: %d requests, %v", month, len(got.Requests), got.Counts)
		}
	}
}

func TestCloseListsWhatEachRequestWaitsFor(t *testing.T) {
	t.Parallel()
	w, _ := withLedger(t)
	want := "id,state,status,total_quantity,waits_for,failed_checks,retired_at\nR1,waiting,COMPLETE,2000000,its certificate to be saved,,2026-02-01T10:00:00.000Z\nR2,waiting,OPEN,20,the end of its month,,\n"
	if got := w.must("ledger", "close", "2026-01", "-o", "csv"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := w.must("ledger", "close", "2026-01"); !strings.Contains(got, "Bought: what the invoices must amount to") || !strings.Contains(got, "$7.10") ||
		!strings.Contains(got, "Items on invoice N1: 1") || !regexp.MustCompile(`Items without an invoice: 1 +1 t`).MatchString(got) {
		t.Errorf("got\n%s", got)
	}
	if got := w.must("ledger", "close", "2026-01", "-o", "json"); !strings.Contains(got, `"without_invoice_grams":"1000000","without_invoice_items":1`) {
		t.Errorf("got\n%s", got)
	}
	if r := w.run("ledger", "close", "2026-01", "-o", "csv"); !strings.Contains(r.stderr, "the sums that must agree with the invoices are in no row of csv") {
		t.Errorf("no warning that the CSV lacks the sums:\n%s", r.stderr)
	}
	if got := w.must("ledger", "close", "2026-02", "-o", "jsonl"); got != "" {
		t.Errorf("another month prints\n%s", got)
	}
	for _, args := range [][]string{nil, {"october"}, {"2026-13"}, {"2026-01", "2026-02"}} {
		if r := w.run(append([]string{"ledger", "close"}, args...)...); r.status != command.StatusUsage {
			t.Errorf("%v: status %d", args, r.status)
		}
	}
}

func TestClosePacksMonth(t *testing.T) {
	t.Parallel()
	w, _ := withCertificates(t)
	w.must("retirement", "C1", "T1", "T2")
	pack := filepath.Join(w.env["HOME"], "january.zip")
	r := w.run("ledger", "close", "2026-01", "--pack", pack, "-o", "csv")
	if r.status != 0 || strings.Count(r.stdout, "doubtful") != 3 || !strings.Contains(r.stdout, "serials_retired_once") {
		t.Errorf("status %d\n%s%s", r.status, r.stdout, r.stderr)
	}
	if got := w.must("evidence", "verify", pack); !strings.Contains(got, "Requests      3") {
		t.Errorf("verify prints\n%s", got)
	}
	if got := packedText(t, pack, "close.csv"); got != r.stdout {
		t.Errorf("the pack contains\n%s\nthe command prints\n%s", got, r.stdout)
	}
	again := filepath.Join(w.env["HOME"], "again.zip")
	r = w.run("ledger", "close", "2026-01", "--pack", again, "-o", "json")
	if got := packedText(t, pack, "close.json"); got != r.stdout || !strings.Contains(got, `"bought_cents"`) {
		t.Errorf("the pack contains\n%s\nthe command prints\n%s", got, r.stdout)
	}
	if first, second := packedText(t, pack, "SHA256SUMS"), packedText(t, again, "SHA256SUMS"); first != second {
		t.Errorf("two packs of the same month differ:\n%s\n%s", first, second)
	}
	checkMonthBook(t, packedText(t, pack, "close.xlsx"))
	none := filepath.Join(w.env["HOME"], "none.zip")
	if r := w.run("ledger", "close", "2025-01", "--pack", none); r.status != 0 || !strings.Contains(r.stderr, none+" was not written") {
		t.Errorf("status %d\n%s", r.status, r.stderr)
	}
}

// checkMonthBook checks the workbook of a month with three requests.
func checkMonthBook(t *testing.T, content string) {
	t.Helper()
	book, err := excelize.OpenReader(strings.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	requests, err := book.GetRows("Requests")
	if err != nil || len(requests) != 5 || requests[4][0] != "Total" {
		t.Errorf("%q (%v)", requests, err)
	}
	if total, err := book.CalcCellValue("Requests", "D5"); err != nil || total != requests[4][3] {
		t.Errorf("the total is calculated as %s, but written as %q (%v)", total, requests[4], err)
	}
	sums, err := book.GetRows("Sums")
	if err != nil || len(sums) < 4 || sums[1][0] != "requested" || sums[1][3] != requests[4][3] {
		t.Errorf("%q (%v)", sums, err)
	}
}

func TestCloseCountsSavedCertificates(t *testing.T) {
	t.Parallel()
	w, _ := withCertificates(t)
	w.must("retirement", "C1")
	state := func() string { return w.must("ledger", "close", "2026-01", "-o", "csv") }
	if got := state(); !strings.Contains(got, ",its certificate to be saved,") {
		t.Errorf("before the certificate is saved:\n%s", got)
	}
	pack := filepath.Join(w.env["HOME"], "a.zip")
	if r := w.run("ledger", "close", "2026-01", "--pack", pack, "-o", "csv"); strings.Contains(r.stdout, "to be saved") {
		t.Errorf("with --pack:\n%s", r.stdout)
	}
	if got := state(); !strings.Contains(got, "C1,doubtful,") || strings.Contains(got, "to be saved") {
		t.Errorf("after it is packed:\n%s", got)
	}
	w.must("retirement", "C1", "--certificates", filepath.Join(w.env["HOME"], "kept"))
	if got := state(); strings.Contains(got, "to be saved") {
		t.Errorf("after it is saved:\n%s", got)
	}
}

func TestCloseNotesUnfinishedAndUnknownMonth(t *testing.T) {
	t.Parallel()
	w, _ := withCertificates(t)
	w.must("retirement", "C1", "--certificates", filepath.Join(w.env["HOME"], "certificates"))
	now := time.Now().UTC()
	this := now.AddDate(0, 0, 1-now.Day())
	next := this.AddDate(0, 1, 0)
	for month, want := range map[string][]string{
		"2026-01":              {" were bought that are neither in a wallet nor in a request of the ledger: "},
		this.Format("2006-01"): {this.Format("2006-01") + " has not ended yet (UTC): the figures are not final."},
		next.Format("2006-01"): {next.Format("2006-01") + " has not started yet (UTC).", "The ledger has no request of " + next.Format("2006-01") + "."},
	} {
		table, document := w.run("ledger", "close", month), w.run("ledger", "close", month, "-o", "json")
		for _, note := range want {
			if !strings.Contains(table.stderr, note) || !strings.Contains(document.stdout, note) {
				t.Errorf("%s: no note %q:\n%s%s", month, note, table.stderr, document.stdout)
			}
		}
		if strings.Contains(table.stdout, "STATE") != (month == "2026-01") {
			t.Errorf("%s: the heading does not match the rows:\n%s", month, table.stdout)
		}
	}
}
