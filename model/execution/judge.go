package execution

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"time"

	"tonne/model"
	"tonne/model/filter"
	"tonne/model/market"
)

// Listing is a vintage of the record.
type Listing struct {
	Key  model.VintageKey
	Year int32
	// valid are the orders at the time to which a sweep has come, and best the lowest price of them.
	valid []market.SellOrder
	best  model.PriceCents
}

// Offer is an order from Since until before Until, in milliseconds. If it is still valid, Until is 0.
type Offer struct {
	Of           *Listing
	Order        market.SellOrder
	Since, Until int64
}

// Source is the record of one service.
type Source interface {
	// Reads returns for each time the last read in the two minutes before it, or nil.
	Reads(ctx context.Context, times []time.Time) ([]*Read, error)
	// Offers passes the offers that were valid at any time from first to last and cost at most the limit
	// of their vintage, which is asked once for each vintage and may be model.UnknownPrice for none.
	Offers(ctx context.Context, first, last time.Time, limit func(*Listing) model.PriceCents, each func(Offer)) error
}

// Request is what is compared.
type Request struct {
	// Purchases are the purchases, oldest first.
	Purchases []Purchase
	Projects  model.Projects
	// Like is the expression by which other credits count as the same. If empty, those of the same type and of
	// a vintage that is not older do.
	Like string
	// Labels returns the labels of credits, and Reason the buyer's explanation of a purchase. Both may be nil.
	Labels func(model.VintageKey) []string
	Reason func(Purchase) string
}

// apart is the time between two reads from which their orders are read separately.
const apart = 30 * 24 * time.Hour

// New compares purchases with a record. The error is from the source.
func New(ctx context.Context, source Source, r Request) ([]Row, error) {
	times := make([]time.Time, len(r.Purchases))
	for i, p := range r.Purchases {
		times[i] = p.At()
	}
	reads, err := source.Reads(ctx, times)
	if err != nil {
		return nil, err
	}
	rows := make([]Row, len(r.Purchases))
	j := &judge{Request: r, likes: make(map[string]*like)}
	var read []*Row
	for i, p := range r.Purchases {
		rows[i] = j.row(p, reads[i])
		if rows[i].Read != nil {
			read = append(read, &rows[i])
		}
	}
	slices.SortStableFunc(read, func(a, b *Row) int { return a.Read.At.Compare(b.Read.At) })
	for len(read) > 0 {
		n := 1
		for n < len(read) && read[n].Read.At.Sub(read[n-1].Read.At) < apart {
			n++
		}
		if err := j.sweep(ctx, source, read[:n]); err != nil {
			return nil, err
		}
		read = read[n:]
	}
	return rows, nil
}

type judge struct {
	Request
	likes map[string]*like
}

// like is a parsed expression. listings are those of a sweep that may match it: all, if it is about prices or
// quantities, which change. Otherwise they match.
type like struct {
	filter   filter.Filter
	listings []*Listing
	listed   map[*Listing]bool
}

// row returns a row before it is compared.
func (j *judge) row(p Purchase, read *Read) Row {
	r := Row{Purchase: p, Read: read, Project: j.Projects[p.Vintage.ProjectID], Verdict: NotRecorded}
	r.Project.ID = p.Vintage.ProjectID
	r.Year = int32(r.Project.Year(p.Vintage.VintageID))
	if exact, err := model.CostOf(p.Trade.Quantity, p.Trade.Price); err == nil {
		cents, err := exact.Cents()
		r.Cost, r.TooLarge = Amount{cents, err == nil}, err != nil
	}
	if j.Reason != nil {
		r.Reason = j.Reason(p)
	}
	r.Like = j.Request.Like
	if r.Like == "" && r.Project.Type != "" && r.Year != 0 {
		r.Like = "type=" + strconv.Quote(r.Project.Type) + " vintage>=" + strconv.Itoa(int(r.Year))
	}
	if _, known := j.likes[r.Like]; !known && r.Like != "" {
		expression, err := filter.Parse(r.Like)
		if err != nil {
			// A type with quotation marks is no value of a condition.
			r.Like = ""
		} else {
			j.likes[r.Like] = &like{filter: expression}
		}
	}
	if read == nil {
		r.Why = "The market was not read in the two minutes before the purchase."
		if !p.Trade.ExecutionDate.Known() {
			r.Why = "The time of the purchase is not known."
		}
	}
	return r
}

