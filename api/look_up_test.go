package api_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"tonne/api/apitest"
	must "tonne/model/musttest"
)

func TestLookUpFindsTheMethodOfTheService(t *testing.T) {
	for _, c := range []struct {
		name      string
		get, post http.Handler
		retries   int
		// read is what both look-ups read, first and again what each sent.
		read, first, again string
	}{
		{
			name: "both",
			get:  apitest.JSON(retirement), post: apitest.JSON(retirement),
			read: "request r1", first: "1 requests", again: "1 requests",
		},
		{
			name: "GET only",
			get:  apitest.JSON(retirement), post: apitest.Status(405, ""),
			read: "request r1", first: "1 requests", again: "1 requests",
		},
		{
			name: "POST only, 405",
			get:  apitest.Status(405, ""), post: apitest.JSON(retirement),
			read: "request r1", first: "2 requests: GET POST", again: "1 requests: POST",
		},
		{
			name: "POST only, 404",
			get:  apitest.Status(404, "Cannot GET"), post: apitest.JSON(retirement),
			read: "request r1", first: "2 requests: GET POST", again: "1 requests: POST",
		},
		{
			name: "POST only, 501",
			get:  apitest.Status(501, ""), post: apitest.JSON(retirement),
			read: "request r1", first: "2 requests: GET POST", again: "1 requests: POST",
		},
		{
			name: "POST only, not found",
			get:  apitest.Status(405, ""),
			post: apitest.Status(422, `{"statusCode":422,"error":"NOT_FOUND","message":"Not found"}`),
			read: "not found: Not found (NOT_FOUND)", first: "2 requests: GET POST", again: "1 requests: POST",
		},
		{
			name: "GET, not found",
			get:  apitest.Status(422, `{"statusCode":422,"error":"NOT_FOUND","message":"Not found"}`),
			post: apitest.JSON(retirement),
			read: "not found: Not found (NOT_FOUND)", first: "1 requests", again: "1 requests",
		},
		{
			name: "GET, not found by 404",
			get:  apitest.Status(404, `{"statusCode":404,"error":"NOT_FOUND","message":"Not found"}`),
			post: apitest.JSON(retirement),
			read: "not found: Not found (NOT_FOUND)", first: "1 requests", again: "1 requests",
		},
		{
			name: "neither",
			get:  apitest.Status(404, ""), post: apitest.Status(404, ""),
			read: "not the API: the service answered 404", first: "2 requests: GET POST", again: "2 requests: GET POST",
		},
		{
			name: "GET refuses the key",
			get:  apitest.Status(401, ""), post: apitest.JSON(retirement),
			read: "unauthorized: the service does not accept the API key", first: "1 requests", again: "1 requests",
		},
		{
			// The id is not found.
			name: "JSON to both",
			get:  apitest.Status(404, `{"message":"No such request"}`),
			post: apitest.Status(404, `{"message":"No such request"}`),
			read: "not found: the service knows no such record of yours", first: "2 requests: GET POST",
			again: "2 requests: GET POST",
		},
		{
			name: "text to POST",
			get:  apitest.Status(404, `{"message":"No such request"}`), post: apitest.Status(404, "Not found"),
			read: "not the API: the service answered 404: No such request", first: "2 requests: GET POST",
			again: "2 requests: GET POST",
		},
		{
			name: "a page to GET",
			get:  apitest.Status(404, "<html>"), post: apitest.Status(404, `{"message":"No such request"}`),
			read:  "not the API: what answers is not the marketplace, but a web page (status 404) (elsewhere)",
			first: "2 requests: GET POST", again: "2 requests: GET POST",
		},
		{
			name: "POST is not served",
			get:  apitest.Status(404, `{"message":"No such request"}`), post: apitest.Status(405, "{}"),
			read: "not the API: the service answered 404: No such request", first: "2 requests: GET POST",
			again: "2 requests: GET POST",
		},
		{
			name: "POST finds the id",
			get:  apitest.Status(404, `{"message":"No such request"}`), post: apitest.JSON(retirement),
			read: "request r1", first: "2 requests: GET POST", again: "1 requests: POST",
		},
		{
			name: "POST asks for a role",
			get:  apitest.Status(404, `{"message":"No such request"}`), post: apitest.Status(403, "{}"),
			read:  `forbidden: the user of the API key does not hold the role "API User" (the role is API User)`,
			first: "2 requests: GET POST", again: "2 requests: GET POST",
		},
		{
			// A POST is not repeated.
			name: "POST breaks", retries: 5,
			get: apitest.Status(405, ""), post: apitest.Status(500, ""),
			read: "server error: the service answered 500", first: "2 requests: GET POST", again: "2 requests: GET POST",
		},
		{
			name: "POST only, 400",
			get:  apitest.Status(400, `{"message":"bad method"}`), post: apitest.JSON(retirement),
			read: "request r1", first: "2 requests: GET POST", again: "1 requests: POST",
		},
		{
			name: "400 to both",
			get:  apitest.Status(400, `{"message":"id is bad"}`), post: apitest.Status(400, `{"message":"id is bad"}`),
			read: "invalid: id is bad", first: "2 requests: GET POST", again: "2 requests: GET POST",
		},
	} {
		bubble(t, c.name, func(t *testing.T) {
			s := newService(t, retries(c.retries))
			s.on("get", c.get)
			s.on("post", c.post)
			must.Equal(t, s.lookUp("r1"), []string{c.read, c.first})
			must.Equal(t, s.lookUp("r1"), []string{c.read, c.again})
			for _, request := range s.asked() {
				must.Hold(t, strings.HasSuffix(request, " /api/retirement?id=r1"), request)
			}
		})
	}
}

