package api_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"tonne/api"
	"tonne/api/apitest"
	must "tonne/model/musttest"
)

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
	// An error of one batch leaves the others.
	var batches []int
	h := apitest.Sequence(projectsHandler(t, &batches), apitest.Status(500, ``))
	got, err := newClient(t, h).Projects(t.Context(), many[10:90]...)
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

func TestClientHasNoMethodThatRetires(t *testing.T) {
	_, retires := reflect.TypeFor[*api.Retirer]().MethodByName("RequestRetirement")
	must.Hold(t, retires, "the method has another name")
	for method := range reflect.TypeFor[*api.Client]().Methods() {
		must.Hold(t, method.Name == "Retirement" || method.Name == "RetirementAnswer" || !strings.Contains(method.Name, "etire"),
			"a client has the method", method.Name)
	}
}

func TestRetirementCallIsSentOnceAndUnchanged(t *testing.T) {
	const body = `{"vintage_id":"004a","quantity_grams":"20","external_id":"x-1"}`
	calls := 0
	c := newClient(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls++
		got, err := io.ReadAll(r.Body)
		must.Hold(t,
			r.Method == http.MethodPost && r.URL.Path == "/api/caas/request-retirement" && string(got) == body &&
				r.Header.Get("Content-Type") == "application/json",
			r.Method, r.URL.Path, got, r.Header, err)
		apitest.Status(http.StatusBadGateway, "").ServeHTTP(w, r)
	}), retries(3))
	_, err := (&api.Retirer{Client: c}).RequestRetirement(t.Context(), []byte(body))
	must.Hold(t, api.KindOf(err) == api.ServerError && calls == 1, calls, err)
}

func TestA422IsARefusalIfTheInterfaceListsItsCodeForRetiring(t *testing.T) {
	page := must.Get(os.ReadFile("../docs/interface.md"))
	_, codes, _ := strings.Cut(string(page), "### 7.1 ")
	others, codes, found := strings.Cut(codes, "Retiring, in groups:")
	codes, _, ends := strings.Cut(codes, "\n## ")
	named := regexp.MustCompile("`[A-Z_]+`")
	must.Need(t, found && ends && len(named.FindAllString(codes, -1)) == 17, "the page lists", codes)
	for _, code := range named.FindAllString(codes, -1) {
		err := (&api.Error{Kind: api.Invalid, Status: 422, Code: strings.Trim(code, "`")})
		must.Hold(t, api.IsRefusal(err), code)
	}
	for _, code := range append(named.FindAllString(others, -1), "", "CALL_UNDER_WAY") {
		err := (&api.Error{Kind: api.Invalid, Status: 422, Code: strings.Trim(code, "`")})
		must.Hold(t, !api.IsRefusal(err) || strings.Contains(codes, code), code)
	}
	must.Hold(t,
		!api.IsRefusal(&api.Error{Kind: api.ServerError, Status: 500, Code: "SELL_ORDER_NOT_LIVE"}) &&
			!api.IsRefusal(errors.New("other")),
		"what is no refusal is named")
}
