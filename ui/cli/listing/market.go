package listing

import (
	"context"

	"tonne/api"
	"tonne/model"
	"tonne/model/market"
)

// ReadMarket reads what the flags choose of the market, and what is held of it.
func (r *Connection) ReadMarket(ctx context.Context, l *PagingFlags, n *FilterFlags) (*market.Market, int, error) {
	held := r.StartHoldings(ctx, n)
	market, total, err := r.MarketPages(ctx, l, func(_ *market.Page, page model.Page) {
		r.Progress.Tell("page %d of %d", page.Current, page.TotalPages)
	})
	if err := r.Partly(err); err != nil {
		return nil, 0, err
	}
	if market.Unreadable() {
		r.Unread = append(r.Unread, "no price or no quantity of the market can be read")
	}
	r.ProjectDetails.Need(ctx, market.ProjectIDs())
	return market, total, r.Beside(l, held())
}

// MarketPages reads the pages of the market that the flags choose, with the number of
// projects of all pages.
func (r *Connection) MarketPages(ctx context.Context, l *PagingFlags, each func(*market.Page, model.Page)) (*market.Market, int, error) {
	if l.AllPages() {
		market, err := r.Client.Market(ctx, 0, each)
		if market == nil {
			return nil, 0, err
		}
		return market, Listed(market.Projects(), err), err
	}
	part, page, err := r.Client.MarketPage(ctx, api.MarketQuery{Page: l.Page, PerPage: l.PerPage})
	if err != nil {
		return nil, 0, err
	}
	each(part, page)
	return market.New(part), page.TotalItems, nil
}
