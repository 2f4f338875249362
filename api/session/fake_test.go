package session_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
	"unsafe"

	"tonne/api"
	"tonne/model"
	"tonne/model/market"
	must "tonne/model/musttest"
	"tonne/model/portfolio"
	"tonne/model/retirement"
)

// start is when every synctest bubble starts.
var start = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// answer is what the fake service answers: pages of items, and then perhaps a failure.
type answer struct {
	// from is the time since the start from which on it answers; 0 for the next call.
	from time.Duration
	// takes is the time for each page. It passes also for a cancelled call if it is deaf.
	takes time.Duration
	deaf  bool
	pages [][]string
	fail  error
}

// parseAnswer reads [FROM:][TIME~]ITEM,ITEM|ITEM[!KIND]. TIME~~ does not end for a cancelled call.
func parseAnswer(text string) answer {
	var a answer
	if from, rest, timed := strings.Cut(text, ":"); timed {
		a.from, text = duration(from), rest
	}
	if takes, rest, slow := strings.Cut(text, "~"); slow {
		a.takes, text = duration(takes), rest
		text, a.deaf = strings.CutPrefix(text, "~")
	}
	text, kind, failing := strings.Cut(text, "!")
	if failing {
		kind, wait, _ := strings.Cut(kind, "/")
		e := &api.Error{Kind: kinds[kind], Message: kind}
		if wait != "" {
			e.RetryAfter = duration(wait)
		}
		a.fail = fmt.Errorf("call: %w", e)
	}
	for page := range strings.SplitSeq(text, "|") {
		if page != "" {
			a.pages = append(a.pages, strings.Split(page, ","))
		}
	}
	return a
}

var kinds = map[string]api.Kind{
	"unauthorized": api.Unauthorized, "forbidden": api.Forbidden, "unknown": api.NotFound, "invalid": api.Invalid,
	"limited": api.RateLimited,
	"broken":  api.ServerError, "foreign": api.NotTheAPI, "unreachable": api.Unreachable, "incomplete": api.Incomplete,
}

func kindOf(err error) string {
	for name, kind := range kinds {
		if api.KindOf(err) == kind {
			return name
		}
	}
	return err.Error()
}

func duration(text string) time.Duration {
	return must.Get(time.ParseDuration(text))
}

// fake is a marketplace with an answer for each call of an operation: the next one, or the last
// whose time has come.
type fake struct {
	mu      sync.Mutex
	answers map[string][]answer
	calls   map[string][]time.Time
	// subjects are what the calls of each operation were for.
	subjects map[string][]string
	most     map[string]int
	running  map[string]int
	last     *market.Market
}

func newFake() *fake {
	return &fake{answers: make(map[string][]answer), calls: make(map[string][]time.Time),
		subjects: make(map[string][]string), most: make(map[string]int), running: make(map[string]int)}
}

func (f *fake) set(operation string, texts ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answers[operation] = nil
	for _, text := range texts {
		f.answers[operation] = append(f.answers[operation], parseAnswer(text))
	}
}

// call counts a call and passes the pages of its answer to each, which may be nil.
func (f *fake) call(ctx context.Context, operation, subject string, each func(page, pages int, items []string)) (answer,
	error) {
	f.mu.Lock()
	a := f.next(operation, operation+" "+subject)
	for _, name := range []string{operation, operation + " " + subject} {
		f.calls[name] = append(f.calls[name], time.Now())
	}
	f.subjects[operation] = append(f.subjects[operation], subject)
	f.running[operation]++
	f.most[operation] = max(f.most[operation], f.running[operation])
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.running[operation]--
	}()
	for n := range max(len(a.pages), 1) {
		if a.deaf {
			time.Sleep(a.takes)
		} else if a.takes > 0 {
			select {
			case <-time.After(a.takes):
			case <-ctx.Done():
				return a, ctx.Err()
			}
		}
		if n < len(a.pages) && each != nil {
			each(n+1, len(a.pages), a.pages[n])
		}
	}
	return a, a.fail
}

// next returns the answer of the subject, or of the operation if the subject has none.
func (f *fake) next(operation, subject string) (next answer) {
	if len(f.answers[subject]) > 0 {
		operation = subject
	}
	all := f.answers[operation]
	for i, a := range all {
		if a.from > 0 && time.Since(start) >= a.from {
			next = a
		} else if a.from == 0 && i <= len(f.calls[operation]) {
			next = a
		}
	}
	return next
}

func (f *fake) called(operation string) (at []time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, t := range f.calls[operation] {
		at = append(at, t.Sub(start))
	}
	return at
}

