package market

import (
	"cmp"
	"context"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"slices"

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
	// seen are the vintages so far.
	seen map[model.VintageKey]bool
	// printed and now are hashes of the rows that were printed, and of those of the last read, if
	// the market changed and is read again.
	printed, now []uint64
	again        bool
	// current are the vintages of the last read.
	current         map[model.VintageKey]bool
	passed, orders  int
	priced, counted bool
	faults          []model.Fault
}

func (r *reading) stream(ctx context.Context) error {
	columns, _ := output.Select(column.Offers, nil, r.app.Selection, false)
	s := &stream{
		reading: r,
		rows:    output.NewRows(r.app.Data(), r.paging.Format, columns),
		seen:    make(map[model.VintageKey]bool),
	}
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
	}, s.restart)
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
	s.compare()
	listing.TellNone(r.app, &r.filter, s.passed, len(s.seen))
	return r.Unseen()
}

// unlimited is the memory in bytes that Go uses before it collects garbage.
const unlimited = 52 << 20

// collect collects garbage when there is as much of it as of what is kept, but not below a limit.
func (s *stream) collect() {
	if s.app.Stdout == os.Stdout { // This command is the whole process.
		kept := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(kept)
		debug.SetGCPercent(-1)
		debug.SetMemoryLimit(max(unlimited, 2*int64(kept[0].Value.Uint64())))
	}
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
	s.collect()
	for _, l := range s.listings(page) {
		s.printVintage(l)
	}
	for i := range page.Vintages() {
		// The key of a page would keep much of the page in memory.
		s.seen[page.Key(i).Clone()] = true
	}
	return s.rows.Flush()
}

// ownColumns are those in which the orders of a vintage differ.
var ownColumns = column.OfferOrders.Names()

// printVintage prints the rows of a vintage, unless it was printed before.
func (s *stream) printVintage(l column.Listing) {
	known := s.seen[l.Key()]
	if s.again && s.current[l.Key()] {
		return
	}
	if s.again {
		s.current[l.Key().Clone()] = true
	}
	if !known {
		s.passed++
	}
	s.rows.Group(ownColumns)
	for o := range s.reading.rows([]column.Listing{l}) {
		sum := uint64(0)
		if known {
			sum = s.rows.Sum(o)
		} else {
			sum = s.rows.WriteSum(o)
			s.printed = append(s.printed, sum)
		}
		if s.again {
			s.now = append(s.now, sum)
		}
	}
}

// restart prepares for the same pages again.
func (s *stream) restart() {
	s.again, s.now, s.current = true, s.now[:0], make(map[model.VintageKey]bool)
	s.orders, s.priced, s.counted, s.faults = 0, false, false, nil
}

// compare reports the rows that changed while the market was read again.
func (s *stream) compare() {
	if !s.again {
		return
	}
	if stale := missing(s.printed, s.now); stale > 0 {
		s.Unread = append(s.Unread, "the market changed while it was read: "+
			model.Count(stale, "printed row is", "printed rows are")+" no longer true")
	}
	if lacking := missing(s.now, s.printed); lacking > 0 {
		s.Unread = append(s.Unread, model.Count(lacking, "row was", "rows were")+" not printed")
	}
}

// missing returns how many of the rows are not among others. It sorts both.
func missing(rows, others []uint64) (n int) {
	slices.Sort(rows)
	slices.Sort(others)
	for _, sum := range rows {
		for len(others) > 0 && others[0] < sum {
			others = others[1:]
		}
		switch {
		case len(others) > 0 && others[0] == sum:
			others = others[1:]
		default:
			n++
		}
	}
	return n
}
