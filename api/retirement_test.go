package api_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"tonne/api"
	"tonne/api/apitest"
	must "tonne/model/musttest"
)

// byMethod answers GET and POST, and keeps the methods that were asked.
func byMethod(asked *[]string, get, post http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*asked = append(*asked, r.Method)
		if r.URL.Query().Get("id") == "" {
			w.WriteHeader(http.StatusUnprocessableEntity)
			return
		}
		if r.Method == http.MethodPost {
			post.ServeHTTP(w, r)
			return
		}
		get.ServeHTTP(w, r)
	})
}

func TestLookUpUsesTheMethodThatTheServiceServes(t *testing.T) {
	found := apitest.JSON(retirement)
	missing := apitest.Status(422, `{"statusCode":422,"error":"NOT_FOUND","message":"Not found"}`)
	no := apitest.Status(404, `{"message":"No such request"}`)
	missing404 := apitest.Status(404, `{"statusCode":404,"error":"NOT_FOUND","message":"Not found"}`)
	for name, tt := range map[string]struct {
		get, post http.Handler
		kind      api.Kind
		asked     string
	}{
		"both":                  {found, found, 0, "GET GET"},
		"GET only":              {found, apitest.Status(405, ``), 0, "GET GET"},
		"POST only, 405":        {apitest.Status(405, ``), found, 0, "GET POST POST"},
		"POST only, 404":        {apitest.Status(404, `Cannot GET`), found, 0, "GET POST POST"},
		"POST only, 501":        {apitest.Status(501, ``), found, 0, "GET POST POST"},
		"POST only, not found":  {apitest.Status(405, ``), missing, api.NotFound, "GET POST POST"},
		"GET, not found":        {missing, found, api.NotFound, "GET GET"},
		"GET, not found by 404": {missing404, found, api.NotFound, "GET GET"},
		"neither":               {apitest.Status(404, ``), apitest.Status(404, ``), api.NotTheAPI, "GET POST GET POST"},
		"POST breaks":           {apitest.Status(405, ``), apitest.Status(500, ``), api.ServerError, "GET POST GET POST"},
		"GET refuses the key":   {apitest.Status(401, ``), found, api.Unauthorized, "GET GET"},
		// A 404 in JSON to both means that the id is not found.
		"JSON to both":         {no, no, api.NotFound, "GET POST GET POST"},
		"text to POST":         {no, apitest.Status(404, `Not found`), api.NotTheAPI, "GET POST GET POST"},
		"a page to GET":        {apitest.Status(404, `<html>`), no, api.NotTheAPI, "GET POST GET POST"},
		"POST is not served":   {no, apitest.Status(405, `{}`), api.NotTheAPI, "GET POST GET POST"},
		"POST finds the id":    {no, found, 0, "GET POST POST"},
		"POST asks for a role": {no, apitest.Status(403, `{}`), api.Forbidden, "GET POST GET POST"},
	} {
		t.Run(name, func(t *testing.T) {
			var asked []string
			again := 0
			if name == "POST breaks" {
				again = 5 // but a POST is not repeated
			}
			c := newClient(t, byMethod(&asked, tt.get, tt.post), retries(again))
			for range 2 {
				r, err := c.Retirement(t.Context(), "r1")
				must.Hold(t, api.KindOf(err) == tt.kind && (err != nil || r.ID == "r1"), "look-up finds", r.ID, err)
			}
			must.Equal(t, strings.Join(asked, " "), tt.asked)
		})
	}
}

func TestLookUpRefusesAnotherRequestThanTheOneAskedFor(t *testing.T) {
	c := newClient(t, apitest.JSON(retirement))
	must.Equal(t, api.KindOf(must.Err(c.Retirement(t.Context(), ""))), api.Refused, "no id")
	got, err := c.Retirement(t.Context(), "r2")
	e := failure(t, err)
	must.Hold(t, e.Kind == api.NotTheAPI && errors.Is(err, api.ErrRecord) && e.Error() == "the service answered with another request",
		"error is", err)
	must.Equal(t, got.ID, "")
}

