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

// formatsOf returns the formats of a command's --output flag, without the table.
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

func TestSchemaDescribesEveryOutputFormat(t *testing.T) {
	t.Parallel()
	count := 0
	for _, c := range printedSchema(t).Commands {
		formats := formatsOf(c)
		if c.Command == "tonne watch" {
			// watch has only JSON lines.
			formats = []output.Format{output.JSONL}
		}
		count += len(formats)
		for _, format := range formats {
			if !slices.ContainsFunc(c.Outputs, func(f command.OutputForm) bool { return slices.Contains(f.Formats, format) }) {
				t.Errorf("%s: the schema does not describe -o %s", c.Command, format)
			}
		}
		for _, f := range c.Outputs {
			for _, format := range f.Formats {
				if !slices.Contains(formats, format) {
					t.Errorf("%s: the schema describes -o %s, which does not exist", c.Command, format)
				}
			}
		}
	}
	if count < 50 {
		t.Errorf("only %d formats checked", count)
	}
}

func TestLedgerOutputMatchesSchema(t *testing.T) {
	t.Parallel()
	s := printedSchema(t)
	w, _ := withLedger(t)
	for path, args := range map[string]string{"tonne ledger": "", "tonne ledger find": "mountains", "tonne ledger close": "2026-01"} {
		command := s.command(t, path)
		for _, format := range formatsOf(command) {
			run := append(strings.Fields(path + " " + args)[1:], "-o", string(format))
			text := w.must(run...)
			if path == "tonne ledger close" {
				// This ledger has requests with failed checks.
				failing, _ := withCertificates(t)
				failing.must("retirement", "C1", "T1", "T2")
				text += failing.must(run...)
			}
			checkOutput(t, command, format, text, "")
		}
	}
}

func TestAttributesAndVerifyOutputMatchesSchema(t *testing.T) {
	t.Parallel()
	s := printedSchema(t)
	w, _ := withCertificates(t)
	pack := filepath.Join(w.env["HOME"], "pack.zip")
	w.must("retirement", "C1", "T1", "--pack", pack)
	w.must("attributes", "import", w.write("a.csv", soundFacts))
	for path, args := range map[string]string{"tonne attributes list": "", "tonne evidence verify": pack} {
		command := s.command(t, path)
		for _, format := range formatsOf(command) {
			checkOutput(t, command, format, w.must(append(strings.Fields(path + " " + args)[1:], "-o", string(format))...), "")
		}
	}
}

func TestStatementOutputMatchesSchema(t *testing.T) {
	t.Parallel()
	command := printedSchema(t).command(t, "tonne statement")
	w, _ := knownDemo(t)
	for _, format := range formatsOf(command) {
		checkOutput(t, command, format, w.must("statement", "--from", "2000-01-01", "-o", string(format)), "")
	}
}

func TestWatchRuleOutputMatchesSchema(t *testing.T) {
	t.Parallel()
	command := printedSchema(t).command(t, "tonne watch")
	w, _ := withLedger(t)
	checkOutput(t, command, output.JSONL, w.must("watch", "--once", "--vintage", "V1", "--rule", "price < 7", "-o", "jsonl"), "")
	checkOutput(t, command, output.JSONL, w.must("watch", "--once", "--retirement", "R1", "--rule", "COMPLETE", "-o", "jsonl"), "a rule on a retirement request")
}

// closeMonthWithPurchase makes a tenant retire and closes the month. It returns the invoice
// and the request that waits for its payment.
func (o *operator) closeMonthWithPurchase() (invoice, request string) {
	o.t.Helper()
	var made struct {
		Key string `json:"api_key"`
	}
	o.mustRead(&made, "keys", "create", "--tenant", "Buyer Ltd", "--create-tenant")
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
	o.mustRead(&invoices, "invoices", "list")
	o.mustRead(&requests, "requests", "list", "--state", string(retirement.Closed))
	if len(invoices) != 1 || len(requests) != 1 {
		o.t.Fatalf("%d invoices, %d requests", len(invoices), len(requests))
	}
	return invoices[0].ID, requests[0].ID
}

func TestServeCommandOutputMatchesSchema(t *testing.T) {
	t.Parallel()
	s, o := printedSchema(t), newOperator(t).withStock()
	invoice, request := o.closeMonthWithPurchase()
	var keys []struct{ ID string }
	o.mustRead(&keys, "keys", "list")
	checked := map[string]bool{"tonne serve": true}
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
		checked[command.Command] = true
		formats := formatsOf(command)
		for n, format := range formats {
			// Some commands succeed only once, so all formats but the last run on a copy.
			target := *o
			if n < len(formats)-1 {
				target.db = filepath.Join(t.TempDir(), "copy.db")
				if r := o.serve("backup", target.db); r.status != 0 {
					t.Fatal(r.stderr)
				}
			}
			args := strings.Fields(test.command + " " + test.args)
			for i := range args {
				args[i] = strings.NewReplacer("␣", " ", "FORMAT", string(format), o.db, target.db).Replace(args[i])
			}
			r := target.serve(append(args, "-o", string(format))...)
			if r.status != 0 {
				t.Errorf("%s: status %d: %s", test.command, r.status, r.stderr)
				continue
			}
			checkOutput(t, command, format, r.stdout, "")
		}
	}
	for _, c := range s.Commands {
		if strings.HasPrefix(c.Command, "tonne serve ") && len(formatsOf(c)) > 0 && !checked[c.Command] {
			t.Errorf("%s is not checked", c.Command)
		}
	}
}
