package record

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"tonne/model"
	"tonne/model/execution"
	"tonne/model/longtest"
	"tonne/model/market"
	must "tonne/model/musttest"
	"tonne/model/portfolio"
	"tonne/model/retirement"
)

// traded is the brute force: every read with its orders, and every purchase.
type traded struct {
	reads []Read
	// calls are those of the journal, and made the purchases.
	calls     []retirement.JournalEntry
	purchases []execution.Purchase
	// external are the ids of the calls of the purchases.
	external map[int]string
	projects model.Projects
}

// typesOf are the types of the projects of an exchange. The type of one is not known.
var typesOf = map[string]string{"project9": "Cookstoves", "project8": "REDD+", "project7": "", "project6": "Cookstoves"}

func newTraded() *traded {
	w := &traded{external: make(map[int]string), projects: make(model.Projects)}
	for id, name := range typesOf {
		p := model.Project{ID: id, Name: id, Type: name}
		for v := range 3 {
			p.Vintages = append(p.Vintages, model.ProjectVintage{ID: fmt.Sprint("vintage", 9-v), Year: 2020 + v})
		}
		w.projects[id] = p
	}
	return w
}

// buy makes a purchase, mostly of an order that is for sale now.
func (w *traded) buy(e *exchange, m *market.Market, at time.Time) {
	v := e.IntN(m.Vintages())
	p := execution.Purchase{Vintage: m.Key(v), Trade: portfolio.Trade{
		ExecutionDate: model.At(at), Type: portfolio.Buy, Quantity: model.GramsPerTonne,
		Price: model.PriceCents(500 + e.IntN(6)),
	}}
	order := "unknown"
	if of := m.Vintage(v); of.Asks() > 0 && e.IntN(10) > 0 {
		o := m.Order(int(of.First) + e.IntN(of.Asks()))
		p.Trade.Price, order = o.Price, o.ID
	}
	if e.IntN(2) == 0 {
		call := retirement.JournalEntry{
			ExternalID: fmt.Sprint("call", len(w.calls)), RequestID: fmt.Sprint("request", len(w.calls)),
			Call:       retirement.Call{VintageID: p.Vintage.VintageID, BuyTonnes: 1, SellOrderID: order, Price: p.Trade.Price},
			SentAt:     at.Add(-time.Duration(e.IntN(3)) * time.Second),
			AnsweredAt: at.Add(time.Duration(e.IntN(3)-2) * time.Second),
		}
		if call.AnsweredAt.Before(call.SentAt) {
			call.AnsweredAt = call.SentAt
		}
		w.external[len(w.purchases)] = call.ExternalID
		w.calls = append(w.calls, call)
	}
	w.purchases = append(w.purchases, p)
}

func (w *traded) inventory() *portfolio.Inventory {
	inv := &portfolio.Inventory{}
	for _, p := range w.purchases {
		of := portfolio.Project{ID: p.Vintage.ProjectID, Vintages: []portfolio.Vintage{{ID: p.Vintage.VintageID,
			Wallets: []portfolio.Wallet{{Type: portfolio.WalletCAAS, Trades: []portfolio.Trade{p.Trade}}}}}}
		inv.Projects = append(inv.Projects, of)
	}
	return inv
}

// sold is an order of a read.
type sold struct {
	of    model.VintageKey
	order market.SellOrder
}