// filterRow returns a listing as a filter sees it. Prices and quantities are those of its valid orders.
func (j *judge) filterRow(l *Listing) *filter.Row {
	p := j.Projects[l.Key.ProjectID]
	row := &filter.Row{
		Name: p.Name, ProjectID: l.Key.ProjectID, VintageID: l.Key.VintageID, Type: p.Type, Country: p.Country,
		Registry: p.RegistryName, RegistryID: p.RegistryID, Year: int(cmp.Or(l.Year, int32(p.Year(l.Key.VintageID)))),
		BestAsk: model.UnknownPrice, LastPaid: model.UnknownPrice, Held: model.UnknownGrams,
	}
	if j.Labels != nil {
		row.Labels = func() []string { return j.Labels(l.Key) }
	}
	for _, o := range l.valid {
		row.Available = row.Available.Plus(o.Quantity)
		if o.Buyable() && (!row.BestAsk.Known() || o.Price < row.BestAsk) {
			row.BestAsk = o.Price
		}
	}
	return row
}

// limits returns how much an order of a listing may cost to matter to the rows, and enters the listing in the
// expressions that it matches.
func (j *judge) limits(rows []*Row) func(*Listing) model.PriceCents {
	const all = model.PriceCents(1<<63 - 1)
	own := make(map[model.VintageKey]bool)
	most := make(map[*like]model.PriceCents)
	for _, r := range rows {
		own[r.Vintage] = true
		of := j.likes[r.Like]
		if of == nil {
			continue
		}
		limit := r.Trade.Price
		if of.filter.Market() || !of.filter.Match(j.filterRow(&Listing{Key: r.Vintage, Year: r.Year})) {
			limit = all
		}
		most[of] = max(most[of], limit)
	}
	return func(l *Listing) model.PriceCents {
		limit := model.UnknownPrice
		if own[l.Key] {
			limit = all
		}
		for of, price := range most {
			if of.filter.Market() || of.filter.Match(j.filterRow(l)) {
				of.listings, of.listed[l] = append(of.listings, l), true
				limit = max(limit, price)
			}
		}
		return limit
	}
}

// sweep compares rows in the order of their reads, while offers begin and end.
func (j *judge) sweep(ctx context.Context, source Source, rows []*Row) error {
	for _, of := range j.likes {
		of.listings, of.listed = nil, make(map[*Listing]bool)
	}
	reads := newTimeline(rows)
	own := make(map[model.VintageKey]*Listing)
	limit := j.limits(rows)
	known := func(l *Listing) model.PriceCents {
		own[l.Key] = l
		return limit(l)
	}
	if err := source.Offers(ctx, rows[0].Read.At, rows[len(rows)-1].Read.At, known, reads.enter); err != nil {
		return err
	}
	for i, at := range reads.times {
		for _, o := range reads.begin[i] {
			o.of.add(o.order)
		}
		for _, o := range reads.end[i] {
			o.of.remove(o.order)
		}
		for ; len(rows) > 0 && rows[0].Read.At.UnixMilli() == at; rows = rows[1:] {
			j.compare(rows[0], own[rows[0].Vintage])
		}
	}
	return nil
}

// timeline has the reads of rows, and the offers that are new and no longer valid at each.
type timeline struct {
	times      []int64
	begin, end [][]candidate
}