func TestLookUpTellsABadRecordFromAnotherPage(t *testing.T) {
	for body, record := range map[string]bool{
		`{}`: true, `{"id":7}`: true, `{"id":"r1"`: true, `[]`: true, `null`: true, ``: true, retirement + "x": true,
		`<!DOCTYPE html>`: false, `not found`: false,
	} {
		_, err := newClient(t, apitest.JSON(body)).Retirement(t.Context(), "r1")
		must.Hold(t, api.KindOf(err) == api.NotTheAPI && errors.Is(err, api.ErrRecord) == record, body, err)
	}
}

// projectsHandler knows every project but those that start with x, and keeps
// how many were asked for at once.
func projectsHandler(t *testing.T, batches *[]int) http.Handler {
	var mu sync.Mutex
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		must.Hold(t, len(r.URL.RequestURI()) <= 8<<10, "an address has", len(r.URL.RequestURI()))
		ids := r.URL.Query()["project_ids[]"]
		mu.Lock()
		*batches = append(*batches, len(ids))
		slices.SortFunc(*batches, func(a, b int) int { return b - a })
		mu.Unlock()
		var known []string
		for _, id := range ids {
			if !strings.HasPrefix(id, "x") {
				known = append(known, fmt.Sprintf(`{"project_id":%q}`, id))
			}
		}
		apitest.JSON(`{"projects":[`+strings.Join(known, ",")+`]}`).ServeHTTP(w, r)
	})
}

func TestProjectsAreAskedForInBatches(t *testing.T) {
	many := make([]string, 120)
	for i := range many {
		many[i] = fmt.Sprintf("p%d", i)
	}
	many[7] = "x7"
	long := []string{strings.Repeat("a", 3000), strings.Repeat("b", 6000), "c", "d"}
	for _, c := range []struct {
		ids, want []string
		batches   []int
	}{{many, slices.Delete(slices.Clone(many), 7, 8), []int{50, 50, 20}}, {long, long, []int{2, 1, 1}}} {
		var batches []int
		projects, err := newClient(t, projectsHandler(t, &batches)).Projects(t.Context(), c.ids...)
		var got []string
		for _, p := range projects {
			got = append(got, p.ID)
		}
		must.Hold(t, err == nil && slices.Equal(got, c.want) && slices.Equal(batches, c.batches),
			len(got), batches, err, len(c.want), c.batches)
	}
}

func TestProjectsOfOtherBatchesSurviveAnError(t *testing.T) {
	var batches []int
	h := apitest.Sequence(projectsHandler(t, &batches), apitest.Status(500, ``))
	ids := make([]string, 80)
	for i := range ids {
		ids[i] = fmt.Sprintf("p%d", i)
	}
	got, err := newClient(t, h).Projects(t.Context(), ids...)
	must.Hold(t, api.KindOf(err) == api.ServerError && len(got) == batches[0], len(got), err)
}

func TestTheAnswerOfALookUpIsWhatTheServiceSent(t *testing.T) {
	sent := " " + retirement + "\n"
	c := newClient(t, apitest.JSON(sent))
	r, answer, err := c.RetirementAnswer(t.Context(), "r1")
	must.Hold(t, err == nil && r.ID == "r1" && string(answer) == sent, r.ID, answer, err)
	// Another answer takes the room of the first.
	_, err = c.Retirement(t.Context(), "r1")
	must.Hold(t, err == nil && string(answer) == sent, "the answer became", answer, err)
	_, answer, err = c.RetirementAnswer(t.Context(), "r2")
	must.Hold(t, err != nil && answer == nil, "an answer for another request", answer, err)
}

func mayRetire(o *api.Options) { o.MayRetire = true }

