package marketplace

import (
	"net/http"

	"tonne/api/marketplace/exchange"
)

// marketVersion is the header that names the state of the whole market. Where
// it is the same, so is every page, whoever answers.
const marketVersion = "Market-Version"

// pageRequest is what a client wants of a page.
type pageRequest struct {
	pageKey
	// accepts is how the client takes a compressed body.
	accepts coding
	// known are the tags of what the client has, as it lists them.
	known []string
}

func (want pageRequest) has(page *marketPage) bool {
	return listsTag(want.known, tagOf(page.hash, codingFor(page.size, want.accepts)))
}

func (m *Marketplace) getMarket(w http.ResponseWriter, r *http.Request, _ exchange.Caller) error {
	p := parametersOf(r)
	page, perPage := p.page()
	if err := p.err(); err != nil {
		return err
	}
	want := pageRequest{pageKey{page, perPage}, preferred(r), r.Header.Values(ifNoneMatch)}
	var found *marketPage
	var written bool
	err := m.db.Read(r.Context(), func(tx exchange.Tx) (err error) {
		found, written, err = m.currentPage(tx, want)
		return err
	})
	if err != nil {
		return err
	}
	w.Header().Set(marketVersion, found.market.Token())
	in := codingFor(found.size, want.accepts)
	tag := tagOf(found.hash, in)
	if want.has(found) {
		if written {
			m.keepPage(want.pageKey, found.without())
		}
		respondUnchanged(w, tag)
		return nil
	}
	body, held, err := found.in(in, written)
	if err != nil {
		return err
	}
	if written || held != found {
		m.keepPage(want.pageKey, held)
	}
	respondTagged(w, tag, in, body)
	return nil
}

// currentPage returns the page as the transaction sees the market: the one
// that is kept, where nothing on it has changed, or it is written now. Where
// the client has it already, its body may be missing.
func (m *Marketplace) currentPage(tx exchange.Tx, want pageRequest) (page *marketPage, written bool, err error) {
	market, err := exchange.ReadMarket(tx)
	if err != nil {
		return nil, false, err
	}
	page, kept := m.pages.get(want.pageKey)
	kept = kept && (page.held() || want.has(page))
	if kept && page.market == market {
		return page, false, nil
	}
	place, err := m.placeOf(tx, market, want.pageKey)
	if err != nil {
		return nil, false, err
	}
	if kept && page.pagePlace == place {
		page = page.at(market)
		m.keepPage(want.pageKey, page)
		return page, false, nil
	}
	body, err := writePage(tx, place)
	if err != nil {
		return nil, false, err
	}
	return &marketPage{pagePlace: place, market: market, size: len(body), hash: hashOf(body), bodies: [codings][]byte{fitted(body)}}, true, nil
}
