package session_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
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

// answer is what the fake service answers to a call: pages, and then perhaps an error.
type answer struct {
	// since is the time since the start from which on it is given. Those without are given to one call each, the
	// last one to all that follow.
	since time.Duration
	// takes is the time for each page. It passes also for a cancelled call if the service is deaf.
	takes              time.Duration
	deaf, panics, same bool
	pages              []any
	err                error
}

// asks are the best asks of projects, each with one sell order. lots are the projects that the wallets hold.
type (
	asks map[string]model.PriceCents
	lots map[string]lot
	lot  struct {
		price model.PriceCents
		grams model.Grams
	}
)

// same confirms the market before.
var same = answer{same: true}

func pages(all ...any) answer             { return answer{pages: all} }
func price(cents model.PriceCents) answer { return pages(asks{"P": cents}) }
func status(is retirement.Status) answer  { return pages(retirement.Request{Status: is}) }
func fails(kind api.Kind) answer          { return answer{}.then(kind) }

func (a answer) from(since time.Duration) answer { a.since = since; return a }
func (a answer) slow(takes time.Duration) answer { a.takes = takes; return a }
func (a answer) then(kind api.Kind) answer {
	a.err = fmt.Errorf("call: %w", &api.Error{Kind: kind, Message: "no"})
	return a
}

// limited is a refusal of a service that asks to wait.
func limited(wait time.Duration) answer {
	return answer{err: &api.Error{Kind: api.RateLimited, Message: "no", RetryAfter: wait}}
}

// operation answers the calls of one operation and counts them.
type operation struct {
	mu    sync.Mutex
	given []answer
	at    []time.Duration
	// subjects are what the calls were for, and on the same by subject.
	subjects []string
	on       map[string]*operation
	// running are the calls in flight, and most the largest number of them.
	running, most int
}

func (o *operation) answers(all ...answer) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.given = all
}

// of returns the calls for a subject, which may have separate answers.
func (o *operation) of(subject string) *operation {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.on == nil {
		o.on = make(map[string]*operation)
	}
	if o.on[subject] == nil {
		o.on[subject] = &operation{}
	}
	return o.on[subject]
}

func (o *operation) next() (next answer, own bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i, a := range o.given {
		if a.since > 0 && time.Since(start) >= a.since || a.since == 0 && i <= len(o.at) {
			next = a
		}
	}
	o.at = append(o.at, time.Since(start))
	return next, len(o.given) > 0
}

func (o *operation) run(subject string, change int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.running += change; change > 0 {
		o.subjects, o.most = append(o.subjects, subject), max(o.most, o.running)
	}
}

// call passes the pages of the next answer to each, which may be nil.
func (o *operation) call(ctx context.Context, subject string, each func(page, pages int, content any)) (answer, error) {
	a, _ := o.next()
	if own, ok := o.of(subject).next(); ok {
		a = own
	}
	o.run(subject, 1)
	defer o.run(subject, -1)
	if a.panics {
		panic("it broke")
	}
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
	return a, a.err
}

// calls returns the times of the calls since the start, in seconds.
func (o *operation) calls() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	var at []string
	for _, t := range o.at {
		at = append(at, t.Truncate(time.Second).String())
	}
	return strings.Join(at, " ")
}

func (o *operation) expectCount(t *testing.T, calls int) {
	t.Helper()
	o.expectBetween(t, calls, calls)
}

// expectBetween expects a number of calls within limits. Some waits are partly random.
func (o *operation) expectBetween(t *testing.T, least, most int) {
	t.Helper()
	o.mu.Lock()
	defer o.mu.Unlock()
	must.Hold(t, len(o.at) >= least && len(o.at) <= most, "calls:", len(o.at), "instead of", least, "to", most)
}

// fake is a marketplace. Without answers it has an empty market and inventory, and each request is complete.
type fake struct {
	market, wallets, page, retirement, projects, certificate, journal operation

	mu   sync.Mutex
	last *market.Market
}

