package api_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tonne/api"
	"tonne/api/apitest"
	"tonne/model"
	"tonne/model/market"
	must "tonne/model/musttest"
	"tonne/model/portfolio"
	"tonne/model/texttest"
)

// TestClient runs the scripts of testdata: answers of a service, and calls, each followed by its result and its
// requests. See script.do and script.call for what there is.
func TestClient(t *testing.T) {
	t.Parallel()
	texttest.Run(t, "*", func(t *testing.T, text string) (with string) {
		synctest.Test(t, func(t *testing.T) {
			s := &script{t: t, ctx: t.Context()}
			s.do("client")
			with = texttest.Commands(text, s.do)
		})
		return with
	})
}

// script is a client and the service that it calls.
type script struct {
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

func (s *script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.next(r).ServeHTTP(w, r)
	if r.URL.Query().Get("page") == "1" && s.later != nil {
		s.listing.Set(s.later...)
		s.later = nil
	}
}

func (s *script) next(r *http.Request) http.Handler {
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

// answer reads [after=TIME] STATUS|html|hang|reset|cut|slow|redirect [HEADER=VALUE]... [BODY]. An underscore in a
// header is a blank.
func answer(words []string) http.Handler {
	header, pause, status := make(http.Header), time.Duration(0), ""
	for len(words) > 0 {
		name, value, is := strings.Cut(words[0], "=")
		switch {
		case name == "after" && is:
			pause = must.Get(time.ParseDuration(value))
		case status == "":
			status = words[0]
		case is && name[0] >= 'A' && name[0] <= 'Z':
			header.Set(name, strings.ReplaceAll(value, "_", " "))
		default:
			return late(answered(status, header, words), pause)
		}
		words = words[1:]
	}
	return late(answered(status, header, nil), pause)
}

func answered(status string, header http.Header, words []string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text := bodyOf(words, r)
		for name := range header {
			w.Header().Set(name, header.Get(name))
		}
		code, err := strconv.Atoi(status)
		handler := map[string]http.Handler{
			"html": apitest.HTML(), "hang": apitest.Hang(), "reset": apitest.Reset(), "cut": apitest.CutOff(text),
			"slow": apitest.Slow(text, time.Second), "redirect": apitest.Redirect(text),
		}[status]
		if err == nil {
			handler = apitest.Status(code, text)
		}
		handler.ServeHTTP(w, r)
	})
}

// bodyOf returns a page if the words are market|inventory[@PAGE] ID... of PAGES/ITEMS, and the text of any others. A
// text after go: is quoted.
func bodyOf(words []string, r *http.Request) string {
	page, err := strconv.Atoi(r.URL.Query().Get("page"))
	if err != nil {
		page = 1
	}
	text := strings.ReplaceAll(strings.Join(words, " "), "$page", strconv.Itoa(page))
	if quoted, is := strings.CutPrefix(text, "go:"); is {
		return must.Get(strconv.Unquote(quoted))
	}
	if text == "retirement" {
		return retirement
	}
	ids, of, is := strings.Cut(text, " of ")
	kind, ids, _ := strings.Cut(ids, " ")
	kind, fixed, isFixed := strings.Cut(kind, "@")
	body := map[string]func(page, pages, items int, ids ...string) string{"market": marketPage,
		"inventory": inventoryPage}[kind]
	if !is || body == nil {
		return text
	}
	if isFixed {
		page = must.Get(strconv.Atoi(fixed))
	}
	pages, items, _ := strings.Cut(of, "/")
	return body(page, must.Get(strconv.Atoi(pages)), must.Get(strconv.Atoi(items)), strings.Fields(ids)...)
}

