package marketplace

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"tonne/api/marketplace/exchange"
)

// unfit are names that would not be shown as they are.
var unfit = map[string]string{
	"newline": "a\nb", "escape": "a\x1b[2Jb", "bell": "a\ab", "C1": "a\u009bb", "override": "a\u202eb", "isolate": "a\u2066b",
	"zero width": "a\u200bb", "grapheme joiner": "a\u034fb", "filler": "\u3164", "tag": "a\U000e0041b", "soft hyphen": "a\u00adb",
	"marks": "a" + strings.Repeat("\u0301", 50), "too long": strings.Repeat("é", maxText+1),
}

// fit are names of people and companies.
var fit = []string{"Acme Ltd", "Björn & Søn ÅB", "شرکت می\u200cخواهم", "র\u200d্যাব", "木村株式会社", "Solar ☀\ufe0f", strings.Repeat("é", maxText)}

func TestNamesThatHideTextAreRefusedByTheInterface(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	order := d.sell(d.vintages[0], 10, 620)
	ask := func(name, external string) int {
		return d.retire(d.key, body{
			"vintage_id": d.vintages[0].id, "quantity_grams": "1000000", "external_id": external, "sell_order_id": order,
			"expected_price_cents": "620", "should_retire_external_customer": true, "external_retiree_name": name,
			"external_retiree_tax_id": "1", "external_retiree_location": "GB",
		}).Code
	}
	for what, name := range unfit {
		if code := ask(name, what); code != 422 {
			t.Errorf("a retiree with %s is answered with %d", what, code)
		}
		members, err := json.Marshal(body{"name": name})
		if err != nil {
			t.Fatal(err)
		}
		f := refused(t, call(d.Marketplace, d.key, "POST", "/api/api-keys", string(members)), 422)
		if f.Code != "VALIDATION_ERROR" || !strings.HasPrefix(f.Message, "name must") {
			t.Errorf("a key with %s is answered with %+v", what, f)
		}
	}
	for _, name := range fit {
		if code := ask(name, name); code != 200 {
			t.Errorf("the retiree %q is answered with %d", name, code)
		}
	}
	if n := d.query("SELECT count(*) FROM retirement_items"); n != int64(len(fit)) {
		t.Errorf("%d retirements of %d names that are fit", n, len(fit))
	}
}

func TestNamesThatHideTextAreRefusedOfTheOperator(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	before := d.query("SELECT (SELECT count(*) FROM tenants) + (SELECT count(*) FROM api_keys)")
	for what, name := range unfit {
		for place, key := range map[string]exchange.Key{"tenant": {Tenant: name}, "role": {Tenant: "Acme", Role: name}, "key": {Tenant: "Acme", Name: name}} {
			_, err := d.CreateKey(t.Context(), key.Tenant, key.Role, key.Name)
			var text *TextError
			if !errors.As(err, &text) || text.What != "the name of the "+place {
				t.Errorf("a %s with %s: %v", place, what, err)
			}
		}
	}
	if after := d.query("SELECT (SELECT count(*) FROM tenants) + (SELECT count(*) FROM api_keys)"); after != before {
		t.Errorf("%d rows are new", after-before)
	}
	for _, name := range fit {
		if _, err := d.CreateKey(t.Context(), name, "", name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// A tenant whose name an older version took gets keys as before.
func TestATenantOfAnUnfitNameStaysInUse(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	d.do(func(c *change) error { return c.exec("INSERT INTO tenants (name) VALUES ($1)", unfit["override"]) })
	if _, err := d.CreateKey(t.Context(), unfit["override"], "", ""); err != nil {
		t.Error(err)
	}
}