func newTimeline(rows []*Row) *timeline {
	t := &timeline{}
	for _, r := range rows {
		t.times = append(t.times, r.Read.At.UnixMilli())
	}
	t.times = slices.Compact(t.times)
	t.begin, t.end = make([][]candidate, len(t.times)), make([][]candidate, len(t.times)+1)
	return t
}

// enter enters an offer, unless it was valid at none of the reads.
func (t *timeline) enter(o Offer) {
	begin, _ := slices.BinarySearch(t.times, o.Since)
	end := len(t.times)
	if o.Until > 0 {
		end, _ = slices.BinarySearch(t.times, o.Until)
	}
	if begin < end {
		of := candidate{o.Of, o.Order}
		t.begin[begin], t.end[end] = append(t.begin[begin], of), append(t.end[end], of)
	}
}

func (l *Listing) add(o market.SellOrder) {
	if l.valid = append(l.valid, o); len(l.valid) == 1 || o.Price < l.best {
		l.best = o.Price
	}
}

func (l *Listing) remove(o market.SellOrder) {
	if i := slices.Index(l.valid, o); i >= 0 {
		l.valid = slices.Delete(l.valid, i, i+1)
	}
	if o.Price == l.best && len(l.valid) > 0 {
		l.best = slices.MinFunc(l.valid, func(a, b market.SellOrder) int { return cmp.Compare(a.Price, b.Price) }).Price
	}
}

// compare compares a purchase with the orders of its read.
func (j *judge) compare(r *Row, own *Listing) {
	fits, bought := 0, ""
	if own != nil {
		r.Year = cmp.Or(r.Year, own.Year)
		r.Book = market.NewBook(slices.Clone(own.valid))
		for _, o := range own.valid {
			if o.Price == r.Trade.Price && o.Quantity >= r.Trade.Quantity && r.Tonnes() > 0 {
				fits++
				bought = o.ID
			}
		}
	}
	if fits == 0 {
		r.Why = "No order of the vintage had this price and this quantity in the read of " + clock(r.Read.At) +
			": it appeared or changed after the read" + warning(r.Read) + "."
		return
	}
	switch {
	case r.SellOrderID != "":
		r.BoughtOrder = r.SellOrderID
	case fits == 1:
		r.BoughtOrder = bought
	}
	vintage := newCheapest(r)
	vintage.add(r.Trade.Price, own)
	r.VintageCost, _, r.TooLarge = vintage.buy(r.TooLarge)
	if of := j.likes[r.Like]; of != nil {
		most := r.Trade.Price
		if !j.matches(of, own) {
			most = 1<<63 - 1
		}
		same := newCheapest(r)
		for _, l := range of.listings {
			if len(l.valid) > 0 && l.best <= most && j.matches(of, l) {
				same.add(most, l)
			}
		}
		r.LikeCost, r.LikeFills, r.TooLarge = same.buy(r.TooLarge)
		r.name(same)
	}
	j.conclude(r, vintage)
}

// matches reports whether a listing matches at the time of the sweep.
func (j *judge) matches(of *like, l *Listing) bool {
	return of.listed[l] && (!of.filter.Market() || of.filter.Match(j.filterRow(l)))
}

// shown is the number of cheaper orders that a row keeps.
const shown = 20

func (r *Row) name(c *cheapest) {
	r.Cheaper, r.CheaperOrders = nil, c.cheaper
	for _, o := range c.orders[:min(shown, c.cheaper)] {
		r.Cheaper = append(r.Cheaper,
			Fill{Vintage: o.of.Key, Year: o.of.Year, Order: o.order, Tonnes: o.order.Quantity.Tonnes()})
	}
}

// conclude sets the verdict. own are the orders of the vintage.
func (j *judge) conclude(r *Row, own *cheapest) {
	like := r.LikeDifference()
	switch {
	case own.cheaper > 0:
		r.Verdict = Higher
		r.name(own)
	case like.Known && like.Cents <= 0:
		r.Verdict = Lowest
	default:
		r.Verdict = LowestOfVintage
	}
	r.Why = j.explain(r)
}
