package record

import (
	"context"
	"errors"
	"time"

	"zombiezen.com/go/sqlite"

	"tonne/model"
	"tonne/model/execution"
	"tonne/model/market"
)

// Reads returns for each time the last read that ended at most Unwatched before it, or nil.
func (s Service) Reads(ctx context.Context, times []time.Time) (reads []*execution.Read, err error) {
	reads = make([]*execution.Read, len(times))
	err = s.file.use(ctx, "BEGIN", func(t *tx) {
		origin := t.origin(s.url)
		for i, at := range times {
			seen := t.seen(origin, at)
			if errors.As(t.err, new(*UnwatchedError)) {
				t.err = nil
				continue
			}
			reads[i] = &execution.Read{At: seen.At, Next: seen.Next, Ahead: seen.Ahead, Dated: seen.Dated}
		}
	})
	return reads, err
}

// Offers passes the offers that were valid at any time from first to last and cost at most the limit of their
// vintage.
func (s Service) Offers(ctx context.Context, first, last time.Time,
	limit func(*execution.Listing) model.PriceCents, each func(execution.Offer)) error {
	return s.file.use(ctx, "BEGIN", func(t *tx) {
		origin := t.origin(s.url)
		type limited struct {
			*execution.Listing
			most model.PriceCents
		}
		vintages := make(map[int64]limited)
		for id, v := range t.vintages(origin) {
			of := &execution.Listing{Key: v.key, Year: v.year}
			vintages[id] = limited{of, limit(of)}
		}
		t.valid(origin, first, last, 0, func(stmt *sqlite.Stmt) {
			of, price := vintages[stmt.ColumnInt64(0)], model.PriceCents(stmt.ColumnInt64(2))
			if of.Listing == nil || price > of.most || stmt.ColumnLen(1) == 0 {
				return
			}
			order := market.SellOrder{ID: stmt.ColumnText(1), Price: price, Quantity: model.Grams(stmt.ColumnInt64(3))}
			each(execution.Offer{Of: of.Listing, Order: order, Since: stmt.ColumnInt64(4), Until: stmt.ColumnInt64(5)})
		})
	})
}
