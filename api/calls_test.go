package api_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing/synctest"
	"time"

	"tonne/api"
	"tonne/model"
	"tonne/model/market"
	must "tonne/model/musttest"
)

// call returns what a call read, why it failed, and what it sent.
func (s *service) call(read func(ctx context.Context) (string, error)) (all []string) {
	s.t.Helper()
	ctx, began := s.ctx, time.Now()
	if s.patience > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, s.patience)
		defer cancel()
	}
	s.requests, s.waits = nil, nil
	text, err := read(ctx)
	s.took = time.Since(began)
	synctest.Wait() // a listing that ended may still have asked for more
	if text != "" {
		all = append(all, text)
	}
	if err != nil {
		all = append(all, s.problem(err))
	}
	return append(all, s.sent())
}

// sent returns the requests of the last call, with their methods if there is a look-up by POST, and the time it took.
func (s *service) sent() string {
	s.turn.Lock()
	defer s.turn.Unlock()
	text := fmt.Sprint(len(s.requests), " requests")
	if s.most > 0 && len(s.requests) <= s.most {
		text = fmt.Sprint("at most ", s.most, " requests")
	}
	s.most = 0
	isPost := func(r *http.Request) bool {
		return r.Method == http.MethodPost && !strings.HasSuffix(r.URL.Path, "/request-retirement")
	}
	if slices.ContainsFunc(s.requests, isPost) {
		text += ":"
		for _, r := range s.requests {
			text += " " + r.Method
		}
	}
	if whole, unchanged, conditions, _ := s.listing.Sent(); whole+unchanged > 0 {
		text += fmt.Sprintf(", %d pages are sent and %d unchanged, %d with a tag", whole, unchanged, conditions)
	}
	switch {
	case s.took%time.Second != 0:
		text += " in a while"
	case s.took > 0:
		text += " in " + s.took.String()
	}
	if len(s.waits) > 0 {
		text += fmt.Sprint(", asked to wait ", s.waits)
	}
	return text
}

// asked returns the requests of the last call.
func (s *service) asked() (all []string) {
	s.t.Helper()
	for _, r := range s.requests {
		text := r.Method + " " + must.Get(url.QueryUnescape(r.URL.RequestURI()))
		if tag := r.Header.Get("If-None-Match"); tag != "" {
			text += " unless it is " + tag
		}
		all = append(all, text)
	}
	return all
}

// market names the projects that a call read, with best asks that are not 500.
func (s *service) market(perPage int) []string {
	s.t.Helper()
	return s.call(func(ctx context.Context) (string, error) {
		var told []int
		each := func(_ *market.Page, of model.Page) { told = append(told, of.Current) }
		m, err := s.client.Market(ctx, perPage, each)
		if m == nil {
			return "", err
		}
		text := "market"
		if s.most == 0 && len(told) > 0 && told[len(told)-1] != len(told) {
			text += fmt.Sprint(" in pages ", told)
		}
		for i := range m.Projects() {
			text += " " + m.Project(i).ID
			if ask := m.Vintage(m.Project(i).First).BestAsk; ask != 500 {
				text += fmt.Sprint(" for ", ask)
			}
		}
		if s.last == m {
			text += " as before"
		}
		s.last = m
		return text, err
	})
}

func (s *service) inventory() []string {
	s.t.Helper()
	return s.call(func(ctx context.Context) (string, error) {
		inventory, err := s.client.Inventory(ctx, api.InventoryQuery{}, nil)
		if inventory == nil {
			return "", err
		}
		for _, project := range inventory.Projects {
			must.Equal(s.t, len(project.Vintages), 1, project.ID)
		}
		return named("inventory", inventory.ProjectIDs()...), err
	})
}

// page is that of the market.
func (s *service) page() []string {
	s.t.Helper()
	return s.call(func(ctx context.Context) (string, error) {
		part, _, err := s.client.MarketPage(ctx, api.MarketQuery{})
		if err != nil {
			return "", err
		}
		return named("page", part.ProjectIDs()...), nil
	})
}

func (s *service) holdings() []string {
	s.t.Helper()
	return s.call(func(ctx context.Context) (string, error) {
		prices, balances, err := s.client.Holdings(ctx)
		var all []string
		for vintage, paid := range prices {
			all = append(all, fmt.Sprint(vintage, " for ", paid.Price, ", ", balances[vintage], " g"))
		}
		slices.Sort(all)
		return strings.Join(all, "; "), err
	})
}

func (s *service) projectsOf(ids ...string) []string {
	s.t.Helper()
	return s.call(func(ctx context.Context) (string, error) {
		projects, err := s.client.Projects(ctx, ids...)
		var read []string
		for _, p := range projects {
			read = append(read, p.ID)
		}
		return named("projects", read...), err
	})
}

func (s *service) lookUp(id string) []string {
	s.t.Helper()
	return s.call(func(ctx context.Context) (string, error) {
		r, err := s.client.Retirement(ctx, id)
		if err != nil {
			return "", err
		}
		return "request " + r.ID, nil
	})
}

func (s *service) retire() []string {
	s.t.Helper()
	return s.call(func(ctx context.Context) (string, error) {
		accepted, err := (&api.Retirer{Client: s.client}).RequestRetirement(ctx, []byte("{}"))
		if err != nil {
			return "", err
		}
		return "accepted " + accepted.RequestID, nil
	})
}

func named(what string, ids ...string) string {
	return strings.Join(append([]string{what}, ids...), " ")
}

// problem returns all that an error says.
func (s *service) problem(err error) string {
	s.t.Helper()
	e := failure(s.t, err)
	text := []string{
		"", "unauthorized", "forbidden", "not found", "invalid", "rate limited", "server error", "not the API", "unreachable",
		"timed out", "cancelled", "refused",
		"incomplete",
	}[e.Kind] + ": " + e.Error()
	posted := len(s.requests) > 0 && strings.HasSuffix(s.requests[0].URL.Path, "/request-retirement")
	for _, is := range []struct {
		text  string
		shown bool
	}{
		{"elsewhere", e.Elsewhere}, {e.Todo, e.Todo != ""}, {"a bad record", errors.Is(err, api.ErrRecord)},
		{"the role is " + e.Role, e.Role != ""},
		{fmt.Sprintf("again in %v, %d s", e.RetryAfter, e.WaitSeconds()), e.RetryAfter > 0},
		{"a long wait", api.LongWait(err)},
		{fmt.Sprintf("%d of %d", e.Read, e.Total), e.Total > 0}, {"no effect", posted && api.HadNoEffect(err)},
	} {
		if is.shown {
			text += " (" + is.text + ")"
		}
	}
	return text
}