func (s *script) do(command string, args ...string) []string {
	switch command {
	case "client": // [retries=N] [retire] [base=URL], and no answers yet
		o := api.Options{BaseURL: "https://market.example", Key: key, Transport: apitest.Transport(s)}
		o.Asked = func(wait time.Duration) {
			s.turn.Lock()
			defer s.turn.Unlock()
			s.waits = append(s.waits, wait)
		}
		for _, arg := range args {
			name, value, _ := strings.Cut(arg, "=")
			switch name {
			case "retries":
				o.Retries = must.Get(strconv.Atoi(value))
			case "base":
				o.BaseURL = value
			}
			o.MayRetire = o.MayRetire || name == "retire"
		}
		s.client, s.answers = must.Get(api.New(o)), make(map[string][]http.Handler)
	case "answer": // [get|post|page=N] ANSWER
		of := args[0]
		if of == "get" || of == "post" || strings.HasPrefix(of, "page=") {
			args = args[1:]
		} else {
			of = ""
		}
		s.answers[of] = append(s.answers[of], answer(args))
	case "offers": // [tags] [versions], with the pages
		s.listing.Offer(slices.Contains(args, "tags"), slices.Contains(args, "versions"))
	case "pages": // ID[=PRICE]... | ... of the market
		s.listing.Set(parsePages(args)...)
	case "later": // PAGES, after page 1 was sent
		s.later = parsePages(args)
	case "service": // has no answers any more
		clear(s.answers)
	case "refreshed": // by the user now
		s.ctx = api.Refreshed(s.t.Context(), time.Now())
	case "polled":
		s.ctx = s.t.Context()
	case "patience": // TIME
		s.patience = must.Get(time.ParseDuration(args[0]))
	case "wait": // TIME
		time.Sleep(must.Get(time.ParseDuration(args[0])))
	case "most": // N requests of the next call
		s.most = must.Get(strconv.Atoi(args[0]))
	case "took": // at LEAST and at MOST
		must.Hold(s.t, s.took >= must.Get(time.ParseDuration(args[0])) && s.took <= must.Get(time.ParseDuration(args[1])),
			args, s.took)
	case "asked":
		var all []string
		for _, r := range s.requests {
			text := r.Method + " " + must.Get(url.QueryUnescape(r.URL.RequestURI()))
			if tag := r.Header.Get("If-None-Match"); tag != "" {
				text += " unless it is " + tag
			}
			all = append(all, text)
		}
		return all
	default:
		return s.call(command, append(args, "", "", "", "", ""))
	}
	return nil
}

// parsePages reads pages of projects, and perhaps "of" the number of all.
func parsePages(words []string) (all []string) {
	text, of, _ := strings.Cut(strings.Join(words, " "), " of ")
	total, _ := strconv.Atoi(of)
	pages := strings.Split(text, "|")
	for i, page := range pages {
		all = append(all,
			marketPage(i+1, len(pages), max(total, len(strings.Fields(strings.ReplaceAll(text, "|", " ")))),
				strings.Fields(page)...))
	}
	return all
}

// call returns what a call read, its error, and its requests.
func (s *script) call(command string, args []string) (all []string) {
	ctx, began := s.ctx, time.Now()
	if s.patience > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, s.patience)
		defer cancel()
	}
	s.requests, s.waits = nil, nil
	read, err := s.read(ctx, command, args)
	s.took = time.Since(began)
	synctest.Wait() // a listing that ended may still have asked for more
	if read != "" {
		all = append(all, read)
	}
	if err != nil {
		all = append(all, s.problem(command, err))
	}
	s.turn.Lock()
	defer s.turn.Unlock()
	text, methods := fmt.Sprint(len(s.requests), " requests"), ""
	if s.most > 0 && len(s.requests) <= s.most {
		text = fmt.Sprint("at most ", s.most, " requests")
	}
	for _, r := range s.requests {
		methods += " " + r.Method
	}
	if command != "retire" && strings.Contains(methods, http.MethodPost) {
		text += ":" + methods
	}
	s.most = 0
	if whole, unchanged, conditions, _ := s.listing.Sent(); whole+unchanged > 0 {
		text += fmt.Sprintf(", %d pages are sent and %d unchanged, %d with a tag", whole, unchanged, conditions)
	}
	if s.took > 0 {
		text += " in " + s.took.String()
	}
	if s.took%time.Second != 0 {
		text = strings.TrimSuffix(text, s.took.String()) + "a while"
	}
	if len(s.waits) > 0 {
		text += fmt.Sprint(", asked to wait ", s.waits)
	}
	return append(all, text)
}

