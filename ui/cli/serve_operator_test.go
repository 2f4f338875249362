package cli

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tonne/api/marketplace"
	"tonne/api/marketplace/marketplacetest"
)

// operator is a world with the database of a marketplace.
type operator struct {
	*world
	db string
}

func newOperator(t *testing.T) *operator {
	t.Helper()
	w := newWorld(t, nil).unconfigured()
	o := &operator{w, filepath.Join(w.env["HOME"], "market.db")}
	operatorMarket.copyTo(t, o.db, func(db string) string {
		return field(o.must("serve", "--db", db, "keys", "create", "--tenant", "Acme Ltd", "--create-tenant"), "key")
	})
	return o
}

var operatorMarket template

func (o *operator) serve(args ...string) result {
	o.t.Helper()
	return o.run(append([]string{"serve", "--db", o.db}, args...)...)
}

// mustRead runs a serve command with -o json that has to succeed, and parses its output.
func (o *operator) mustRead(into any, args ...string) {
	o.t.Helper()
	out := o.must(append(append([]string{"serve", "--db", o.db}, args...), "-o", "json")...)
	o.read(out, into)
}

func (o *operator) read(out string, into any) {
	o.t.Helper()
	if err := json.Unmarshal([]byte(out), into); err != nil {
		o.t.Fatalf("%v in %s", err, out)
	}
}

const (
	catalogueFile = "project_id,project_name,type,country,registry_name,registry_project_url,sdgs,description,vintage_id,vintage_year,registry_vintage_url\n" +
		"003bale,Bale Mountains,REDD+,ET,VERRA,https://registry.verra.org/app/projectDetail/VCS/1340,Climate Action,A forest.,004bale21,2021,\n"
	ordersFile = "vintage_id,quantity_grams,price_cents,sell_order_id\n004bale21,50000000,620,006a\n"
)

