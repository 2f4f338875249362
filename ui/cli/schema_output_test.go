package cli

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tonne/api/marketplace"
	"tonne/api/marketplace/exchange"
	"tonne/model/retirement"
	"tonne/ui/cli/command"
	"tonne/ui/output"
)

// formatsOf are the formats for programs that a command lets choose.
func formatsOf(c commandSchema) (all []output.Format) {
	for _, f := range c.Flags {
		if f.Name != "output" {
			continue
		}
		for name := range strings.SplitSeq(f.Type, "|") {
			if name != string(output.Table) {
				all = append(all, output.Format(name))
			}
		}
	}
	return all
}

func TestTheSchemaHasAFormForEachFormatThatACommandLetsChoose(t *testing.T) {
	t.Parallel()
	chosen := 0
	for _, c := range described(t).Commands {
		formats := formatsOf(c)
		if c.Command == "tonne watch" {
			// It prints lines, and refuses what has none.
			formats = []output.Format{output.JSONL}
		}
		chosen += len(formats)
		for _, format := range formats {
			if !slices.ContainsFunc(c.Outputs, func(f command.OutputForm) bool { return slices.Contains(f.Formats, format) }) {
				t.Errorf("%s: nothing says what it prints with -o %s", c.Command, format)
			}
		}
		for _, f := range c.Outputs {
			for _, format := range f.Formats {
				if !slices.Contains(formats, format) {
					t.Errorf("%s has a form for -o %s, which cannot be chosen", c.Command, format)
				}
			}
		}
	}
	if chosen < 50 {
		t.Errorf("only %d formats can be chosen", chosen)
	}
}

func TestWhatTheLedgerPrintsIsWhatTheSchemaTells(t *testing.T) {
	t.Parallel()
	s := described(t)
	w, _ := withLedger(t)
	for path, args := range map[string]string{"tonne ledger": "", "tonne ledger find": "mountains", "tonne ledger close": "2026-01"} {
		command := s.command(t, path)
		for _, format := range formatsOf(command) {
			run := append(strings.Fields(path + " " + args)[1:], "-o", string(format))
			text := w.must(run...)
			if path == "tonne ledger close" {
				// Another ledger has requests that something speaks against.
				doubtful, _ := withCertificates(t)
				doubtful.must("retirement", "C1", "T1", "T2")
				text += doubtful.must(run...)
			}
			heldIn(t, command, format, text, "")
		}
	}
}

func TestWhatIsKeptOfCreditsIsPrintedAsTheSchemaTells(t *testing.T) {
	t.Parallel()
	s := described(t)
	w, _ := withCertificates(t)
	pack := filepath.Join(w.env["HOME"], "pack.zip")
	w.must("retirement", "C1", "T1", "--pack", pack)
	w.must("attributes", "import", w.write("a.csv", soundFacts))
	for path, args := range map[string]string{"tonne attributes list": "", "tonne evidence verify": pack} {
		command := s.command(t, path)
		for _, format := range formatsOf(command) {
			heldIn(t, command, format, w.must(append(strings.Fields(path + " " + args)[1:], "-o", string(format))...), "")
		}
	}
}

func TestWhatAStatementPrintsIsWhatTheSchemaTells(t *testing.T) {
	t.Parallel()
	command := described(t).command(t, "tonne statement")
	w, _ := knownDemo(t)
	for _, format := range formatsOf(command) {
		heldIn(t, command, format, w.must("statement", "--from", "2000-01-01", "-o", string(format)), "")
	}
}

func TestWhatTheRulesPrintIsWhatTheSchemaTells(t *testing.T) {
	t.Parallel()
	command := described(t).command(t, "tonne watch")
	w, _ := withLedger(t)
	heldIn(t, command, output.JSONL, w.must("watch", "--once", "--vintage", "V1", "--rule", "price < 7", "-o", "jsonl"), "")
	heldIn(t, command, output.JSONL, w.must("watch", "--once", "--retirement", "R1", "--rule", "COMPLETE", "-o", "jsonl"), "a rule on a retirement request")
}

