package marketplace

import (
	"net/http"
	"sync"

	"tonne/api/marketplace/exchange"
	"tonne/api/wire"
	"tonne/model"
)

// marketVersion is the header with the version of the whole market.
const marketVersion = "Market-Version"

func (m *Marketplace) getMarket(w http.ResponseWriter, r *http.Request, _ exchange.Caller) error {
	p := parametersOf(r)
	page, perPage := p.page()
	if err := p.err(); err != nil {
		return err
	}
	key, known := pageKey{page, perPage, preferred(r)}, r.Header.Values(ifNoneMatch)
	found, err := exchange.Read(r.Context(), m.db,
		func(tx exchange.Tx) *marketPage { return m.currentPage(tx, key, known) })
	if err != nil {
		return err
	}
	// Pages beyond the last one are not cached: their number is unlimited.
	if !found.empty() {
		m.pages.put(key, found, cap(found.body))
	}
	w.Header().Set(marketVersion, found.market.Token())
	respondTagged(w, known, found.tag, found.in, func() []byte { return found.body })
	return nil
}

// currentPage returns a page without a body if the client already has it.
func (m *Marketplace) currentPage(tx exchange.Tx, key pageKey, known []string) *marketPage {
	market := exchange.ReadMarket(tx)
	page, kept := m.pages.get(key)
	kept = kept && (page.body != nil || listsTag(known, page.tag))
	if kept && page.market == market {
		return page
	}
	next := &marketPage{pagePlace: m.placeOf(tx, market, key), market: market}
	if kept && page.pagePlace == next.pagePlace {
		next.in, next.tag, next.body = page.in, page.tag, page.body
	} else {
		next.write(tx, key.accepts, known)
	}
	return next
}

type pagePlace struct {
	// listing is the version of the listing, and changes a hash of the versions of the
	// page's projects. The page changes only if one of them does.
	listing int64
	changes exchange.Changes
	// first and last are the numbers of the first and last project on the page, or 0 beyond
	// the last page.
	first, last, projects int64
	position              model.Page
}

func (p pagePlace) empty() bool { return p.projects == 0 }

func (m *Marketplace) placeOf(tx exchange.Tx, market exchange.Market, key pageKey) pagePlace {
	projects := m.listing.projects(tx, market.Listing)
	first, end, position := pageOf(len(projects), key.page, key.perPage)
	p := pagePlace{listing: market.Listing, projects: int64(end - first), position: position}
	if !p.empty() {
		p.first, p.last = projects[first], projects[end-1]
		p.changes = exchange.ChangesOf(tx, p.first, p.last)
	}
	return p
}

// marketPage is one page of the market. It is immutable once it is cached.
type marketPage struct {
	pagePlace
	// market is the newest state of the market in which the page was current.
	market exchange.Market
	// in is the coding of the body, and tag the ETag of page and coding.
	in  coding
	tag string
	// body is nil until a client needs it.
	body []byte
}

func (p *marketPage) write(tx exchange.Tx, accepts coding, known []string) {
	// A project of fifty orders takes 5 KiB.
	enc := wire.NewMarketEncoder(make([]byte, 0, 5120*p.projects+256))
	if !p.empty() {
		exchange.EncodeMarket(tx, &enc, p.first, p.last)
	}
	body := enc.Finish(p.position)
	p.in = codingFor(len(body), accepts)
	p.tag = tagOf(hashOf(body), p.in)
	if !listsTag(known, p.tag) {
		p.body = fitted(p.in.compress(body))
	}
}

// listing caches the order of the projects in the market, so that finding a page needs no
// count of the projects before it.
type listing struct {
	mu      sync.Mutex
	version int64
	numbers []int64
}

// projects returns the numbers of the listed projects. The slice is shared: do not change it.
func (l *listing) projects(tx exchange.Tx, version int64) []int64 {
	l.mu.Lock()
	kept, numbers := l.version, l.numbers
	l.mu.Unlock()
	if kept == version {
		return numbers
	}
	numbers = exchange.ListedProjects(tx)
	l.mu.Lock()
	defer l.mu.Unlock()
	if tx.Err() == nil && version > l.version {
		l.version, l.numbers = version, numbers
	}
	return numbers
}
