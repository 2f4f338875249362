package api_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"tonne/api"
	"tonne/api/apitest"
)

// oddServer returns a client of a server on this machine.
func oddServer(t *testing.T, h http.Handler, change ...func(*api.Options)) *api.Client {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return newClient(t, nil, append(change, func(o *api.Options) { o.BaseURL, o.Transport = server.URL, nil })...)
}

const (
	// Numbers instead of strings, strings instead of numbers, null for empty
	// arrays.
	oddMarket = `{"projects":[{"project_id":12345,"vintages":[{"vintage_id":9007199254740993,"vintage_year":"2019","sell_orders":[` +
		`{"sell_order_id":7,"quantity_grams":9223372036854775807,"price_cents":9007199254740993}]},` +
		`{"vintage_id":"v2","vintage_year":2020,"sell_orders":null}]},{"project_id":"p2","vintages":null}],` +
		`"pagination":{"per_page":"20","total_pages":"1","total_items":"2","current_page":"1"}}`
	oddInventory = `{"projects":[{"project_id":1,"vintages":[{"vintage_id":2,"wallets":[{"type":"CAAS","quantity_grams":999980,"trades":null}]}]}],` +
		`"pagination":{"per_page":20,"total_pages":1,"total_items":1,"current_page":1}}`
	oddRetirement = `{"id":12345,"status":"COMPLETE","total_quantity":9007199254740993,"type":"WHOLE","project_id":1,"vintage_id":2,` +
		`"created_at":"2024-01-02T03:04:05Z","retired_serial_numbers":null,"retirement_request_items":null}`
)

func TestOddSuccessesAreRead(t *testing.T) {
	t.Parallel()
	market := func(c *api.Client) (string, error) {
		m, err := c.Market(t.Context(), 0, nil)
		if err != nil || m.Vintages() == 0 {
			return "", err
		}
		return fmt.Sprint(m.Projects(), m.Key(0), m.Vintage(0).Year, m.Order(0)), nil
	}
	inventory := func(c *api.Client) (string, error) {
		inv, err := c.Inventory(t.Context(), api.InventoryQuery{}, nil)
		return fmt.Sprintf("%+v", inv), err
	}
	retirement := func(c *api.Client) (string, error) {
		r, err := c.Retirement(t.Context(), "12345")
		return fmt.Sprint(r.ID, " ", r.TotalQuantity, " ", r.ProjectID, " ", r.VintageID), err
	}
	projects := func(c *api.Client) (string, error) {
		p, err := c.Projects(t.Context(), "12345")
		return fmt.Sprintf("%+v", p), err
	}
	retire := func(c *api.Client) (string, error) {
		accepted, err := c.RequestRetirement(t.Context(), []byte(`{}`))
		return fmt.Sprintf("%+v", accepted), err
	}
	for name, tt := range map[string]struct {
		answer http.Handler
		call   func(*api.Client) (string, error)
		want   string
	}{
		"market of numbers":              {apitest.JSON(oddMarket), market, "2 {12345 9007199254740993} 2019 {7 9223372036854775807 9007199254740993}"},
		"market with 203":                {apitest.Status(203, oddMarket), market, "2 {12345 9007199254740993} 2019 {7 9223372036854775807 9007199254740993}"},
		"market of null":                 {apitest.JSON(`{"projects":null,` + pagination(1, 0, 0) + `}`), market, ""},
		"inventory of numbers and nulls": {apitest.JSON(oddInventory), inventory, "&{Projects:[{ID:1 Vintages:[{ID:2 Wallets:[{Type:CAAS Quantity:999980 Trades:[] Extra:[]}] Extra:[]}] Extra:[]}] Faults:[]}"},
		"request of numbers and nulls":   {apitest.Status(202, oddRetirement), retirement, "12345 9007199254740993 1 2"},
		"projects with 201":              {apitest.Status(201, `{"projects":[{"project_id":12345,"sdgs":null,"vintages":null}]}`), projects, "[{ID:12345 Name: Type: Country: RegistryURL: RegistryID: RegistryName: SDGs:[] Description: Vintages:[] Extra:[]}]"},
		"retirement with 201":            {apitest.Status(201, `{"retirement_request_id":12345}`), retire, "{RequestID:12345 Replayed:false}"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := tt.call(oddServer(t, tt.answer, func(o *api.Options) { o.MayRetire = true }))
			if err != nil || got != tt.want {
				t.Errorf("read %s (%v), want %s", got, err, tt.want)
			}
		})
	}
}

