package marketplace

import (
	"net/http"
	"strings"
	"testing"

	"tonne/api/wire"
)

func TestInterfaceSection4Lookup(t *testing.T) {
	t.Parallel()
	d := stocked(t)
	id := d.text("SELECT id FROM retirement_requests LIMIT 1")
	for _, test := range []struct{ name, method, target, body string }{
		{"section 4: GET with the id in the query", http.MethodGet, "/api/retirement?id=" + id, ""},
		{"section 4: POST with the id in the query", http.MethodPost, "/api/retirement?id=" + id, ""},
		{"POST with the id in the body", http.MethodPost, "/api/retirement", `{"id":"` + id + `"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := call(d.Marketplace, d.key, test.method, test.target, test.body)
			if r, err := wire.DecodeRetirement(w.Body.Bytes()); err != nil || r.ID != id {
				t.Errorf("%d %s: %v", w.Code, w.Body, err)
			}
		})
	}
}

func TestInterfaceSection7Lookup(t *testing.T) {
	t.Parallel()
	d := stocked(t)
	id := d.text("SELECT id FROM retirement_requests LIMIT 1")
	tests := []struct{ name, method, target, body, code string }{
		{"section 7: no id", "GET", "/api/retirement", "", "VALIDATION_ERROR"},
		{"section 7: empty id", "GET", "/api/retirement?id=", "", "VALIDATION_ERROR"},
		{"section 7: two ids", "GET", "/api/retirement?id=a&id=b", "", "VALIDATION_ERROR"},
		{"section 7: id is not a string", "POST", "/api/retirement", `{"id":7}`, "VALIDATION_ERROR"},
		{"section 7: body is not an object", "POST", "/api/retirement", `[]`, "VALIDATION_ERROR"},
		{"section 7: body is cut off", "POST", "/api/retirement", `{"id":"`, "VALIDATION_ERROR"},
		{"section 7: two members of one name", "POST", "/api/retirement", `{"id":"a","id":"b"}`, "VALIDATION_ERROR"},
		{"section 7: unknown id", "GET", "/api/retirement?id=00mnope", "", "NOT_FOUND"},
		{"section 7: SQL quotes", "GET", "/api/retirement?id=%27%20OR%20%271%27%3D%271", "", "NOT_FOUND"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := refused(t, call(d.Marketplace, d.key, test.method, test.target, test.body), http.StatusUnprocessableEntity)
			if f.Code != test.code {
				t.Errorf("%+v, want %s", f, test.code)
			}
		})
	}
	t.Run("section 7: another tenant's id is answered like an absent one", func(t *testing.T) {
		theirs := call(d.Marketplace, d.otherKey, "GET", "/api/retirement?id="+id, "").Body.String()
		absent := call(d.Marketplace, d.otherKey, "GET", "/api/retirement?id=00mnope", "").Body.String()
		if strings.Replace(theirs, id, "00mnope", 1) != absent {
			t.Errorf("%s and %s", theirs, absent)
		}
	})
	t.Run("section 7: shape of the body", func(t *testing.T) {
		f := members(t, d.get("/api/retirement?id=00mnope").Body.String())
		wantNames(t, f, "statusCode", "url", "timestamp", "error", "message")
		if f["url"] != "/api/retirement?id=00mnope" || f["timestamp"] != "2026-11-20T12:00:01.000Z" || f["statusCode"] != 422.0 {
			t.Error(f)
		}
	})
}

func TestProjectDetails(t *testing.T) {
	t.Parallel()
	d, _ := readDemo(t)
	w := d.get("/api/projects")
	all, err := wire.DecodeProjects(w.Body.Bytes())
	if err != nil || len(all) < 24 {
		t.Fatalf("%d projects: %v", len(all), err)
	}
	a, b := all[3].ID, all[7].ID
	for _, query := range []string{
		"project_ids[]=" + a + "&project_ids[]=" + b, "project_ids=" + a + "&project_ids=" + b,
		"project_ids=" + a + "," + b, "project_ids%5B%5D=" + a + "&project_ids=" + b, "project_ids=" + a + ",003nope," + b + "," + a,
	} {
		some, err := wire.DecodeProjects(d.get("/api/projects?" + query).Body.Bytes())
		if err != nil || len(some) != 2 || some[0].ID != a || some[1].ID != b {
			t.Errorf("%s: %+v %v", query, some, err)
		}
	}
	if none, err := wire.DecodeProjects(d.get("/api/projects?project_ids=003nope").Body.Bytes()); err != nil || len(none) != 0 {
		t.Errorf("an unknown id gives %+v %v", none, err)
	}
	p := all[0]
	if p.Name != "Bale Mountains" || p.Type != "REDD+" || p.Country != "ET" || p.RegistryName != "VERRA" || len(p.SDGs) == 0 ||
		p.RegistryURL != "https://registry.verra.org/app/projectDetail/VCS/1340" || len(p.Vintages) == 0 || p.Vintages[0].Year == 0 {
		t.Errorf("%+v", p)
	}
	if !strings.Contains(p.Description, "synthetic") {
		t.Errorf("the description does not say that its market is synthetic: %q", p.Description)
	}
}
