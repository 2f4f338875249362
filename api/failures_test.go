package api_test

import (
	"cmp"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"tonne/api/apitest"
	must "tonne/model/musttest"
)

func TestAnswersThatFail(t *testing.T) {
	for _, c := range []struct {
		answer http.Handler
		fails  string
		// sent is empty for one request.
		sent string
	}{
		{answer: apitest.Status(401, `{"statusCode":401,"message":"Unauthorized"}`),
			fails: "unauthorized: the service does not accept the API key"},
		{answer: apitest.Status(403, `{"message":"Permission denied","error":"Forbidden"}`),
			fails: `forbidden: the user of the API key does not hold the role "API User": Permission denied (the role is API User)`},
		{answer: apitest.Status(422, `{"error":"NOT_FOUND","message":"No such request"}`),
			fails: "not found: No such request (NOT_FOUND)"},
		{answer: apitest.Status(422, `{"error":"VALIDATION_ERROR","message":["id is bad","id is long"]}`),
			fails: "invalid: id is bad; id is long (VALIDATION_ERROR)"},
		{answer: apitest.Status(422, "per_page \x1b[2J is\ntoo large"), fails: "invalid: per_page ␛[2J is␊too large"},
		{answer: apitest.Status(422, `{"error":"A\u001b]0;x\u0007","message":"\u009b2J\r\n\u202e"}`),
			fails: "invalid: <U+009B>2J␍␊<U+202E> (A␛]0;x␇)"},
		{answer: apitest.Status(422, "<p>NOT_FOUND</p>"), fails: "not found: the service knows no such record of yours"},
		{answer: apitest.Status(422, ""), fails: "invalid: the service does not accept the request"},
		{answer: apitest.Status(400, `"page is too large"`), fails: "invalid: page is too large"},
		{answer: apitest.RateLimited("1"), fails: "rate limited: the service asks for fewer requests (again in 1s, 1 s)",
			sent: "4 requests in 3s, asked to wait [1s 1s 1s]"},
		{answer: apitest.Status(500, `{"statusCode":500,"message":"Internal server error"}`),
			fails: "server error: the service answered 500", sent: "4 requests in a while"},
		{answer: apitest.Status(503, "<h1>Sorry</h1>"), fails: "server error: the service answered 503",
			sent: "4 requests in a while"},
		{answer: apitest.Status(404, `{"statusCode":404,"message":"Cannot GET /api/market"}`),
			fails: "not the API: the service answered 404: Cannot GET /api/market"},
		{answer: apitest.Status(404, `{"error":"NOT_FOUND"}`), fails: "not found: the service knows no such record of yours"},
		{answer: apitest.Status(404, "<html><h1>NOT_FOUND</h1>"),
			fails: "not the API: what answers is not the marketplace, but a web page (status 404) (elsewhere)"},
		{answer: apitest.Status(418, ""), fails: "not the API: the service answered 418"},
		{answer: apitest.Status(204, ""), fails: "not the API: unreadable answer: the answer is empty"},
		{answer: apitest.HTML(),
			fails: "not the API: what answers is not the marketplace: the answer is a web page (elsewhere)"},
		{answer: apitest.Status(201, "\n<!DOCTYPE html>"),
			fails: "not the API: what answers is not the marketplace: the answer is a web page (elsewhere)"},
		{answer: apitest.JSON("{}"), fails: "not the API: unreadable answer: the answer has no projects"},
		{answer: apitest.JSON(`{"projects":[`), fails: "not the API: unreadable answer: the answer is cut off"},
		{answer: apitest.JSON(`{"projects":[],"pagination":{"per_page":20,"total_pages":1,"total_items":1,"current_page":1}}x`), fails: "not the API: unreadable answer: the answer has bytes behind its end"},
		{answer: apitest.JSON(`{"projects":[{"project_id":"1","project_id":"p","vintages":[]}],"pagination":{"per_page":20,"total_pages":1,"total_items":1,"current_page":1}}`), fails: "not the API: unreadable answer: projects[0].project_id is there twice"},
		{answer: apitest.Redirect("/login?token=x"),
			fails: "not the API: the service redirects to https://market.example/login (elsewhere)"},
		{answer: apitest.Redirect("https://u:p@other.example/api/market?page=1"),
			fails: "not the API: the service redirects to https://other.example/api/market (elsewhere)"},
		{answer: apitest.Redirect("https://other.example/" + strings.Repeat("x", 300)),
			fails: "not the API: the service redirects to https://other.example (elsewhere)"},
		{answer: apitest.Redirect("https://\u202eevil.example/"),
			fails: "not the API: the service redirects to https://<U+202E>evil.example/ (elsewhere)"},
		{answer: apitest.Redirect(""), fails: "not the API: the service redirects (elsewhere)"},
		{answer: apitest.Reset(), fails: "unreachable: connection lost", sent: "4 requests in a while"},
		{answer: apitest.CutOff(marketPage(1, 1, 1, "p")), fails: "unreachable: connection lost",
			sent: "4 requests in a while"},
	} {
		bubble(t, c.fails, func(t *testing.T) {
			s := newService(t, retries(3))
			s.on("", c.answer)
			must.Equal(t, s.page(), []string{c.fails, cmp.Or(c.sent, "1 requests")})
		})
	}
}

