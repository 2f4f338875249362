package marketplace

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"tonne/api/marketplace/exchange"
	"tonne/api/wire"
	must "tonne/model/musttest"
)

func TestAccess(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	noRole := d.NewKey(ownTenant, "Accountant")
	for _, e := range []struct{ method, target string }{
		{"GET", "/api/market?page=-1"}, {"GET", "/api/inventory?page=-1"}, {"GET", "/api/retirement"},
		{"POST", "/api/retirement"},
		{"GET", "/api/projects"}, {"POST", "/api/caas/request-retirement"}, {"GET", "/api/api-keys"},
		{"POST", "/api/api-keys"},
		{"DELETE", "/api/api-keys/00nnope"},
	} {
		t.Run("section 5: 401 before 403 before validation: "+e.method+" "+e.target, func(t *testing.T) {
			for _, key := range []string{"", strings.Repeat("0", 64), "' OR 1=1 --", strings.ToUpper(d.Key)} {
				w := call(d.Marketplace, key, e.method, e.target, "{broken")
				must.Hold(t, w.Code == 401 && w.Body.String() == `{"statusCode":401,"message":"Unauthorized"}`, "key",
					key, w.Code, w.Body)
			}
			w := call(d.Marketplace, noRole, e.method, e.target, "{broken")
			f := members(t, w)
			must.Hold(t, w.Code == 403 && f["error"] == "Forbidden" &&
				strings.Contains(f["message"].(string), "roles"), "without the role", w.Code, w.Body)
		})
	}
	t.Run("section 5: the scheme is Bearer", func(t *testing.T) {
		for _, header := range []string{d.Key, "Basic " + d.Key, "Bearer", "Bearer " + d.Key + " x"} {
			r := d.request(t.Context(), http.MethodGet, "/api/market")
			r.Header.Set("Authorization", header)
			must.Equal(t, d.answer(r).Code, http.StatusUnauthorized, header)
		}
	})
	t.Run("section 7: 500 has no details", func(t *testing.T) {
		broken := newFixture(t)
		broken.Exec("DROP TABLE project_sdgs")
		w := broken.Get("/api/projects")
		must.Hold(t, w.Code == 500 && w.Body.String() == `{"statusCode":500,"message":"Internal server error"}`,
			w.Code, w.Body)
	})
}

func TestTenantsNeverSeeOneAnother(t *testing.T) {
	t.Parallel()
	d := stocked(t)
	inventory := members(t, call(d.Marketplace, d.OtherKey, "GET", "/api/inventory", ""))
	must.Equal(t, at(inventory, "pagination", "total_items"), 0.0, "another tenant's inventory", inventory)
	id := d.Text("SELECT id FROM api_keys WHERE tenant = $1", d.Tenant)
	keys := call(d.Marketplace, d.OtherKey, "GET", "/api/api-keys", "").Body.String()
	must.Hold(t, !strings.Contains(keys, id), "a tenant sees another's keys")
	f := d.Refused(call(d.Marketplace, d.OtherKey, "DELETE", "/api/api-keys/"+id, ""), 422)
	must.Equal(t, f.Code, "API_KEY_NOT_EXISTS", "deleting another's key", f)
}

func TestKeys(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	want := func(code, method, target, body string) {
		t.Helper()
		f := d.Refused(call(d.Marketplace, d.Key, method, target, body), 422)
		must.Equal(t, f.Code, code, method, target, body, f)
	}
	create := func(body string) string {
		t.Helper()
		var made struct {
			Key string `json:"api_key"`
		}
		w := call(d.Marketplace, d.Key, "POST", "/api/api-keys", body)
		err := json.Unmarshal(w.Body.Bytes(), &made)
		must.Need(t, err == nil && regexp.MustCompile("^[0-9a-f]{64}$").MatchString(made.Key), w.Code, w.Body)
		return made.Key
	}
	first, second := d.Key, create(`{"name":"second"}`)
	want("MAX_KEYS_REACHED", "POST", "/api/api-keys", `{"name":"third"}`)
	want("VALIDATION_ERROR", "POST", "/api/api-keys", `{}`)
	list := d.Get("/api/api-keys")
	must.Hold(t, !strings.Contains(list.Body.String(), first) && !strings.Contains(list.Body.String(), second),
		"the listing shows a key")
	third := create(`{"name":"third","deactivate_current":true}`)
	must.Equal(t, d.Get("/api/market").Code, 401, "the key that was replaced is answered with")
	d.Key = third
	target := func(n int) string {
		return "/api/api-keys/" + at(members(t, d.Get("/api/api-keys")), "api_keys", n, "id").(string)
	}
	own, other := target(2), target(1)
	w := call(d.Marketplace, d.Key, "DELETE", other, "")
	must.Hold(t, w.Code == 204 && w.Body.Len() == 0, w.Code, w.Body)
	want("API_KEY_NOT_EXISTS", "DELETE", other, "")
	// Without a key the client cannot create another.
	want("LAST_ACTIVE_KEY", "DELETE", own, "")
	want("LAST_ACTIVE_KEY", "DELETE", own+"?last_key=false", "")
	want("VALIDATION_ERROR", "DELETE", own+"?last_key=1", "")
	w = call(d.Marketplace, d.Key, "DELETE", own+"?last_key=true", "")
	must.Equal(t, w.Code, 204, "the last key", w.Body)
	must.Equal(t, d.Get("/api/market").Code, 401, "answered with")
}

