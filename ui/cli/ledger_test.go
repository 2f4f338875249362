package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tonne/ui/cli/command"
)

const (
	r1Serial = "19334-1-2-VCS-VCU-576-VER-ET-14-1340-01012019-31122019-1"
	r1Ledger = `{"id":"R1","status":"COMPLETE","label":null,"reference":null,"project_id":"P1","vintage_id":"V1","total_quantity":"2000000",` +
		`"created_at":"2026-01-01T10:00:00.000Z","retired_at":"2026-02-01T10:00:00.000Z","serial_numbers":["` + r1Serial + `"]`
	r2Ledger = `{"id":"R2","status":"OPEN","label":null,"reference":null,"project_id":"P2","vintage_id":"V2","total_quantity":"20",` +
		`"created_at":"2026-01-01T10:00:00.000Z","retired_at":null,"serial_numbers":[]`
)

// withLedger returns a world whose ledger contains the two requests of the service.
func withLedger(t *testing.T) (*world, *service) {
	t.Helper()
	s := new(service)
	w := newWorld(t, s)
	w.must("retirement", "R1", "R2")
	s.requests = nil
	return w, s
}

func TestLedgerReportsCreditsRetiredTwice(t *testing.T) {
	t.Parallel()
	w, _ := withCertificates(t)
	w.must("retirement", "C1", "T1", "T2")
	if r := w.run("ledger"); r.status != 0 || r.stderr != "tonne: T1: ACR 2 to 2 also retired by T2.\ntonne: T2: ACR 2 to 2 also retired by T1.\n" {
		t.Errorf("status %d\n%s", r.status, r.stderr)
	}
}

func TestLedgerFindWritesPack(t *testing.T) {
	t.Parallel()
	w, _ := withCertificates(t)
	w.must("retirement", "C1", "T1", "T2")
	for text, requests := range map[string]string{"1 to 1": "1", "2-2": "2", "N1": "3", "GB123456789": "3"} {
		pack := filepath.Join(w.env["HOME"], text+".zip")
		r := w.run("ledger", "find", text, "--pack", pack)
		if r.status != 0 || !strings.Contains(r.stdout, "T1") {
			t.Errorf("%s: status %d\n%s%s", text, r.status, r.stdout, r.stderr)
		}
		if got := w.must("evidence", "verify", pack); !strings.Contains(got, "Requests      "+requests) {
			t.Errorf("%s: verify prints\n%s", text, got)
		}
		if got := packedText(t, pack, "certificates/T1.pdf"); got != anyPDF {
			t.Errorf("%s: the certificate is %q", text, got)
		}
	}
	none := filepath.Join(w.env["HOME"], "none.zip")
	if r := w.run("ledger", "find", "no-match", "--pack", none); r.status != command.StatusNotFound {
		t.Errorf("status %d", r.status)
	}
	if _, err := os.Stat(none); err == nil {
		t.Error("an empty pack was written")
	}
}

func TestLedgerPrintsFailedChecks(t *testing.T) {
	t.Parallel()
	w, _ := withCertificates(t)
	w.must("retirement", "C2", "T1", "T2", "--certificates", filepath.Join(w.env["HOME"], "certificates"))
	w.write("certificates/C2.pdf", anyPDF+" altered")
	for id, want := range map[string]string{"C2": "certificate_on_file: the file saved at ", "T1": "serials_retired_once: ACR 2 to 2 also retired by T2"} {
		for _, command := range [][]string{{"ledger"}, {"ledger", "find", id}} {
			for _, format := range []string{"csv", "json", "jsonl"} {
				if got := w.run(append(command, "-o", format)...).stdout; !strings.Contains(got, want) {
					t.Errorf("%v -o %s lacks %q:\n%s", command, format, want, got)
				}
			}
			table := w.run(command...).stdout
			if name, _, _ := strings.Cut(want, ":"); !strings.Contains(table, "FAILED CHECKS") || !strings.Contains(table, name) {
				t.Errorf("%v lacks %q:\n%s", command, name, table)
			}
		}
	}
}

func TestEmptyStoreIsReportedOnce(t *testing.T) {
	t.Parallel()
	const warning = "tonne: the local store was empty: its ledger, labels, rules and prices are lost ("
	for _, command := range [][]string{{"ledger"}, {"statement", "--from", "2026-01-01", "--to", "2026-02-01"}} {
		w := newWorld(t, new(service))
		if r := w.run(command...); r.status != 0 || strings.Contains(r.stderr, warning) {
			t.Errorf("%v without a file: status %d\n%s", command, r.status, r.stderr)
		}
		path := w.write("state/tonne/tonne.db", "")
		w.must("__complete", "retirement", "")
		for run, want := range []int{1, 0} {
			if r := w.run(command...); r.status != 0 || strings.Count(r.stderr, warning+path+").\n") != want {
				t.Errorf("%v, run %d: status %d\n%s", command, run, r.status, r.stderr)
			}
		}
	}
}