// Market answers with PRICE or PROJECT=PRICE for each sell order of a tonne, or with same for
// the market before.
func (f *fake) Market(ctx context.Context, _ int, each func(*market.Page, model.Page)) (*market.Market, error) {
	var parts []*market.Page
	same := false
	_, err := f.call(ctx, "market", "", func(page, pages int, items []string) {
		if same = items[0] == "same"; same {
			return
		}
		if items[0] == "panic" {
			panic("it broke")
		}
		p := &market.Page{}
		for _, item := range items {
			projects, price, ok := strings.Cut(item, "=")
			if !ok {
				projects, price = "P", item
			}
			for _, project := range expand(projects) {
				p.AddProject(project)
				p.AddVintage("v-"+project, 2020)
				p.AddOrder("o-"+project, 1_000_000, model.PriceCents(number(price)))
			}
		}
		parts = append(parts, p)
		each(p, model.Page{Current: page, TotalPages: pages})
	})
	if err != nil && api.KindOf(err) != api.Incomplete {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if !same {
		f.last = market.New(parts...)
	}
	return f.last, err
}

// expand returns p0, p1 and p2 for p*3, and any other text itself.
func expand(text string) (names []string) {
	name, times, many := strings.Cut(text, "*")
	if !many {
		return []string{text}
	}
	for n := range number(times) {
		names = append(names, fmt.Sprint(name, n))
	}
	return names
}

func number(text string) int64 {
	return must.Get(strconv.ParseInt(text, 10, 64))
}

// wallet reads PROJECT=PRICExGRAMS, a purchase that the wallet still holds.
func wallet(item string) portfolio.Project {
	project, bought, _ := strings.Cut(item, "=")
	price, grams, _ := strings.Cut(bought, "x")
	held := model.Grams(number(grams))
	w := portfolio.Wallet{Type: portfolio.WalletCAAS, Quantity: held, Trades: []portfolio.Trade{
		{Quantity: max(held, 1), Price: model.PriceCents(number(price)), Type: portfolio.Buy},
	}}
	return portfolio.Project{ID: project,
		Vintages: []portfolio.Vintage{{ID: "v-" + project, Wallets: []portfolio.Wallet{w}}}}
}

func wallets(items []string) *portfolio.Inventory {
	inv := &portfolio.Inventory{}
	for _, item := range items {
		inv.Projects = append(inv.Projects, wallet(item))
	}
	return inv
}

func (f *fake) Inventory(ctx context.Context, q api.InventoryQuery,
	each func(*portfolio.Inventory, model.Page)) (*portfolio.Inventory, error) {
	var parts []*portfolio.Inventory
	subject := "all trades"
	if q == api.LastPaidQuery {
		subject = "last paid"
	} else if q != (api.InventoryQuery{}) {
		subject = fmt.Sprintf("%+v", q)
	}
	_, err := f.call(ctx, "wallets", subject, func(page, pages int, items []string) {
		parts = append(parts, wallets(items))
		each(parts[page-1], model.Page{Current: page, TotalPages: pages})
	})
	if err != nil && api.KindOf(err) != api.Incomplete {
		return nil, err
	}
	return portfolio.JoinInventory(parts...), err
}

// InventoryPage answers with a project that is named after the query.
func (f *fake) InventoryPage(ctx context.Context, q api.InventoryQuery) (*portfolio.Inventory, model.Page, error) {
	name := strings.TrimSpace(fmt.Sprintf("page%d %s", q.Page, q.TradeType))
	if _, err := f.call(ctx, "page", strconv.Itoa(q.Page), nil); err != nil {
		return nil, model.Page{}, err
	}
	return &portfolio.Inventory{Projects: []portfolio.Project{{ID: name}}}, model.Page{Current: q.Page}, nil
}

// Retirement answers with STATUS or STATUS,PROJECT.
func (f *fake) Retirement(ctx context.Context, id string) (retirement.Request, error) {
	a, err := f.call(ctx, "retirement", id, nil)
	if err != nil {
		return retirement.Request{}, err
	}
	r := retirement.Request{ID: id, Status: retirement.Complete, Type: retirement.Fractionalised,
		Items: []retirement.Item{{ID: "I1"}}}
	if len(a.pages) > 0 {
		r.Status = retirement.Status(a.pages[0][0])
		r.ProjectID = strings.Join(a.pages[0][1:], "")
	}
	return r, nil
}

// Projects answers with a name for each project, or with none.
func (f *fake) Projects(ctx context.Context, ids ...string) (projects []model.Project, err error) {
	a, err := f.call(ctx, "projects", fmt.Sprintf("%d from %s", len(ids), ids[0]), nil)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.last != nil && f.last.Projects() > 0 && unsafe.StringData(f.last.Project(0).ID) == unsafe.StringData(ids[0]) {
		panic("an id keeps the memory of a market")
	}
	if err != nil || len(a.pages) == 0 {
		return nil, err
	}
	for _, id := range ids {
		projects = append(projects, model.Project{ID: id, Name: a.pages[0][0]})
	}
	return projects, nil
}

// Certificate answers with the content of the certificate, and saves it if there is a directory.
func (f *fake) Certificate(ctx context.Context, _, dir, id string,
	progress func(received, total int64)) (retirement.Certificate, error) {
	var content []byte
	_, err := f.call(ctx, "certificate", id, func(page, pages int, items []string) {
		content = append(content, items[0]...)
		progress(int64(page)*100, int64(pages)*100)
	})
	sum := sha256.Sum256(content)
	c := retirement.Certificate{SHA256: hex.EncodeToString(sum[:]), Size: int64(len(content)), FetchedAt: time.Now()}
	if dir == "" || err != nil {
		return c, err
	}
	c.Path = filepath.Join(dir, id+".pdf")
	return c, errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(c.Path, content, 0o600))
}

// journal answers with REQUEST/REFERENCE for each call.
func (f *fake) journal(ctx context.Context) (calls []retirement.JournalEntry, err error) {
	_, err = f.call(ctx, "journal", "", func(_, _ int, items []string) {
		for _, item := range items {
			id, reference, _ := strings.Cut(item, "/")
			calls = append(calls, retirement.JournalEntry{RequestID: id, Reference: reference})
		}
	})
	return calls, err
}