func TestReasonsOfFirewallsProxiesAndServices(t *testing.T) {
	for _, c := range []struct {
		answer http.Handler
		fails  string
	}{
		{answer: apitest.Status(401, "<html><title>Sign in</title>"),
			fails: `not the API: what answers is not the marketplace, but a web page: "Sign in" (status 401) (elsewhere)`},
		{answer: apitest.Status(403, "<html><title>Access Denied</title><h1>Reference #18</h1>"),
			fails: `not the API: what answers is not the marketplace, but a web page: "Access Denied" (status 403) (elsewhere)`},
		{answer: apitest.Status(403, `<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>`),
			fails: "not the API: what answers is not the marketplace, but a web page (status 403) (elsewhere)"},
		{answer: apitest.Status(403, "error code: 1020"),
			fails: `not the API: what answers is not the marketplace: "error code: 1020" (status 403) (elsewhere)`},
		{answer: apitest.Status(403, "Forbidden"),
			fails: `forbidden: the user of the API key does not hold the role "API User" (the role is API User)`},
		{answer: apitest.Status(401, ""), fails: "unauthorized: the service does not accept the API key"},
		{answer: apitest.Status(400, "<html><title>400 The plain HTTP request was sent to HTTPS port</title>"),
			fails: `not the API: what answers is not the marketplace, but a web page: "400 The plain HTTP request was sent to HTTPS port" (status 400) (elsewhere)`},
		{answer: apitest.Status(407, "<html>proxy</html>"),
			fails: "not the API: the proxy on the way wants a user name and a password (407) (elsewhere) (Add the user name and the password to HTTPS_PROXY, or the marketplace to NO_PROXY)"},
		{answer: apitest.Status(451, `{"message":"not here"}`), fails: "not the API: the service answered 451: not here"},
		{answer: apitest.Status(403, `{"message":"IP 10.0.0.1 is not allowed"}`),
			fails: "forbidden: the service refuses access: IP 10.0.0.1 is not allowed"},
		{answer: apitest.Status(403, `{"error":"blocked by WAF"}`),
			fails: "forbidden: the service refuses access: blocked by WAF"},
		{answer: apitest.Status(403, `{"title":"Forbidden","detail":"The tenant is suspended","status":403}`),
			fails: "forbidden: the service refuses access: The tenant is suspended"},
		{answer: apitest.Status(403, `{"statusCode":403,"message":"Permission denied"}`),
			fails: `forbidden: the user of the API key does not hold the role "API User": Permission denied (the role is API User)`},
		{answer: apitest.Status(400, `{"statusCode":400,"error":"Bad Request"}`),
			fails: "invalid: the service does not accept the request"},
		{answer: apitest.Status(422,
			`{"statusCode":422,"error":"VALIDATION_ERROR","message":[{"property":"page","constraints":{"isInt":"page must be an integer"}}]}`), fails: "invalid: isInt: page must be an integer (VALIDATION_ERROR)"},
		{answer: apitest.Status(511, "<html><title>Log in</title>"),
			fails: `not the API: what answers is not the marketplace, but a web page: "Log in" (status 511) (elsewhere) (Log in to the network with a browser, then try again)`},
		{answer: apitest.Status(511, ""),
			fails: "not the API: what answers is not the marketplace (status 511) (elsewhere) (Log in to the network with a browser, then try again)"},
		{answer: apitest.Status(401, `{"error":"invalid_token","error_description":"The token expired"}`),
			fails: "unauthorized: the service does not accept the API key: The token expired"},
		{answer: apitest.Status(400, `{"errors":[{"message":"page is bad"},{"message":"page is long"}]}`),
			fails: "invalid: page is bad; page is long"},
		{answer: apitest.Status(404, `{"type":"about:blank","title":"Not Found","detail":"No route /api/market"}`),
			fails: "not the API: the service answered 404: No route /api/market"},
		{answer: apitest.Status(500, `{"error":{"message":"pool is empty"}}`),
			fails: "server error: the service answered 500: pool is empty"},
		{answer: apitest.Status(500, `{"statusCode":500,"message":"Internal server error"}`),
			fails: "server error: the service answered 500"},
		{answer: apitest.Status(503, "<html><title>503 Service Temporarily Unavailable</title>"),
			fails: `server error: the service answered 503 with a web page: "503 Service Temporarily Unavailable"`},
	} {
		bubble(t, c.fails, func(t *testing.T) {
			s := newService(t)
			s.on("", c.answer)
			must.Equal(t, s.page(), []string{c.fails, "1 requests"})
		})
	}
}