func (s *script) read(ctx context.Context, command string, args []string) (read string, err error) {
	n := make([]int, len(args))
	for i := range args {
		n[i], _ = strconv.Atoi(args[i])
	}
	var ids []string
	switch command {
	case "market": // [PERPAGE]
		var told []int
		m, err := s.client.Market(ctx, n[0], func(_ *market.Page, of model.Page) { told = append(told, of.Current) })
		if m == nil {
			return "", err
		}
		if s.most == 0 && len(told) > 0 && told[len(told)-1] != len(told) {
			ids = append(ids, fmt.Sprint("in pages ", told))
		}
		for i := range m.Projects() {
			ids = append(ids, m.Project(i).ID)
			if ask := m.Vintage(m.Project(i).First).BestAsk; ask != 500 {
				ids = append(ids, fmt.Sprint("for ", ask))
			}
		}
		if s.last == m {
			ids = append(ids, "as before")
		}
		s.last = m
		return strings.Join(append([]string{"market"}, ids...), " "), err
	case "inventory":
		inventory, err := s.client.Inventory(ctx, api.InventoryQuery{}, nil)
		if inventory == nil {
			return "", err
		}
		for _, project := range inventory.Projects {
			must.Equal(s.t, len(project.Vintages), 1, project.ID)
		}
		return strings.Join(append([]string{"inventory"}, inventory.ProjectIDs()...), " "), err
	case "page": // [PAGE [PERPAGE]] of the market
		part, _, err := s.client.MarketPage(ctx, api.MarketQuery{Page: n[0], PerPage: n[1]})
		if err != nil {
			return "", err
		}
		return strings.Join(append([]string{"page"}, part.ProjectIDs()...), " "), nil
	case "inventory-page": // [PAGE PERPAGE TRADES TYPE LEAST]
		q := api.InventoryQuery{Page: n[0], PerPage: n[1], TradesPerWallet: n[2], TradeType: portfolio.TradeType(args[3]),
			WalletMinQuantity: model.Grams(n[4])}
		_, _, err := s.client.InventoryPage(ctx, q)
		return "", err
	case "holdings":
		prices, balances, err := s.client.Holdings(ctx)
		for vintage, paid := range prices {
			ids = append(ids, fmt.Sprint(vintage, " for ", paid.Price, ", ", balances[vintage], " g"))
		}
		slices.Sort(ids)
		return strings.Join(ids, "; "), err
	case "projects": // ID...
		projects, err := s.client.Projects(ctx, args[:slices.Index(args, "")]...)
		for _, p := range projects {
			ids = append(ids, p.ID)
		}
		return strings.TrimSpace("projects " + strings.Join(ids, " ")), err
	case "lookup": // ID
		r, err := s.client.Retirement(ctx, args[0])
		return strings.TrimSpace("request " + r.ID), err
	case "retire":
		accepted, err := s.client.RequestRetirement(ctx, []byte("{}"))
		return strings.TrimSpace("accepted " + accepted.RequestID), err
	}
	s.t.Fatal("no command", command)
	return "", nil
}

// problem returns all that an error says.
func (s *script) problem(command string, err error) string {
	e := failure(s.t, err)
	text := []string{
		"", "unauthorized", "forbidden", "not found", "invalid", "rate limited", "server error", "not the API", "unreachable",
		"timed out", "cancelled", "refused",
		"incomplete",
	}[e.Kind] + ": " + e.Error()
	for _, is := range []struct {
		text  string
		shown bool
	}{
		{"elsewhere", e.Elsewhere}, {e.Todo, e.Todo != ""}, {"a bad record", errors.Is(err, api.ErrRecord)},
		{"the role is " + e.Role, e.Role != ""},
		{fmt.Sprintf("again in %v, %d s", e.RetryAfter, e.WaitSeconds()), e.RetryAfter > 0},
		{"a long wait", api.LongWait(err)},
		{fmt.Sprintf("%d of %d", e.Read, e.Total), e.Total > 0}, {"no effect", command == "retire" && api.HadNoEffect(err)},
	} {
		if is.shown {
			text += " (" + is.text + ")"
		}
	}
	return text
}