// boughtAndClosed has a tenant retire and ends the month. It returns the invoice
// and the request that waits for it.
func (o *operator) boughtAndClosed() (invoice, request string) {
	o.t.Helper()
	var made struct {
		Key string `json:"api_key"`
	}
	o.did(&made, "keys", "create", "--tenant", "Buyer Ltd", "--create-tenant")
	m, err := marketplace.Open(o.t.Context(), o.db, marketplace.Options{RatePerSecond: -1})
	if err != nil {
		o.t.Fatal(err)
	}
	defer m.Close()
	if err := m.Operate(o.t.Context(), "reprice", func(c *exchange.Change) { exchange.Reprice(c, "006a", 640) }); err != nil {
		o.t.Fatal(err)
	}
	o.buy(m, made.Key)
	if _, err := marketplace.Operate(o.t.Context(), m, "close", exchange.CloseMonth); err != nil {
		o.t.Fatal(err)
	}
	var invoices []struct{ ID string }
	var requests []struct{ ID string }
	o.did(&invoices, "invoices", "list")
	o.did(&requests, "requests", "list", "--state", string(retirement.Closed))
	if len(invoices) != 1 || len(requests) != 1 {
		o.t.Fatalf("%d invoices, %d requests", len(invoices), len(requests))
	}
	return invoices[0].ID, requests[0].ID
}

func TestWhatTheOperatorsCommandsPrintIsWhatTheSchemaTells(t *testing.T) {
	t.Parallel()
	s, o := described(t), newOperator(t).stocked()
	invoice, request := o.boughtAndClosed()
	var keys []struct{ ID string }
	o.did(&keys, "keys", "list")
	done := map[string]bool{"tonne serve": true}
	for _, test := range []struct{ command, args string }{
		{"catalogue import", o.write("c.csv", catalogueFile)}, {"catalogue export", ""},
		{"orders import", "--seller=Forest␣Ltd " + o.write("o.csv", ordersFile)}, {"orders list", ""},
		{"orders reprice", "006a 640"}, {"orders withdraw", "006a"},
		{"tenants create", "Café --country=FR"}, {"tenants edit", "Café --tax-id=FR␣1"}, {"tenants list", ""},
		{"keys create", "--tenant=Café"}, {"keys list", ""}, {"keys deactivate", keys[0].ID},
		{"requests list", ""}, {"invoices list", ""}, {"invoices", ""}, {"backup", filepath.Join(o.env["HOME"], "backup-FORMAT.db")},
		{"settle", invoice}, {"complete", request + " --serial=1-1-3-VCS-VCU-576-VER-ET-14-1340-01012021-31122021-1"}, {"close-month", ""},
		{"move", "--from=" + o.db + " --to=" + filepath.Join(o.env["HOME"], "moved-FORMAT.db")},
	} {
		command := s.command(t, "tonne serve "+test.command)
		done[command.Command] = true
		formats := formatsOf(command)
		for n, format := range formats {
			// What acts once acts on a copy in all formats but the last.
			on := *o
			if n < len(formats)-1 {
				on.db = filepath.Join(t.TempDir(), "copy.db")
				if r := o.serve("backup", on.db); r.status != 0 {
					t.Fatal(r.stderr)
				}
			}
			args := strings.Fields(test.command + " " + test.args)
			for i := range args {
				args[i] = strings.NewReplacer("␣", " ", "FORMAT", string(format), o.db, on.db).Replace(args[i])
			}
			r := on.serve(append(args, "-o", string(format))...)
			if r.status != 0 {
				t.Errorf("%s: status %d: %s", test.command, r.status, r.stderr)
				continue
			}
			heldIn(t, command, format, r.stdout, "")
		}
	}
	for _, c := range s.Commands {
		if strings.HasPrefix(c.Command, "tonne serve ") && len(formatsOf(c)) > 0 && !done[c.Command] {
			t.Errorf("%s is not held against the schema", c.Command)
		}
	}
}