func TestRetirementsThatFailedSayIfThereWasNoEffect(t *testing.T) {
	for _, c := range []struct {
		answer http.Handler
		fails  string
	}{
		{answer: apitest.Status(422, `{"error":"SELL_ORDER_NOT_LIVE","message":"gone"}`),
			fails: "invalid: gone (SELL_ORDER_NOT_LIVE) (no effect)"},
		{answer: apitest.Status(401, "{}"), fails: "unauthorized: the service does not accept the API key (no effect)"},
		{answer: apitest.Status(403, "{}"),
			fails: `forbidden: the user of the API key does not hold the role "API User" (the role is API User) (no effect)`},
		{answer: apitest.RateLimited("1"),
			fails: "rate limited: the service asks for fewer requests (again in 1s, 1 s) (no effect)"},
		{answer: apitest.Status(404, "{}"), fails: "not the API: the service answered 404"},
		{answer: apitest.Status(400, "{}"), fails: "invalid: the service does not accept the request"},
		{answer: apitest.Status(413, "{}"), fails: "not the API: the service answered 413"},
		{answer: apitest.Status(422, "<html>no</html>"),
			fails: "not the API: what answers is not the marketplace, but a web page (status 422) (elsewhere)"},
		{answer: apitest.Status(422, ""), fails: "invalid: the service does not accept the request"},
		{answer: apitest.Status(422, `{"error":"CALL_UNDER_WAY","message":"no"}`), fails: "invalid: no (CALL_UNDER_WAY)"},
		{answer: apitest.Status(307, "{}"), fails: "not the API: the service redirects (elsewhere) (no effect)"},
		{answer: apitest.Status(408, "{}"), fails: "not the API: the service answered 408"},
		{answer: apitest.Status(409, "{}"), fails: "not the API: the service answered 409"},
		{answer: apitest.Status(500, "{}"), fails: "server error: the service answered 500"},
		{answer: apitest.Status(504, "{}"), fails: "server error: the service answered 504"},
		{answer: apitest.HTML(),
			fails: "not the API: what answers is not the marketplace: the answer is a web page (elsewhere)"},
		{answer: apitest.CutOff(`{"retirement_request_id":"00m1"}`), fails: "unreachable: connection lost"},
		{answer: apitest.JSON("{}"), fails: "not the API: unreadable answer: the answer has no retirement_request_id"},
		{answer: apitest.Status(403, "<html><title>Blocked</title>"),
			fails: `not the API: what answers is not the marketplace, but a web page: "Blocked" (status 403) (elsewhere)`},
		{answer: apitest.Status(401, "denied by policy 7"),
			fails: `not the API: what answers is not the marketplace: "denied by policy 7" (status 401) (elsewhere)`},
		{answer: apitest.Status(407, ""),
			fails: "not the API: the proxy on the way wants a user name and a password (407) (elsewhere) (Add the user name and the password to HTTPS_PROXY, or the marketplace to NO_PROXY) (no effect)"},
		{answer: apitest.Status(502, "<html><title>502 Bad Gateway</title>"),
			fails: `server error: the service answered 502 with a web page: "502 Bad Gateway"`},
	} {
		bubble(t, c.fails, func(t *testing.T) {
			// It is sent once.
			s := newService(t, retries(3))
			s.on("", c.answer)
			must.Equal(t, s.retire(), []string{c.fails, "1 requests"})
		})
	}
}

