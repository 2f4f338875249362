package marketplace

import (
	"net/http"

	"tonne/api/marketplace/storage"
	"tonne/api/wire"
)

// getMarket answers GET /api/market: the sell orders that are live, grouped by
// project and vintage.
func (m *Marketplace) getMarket(w http.ResponseWriter, r *http.Request, _ storage.Caller) error {
	p := parametersOf(r)
	page, perPage := p.page()
	if err := p.err(); err != nil {
		return err
	}
	made, err := storage.Read(r.Context(), m.db, func(tx storage.Tx) (*marketPage, error) {
		return m.pages.get(tx, pageKey{page, perPage}, func() ([]byte, bool, error) {
			return m.marketPage(tx, page, perPage)
		})
	})
	if err != nil {
		return err
	}
	respondJSON(w, r, http.StatusOK, made.plain, made.compressed)
	return nil
}

// marketPage writes a page and reports whether it shows anything: there is no
// end to the pages beyond the last.
func (m *Marketplace) marketPage(tx storage.Tx, page, perPage int) (body []byte, some bool, err error) {
	projects, err := m.listing.projects(tx)
	if err != nil {
		return nil, false, err
	}
	first, end, position := pageOf(len(projects), page, perPage)
	enc := wire.NewMarketEncoder(make([]byte, 0, (end-first)*bytesPerProject+bytesPerPage))
	if first < end {
		if err := storage.EncodeMarket(tx, &enc, projects[first], projects[end-1]); err != nil {
			return nil, false, err
		}
	}
	return enc.Finish(position), first < end, nil
}

// What a project of fifty orders takes in a page, and what a page takes beside
// its projects.
const (
	bytesPerProject = 5 << 10
	bytesPerPage    = 256
)
