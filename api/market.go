package api

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"tonne/api/wire"
	"tonne/model"
	"tonne/model/market"
)

const marketPath = "api/market"

// listingPageSize is the page size for a whole listing. Some services send smaller
// pages; if a service refuses it, the client leaves the size to the service.
const listingPageSize = 100

// MarketQuery selects a page of the market (interface section 4.1). Zero values
// leave the service's defaults.
type MarketQuery struct {
	Page int
	// PerPage is the number of projects per page.
	PerPage int
}

func (q MarketQuery) values() url.Values {
	v := make(url.Values)
	setCount(v, "page", q.Page)
	setCount(v, "per_page", q.PerPage)
	return v
}

func setCount(v url.Values, name string, n int) {
	if n > 0 {
		v.Set(name, strconv.Itoa(n))
	}
}

// MarketPage reads one page of the market. The error is an *Error.
func (c *Client) MarketPage(ctx context.Context, q MarketQuery) (*market.Page, model.Page, error) {
	return readPage(ctx, c, marketPath, q.values(), wire.DecodeMarket)
}

// Market reads the whole market. If the listing ends early, it returns the part that
// was read and an error of kind Incomplete. A perPage of 0 selects the default. If each
// is not nil, it is called with every page in order, one at a time; it must not keep a
// page after the read. If the listing changes during the read, it is read again from
// page 1.
//
// If the market was read before and the service sends tags, they are sent with the
// requests. If nothing changed, Market returns the same *Market, and each may be called
// with none or only some of the pages. The error is an *Error.
func (c *Client) Market(ctx context.Context, perPage int,
	each func(part *market.Page, page model.Page)) (*market.Market, error) {
	was := c.swept.Load()
	if was == nil || was.asked != perPage {
		was = &sweep{asked: perPage}
	}
	pages := c.marketPages(perPage, each)
	pages.kept = was
	if was.market != nil {
		pages.decoding = &sync.Mutex{}
	}
	read, err := pages.read(ctx)
	if err != nil && KindOf(err) != Incomplete {
		return nil, err
	}
	if err == nil && was.confirmed(read) {
		c.marketRead(was.market)
		return was.market, nil
	}
	market := market.New(values(read)...)
	if err == nil {
		c.swept.Store(newSweep(perPage, read, market))
		c.marketRead(market)
	}
	return market, err
}

// MarketRead is a complete read of the market.
type MarketRead struct {
	Market *market.Market
	// At is the end of the read on the wall clock of this machine.
	At time.Time
	// Ahead is how far the clock of the service is ahead, to the second, if Dated reports that it
	// is known.
	Ahead time.Duration
	Dated bool
}

func (c *Client) marketRead(m *market.Market) {
	if c.options.MarketRead == nil {
		return
	}
	read := MarketRead{Market: m, At: c.options.Now().Round(0)}
	if last := c.dated.Load(); last != nil {
		read.Ahead, read.Dated = last.date.Sub(read.At.Add(-time.Since(last.arrived))), true
	}
	c.options.MarketRead(read)
}

// mostKept is the number of sell orders up to which EachMarketPage keeps the pages for
// Options.MarketRead: some 30 MB.
const mostKept = 250_000

// EachMarketPage reads the whole market as Market does, but does not return it. If the market
// is read again because it changed, again is called, and each with the pages from page 1.
// Options.MarketRead is called if the market has at most 250,000 sell orders.
func (c *Client) EachMarketPage(ctx context.Context, each func(part *market.Page, page model.Page),
	again func()) error {
	var kept []*market.Page
	orders := 0
	pages := c.marketPages(0, func(part *market.Page, page model.Page) {
		if orders += part.Orders(); c.options.MarketRead == nil || orders > mostKept {
			kept = nil
		} else {
			kept = append(kept, part)
		}
		each(part, page)
	})
	pages.forget, pages.again = true, func() {
		kept, orders = nil, 0
		again()
	}
	_, err := pages.read(ctx)
	if err == nil && kept != nil {
		c.marketRead(market.New(kept...))
	}
	return err
}

func (c *Client) marketPages(perPage int, each func(*market.Page, model.Page)) listing[*market.Page] {
	return listing[*market.Page]{
		client: c, name: "market", path: marketPath, perPage: perPage,
		query:  func(page, perPage int) url.Values { return MarketQuery{page, perPage}.values() },
		decode: wire.DecodeMarket,
		ids:    (*market.Page).ProjectIDs,
		each:   each,
	}
}

func (c *Client) notTheAPI(err error) error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*wire.Error](err); ok {
		e.Value = c.hideKey(e.Value)
	}
	failed := &Error{Kind: NotTheAPI, Status: http.StatusOK, Message: "unreadable answer: " + err.Error(), Err: err}
	if failed.Elsewhere = errors.Is(err, wire.ErrWebPage); failed.Elsewhere {
		failed.Message = "what answers is not the marketplace: " + err.Error()
	}
	return c.withoutKey(failed)
}

// sweep is the result of a complete read of the market, with the tags for the next
// read. Its pages are parts of the market, so nothing is stored twice.
type sweep struct {
	asked  int
	market *market.Market
	// version is the Market-Version of all pages. It is empty if they differ, or if
	// the service sends none.
	version string
	pages   []sweptPage
}

// sweptPage is a page of a sweep: the projects of the market in [first, end).
type sweptPage struct {
	query, tag string
	page       model.Page
	first, end int
}

func newSweep(asked int, read []pageRead[*market.Page], market *market.Market) *sweep {
	s := &sweep{asked: asked, market: market, version: read[0].version}
	projects, orders := 0, 0
	for _, r := range read {
		if r.version != s.version {
			s.version = ""
		}
		first := projects
		projects += r.value.Projects()
		orders += r.value.Orders()
		s.pages = append(s.pages, sweptPage{r.query, r.tag, r.page, first, projects})
	}
	if projects != market.Projects() || orders != market.Orders() || len(market.Faults()) > 0 {
		// Duplicates and unreadable rows make the market differ from its pages.
		s.pages = nil
	}
	return s
}

func (s *sweep) tag(page int, query url.Values) string {
	if page > len(s.pages) || s.pages[page-1].query != query.Encode() {
		return ""
	}
	return s.pages[page-1].tag
}

func (s *sweep) page(n int) (*market.Page, model.Page) {
	p := s.pages[n-1]
	return s.market.Page(p.first, p.end), p.page
}

func (s *sweep) current(version string) bool { return version != "" && version == s.version }

// confirmed reports whether another read found the same market. Without pages, the
// first response has confirmed it.
func (s *sweep) confirmed(read []pageRead[*market.Page]) bool {
	if read == nil {
		return true
	}
	for _, r := range read {
		if !r.unchanged {
			return false
		}
	}
	return len(read) == len(s.pages)
}