func TestBaseURLToTry(t *testing.T) {
	for _, c := range []struct {
		base   string
		answer http.Handler
		fails  string
	}{
		{base: "https://market.example/api", answer: apitest.Status(404, `{"message":"Cannot GET /api/api/market"}`),
			fails: "not the API: the service answered 404: Cannot GET /api/api/market (elsewhere) (Check the base URL: try https://market.example)"},
		{base: "https://market.example/v1/api/market", answer: apitest.Status(404, "<html><title>Not found</title>"),
			fails: `not the API: what answers is not the marketplace, but a web page: "Not found" (status 404) (elsewhere) (Check the base URL: try https://market.example/v1)`},
		{base: "https://market.example/rapid", answer: apitest.Status(404, `{"message":"no"}`),
			fails: "not the API: the service answered 404: no"},
		{base: "https://market.example/old", answer: apitest.Redirect("https://market.example/new/api/market"),
			fails: "not the API: the service redirects to https://market.example/new/api/market (elsewhere) (Check the base URL: try https://market.example/new)"},
		{base: "https://market.example", answer: apitest.Redirect("https://www.market.example/api/market?page=1"),
			fails: "not the API: the service redirects to https://www.market.example/api/market (elsewhere)"},
		{base: "https://market.example", answer: apitest.Redirect("http://market.example/api/market"),
			fails: "not the API: the service redirects to http://market.example/api/market (elsewhere)"},
		{base: "https://market.example", answer: apitest.Redirect("/api/market/"),
			fails: "not the API: the service redirects to https://market.example/api/market/ (elsewhere)"},
		{base: "https://market.example", answer: apitest.Redirect("https://u:p@evil.example/api/market"),
			fails: "not the API: the service redirects to https://evil.example/api/market (elsewhere)"},
	} {
		bubble(t, c.fails, func(t *testing.T) {
			s := newService(t, base(c.base))
			s.on("", c.answer)
			must.Equal(t, s.page(), []string{c.fails, "1 requests"})
		})
	}
}

func TestBaseURLToTryOfLookUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(t, base("https://market.example/api"))
		s.on("", apitest.Status(404, `{"message":"no"}`))
		must.Equal(t, s.lookUp("r1"), []string{
			"not found: the service knows no such record of yours (elsewhere) " +
				"(Check the base URL: try https://market.example)",
			"2 requests: GET POST",
		})
	})
}