func TestOddFailuresAreExplained(t *testing.T) {
	t.Parallel()
	broken := strings.Replace(oddMarket, `"v2"`, `true`, 1)
	for name, tt := range map[string]struct {
		answer    http.Handler
		kind      api.Kind
		elsewhere bool
		text      string
	}{
		"a field of another type": {apitest.JSON(broken), api.NotTheAPI, false, "unreadable answer: projects[0].vintages[1].vintage_id is not a string: true"},
		"an exponent":             {apitest.JSON(strings.Replace(oddMarket, `"total_items":"2"`, `"total_items":2e0`, 1)), api.NotTheAPI, false, "unreadable answer: pagination.total_items is not a whole number: 2e0"},
		"a fraction as an id":     {apitest.JSON(strings.Replace(oddMarket, `12345`, `12345.0`, 1)), api.NotTheAPI, false, "unreadable answer: projects[0].project_id is not a string: 12345.0"},
		"a member twice":          {apitest.JSON(strings.Replace(oddMarket, `{"project_id":12345`, `{"project_id":1,"project_id":12345`, 1)), api.NotTheAPI, false, "unreadable answer: projects[0].project_id is there twice"},
		"null":                    {apitest.JSON(`null`), api.NotTheAPI, false, "unreadable answer: the answer is not an object: null"},
		"an array":                {apitest.JSON(`[]`), api.NotTheAPI, false, "unreadable answer: the answer is not an object: []"},
		"trailing bytes":          {apitest.JSON(oddMarket + "x"), api.NotTheAPI, false, "unreadable answer: the answer has bytes behind its end"},
		"204":                     {apitest.Status(204, ``), api.NotTheAPI, false, "unreadable answer: the answer is empty"},
		"HTML with 201":           {apitest.Status(201, "\n<!DOCTYPE html>"), api.NotTheAPI, true, "what answers is not the marketplace: the answer is a web page"},
		"HTML with 404":           {apitest.Status(404, "<html>"), api.NotTheAPI, true, "the service answered 404"},
		"JSON with 404":           {apitest.Status(404, `{"message":"Cannot GET"}`), api.NotTheAPI, false, "the service answered 404"},
		"422 in text":             {apitest.Status(422, "per_page \x1b[2J is\ntoo large"), api.Invalid, false, "per_page ␛[2J is␊too large"},
		"400 as a JSON string":    {apitest.Status(400, `"page is too large"`), api.Invalid, false, "page is too large"},
		"a path redirect":         {apitest.Redirect("/login?token=x"), api.NotTheAPI, false, "the service redirects to BASE/login"},
		"a redirect to a host":    {apitest.Redirect("https://u:p@other.example/api/market?page=1"), api.NotTheAPI, true, "the service redirects to https://other.example/api/market"},
		"a long redirect":         {apitest.Redirect("https://other.example/" + strings.Repeat("x", 300)), api.NotTheAPI, true, "the service redirects to https://other.example"},
		"a redirect to nowhere":   {apitest.Redirect(""), api.NotTheAPI, false, "the service redirects"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := oddServer(t, tt.answer)
			_, err := c.Market(t.Context(), 20, nil)
			want := strings.Replace(tt.text, "BASE", c.BaseURL(), 1)
			if e := failure(t, err); e.Kind != tt.kind || e.Elsewhere != tt.elsewhere || e.Error() != want {
				t.Errorf("error is %d %q, elsewhere %v, want %d %q, %v", e.Kind, e, e.Elsewhere, tt.kind, want, tt.elsewhere)
			}
		})
	}
}

func TestJSON404ToBothMethodsMeansThatTheIDIsNotFound(t *testing.T) {
	t.Parallel()
	json, text, page := apitest.Status(404, `{"message":"No such request"}`), apitest.Status(404, `Not found`), apitest.Status(404, `<html>`)
	for name, tt := range map[string]struct {
		get, post http.Handler
		kind      api.Kind
	}{
		"JSON to both":         {json, json, api.NotFound},
		"text to POST":         {json, text, api.NotTheAPI},
		"a page to GET":        {page, json, api.NotTheAPI},
		"POST is not served":   {json, apitest.Status(405, `{}`), api.NotTheAPI},
		"POST finds the id":    {json, apitest.JSON(retirement), 0},
		"POST asks for a role": {json, apitest.Status(403, `{}`), api.Forbidden},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var asked []string
			_, err := oddServer(t, byMethod(&asked, tt.get, tt.post)).Retirement(t.Context(), "r1")
			if api.KindOf(err) != tt.kind || strings.Join(asked, " ") != "GET POST" {
				t.Errorf("%s: %v", asked, err)
			}
		})
	}
}
