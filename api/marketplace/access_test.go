package marketplace

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"tonne/api/marketplace/exchange"
)

func TestInterfaceSection5And7Access(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	noRole := d.newKey(ownTenant, "Accountant")
	endpoints := []struct{ method, target string }{
		{"GET", "/api/market?page=-1"}, {"GET", "/api/inventory?page=-1"}, {"GET", "/api/retirement"}, {"POST", "/api/retirement"},
		{"GET", "/api/projects"}, {"POST", "/api/caas/request-retirement"}, {"GET", "/api/api-keys"}, {"POST", "/api/api-keys"},
		{"DELETE", "/api/api-keys/00nnope"},
	}
	for _, e := range endpoints {
		t.Run("section 5: 401 before 403 before validation: "+e.method+" "+e.target, func(t *testing.T) {
			for _, key := range []string{"", strings.Repeat("0", 64), "' OR 1=1 --", strings.ToUpper(d.key)} {
				w := call(d.Marketplace, key, e.method, e.target, "{broken")
				if w.Code != 401 || w.Body.String() != `{"statusCode":401,"message":"Unauthorized"}` {
					t.Errorf("key %q: %d %s", key, w.Code, w.Body)
				}
			}
			w := call(d.Marketplace, noRole, e.method, e.target, "{broken")
			f := members(t, w.Body.String())
			wantNames(t, f, "statusCode", "message", "error")
			if w.Code != 403 || f["error"] != "Forbidden" || !strings.Contains(f["message"].(string), "roles") {
				t.Errorf("without the role: %d %s", w.Code, w.Body)
			}
		})
	}
	t.Run("section 5: the scheme is Bearer", func(t *testing.T) {
		for _, header := range []string{d.key, "Basic " + d.key, "Bearer", "Bearer " + d.key + " x"} {
			r := httptest.NewRequest("GET", "/api/market", nil)
			r.Header.Set("Authorization", header)
			w := httptest.NewRecorder()
			d.Handler().ServeHTTP(w, r)
			if w.Code != http.StatusUnauthorized {
				t.Errorf("%d for %q", w.Code, header)
			}
		}
	})
	t.Run("section 5: an inactive key is answered with 401", func(t *testing.T) {
		key, err := d.CreateKey(t.Context(), "Third Ltd", "", "")
		if err != nil {
			t.Fatal(err)
		}
		if w := call(d.Marketplace, key.Secret, "GET", "/api/market", ""); w.Code != 200 {
			t.Errorf("%d while it is active", w.Code)
		}
		if err := d.deactivate(key.ID); err != nil {
			t.Fatal(err)
		}
		if w := call(d.Marketplace, key.Secret, "GET", "/api/market", ""); w.Code != 401 {
			t.Errorf("%d once it is not", w.Code)
		}
	})
	t.Run("section 7: 500 says nothing but that", func(t *testing.T) {
		broken := newFixture(t)
		broken.do(func(c *change) error { return c.exec("DROP TABLE project_sdgs") })
		broken.do(func(c *change) error { return c.exec("DROP TABLE demo_vintages") })
		broken.sell(broken.vintages[0], 1, 620)
		w := broken.get("/api/projects")
		if w.Code != 500 || w.Body.String() != `{"statusCode":500,"message":"Internal server error"}` {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	})
}

func TestTenantsNeverSeeOneAnother(t *testing.T) {
	t.Parallel()
	d := stocked(t)
	w := call(d.Marketplace, d.otherKey, "GET", "/api/inventory", "")
	if at(t, members(t, w.Body.String()), "pagination", "total_items") != 0.0 {
		t.Errorf("another tenant's inventory: %s", w.Body)
	}
	keys := call(d.Marketplace, d.otherKey, "GET", "/api/api-keys", "").Body.String()
	if id := d.text("SELECT id FROM api_keys WHERE tenant = $1", d.tenant); strings.Contains(keys, id) {
		t.Error("a tenant sees another's keys")
	} else if w := call(d.Marketplace, d.otherKey, "DELETE", "/api/api-keys/"+id, ""); w.Code != 422 {
		t.Errorf("deleting another's key is answered with %d", w.Code)
	}
}

func TestAPIKeys(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	send := func(key, method, target, body string) *httptest.ResponseRecorder {
		return call(d.Marketplace, key, method, target, body)
	}
	var made struct {
		Key string `json:"api_key"`
	}
	w := send(d.key, "POST", "/api/api-keys", `{"name":"second"}`)
	if err := json.Unmarshal(w.Body.Bytes(), &made); err != nil || !regexp.MustCompile("^[0-9a-f]{64}$").MatchString(made.Key) {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	if w := send(made.Key, "GET", "/api/market", ""); w.Code != 200 {
		t.Errorf("the new key is answered with %d", w.Code)
	}
	if f := refused(t, send(d.key, "POST", "/api/api-keys", `{"name":"third"}`), 422); f.Code != "MAX_KEYS_REACHED" {
		t.Errorf("%+v", f)
	}
	if f := refused(t, send(d.key, "POST", "/api/api-keys", `{}`), 422); f.Code != "VALIDATION_ERROR" {
		t.Errorf("%+v", f)
	}
	list := send(d.key, "GET", "/api/api-keys", "").Body.String()
	wantNames(t, at(t, members(t, list), "api_keys", 0), "id", "name", "created_at", "is_active")
	if strings.Contains(list, made.Key) || strings.Contains(list, d.key) {
		t.Error("the listing shows a key")
	}
	if w := send(d.key, "POST", "/api/api-keys", `{"name":"third","deactivate_current":true}`); w.Code != 200 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if w := send(d.key, "GET", "/api/market", ""); w.Code != 401 {
		t.Errorf("the key that was replaced is answered with %d", w.Code)
	}
	id := at(t, members(t, send(made.Key, "GET", "/api/api-keys", "").Body.String()), "api_keys", 2, "id").(string)
	if w := send(made.Key, "DELETE", "/api/api-keys/"+id, ""); w.Code != 204 || w.Body.Len() != 0 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	for _, gone := range []string{id, "00nnope"} {
		if f := refused(t, send(made.Key, "DELETE", "/api/api-keys/"+gone, ""), 422); f.Code != "API_KEY_NOT_EXISTS" {
			t.Errorf("%+v", f)
		}
	}
}

func TestOperatorKeys(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	if _, err := d.CreateKey(t.Context(), "", "", ""); !errors.Is(err, ErrNoTenant) {
		t.Error(err)
	}
	d.newKey(ownTenant, "")
	if _, err := d.CreateKey(t.Context(), ownTenant, exchange.RoleAPIUser, ""); !errors.Is(err, exchange.ErrMaxKeys) {
		t.Error(err)
	}
	if err := d.deactivate("00nnope"); !errors.Is(err, exchange.ErrUnknownKey) {
		t.Error(err)
	}
	keys, err := exchange.Read(t.Context(), d, exchange.Keys)
	if err != nil || len(keys) != 3 || keys[0].Tenant != ownTenant || keys[0].Role != exchange.RoleAPIUser || !keys[0].Active {
		t.Errorf("%+v %v", keys, err)
	}
}

func TestKeysAreStoredOnlyAsHashes(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	for _, key := range []string{d.key, d.otherKey} {
		hash := sha256.Sum256([]byte(key))
		if n := d.query("SELECT count(*) FROM api_keys WHERE hash = $1 AND length(hash) = 32", hash[:]); n != 1 {
			t.Errorf("%d keys are stored as the hash of one", n)
		}
	}
	if n := d.query("SELECT count(*) FROM audit WHERE subject || detail LIKE '%' || $1 || '%'", d.key); n != 0 {
		t.Error("the audit holds a key")
	}
}

// A client that ends its only key locks itself out: it has to say so.
func TestLastActiveKeyEndsOnlyWhenThatIsSaid(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	d.newKey(ownTenant, "Accountant")
	target := "/api/api-keys/" + d.text("SELECT id FROM api_keys WHERE tenant = $1 AND role = $2", d.tenant, exchange.RoleAPIUser)
	for _, query := range []string{"", "?last_key=false"} {
		if f := refused(t, call(d.Marketplace, d.key, "DELETE", target+query, ""), 422); f.Code != "LAST_ACTIVE_KEY" {
			t.Errorf("%q: %+v", query, f)
		}
	}
	if f := refused(t, call(d.Marketplace, d.key, "DELETE", target+"?last_key=1", ""), 422); f.Code != "VALIDATION_ERROR" {
		t.Errorf("%+v", f)
	}
	if w := d.get("/api/market"); w.Code != 200 {
		t.Fatalf("the key was ended all the same: %d", w.Code)
	}
	second := d.newKey(ownTenant, exchange.RoleAPIUser)
	if w := call(d.Marketplace, d.key, "DELETE", target, ""); w.Code != 204 {
		t.Errorf("one of two: %d %s", w.Code, w.Body)
	}
	last := "/api/api-keys/" + d.text("SELECT id FROM api_keys WHERE tenant = $1 AND role = $2 AND is_active = 1", d.tenant, exchange.RoleAPIUser)
	if w := call(d.Marketplace, second, "DELETE", last+"?last_key=true", ""); w.Code != 204 {
		t.Errorf("the last one, as it was said: %d %s", w.Code, w.Body)
	}
	if w := call(d.Marketplace, second, "GET", "/api/market", ""); w.Code != 401 {
		t.Errorf("answered with %d after its end", w.Code)
	}
}