// withStock adds a catalogue and a sell order.
func (o *operator) withStock() *operator {
	o.t.Helper()
	o.must("serve", "--db", o.db, "catalogue", "import", o.write("c.csv", catalogueFile))
	o.must("serve", "--db", o.db, "tenants", "create", "Forest Ltd", "--country", "DE", "--tax-id", "DE 1")
	o.must("serve", "--db", o.db, "orders", "import", o.write("o.csv", ordersFile), "--seller", "Forest Ltd")
	return o
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// state returns the output of all lists.
func (o *operator) state() string {
	o.t.Helper()
	var all strings.Builder
	for _, list := range []string{"catalogue export", "orders list --state ALL", "tenants list", "requests list --state ALL", "invoices list"} {
		all.WriteString(o.must(append(append([]string{"serve", "--db", o.db}, strings.Fields(list)...), "-o", "json")...))
	}
	return all.String()
}

func TestHostileImportChangesNothing(t *testing.T) {
	t.Parallel()
	o := newOperator(t).withStock()
	before := o.state()
	row := strings.Split(catalogueFile, "\n")[1]
	for name, text := range map[string]string{
		"UTF-16": "\xff\xfep\x00", "wrong UTF-8": catalogueFile + "\xff\n", "PNG": "\x89PNG\r\n\x1a\n", "HTML": "<!doctype html>\n",
		"newline in quotes": catalogueFile + strings.ReplaceAll(row, "A forest.", "\"A\nforest.\"") + "\n", "NUL": catalogueFile + "\x00\n",
		"escape sequence": catalogueFile + strings.ReplaceAll(row, "Bale", "\x1b[2JBale") + "\n", "truncated JSON": `{"projects":[{`,
		"unclosed quote": catalogueFile + `"`, "empty": "", "huge": catalogueFile + strings.Repeat(row+"\n", 400_000),
	} {
		for _, args := range [][]string{{"catalogue", "import"}, {"orders", "import", "--seller", "Forest Ltd"}} {
			r := o.serve(append(args, o.write("hostile", text))...)
			checkHarmless(t, name, r.stderr)
			if r.status != 1 || !strings.Contains(r.stderr, "nothing was imported") {
				t.Errorf("%v, %s: status %d\n%.300s", args, name, r.status, r.stderr)
			}
		}
	}
	if after := o.state(); after != before {
		t.Errorf("the database changed to\n%s\nfrom\n%s", after, before)
	}
	for name, text := range map[string]string{"BOM": "\ufeff" + catalogueFile, "CRLF": strings.ReplaceAll(catalogueFile, "\n", "\r\n"), "no last newline": strings.TrimSpace(catalogueFile)} {
		if r := o.serve("catalogue", "import", o.write("odd", text)); r.status != 0 || !strings.Contains(r.stdout, "0 added, 0 changed, 1 unchanged") {
			t.Errorf("%s: status %d, %s%s", name, r.status, r.stdout, r.stderr)
		}
	}
	o.stdin = catalogueFile
	if r := o.serve("catalogue", "import", "-"); r.status != 0 {
		t.Errorf("standard input: status %d, %s", r.status, r.stderr)
	}
}

// TestOperatorCommandsTakeEffectWhileServing runs the operator's commands next to a service,
// which must show each change at once.
func TestOperatorCommandsTakeEffectWhileServing(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	m, err := marketplace.Open(t.Context(), o.db, marketplace.Options{RatePerSecond: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	client := marketplacetest.Client{TB: t, Service: m, Key: field(o.must("serve", "--db", o.db, "keys", "create", "--tenant", "Acme Ltd", "--create-tenant"), "key")}
	if market, _ := client.Market(""); market.Orders() != 0 {
		t.Fatal("a new market has orders")
	}
	o.withStock()
	if market, _ := client.Market(""); market.Orders() != 1 || market.Order(0).Price != 620 {
		t.Fatalf("the market does not show the imported order")
	}
	o.must("serve", "--db", o.db, "orders", "reprice", "006a", "640")
	if market, _ := client.Market(""); market.Order(0).Price != 640 {
		t.Fatalf("the market does not show the new price")
	}
	w := o.buy(m, client.Key)
	o.must("serve", "--db", o.db, "close-month")
	var requests []struct {
		ID        string
		Unsettled []string `json:"unsettled_invoices"`
	}
	o.mustRead(&requests, "requests", "list", "--state", "CLOSED")
	if len(requests) != 1 || len(requests[0].Unsettled) != 1 || !strings.Contains(w.Body.String(), requests[0].ID) {
		t.Fatalf("%+v", requests)
	}
	var settled struct{ ID, State string }
	if o.mustRead(&settled, "settle", requests[0].Unsettled[0]); settled.State != "SETTLED" || settled.ID != requests[0].Unsettled[0] {
		t.Errorf("settled %+v", settled)
	}
	var keys []struct {
		Tenant string
		Active bool `json:"is_active"`
	}
	if o.mustRead(&keys, "keys", "list"); len(keys) != 2 || keys[1].Tenant != "Acme Ltd" || !keys[1].Active {
		t.Errorf("keys %+v", keys)
	}
	var key struct {
		ID  string
		Key string `json:"api_key"`
	}
	if o.mustRead(&key, "keys", "create", "--tenant", "Other Ltd", "--create-tenant"); key.ID == "" || len(key.Key) != 64 {
		t.Errorf("new key with id %q and %d characters", key.ID, len(key.Key))
	}
	if r := o.serve("complete", requests[0].ID); r.status != 1 || !strings.Contains(r.stderr, "serial numbers are missing") {
		t.Errorf("complete without serial numbers: status %d, %s", r.status, r.stderr)
	}
	certificate := "%PDF-1.7\nstartxref\n9\n%%EOF\n"
	const serial = "19334-1-3-VCS-VCU-576-VER-ET-14-1340-01012021-31122021-0"
	o.must("serve", "--db", o.db, "complete", requests[0].ID, "--serial", serial, "--certificate", o.write("c.pdf", certificate))
	r := client.Retirement(requests[0].ID)
	if r.Status != "COMPLETE" || len(r.SerialNumbers) != 1 || r.SerialNumbers[0] != serial {
		t.Errorf("the API returns %+v", r)
	}
	if got := client.Get(strings.TrimPrefix(r.CertificateURL, "http://example.com")); got.Body.String() != certificate {
		t.Errorf("the certificate is %d %q", got.Code, got.Body)
	}
	o.must("serve", "--db", o.db, "orders", "withdraw", "006a")
	if market, _ := client.Market(""); market.Orders() != 0 {
		t.Error("the market still shows the withdrawn order")
	}
	client.CheckBooks()
}

func (o *operator) buy(m *marketplace.Marketplace, key string) *httptest.ResponseRecorder {
	o.t.Helper()
	w := marketplacetest.Call(m, key, "POST", "/api/caas/request-retirement",
		`{"vintage_id":"004bale21","quantity_grams":"3000000","external_id":"a","sell_order_id":"006a","expected_price_cents":"640"}`)
	if w.Code != 200 {
		o.t.Fatal(w.Code, w.Body)
	}
	return w
}

func TestConcurrentImportsBothSucceed(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	file := o.write("c.csv", catalogueFile)
	done := make(chan result, 2)
	for range cap(done) {
		go func() { done <- o.runContext(context.Background(), "serve", "--db", o.db, "catalogue", "import", file) }()
	}
	added := 0
	for range cap(done) {
		r := <-done
		if r.status != 0 {
			t.Errorf("status %d, %s", r.status, r.stderr)
		}
		added += strings.Count(r.stdout, "1 added")
	}
	if added != 2 { // one import adds a project and a vintage
		t.Errorf("%d lines added", added)
	}
	if _, err := os.Stat(o.db); err != nil {
		t.Error(err)
	}
}
