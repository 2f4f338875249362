package api_test

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tonne/api"
	"tonne/api/apitest"
	"tonne/model/market"
	must "tonne/model/musttest"
)

// service is a client and the service that it calls.
type service struct {
	t      *testing.T
	client *api.Client
	ctx    context.Context
	// patience ends calls, if it is not 0. took is the time of the last call.
	patience, took time.Duration
	// last is the market that was read last.
	last *market.Market
	// most is how many requests the next call may make, if their number may vary.
	most int

	turn sync.Mutex
	// answers are those to "get", "post", "page=N" and "" for all others: the next one for each request, the last one
	// again and again.
	answers map[string][]http.Handler
	// listing answers all other requests, with the pages of later once its first page was sent.
	listing listing
	later   []string
	// requests and waits are those of the last call.
	requests []*http.Request
	waits    []time.Duration
}

// newService returns a service without answers. Tests that use it run in a synctest bubble.
func newService(t *testing.T, change ...func(*api.Options)) *service {
	t.Helper()
	s := &service{t: t, ctx: t.Context(), answers: make(map[string][]http.Handler)}
	asked := func(o *api.Options) {
		o.Asked = func(wait time.Duration) {
			s.turn.Lock()
			defer s.turn.Unlock()
			s.waits = append(s.waits, wait)
		}
	}
	s.client = newClient(t, s, append(change, asked)...)
	return s
}

func base(url string) func(*api.Options) { return func(o *api.Options) { o.BaseURL = url } }

// bubble runs a row of a table.
func bubble(t *testing.T, name string, test func(t *testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) { synctest.Test(t, test) })
}

// on adds answers to requests: see service.answers.
func (s *service) on(requests string, all ...http.Handler) {
	s.answers[requests] = append(s.answers[requests], all...)
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.next(r).ServeHTTP(w, r)
	if r.URL.Query().Get("page") == "1" && s.later != nil {
		s.listing.Set(s.later...)
		s.later = nil
	}
}

func (s *service) next(r *http.Request) http.Handler {
	s.turn.Lock()
	defer s.turn.Unlock()
	must.Equal(s.t, r.Header.Get("Authorization"), "Bearer "+key)
	s.requests = append(s.requests, r)
	for _, of := range []string{"page=" + r.URL.Query().Get("page"), strings.ToLower(r.Method), ""} {
		if answers := s.answers[of]; len(answers) > 0 {
			s.answers[of] = answers[min(1, len(answers)-1):]
			return answers[0]
		}
	}
	return &s.listing
}

// headed adds a header to an answer.
func headed(name, value string, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(name, value)
		h.ServeHTTP(w, r)
	})
}

// listingOf answers with the page that is asked for, or the first.
func listingOf(body func(page int) string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page, err := strconv.Atoi(r.URL.Query().Get("page"))
		if err != nil {
			page = 1
		}
		apitest.JSON(body(page)).ServeHTTP(w, r)
	})
}

func marketOf(pages, items int, ids ...string) http.Handler {
	return listingOf(func(page int) string { return marketPage(page, pages, items, ids...) })
}

func inventoryOf(pages, items int, ids ...string) http.Handler {
	return listingOf(func(page int) string { return inventoryPage(page, pages, items, ids...) })
}

// numbered has the project pN on page N.
func numbered(pages, items int) http.Handler {
	return listingOf(func(page int) string { return marketPage(page, pages, items, fmt.Sprint("p", page)) })
}

// listed returns pages of the market, each with projects such as "a b=500".
func listed(items int, pages ...string) (all []string) {
	for i, projects := range pages {
		all = append(all, marketPage(i+1, len(pages), items, strings.Fields(projects)...))
	}
	return all
}