func (f *fake) Market(ctx context.Context, _ int, each func(*market.Page, model.Page)) (*market.Market, error) {
	var parts []*market.Page
	a, err := f.market.call(ctx, "", func(page, pages int, content any) {
		p, all := &market.Page{}, content.(asks)
		for _, project := range slices.Sorted(maps.Keys(all)) {
			p.AddProject(project)
			p.AddVintage("v-"+project, 2020)
			p.AddOrder("o-"+project, 1_000_000, all[project])
		}
		parts = append(parts, p)
		each(p, model.Page{Current: page, TotalPages: pages})
	})
	if err != nil && api.KindOf(err) != api.Incomplete {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if !a.same {
		f.last = market.New(parts...)
	}
	return f.last, err
}

func inventory(held lots) *portfolio.Inventory {
	inv := &portfolio.Inventory{}
	for _, project := range slices.Sorted(maps.Keys(held)) {
		l := held[project]
		w := portfolio.Wallet{Type: portfolio.WalletCAAS, Quantity: l.grams, Trades: []portfolio.Trade{
			{Quantity: max(l.grams, 1), Price: l.price, Type: portfolio.Buy},
		}}
		inv.Projects = append(inv.Projects, portfolio.Project{
			ID: project, Vintages: []portfolio.Vintage{{ID: "v-" + project, Wallets: []portfolio.Wallet{w}}},
		})
	}
	return inv
}

func (f *fake) Inventory(
	ctx context.Context, q api.InventoryQuery, each func(*portfolio.Inventory, model.Page),
) (*portfolio.Inventory, error) {
	var parts []*portfolio.Inventory
	subject := map[api.InventoryQuery]string{api.LastPaidQuery: "last paid", {}: "all trades"}[q]
	_, err := f.wallets.call(ctx, subject, func(page, pages int, content any) {
		parts = append(parts, inventory(content.(lots)))
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
	if _, err := f.page.call(ctx, strconv.Itoa(q.Page), nil); err != nil {
		return nil, model.Page{}, err
	}
	return &portfolio.Inventory{Projects: []portfolio.Project{{ID: name}}}, model.Page{Current: q.Page}, nil
}

func (f *fake) Retirement(ctx context.Context, id string) (retirement.Request, error) {
	r := retirement.Request{Status: retirement.Complete}
	_, err := f.retirement.call(ctx, id, func(_, _ int, content any) { r = content.(retirement.Request) })
	if err != nil {
		return retirement.Request{}, err
	}
	r.ID, r.Type, r.Items = id, retirement.Fractionalised, []retirement.Item{{ID: "I1"}}
	return r, nil
}

// Projects answers with a name for each project, or with none.
func (f *fake) Projects(ctx context.Context, ids ...string) (projects []model.Project, err error) {
	_, err = f.projects.call(ctx, fmt.Sprintf("%d from %s", len(ids), ids[0]), func(_, _ int, name any) {
		for _, id := range ids {
			projects = append(projects, model.Project{ID: id, Name: name.(string)})
		}
	})
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.last != nil && f.last.Projects() > 0 && unsafe.StringData(f.last.Project(0).ID) == unsafe.StringData(ids[0]) {
		panic("an id keeps the memory of a market")
	}
	if err != nil {
		return nil, err
	}
	return projects, nil
}

// Certificate answers with the content of the certificate, and saves it if there is a directory.
func (f *fake) Certificate(
	ctx context.Context, _, dir, id string, progress func(received, total int64),
) (retirement.Certificate, error) {
	var content []byte
	_, err := f.certificate.call(ctx, id, func(page, pages int, part any) {
		content = append(content, part.(string)...)
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

// Journal answers with the finished calls of the journal of this machine.
func (f *fake) Journal(ctx context.Context) (calls []retirement.JournalEntry, err error) {
	_, err = f.journal.call(ctx, "", func(_, _ int, content any) {
		calls = append(calls, content.(retirement.JournalEntry))
	})
	return calls, err
}