func TestClientWithoutPermissionSendsNoRetirement(t *testing.T) {
	c := newClient(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a request was sent") }))
	_, err := c.RequestRetirement(t.Context(), []byte("{}"))
	must.Hold(t, errors.Is(err, api.ErrMayNotRetire) && api.HadNoEffect(err), "err =", err)
}

func TestRetirementCallIsSentOnceAndUnchanged(t *testing.T) {
	const body = `{"vintage_id":"004a","quantity_grams":"20","external_id":"x-1"}`
	calls := 0
	c := newClient(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls++
		got, err := io.ReadAll(r.Body)
		must.Hold(t, r.Method == http.MethodPost && r.URL.Path == "/api/caas/request-retirement" && string(got) == body && r.Header.Get("Content-Type") == "application/json",
			r.Method, r.URL.Path, got, r.Header, err)
		apitest.Status(http.StatusBadGateway, "").ServeHTTP(w, r)
	}), mayRetire, retries(3))
	_, err := c.RequestRetirement(t.Context(), []byte(body))
	must.Hold(t, api.KindOf(err) == api.ServerError && calls == 1, calls, err)
}

func TestWhatHadNoEffectIsKnown(t *testing.T) {
	for name, tt := range map[string]struct {
		answer http.Handler
		want   bool
	}{
		"a refusal":             {apitest.Status(422, `{"error":"SELL_ORDER_NOT_LIVE","message":"gone"}`), true},
		"a key":                 {apitest.Status(401, "{}"), true},
		"a role":                {apitest.Status(403, "{}"), true},
		"a limit":               {apitest.RateLimited("1"), true},
		"a wrong address":       {apitest.Status(404, "{}"), false},
		"a bad request":         {apitest.Status(400, "{}"), false},
		"a limit of size":       {apitest.Status(413, "{}"), false},
		"a page with 422":       {apitest.Status(422, "<html>no</html>"), false},
		"422 without a body":    {apitest.Status(422, ""), false},
		"an unknown refusal":    {apitest.Status(422, `{"error":"CALL_UNDER_WAY","message":"no"}`), false},
		"a redirect":            {apitest.Status(307, "{}"), true},
		"a time-out of a proxy": {apitest.Status(408, "{}"), false},
		"a conflict":            {apitest.Status(409, "{}"), false},
		"a broken service":      {apitest.Status(500, "{}"), false},
		"a gateway":             {apitest.Status(504, "{}"), false},
		"a page":                {apitest.HTML(), false},
		"half an answer":        {apitest.CutOff(`{"retirement_request_id":"00m1"}`), false},
		"an empty answer":       {apitest.JSON(`{}`), false},
	} {
		c := newClient(t, tt.answer, mayRetire)
		_, err := c.RequestRetirement(t.Context(), []byte("{}"))
		must.Hold(t, err != nil && api.HadNoEffect(err) == tt.want, name, err, api.HadNoEffect(err))
	}
}

func TestA422IsARefusalIfTheInterfaceListsItsCodeForRetiring(t *testing.T) {
	page := must.Get(os.ReadFile("../docs/interface.md"))
	_, codes, _ := strings.Cut(string(page), "### 7.1 ")
	others, codes, found := strings.Cut(codes, "Retiring, in groups:")
	codes, _, ends := strings.Cut(codes, "\n## ")
	named := regexp.MustCompile("`[A-Z_]+`")
	must.Need(t, found && ends && len(named.FindAllString(codes, -1)) == 16, "the page lists", codes)
	for _, code := range named.FindAllString(codes, -1) {
		err := (&api.Error{Kind: api.Invalid, Status: 422, Code: strings.Trim(code, "`")})
		must.Hold(t, api.IsRefusal(err), code)
	}
	for _, code := range append(named.FindAllString(others, -1), "", "CALL_UNDER_WAY") {
		err := (&api.Error{Kind: api.Invalid, Status: 422, Code: strings.Trim(code, "`")})
		must.Hold(t, !api.IsRefusal(err), code)
	}
	must.Hold(t, !api.IsRefusal(&api.Error{Kind: api.ServerError, Status: 500, Code: "SELL_ORDER_NOT_LIVE"}) && !api.IsRefusal(errors.New("other")),
		"what is no refusal is named")
}