// expected is a row by brute force: for each purchase, all orders of all reads.
func (w *traded) expected(i int, likes func(model.VintageKey) bool) string {
	p := w.purchases[i]
	var read *Read
	for n := range w.reads {
		if at := w.reads[n].At; !at.After(p.At()) && p.At().Sub(at) <= 2*time.Minute {
			read = &w.reads[n]
		}
	}
	if read == nil {
		return "not_recorded"
	}
	head := fmt.Sprint(read.At.UTC(), int(p.At().Sub(read.At).Seconds()))
	var own, all []sold
	var fits []string
	for v := range read.Market.Vintages() {
		key := read.Market.Key(v)
		for n := range read.Market.Orders() {
			o := read.Market.Order(n)
			if !read.Market.Has(v, n) {
				continue
			}
			if key == p.Vintage {
				own = append(own, sold{key, o})
				if o.Price == p.Trade.Price && o.Quantity >= p.Trade.Quantity {
					fits = append(fits, o.ID)
				}
			}
			if likes(key) {
				all = append(all, sold{key, o})
			}
		}
	}
	if len(fits) == 0 {
		return head + " not_recorded"
	}
	order := ""
	if len(fits) == 1 {
		order = fits[0]
	}
	for _, c := range w.calls {
		if c.ExternalID == w.external[i] {
			order = c.Call.SellOrderID
		}
	}
	cost := int64(p.Trade.Price)
	cheapest := func(orders []sold) (least int64) {
		least = -1
		for _, o := range orders {
			if o.order.Quantity >= model.GramsPerTonne && (least < 0 || int64(o.order.Price) < least) {
				least = int64(o.order.Price)
			}
		}
		return least
	}
	vintage, like := cheapest(own), cheapest(all)
	verdict := "lowest_of_vintage"
	switch {
	case cost > vintage:
		verdict = "higher"
	case like >= 0 && cost <= like:
		verdict = "lowest"
	}
	return fmt.Sprint(head, " ", order, " ", vintage, " ", cost-vintage, " ", like, " ", verdict)
}

func described(r execution.Row) string {
	if r.Read == nil {
		return string(r.Verdict)
	}
	head := fmt.Sprint(r.Read.At.UTC(), r.Seconds())
	if r.Verdict == execution.NotRecorded {
		if r.VintageCost.Known || r.LikeCost.Known || r.BoughtOrder != "" {
			return "costs"
		}
		return head + " not_recorded"
	}
	like := int64(-1)
	if r.LikeCost.Known {
		like = int64(r.LikeCost.Cents)
	}
	return fmt.Sprint(head, " ", r.BoughtOrder, " ", r.VintageCost.Cents, " ", r.VintageDifference().Cents, " ", like, " ",
		r.Verdict)
}

// Every field of every row equals that of a brute force, over 10,000 purchases.
func TestExecutionEqualsBruteForce(t *testing.T) {
	t.Parallel()
	verdicts := make(map[execution.Verdict]int)
	for seed := range uint64(longtest.Runs(50, 500)) {
		e, w := newExchange(seed), newTraded()
		path := filepath.Join(t.TempDir(), "orders.db")
		programs := []*File{Open(path), Open(path)}
		now := noon
		for len(w.purchases) < 200 {
			e.change()
			now = now.Add([]time.Duration{5 * time.Second, time.Minute, 2 * time.Minute, 121 * time.Second}[e.IntN(4)])
			m := e.market()
			read := Read{Market: m, At: now, Ahead: time.Duration(e.IntN(8)-4) * time.Second, Dated: e.IntN(2) == 0}
			w.reads = append(w.reads, read)
			must.Succeed(t, programs[e.IntN(2)].Of(service).Add(t.Context(), read))
			for range e.IntN(5) {
				if m.Vintages() > 0 {
					w.buy(e, m, now.Add(time.Duration(e.IntN(130_000))*time.Millisecond))
				}
			}
		}
		slices.SortStableFunc(w.purchases, func(a, b execution.Purchase) int { return 0 })
		expression, likes := w.likes(e.Rand)
		rows := must.Get(execution.New(t.Context(), programs[0].Of(service), execution.Request{
			Purchases: w.asMade(), Projects: w.projects, Like: expression,
		}))
		for i, r := range rows {
			verdicts[r.Verdict]++
			want := w.expected(i, func(key model.VintageKey) bool { return likes(w.purchases[i].Vintage, key) })
			must.Hold(t, described(r) == want, seed, i, r.Purchase, "got", described(r), "want", want)
			must.Hold(t, r.Why != "" && (r.Reason == ""), r.Why)
			if r.LikeCost.Known {
				sum := model.Cents(0)
				for _, f := range r.LikeFills {
					sum += f.Cost
				}
				must.Hold(t, sum == r.LikeCost.Cents, sum, r.LikeCost)
			}
		}
		for _, f := range programs {
			must.Succeed(t, f.Close())
		}
	}
	for _, v := range execution.Verdicts {
		must.Hold(t, verdicts[v] > 200, verdicts)
	}
}

