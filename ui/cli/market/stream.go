package market

import (
	"cmp"
	"context"

	"tonne/api"
	"tonne/model"
	"tonne/model/market"
	"tonne/ui/cli/listing"
	"tonne/ui/column"
	"tonne/ui/output"
)

// stream prints the pages of the market while further pages arrive.
type stream struct {
	*reading
	rows *output.Rows[column.Offer]
	// seen are the vintages so far. A page may come again if the market changes during the read.
	seen            map[model.VintageKey]bool
	passed, orders  int
	priced, counted bool
	faults          []model.Fault
}

func (r *reading) stream(ctx context.Context) error {
	columns, _ := output.Select(column.Offers, nil, r.app.Selection, false)
	s := &stream{reading: r, rows: columns.Rows(r.app.Data(), r.paging.Format), seen: make(map[model.VintageKey]bool)}
	held := r.StartHoldings(ctx, &r.filter)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var failed, partly error
	err := r.EachPage(ctx, &r.paging, func(part *market.Page, page model.Page) {
		if held != nil {
			partly, held = held(), nil
			if api.KindOf(partly) != api.Incomplete {
				failed = partly
			}
		}
		if failed == nil {
			failed = s.print(ctx, market.New(part))
		}
		if failed != nil {
			stop()
			return
		}
		r.app.ShowProgress("page %d of %d", page.Current, page.TotalPages)
	})
	r.app.ClearProgress()
	if err := cmp.Or(failed, r.Partly(err), r.Beside(&r.paging, partly)); err != nil {
		if failed == nil && s.passed > 0 {
			r.app.Warn("only a part of the market was printed")
		}
		return err
	}
	r.app.TellFaults(s.faults)
	if s.orders > 0 && !(s.priced && s.counted) {
		r.Unread = append(r.Unread, "no price or no quantity of the market is readable")
	}
	listing.TellNone(r.app, &r.filter, s.passed, len(s.seen))
	return r.Unseen()
}

func (s *stream) print(ctx context.Context, page *market.Market) error {
	s.ProjectDetails.Need(ctx, page.ProjectIDs())
	s.filter.Market = page
	s.faults = append(s.faults, page.Faults()...)
	for i := range page.Orders() {
		o := page.Order(i)
		s.orders++
		s.priced, s.counted = s.priced || o.Price.Known(), s.counted || o.Quantity.Known()
	}
	var listings []*column.Listing
	for _, l := range s.listings(page) {
		if !s.seen[l.Key] {
			listings = append(listings, l)
		}
	}
	for i := range page.Vintages() {
		s.seen[page.Key(i)] = true
	}
	s.passed += len(listings)
	for o := range s.reading.rows(listings) {
		s.rows.Write(o)
	}
	return s.rows.Flush()
}
