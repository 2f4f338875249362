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

// noDoubts ends a request that nothing speaks against.
const noDoubts = `,"doubts":[]}`

// knowing returns a world whose ledger has the two requests of the service.
func knowing(t *testing.T) (*world, *service) {
	t.Helper()
	s := new(service)
	w := newWorld(t, s)
	w.must("retirement", "R1", "R2")
	s.asked = nil
	return w, s
}

func TestLedgerPrintsWhatWasLookedUpWithoutAskingTheService(t *testing.T) {
	t.Parallel()
	w, s := knowing(t)
	if got, want := w.must("ledger", "-o", "json"), "[\n"+r1Ledger+noDoubts+",\n"+r2Ledger+noDoubts+"\n]\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got, want := w.must("ledger", "-o", "jsonl"), r1Ledger+noDoubts+"\n"+r2Ledger+noDoubts+"\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	want := "id,status,label,reference,project_id,vintage_id,total_quantity,created_at,retired_at,serial_numbers,doubts\nR1,COMPLETE,,,P1,V1,2000000,2026-01-01T10:00:00.000Z,2026-02-01T10:00:00.000Z," + r1Serial +
		",\nR2,OPEN,,,P2,V2,20,2026-01-01T10:00:00.000Z,,,\n"
	if got := w.must("ledger", "-o", "csv"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if len(s.asked) > 0 {
		t.Errorf("the service was asked %v", s.asked)
	}
}

func TestLedgerFindTellsWhatMatched(t *testing.T) {
	t.Parallel()
	w, _ := knowing(t)
	for text, field := range map[string]string{
		"R1": "id", "i2": "item_id", "N1": "invoice_id", "G1": "trade_id", "ann": "beneficiary_name", "P1": "project", "mountains": "project",
		"V1": "vintage", "2": "serial_number", r1Serial: "serial_number", "2-7": "serial_number",
	} {
		if got, want := w.must("ledger", "find", text, "-o", "jsonl"), r1Ledger+`,"matched":"`+field+`"`+noDoubts+"\n"; !strings.HasPrefix(got, want) {
			t.Errorf("%q: got\n%s\nwant\n%s", text, got, want)
		}
	}
	if got := w.must("ledger", "find", "2"); !strings.Contains(got, "R1") || !strings.Contains(got, "serial number in 1 to 2") {
		t.Errorf("table:\n%s", got)
	}
	if got := w.must("ledger", "find", "=HYPERLINK(1)", "-o", "csv"); !strings.HasPrefix(got, "id,status,label,reference,project_id,vintage_id,total_quantity,created_at,retired_at,serial_numbers,matched,doubts"+"\nR1,") || !strings.HasSuffix(got, ",beneficiary_name,\n") {
		t.Errorf("CSV:\n%s", got)
	}
	if got := w.must("ledger", "find", "1", "to", "2", "-o", "jsonl"); !strings.Contains(got, `"id":"R1"`) || strings.Contains(got, `"id":"R2"`) {
		t.Errorf("words are not one text:\n%s", got)
	}
}

func TestLedgerFindOfNothingExits4(t *testing.T) {
	t.Parallel()
	w, _ := knowing(t)
	for format, want := range map[string]string{"table": "", "json": "[]\n", "jsonl": "", "csv": "id,status,label,reference,project_id,vintage_id,total_quantity,created_at,retired_at,serial_numbers,matched,doubts" + "\n"} {
		r := w.run("ledger", "find", "940090000", "-o", format)
		if r.status != command.StatusNotFound || r.stdout != want {
			t.Errorf("%s: status %d, %q", format, r.status, r.stdout)
		}
		r.sentences(t)
	}
	if r := w.run("ledger", "find", " "); r.status != command.StatusUsage {
		t.Errorf("blanks: status %d", r.status)
	}
}

func TestLedgerOfAStoreThatCannotBeReadIsNoEmptyLedger(t *testing.T) {
	t.Parallel()
	w, _ := knowing(t)
	w.write("state/tonne/tonne.db", "this is no database, whoever wrote it")
	r := w.run("ledger", "-o", "json")
	if r.status != command.StatusFailed || r.stdout != "" {
		t.Errorf("status %d, %q", r.status, r.stdout)
	}
	r.sentences(t)
}

func TestLedgerNeedsNoKeyButAMarketplace(t *testing.T) {
	t.Parallel()
	w, _ := knowing(t)
	delete(w.env, "TONNE_API_KEY")
	if got := w.must("ledger", "-o", "csv"); !strings.Contains(got, "R1") {
		t.Errorf("without a key:\n%s", got)
	}
	if r := w.unconfigured().run("ledger"); r.status != command.StatusUsage {
		t.Errorf("without a marketplace: status %d", r.status)
	}
}

func TestARequestThatWasNotFoundIsNotEnteredInTheLedger(t *testing.T) {
	t.Parallel()
	w := newWorld(t, new(service))
	w.run("retirement", "nope", "R2")
	if got := w.must("ledger", "-o", "jsonl"); got != r2Ledger+noDoubts+"\n" {
		t.Errorf("got\n%s", got)
	}
}

func TestLedgerTellsOfCreditsThatWereRetiredTwice(t *testing.T) {
	t.Parallel()
	w, _ := withCertificates(t)
	w.must("retirement", "C1", "T1", "T2")
	if r := w.run("ledger"); r.status != 0 || r.stderr != "tonne: T1 and T2 both retired ACR 2 to 2 of ACR-FR-1129-2025-2917.\n" {
		t.Errorf("status %d\n%s", r.status, r.stderr)
	}
}

func TestWhatWasFoundIsPackedByOneCommand(t *testing.T) {
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
	if r := w.run("ledger", "find", "nobody", "--pack", none); r.status != command.StatusNotFound {
		t.Errorf("status %d", r.status)
	}
	if _, err := os.Stat(none); err == nil {
		t.Error("a pack of nothing is there")
	}
}

func TestAPackThatCannotBeMadeTellsWhatTheLedgerHas(t *testing.T) {
	t.Parallel()
	w, c := withCertificates(t)
	dir := filepath.Join(w.env["HOME"], "certificates")
	w.must("retirement", "C1", "--certificates", dir)
	c.lost = "C1"
	pack := filepath.Join(w.env["HOME"], "lost.zip")
	r := w.run("ledger", "find", "C1", "--pack", pack)
	for _, want := range []string{pack + " was not written", "the ledger has C1 as it was answered at 20", "(COMPLETE), and its certificate is unaltered in " + filepath.Join(dir, "C1.pdf")} {
		if r.status == 0 || !strings.Contains(r.stderr, want) {
			t.Errorf("status %d, lacks %q:\n%s", r.status, want, r.stderr)
		}
	}
}

func TestTheLedgerSaysWhatSpeaksAgainstARequest(t *testing.T) {
	t.Parallel()
	w, _ := withCertificates(t)
	w.must("retirement", "C2", "T1", "T2", "--certificates", filepath.Join(w.env["HOME"], "certificates"))
	w.write("certificates/C2.pdf", anyPDF+" that somebody altered")
	for id, want := range map[string]string{"C2": "certificate_on_file: the file saved at ", "T1": "serials_retired_once: ACR 2 to 2 also retired by T2"} {
		for _, command := range [][]string{{"ledger"}, {"ledger", "find", id}} {
			for _, format := range []string{"csv", "json", "jsonl"} {
				if got := w.run(append(command, "-o", format)...).stdout; !strings.Contains(got, want) {
					t.Errorf("%v as %s does not say %s:\n%s", command, format, want, got)
				}
			}
			table := w.run(command...).stdout
			if name, _, _ := strings.Cut(want, ":"); !strings.Contains(table, "DOUBTS") || !strings.Contains(table, name) {
				t.Errorf("%v does not say %s:\n%s", command, name, table)
			}
		}
	}
}

func TestAnEmptyStoreIsReportedBeforeANewOneStarts(t *testing.T) {
	t.Parallel()
	const said = "tonne: the local store was empty: its ledger, labels, rules and prices are lost ("
	for _, command := range [][]string{{"ledger"}, {"statement", "--from", "2026-01-01", "--to", "2026-02-01"}} {
		w := newWorld(t, new(service))
		if r := w.run(command...); r.status != 0 || strings.Contains(r.stderr, said) {
			t.Errorf("%v without a file: status %d\n%s", command, r.status, r.stderr)
		}
		path := w.write("state/tonne/tonne.db", "")
		w.must("__complete", "retirement", "")
		for run, want := range []int{1, 0} {
			if r := w.run(command...); r.status != 0 || strings.Count(r.stderr, said+path+").\n") != want {
				t.Errorf("%v, run %d: status %d\n%s", command, run, r.status, r.stderr)
			}
		}
	}
}
