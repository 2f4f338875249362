package marketplace

import (
	"net/http"

	"tonne/api/marketplace/exchange"
)

// marketVersion is the header that names the state of the whole market. Where
// it is the same, so is every page, whoever answers.
const marketVersion = "Market-Version"

func (m *Marketplace) getMarket(w http.ResponseWriter, r *http.Request, _ exchange.Caller) error {
	p := parametersOf(r)
	page, perPage := p.page()
	if err := p.err(); err != nil {
		return err
	}
	key, known := pageKey{page, perPage, preferred(r)}, r.Header.Values(ifNoneMatch)
	found, err := exchange.Read(r.Context(), m.db, func(tx exchange.Tx) *marketPage { return m.currentPage(tx, key, known) })
	if err != nil {
		return err
	}
	// There is no end to the pages beyond the last, so they are not kept.
	if !found.empty() {
		m.pages.put(key, found, cap(found.body))
	}
	w.Header().Set(marketVersion, found.market.Token())
	respondTagged(w, known, found.tag, found.in, func() []byte { return found.body })
	return nil
}

// currentPage returns the page as the transaction sees the market: the one
// that is kept, where nothing on it has changed, or it is written now. Where
// the client has it already by the tags that it knows, its body may be missing.
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