func TestOperatorKeys(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	_, err := d.CreateKey(t.Context(), "", "", "")
	must.Fail(t, err, ErrNoTenant)
	second := must.Get(d.CreateKey(t.Context(), ownTenant, "", ""))
	_, err = d.CreateKey(t.Context(), ownTenant, exchange.RoleAPIUser, "")
	must.Fail(t, err, exchange.ErrMaxKeys)
	keys, err := exchange.Read(t.Context(), d, exchange.Keys)
	must.Hold(t, err == nil && len(keys) == 3 && keys[0].Tenant == ownTenant &&
		keys[0].Role == exchange.RoleAPIUser && keys[0].Active, keys, err)
	for id, want := range map[string]error{"00nnope": exchange.ErrUnknownKey, second.ID: nil} {
		must.Fail(t, d.Change(func(c *exchange.Change) { exchange.DeactivateKey(c, id) }), want, id)
	}
	must.Equal(t, call(d.Marketplace, second.Secret, "GET", "/api/market", "").Code, 401,
		"an inactive key is answered with")
}

func TestKeysAreStoredOnlyAsHashes(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	for _, key := range []string{d.Key, d.OtherKey} {
		hash := sha256.Sum256([]byte(key))
		must.Equal(t, d.Number("SELECT count(*) FROM api_keys WHERE hash = $1 AND length(hash) = 32", hash[:]), 1)
	}
	n := d.Number("SELECT count(*) FROM audit WHERE subject || detail LIKE '%' || $1 || '%'", d.Key)
	must.Equal(t, n, 0, "the audit contains a key")
}

// unfit are names that would not be shown as they are.
var unfit = map[string]string{
	"newline": "a\nb", "escape": "a\x1b[2Jb", "bell": "a\ab", "C1": "a\u009bb", "override": "a\u202eb",
	"isolate":    "a\u2066b",
	"zero width": "a\u200bb", "grapheme joiner": "a\u034fb", "filler": "\u3164", "tag": "a\U000e0041b",
	"soft hyphen": "a\u00adb",
	"marks":       "a" + strings.Repeat("\u0301", 50), "too long": strings.Repeat("é", maxText+1),
}

// fit are names of people and companies.
var fit = []string{"Acme Ltd", "Björn & Søn ÅB", "شرکت می\u200cخواهم", "র\u200d্যাব", "木村株式会社", "Solar ☀\ufe0f",
	strings.Repeat("é", maxText)}

func TestNamesThatHideTextAreRefused(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	order := d.Sell(d.Vintages[0], 10, 620)
	customer := func(name, country, external string) (f wire.Failure, status int) {
		w := d.Retire(d.Key, d.Purchase(external, 1_000_000, order).With(body{
			"should_retire_external_customer": true, "external_retiree_name": name, "external_retiree_tax_id": "1",
			"external_retiree_location": country,
		}))
		return wire.DecodeFailure(w.Body.Bytes()), w.Code
	}
	rows := "SELECT (SELECT count(*) FROM tenants) + (SELECT count(*) FROM api_keys)"
	before := d.Number(rows)
	for what, name := range unfit {
		_, status := customer(name, "GB", what)
		must.Equal(t, status, 422, "a retiree with", what)
		f := d.Refused(call(d.Marketplace, d.Key, "POST", "/api/api-keys", body{"name": name}.text()), 422)
		must.Hold(t, f.Code == "VALIDATION_ERROR" && strings.HasPrefix(f.Message, "name must"), "a key with", what, f)
		for place, key := range map[string]exchange.Key{"tenant": {Tenant: name}, "role": {Tenant: "Acme", Role: name},
			"key": {Tenant: "Acme", Name: name}} {
			_, err := d.CreateKey(t.Context(), key.Tenant, key.Role, key.Name)
			text, ok := errors.AsType[*TextError](err)
			must.Hold(t, ok && text.What == "the name of the "+place, "a", place, what, err)
		}
	}
	for _, country := range []string{"EU", "UK", "XK", "ZZ", "gb", "GBR"} {
		f, _ := customer("A", country, country)
		must.Hold(t, f.Code == "VALIDATION_ERROR" && strings.Contains(f.Message, "ISO 3166-1"), country, f)
	}
	after := d.Number(rows)
	must.Equal(t, after, before, after-before)
	for _, name := range fit {
		f, status := customer(name, "SS", name)
		must.Equal(t, status, 200, "the retiree", name, f)
		_, err := d.CreateKey(t.Context(), name, "", name)
		must.Fail(t, err, nil, name)
	}
	// An older version accepted any name of a tenant.
	d.Exec("INSERT INTO tenants (name) VALUES ($1)", unfit["override"])
	_, err := d.CreateKey(t.Context(), unfit["override"], "", "")
	must.Fail(t, err, nil)
}