// asMade returns the purchases in their order, with their calls.
func (w *traded) asMade() []execution.Purchase {
	made := slices.Clone(w.purchases)
	for i := range made {
		for _, c := range w.calls {
			if c.ExternalID == w.external[i] {
				made[i].ExternalID, made[i].SellOrderID = c.ExternalID, c.Call.SellOrderID
			}
		}
	}
	return made
}

// likes returns an expression, and what it means. The empty one is the default.
func (w *traded) likes(random *rand.Rand) (string, func(bought, other model.VintageKey) bool) {
	year := func(key model.VintageKey) int { return w.projects[key.ProjectID].Year(key.VintageID) }
	switch random.IntN(4) {
	case 0:
		return "type:REDD+", func(_, other model.VintageKey) bool { return typesOf[other.ProjectID] == "REDD+" }
	case 1:
		return "vintage>=2021", func(_, other model.VintageKey) bool { return year(other) >= 2021 }
	}
	return "", func(bought, other model.VintageKey) bool {
		of := typesOf[bought.ProjectID]
		return of != "" && typesOf[other.ProjectID] == of && year(other) >= year(bought)
	}
}

func TestCallsAreMatchedOneToOne(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		e, w := newExchange(seed), newTraded()
		for e.next < 5 {
			e.change()
		}
		m := e.market()
		for i := range 100 {
			w.buy(e, m, noon.Add(time.Duration(i)*10*time.Second))
		}
		for i, p := range execution.Purchases(w.inventory(), w.calls) {
			must.Hold(t, p.At().Equal(w.purchases[i].At()) && p.ExternalID == w.external[i], seed, i,
				p.ExternalID, w.external[i])
		}
	}
}

func BenchmarkExecutionOf1000Purchases(b *testing.B) {
	f := Open(filepath.Join(b.TempDir(), "orders.db"))
	s, now := f.Of(service), noon
	random, changed := rand.New(rand.NewPCG(1, 2)), make(map[int]int)
	r := execution.Request{Projects: make(model.Projects)}
	for n := range 100 {
		for range 20_000 {
			changed[random.IntN(100_000)]++
		}
		now = now.Add(time.Minute)
		m := manyOrders(changed)
		must.Succeed(b, s.Add(b.Context(), Read{Market: m, At: now}))
		for v := range m.Vintages() {
			if key := m.Key(v); n == 0 {
				p := r.Projects[key.ProjectID]
				p.ID, p.Type = key.ProjectID, fmt.Sprint("type ", v%7)
				p.Vintages = append(p.Vintages, model.ProjectVintage{ID: key.VintageID, Year: int(m.Vintage(v).Year)})
				r.Projects[key.ProjectID] = p
			}
		}
		for i := range 10 {
			v := random.IntN(m.Vintages())
			book := m.Book(v)
			r.Purchases = append(r.Purchases, execution.Purchase{Vintage: m.Key(v), Trade: portfolio.Trade{
				Type: portfolio.Buy, Quantity: 1e6, Price: book.Asks[i%2].Order.Price,
				ExecutionDate: model.At(now.Add(time.Duration(i) * time.Second)),
			}})
		}
	}
	b.ReportMetric(float64(must.Get(s.Intervals(b.Context()))), "intervals")
	for b.Loop() {
		rows := must.Get(execution.New(b.Context(), s, r))
		must.Hold(b, rows[0].Verdict != execution.NotRecorded, rows[0])
	}
	must.Succeed(b, f.Close())
}