func TestBadRecordsOfLookUps(t *testing.T) {
	for _, c := range []struct {
		answer http.Handler
		fails  string
	}{
		{answer: apitest.JSON("{}"), fails: "not the API: unreadable answer: the answer has no id (a bad record)"},
		{answer: apitest.JSON(`{"id":7}`), fails: "not the API: unreadable answer: the answer has no status (a bad record)"},
		{answer: apitest.JSON(`{"id":"r1"`), fails: "not the API: unreadable answer: the answer is cut off (a bad record)"},
		{answer: apitest.JSON("[]"), fails: "not the API: unreadable answer: the answer is not an object: [] (a bad record)"},
		{answer: apitest.JSON("null"),
			fails: "not the API: unreadable answer: the answer is not an object: null (a bad record)"},
		{answer: apitest.JSON(""), fails: "not the API: unreadable answer: the answer is empty (a bad record)"},
		{answer: apitest.JSON(`{"id":"r1","status":"OPEN","total_quantity":"20","type":"FRACTIONALISED","project_id":"p","vintage_id":"v","created_at":"2024-01-02T03:04:05Z","retirement_request_items":[]}x`), fails: "not the API: unreadable answer: the answer has bytes behind its end (a bad record)"},
		{answer: apitest.JSON("<!DOCTYPE html>"),
			fails: "not the API: what answers is not the marketplace: the answer is a web page (elsewhere)"},
		{answer: apitest.JSON("not found"), fails: "not the API: unreadable answer: the answer is not valid JSON"},
	} {
		bubble(t, c.fails, func(t *testing.T) {
			s := newService(t)
			s.on("", c.answer)
			must.Equal(t, s.lookUp("r1"), []string{c.fails, "1 requests"})
		})
	}
}

func TestLookUpByPostIsSentAgainIfRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(t, retries(1))
		s.on("get", apitest.Status(405, ""))
		s.on("post", apitest.RateLimited("1"), apitest.RateLimited("1"), apitest.JSON(retirement))
		must.Equal(t, s.lookUp("r1"), []string{
			"request r1",
			"4 requests: GET POST POST POST in 2s, asked to wait [1s 1s]",
		})
	})
}

func TestLookUpOfAnotherRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(t)
		s.on("", apitest.JSON(retirement))
		must.Equal(t, s.lookUp(""), []string{"refused: the id is empty", "0 requests"})
		must.Equal(t, s.lookUp("r2"), []string{
			"not the API: the service answered with another request (a bad record)",
			"1 requests",
		})
	})
}
