package api

import (
	"net/url"

	"tonne/model"
	"tonne/model/market"
)

// sweep is what a read of the whole market brought, so that the next one asks
// only for what is new. The pages are parts of the market itself: nothing is
// kept twice.
type sweep struct {
	asked  int
	market *market.Market
	// version is what all pages said of the whole market, empty if they did
	// not agree or the service says nothing.
	version string
	pages   []sweptPage
}

// sweptPage is one page of a sweep: the projects of the market from first up to
// but not including end.
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
		// What was listed twice, or could not be read, is not in the market as
		// it was on its page.
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

// confirmed reports whether another read found the market of the sweep. It has
// no pages where the first answer said so.
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
