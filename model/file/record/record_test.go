package record

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"

	"tonne/model"
	"tonne/model/longtest"
	"tonne/model/market"
	must "tonne/model/musttest"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

const service = "https://market.example"

// shown is a market as a test compares it: projects, vintages and orders, sorted.
func shown(m *market.Market) string {
	var lines []string
	for i := range m.Projects() {
		p := m.Project(i)
		lines = append(lines, p.ID)
		for v := p.First; v < p.End; v++ {
			of := m.Vintage(v)
			lines = append(lines, fmt.Sprint(p.ID, of.ID, of.Year, of.BestAsk, of.Available))
			for o := range m.Orders() {
				if m.Has(v, o) {
					lines = append(lines, fmt.Sprint(p.ID, of.ID, m.Order(o)))
				}
			}
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// exchange is a service whose orders change at random. Its lists keep the order of their ids.
type exchange struct {
	*rand.Rand
	orders [4][3]map[int]market.SellOrder
	listed [4][3]bool
	next   int
}

func newExchange(seed uint64) *exchange { return &exchange{Rand: rand.New(rand.NewPCG(seed, 45))} }

func (e *exchange) change() {
	for range e.IntN(4) {
		p, v := e.IntN(4), e.IntN(3)
		all := &e.orders[p][v]
		if *all == nil {
			*all = make(map[int]market.SellOrder)
		}
		n := e.next
		if e.IntN(2) == 0 && n > 0 {
			n = e.IntN(n) // Sometimes one that vanished, perhaps from another vintage.
		}
		for _, others := range e.orders {
			for _, orders := range others {
				delete(orders, n)
			}
		}
		if e.IntN(3) > 0 {
			(*all)[n] = market.SellOrder{ID: fmt.Sprint("order", n), Price: model.PriceCents(e.IntN(5) + 500),
				Quantity: model.Grams(e.IntN(3) * 500_000)}
			e.next = max(e.next, n+1)
		}
		e.listed[p][v] = e.IntN(3) > 0
	}
}

func (e *exchange) market() *market.Market {
	var page market.Page
	for p, vintages := range e.orders {
		if p != 2 && len(vintages[0])+len(vintages[1])+len(vintages[2]) == 0 {
			continue // Project 2 is listed without vintages.
		}
		page.AddProject(fmt.Sprint("project", 9-p))
		for v, orders := range vintages {
			if len(orders) == 0 && !e.listed[p][v] {
				continue
			}
			page.AddVintage(fmt.Sprint("vintage", 9-v), 2020+v)
			for n := range e.next {
				if o, ok := orders[n]; ok {
					page.AddOrder(o.ID, o.Quantity, o.Price)
				}
			}
		}
	}
	return market.New(&page)
}

// lookup is the brute force: all reads with their markets.
type lookup struct {
	ats   []time.Time
	shown []string
	// changes has the number of orders that differ from the read before.
	changes []int64
}

func (l *lookup) add(at time.Time, m, before *market.Market) {
	l.ats, l.shown = append(l.ats, at), append(l.shown, shown(m))
	n := int64(0)
	if before != nil {
		n = differing(before, m)
	}
	l.changes = append(l.changes, n)
}

// differing counts the orders that one of two markets lacks, or has with other values.
func differing(was, now *market.Market) (n int64) {
	type place struct {
		of model.VintageKey
		id string
	}
	all := func(m *market.Market) map[place]market.SellOrder {
		orders := make(map[place]market.SellOrder)
		for v := range m.Vintages() {
			for i := range m.Orders() {
				if m.Has(v, i) {
					orders[place{m.Key(v), m.Order(i).ID}] = m.Order(i)
				}
			}
		}
		return orders
	}
	before, after := all(was), all(now)
	for p, o := range after {
		if before[p] != o {
			n++
		}
	}
	for p := range before {
		if _, kept := after[p]; !kept {
			n++
		}
	}
	return n
}

func (l *lookup) at(t time.Time) (string, time.Time) {
	for i, at := range slices.Backward(l.ats) {
		if !at.After(t) {
			if t.Sub(at) > 2*time.Minute {
				return "", time.Time{}
			}
			return l.shown[i], at
		}
	}
	return "", time.Time{}
}

func (l *lookup) periods() (all []Period) {
	for i, at := range l.ats {
		if i == 0 || at.Sub(l.ats[i-1]) > 2*time.Minute {
			all = append(all, Period{From: at, To: at, Reads: 1})
			continue
		}
		p := &all[len(all)-1]
		p.To, p.Reads, p.Changes = at, p.Reads+1, p.Changes+l.changes[i]
	}
	return all
}

// compare compares the record with the brute force, at every read and at random times between.
func (l *lookup) compare(t *testing.T, s Service, rand *rand.Rand) {
	t.Helper()
	times := slices.Clone(l.ats)
	for range len(l.ats) {
		span := l.ats[len(l.ats)-1].Sub(l.ats[0]) + time.Hour
		times = append(times, l.ats[0].Add(time.Duration(rand.Int64N(int64(span)))))
	}
	for _, at := range times {
		want, read := l.at(at)
		seen, err := s.At(t.Context(), at)
		if want == "" {
			_, unwatched := err.(*UnwatchedError)
			must.Hold(t, unwatched, at, err)
			continue
		}
		must.Succeed(t, err)
		must.Hold(t, seen.At.Equal(read) && shown(seen.Market) == want, at, seen.At, read, shown(seen.Market), want)
	}
	periods := must.Get(s.Periods(t.Context(), time.Time{}, time.Time{}))
	for i := range periods {
		periods[i].From, periods[i].To = periods[i].From.UTC(), periods[i].To.UTC()
	}
	must.Hold(t, slices.Equal(periods, l.periods()), periods, l.periods())
}

// sound reports intervals that are empty or overlap another one of their order, and offers doubled.
func sound(t *testing.T, f *File) {
	t.Helper()
	const all = `WITH every AS (SELECT vintage, order_id, since, until FROM past_offer
		UNION ALL SELECT vintage, order_id, since, 9e15 FROM offer)
		SELECT (SELECT count(*) FROM every WHERE since >= until) + (SELECT count(*) FROM every a JOIN every b
		ON a.vintage = b.vintage AND a.order_id = b.order_id AND a.since < b.until AND b.since < a.until) -
		(SELECT count(*) FROM every)`
	wrong := int64(-1)
	must.Succeed(t, f.use(t.Context(), "BEGIN", func(t *tx) { wrong = t.number(all) }))
	must.Hold(t, wrong == 0, wrong, "intervals are empty, or overlap another one of their order")
}

func TestRecordReturnsEveryMarketThatWasRead(t *testing.T) {
	t.Parallel()
	for seed := range uint64(longtest.Runs(8, 100)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			path, e, want := filepath.Join(t.TempDir(), "orders.db"), newExchange(seed), &lookup{}
			programs := []*File{Open(path), Open(path), Open(path)}
			last := map[*File]*market.Market{}
			var before *market.Market
			now := noon
			for range 120 {
				f := programs[e.IntN(len(programs))]
				if e.IntN(3) > 0 {
					e.change()
				}
				m := e.market()
				if was := last[f]; was != nil && shown(was) == shown(m) {
					m = was // As a client returns it.
				}
				last[f] = m
				now = now.Add([]time.Duration{time.Millisecond, 5 * time.Second, 2 * time.Minute, 121 * time.Second}[e.IntN(4)])
				must.Succeed(t, f.Of(service).Add(t.Context(), Read{Market: m, At: now}))
				want.add(now, m, before)
				before = m
				if e.IntN(20) == 0 {
					must.Succeed(t, f.Close())
				}
				must.Succeed(t, f.Of("https://other.example").Add(t.Context(), Read{Market: m, At: now.Add(time.Hour)}))
			}
			want.compare(t, programs[e.IntN(3)].Of(service), e.Rand)
			sound(t, programs[0])
			for _, f := range programs {
				must.Succeed(t, f.Close())
			}
		})
	}
}

// withoutDigests runs add as a program does that knows no digests.
func withoutDigests(t *testing.T, f *File, add func()) {
	t.Helper()
	const vintages, origins = "UPDATE vintage SET digest = ?2 WHERE id = ?1", "UPDATE origin SET digested = ?2 WHERE id = ?1"
	before := map[string]map[int64]int64{vintages: {}, origins: {}}
	must.Succeed(t, f.use(t.Context(), "BEGIN", func(t *tx) {
		for restore, query := range map[string]string{
			vintages: "SELECT id, digest FROM vintage", origins: "SELECT id, digested FROM origin",
		} {
			t.each(query, func(stmt *sqlite.Stmt) { before[restore][stmt.ColumnInt64(0)] = stmt.ColumnInt64(1) })
		}
	}))
	add()
	must.Succeed(t, f.use(t.Context(), "BEGIN IMMEDIATE", func(t *tx) {
		t.run("UPDATE vintage SET digest = 0")
		t.run("UPDATE origin SET digested = 0")
		for restore, values := range before {
			for id, value := range values {
				t.run(restore, id, value)
			}
		}
	}))
	must.Succeed(t, f.Close())
}

func TestProgramThatKnowsNoDigestsChangesTheRecord(t *testing.T) {
	t.Parallel()
	f := Open(filepath.Join(t.TempDir(), "orders.db"))
	at := noon
	read := func(price model.PriceCents) {
		var page market.Page
		page.AddProject("project")
		page.AddVintage("vintage", 2020)
		page.AddOrder("order", model.GramsPerTonne, price)
		at = at.Add(time.Minute)
		must.Succeed(t, f.Of(service).Add(t.Context(), Read{Market: market.New(&page), At: at}))
	}
	read(620)
	withoutDigests(t, f, func() { read(595) })
	// The digest is that of this market, which is not the last one.
	read(620)
	for ago, want := range []model.PriceCents{620, 595, 620} {
		m := must.Get(f.Of(service).At(t.Context(), at.Add(-time.Duration(ago)*time.Minute))).Market
		must.Equal(t, m.Order(0).Price, want, ago)
	}
	must.Succeed(t, f.Close())
}

func TestMarketIsListedInTheOrderOfTheService(t *testing.T) {
	t.Parallel()
	s := Open("").Of(service)
	for i, c := range []string{"q2 q1 p7 p3", "q2 p3", "q2 q1 p7 p3", "q2 q1 q0 p7 p5 p3 p9", "p5", "q0 p3", "q2 q1 q0 p7 p5 p3 p9"} {
		var page market.Page
		project := ""
		for _, name := range strings.Fields(c) {
			if name[:1] != project {
				project = name[:1]
				page.AddProject(project)
			}
			page.AddVintage(name, 2020)
			page.AddOrder("order of "+name, model.GramsPerTonne, 1)
		}
		at := noon.Add(time.Duration(i) * time.Minute)
		must.Succeed(t, s.Add(t.Context(), Read{Market: market.New(&page), At: at}))
		m := must.Get(s.At(t.Context(), at)).Market
		var names []string
		for v := range m.Vintages() {
			names = append(names, m.Vintage(v).ID)
		}
		must.Equal(t, strings.Join(names, " "), c, "the order")
	}
}

func TestChangesOfVintageAreFoundBothWays(t *testing.T) {
	t.Parallel()
	s, e := Open("").Of(service), newExchange(5)
	key := model.VintageKey{ProjectID: "project9", VintageID: "vintage9"}
	book := func(m *market.Market) string {
		i, ok := m.Find(key)
		if !ok {
			return ""
		}
		orders := m.Book(i)
		return fmt.Sprint(orders.Asks, orders.Small, m.Vintage(i).Available)
	}
	var changes []time.Time
	before, now := "", noon
	for range 300 {
		e.change()
		now = now.Add([]time.Duration{5 * time.Second, 26 * time.Hour}[e.IntN(20)/19])
		m := e.market()
		if is := book(m); is != before {
			changes, before = append(changes, now), is
		}
		must.Succeed(t, s.Add(t.Context(), Read{Market: m, At: now}))
	}
	must.Hold(t, len(changes) > 20, len(changes), "changes")
	walk := func(at time.Time, back bool) (found []time.Time) {
		for {
			at = must.Get(s.Change(t.Context(), key, at, back))
			if at.IsZero() {
				return found
			}
			found = append(found, at)
		}
	}
	must.Equal(t, fmt.Sprint(walk(noon, false)), fmt.Sprint(changes), "forward")
	slices.Reverse(changes)
	must.Equal(t, fmt.Sprint(walk(now.Add(time.Hour), true)), fmt.Sprint(changes), "back")
}

func TestClockSetBackIsReportedAndRecordsNothing(t *testing.T) {
	t.Parallel()
	s, e := Open("").Of(service), newExchange(1)
	want := &lookup{}
	e.change()
	first := e.market()
	must.Succeed(t, s.Add(t.Context(), Read{Market: first, At: noon}))
	want.add(noon, first, nil)
	for _, c := range []struct {
		back     time.Duration
		reported bool
	}{{0, false}, {time.Second, false}, {5 * time.Minute, false}, {6 * time.Minute, true}, {48 * time.Hour, true}} {
		e.change()
		err := s.Add(t.Context(), Read{Market: e.market(), At: noon.Add(-c.back)})
		_, reported := err.(*BehindError)
		must.Hold(t, reported == c.reported && (reported || err == nil), c.back, err)
	}
	later := e.market()
	must.Succeed(t, s.Add(t.Context(), Read{Market: later, At: noon.Add(time.Minute)}))
	want.add(noon.Add(time.Minute), later, first)
	want.compare(t, s, e.Rand)
	sound(t, s.file)
}

func TestMarketThatIsNotWholeClosesNothing(t *testing.T) {
	t.Parallel()
	s, e := Open("").Of(service), newExchange(3)
	for e.next < 3 {
		e.change()
	}
	m := e.market()
	must.Succeed(t, s.Add(t.Context(), Read{Market: m, At: noon}))
	for name, o := range map[string]market.SellOrder{
		"no id":       {ID: "", Price: 1, Quantity: 1},
		"no price":    {ID: "a", Price: model.UnknownPrice, Quantity: 1},
		"no quantity": {ID: "a", Price: 1, Quantity: model.UnknownGrams},
	} {
		var page market.Page
		page.AddProject("p")
		page.AddVintage("v", 2020)
		page.AddOrder(o.ID, o.Quantity, o.Price)
		must.Succeed(t, s.Add(t.Context(), Read{Market: market.New(&page), At: noon.Add(time.Second)}))
		seen := must.Get(s.At(t.Context(), noon.Add(time.Minute)))
		must.Hold(t, seen.At.Equal(noon) && shown(seen.Market) == shown(m), name, seen.At)
	}
}

func TestClockOfServiceIsKeptWithPeriod(t *testing.T) {
	t.Parallel()
	s, m := Open("").Of(service), newExchange(1).market()
	for i, c := range []struct {
		ahead, want time.Duration
		dated, has  bool
	}{
		{0, 0, false, false}, {900 * time.Millisecond, 900 * time.Millisecond, true, true},
		{-time.Second, 900 * time.Millisecond, true, true}, {-9 * time.Second, -9 * time.Second, true, true},
	} {
		at := noon.Add(time.Duration(i) * time.Minute)
		must.Succeed(t, s.Add(t.Context(), Read{Market: m, At: at, Ahead: c.ahead, Dated: c.dated}))
		seen := must.Get(s.At(t.Context(), at))
		must.Hold(t, seen.Ahead == c.want && seen.Dated == c.has, i, seen.Ahead, seen.Dated)
	}
}

func TestPruneKeepsWhatPurchasesCite(t *testing.T) {
	t.Parallel()
	for seed := range uint64(longtest.Runs(5, 50)) {
		f, e, want := Open(""), newExchange(seed), &lookup{}
		s := f.Of(service)
		now := noon
		var before *market.Market
		for range 200 {
			e.change()
			now = now.Add([]time.Duration{5 * time.Second, time.Minute, time.Hour}[e.IntN(11)/5])
			m := e.market()
			must.Succeed(t, s.Add(t.Context(), Read{Market: m, At: now}))
			want.add(now, m, before)
			before = m
		}
		cited := []time.Time{want.ats[20].Add(time.Second), want.ats[50], want.ats[52].Add(-time.Millisecond)}
		cut := want.ats[100]
		planned := must.Get(s.Prune(t.Context(), cut, cited, true))
		want.compare(t, s, e.Rand)
		done := must.Get(s.Prune(t.Context(), cut, cited, false))
		must.Hold(t, planned == done && done.Intervals > 0 && done.Reads > 0, planned, done)
		for _, at := range cited {
			text, read := want.at(at)
			if text == "" {
				continue // The time before a gap of an hour was never watched.
			}
			seen := must.Get(s.At(t.Context(), at))
			must.Hold(t, seen.At.Equal(read) && shown(seen.Market) == text, at, seen.At, read)
		}
		// Each read that is left still shows all its orders, also one that is kept for its time.
		for i, at := range want.ats {
			if seen, err := s.At(t.Context(), at); err == nil && seen.At.Equal(at) {
				must.Hold(t, shown(seen.Market) == want.shown[i], seed, at)
			}
		}
		left := &lookup{want.ats[100:], want.shown[100:], want.changes[100:]}
		for i, at := range left.ats {
			seen := must.Get(s.At(t.Context(), at))
			must.Hold(t, seen.At.Equal(at) && shown(seen.Market) == left.shown[i], at, seen.At)
		}
		// The keys for changes lead to reads that are left.
		key := model.VintageKey{ProjectID: "project9", VintageID: "vintage9"}
		for _, back := range []bool{true, false} {
			at := map[bool]time.Time{true: now, false: noon}[back]
			for ; !at.IsZero(); at = must.Get(s.Change(t.Context(), key, at, back)) {
				if !at.Equal(noon) {
					seen := must.Get(s.At(t.Context(), at))
					must.Hold(t, seen.At.Equal(at), seed, back, at, seen.At)
				}
			}
		}
		// A period claims no read that is gone.
		for _, p := range must.Get(s.Periods(t.Context(), time.Time{}, time.Time{})) {
			last := p.From
			for _, at := range want.ats {
				if at.After(p.From) && !at.After(p.To) {
					if _, err := s.At(t.Context(), at); err == nil {
						must.Hold(t, at.Sub(last) <= Unwatched, seed, p, at, last)
						last = at
					}
				}
			}
		}
		must.Succeed(t, f.Close())
	}
}

// brokenFile is a record with a read, which is then made unusable.
func brokenFile(t *testing.T, spoil func(path string)) (Service, Read) {
	path := filepath.Join(t.TempDir(), "orders.db")
	f, e := Open(path), newExchange(2)
	e.change()
	must.Succeed(t, f.Of(service).Add(t.Context(), Read{Market: e.market(), At: noon}))
	must.Succeed(t, f.Close())
	spoil(path)
	return Open(path).Of(service), Read{Market: newExchange(1).market(), At: noon.Add(time.Minute)}
}

func TestFullDiskLosesTheReadAndNothingElse(t *testing.T) {
	t.Parallel()
	s, read := brokenFile(t, func(string) {})
	read.Market = manyOrders(nil)
	seen := must.Get(s.At(t.Context(), noon))
	limit := func(pages int) {
		must.Succeed(t, s.file.locked(t.Context(), func() error {
			tx := &tx{conn: s.file.conn}
			tx.each(fmt.Sprint("PRAGMA max_page_count = ", pages), func(*sqlite.Stmt) {})
			return tx.err
		}))
	}
	limit(20)
	err := s.Add(t.Context(), read)
	must.Hold(t, err != nil && strings.Contains(err.Error(), "the disk is full"), err)
	again := must.Get(s.At(t.Context(), read.At))
	must.Hold(t, shown(again.Market) == shown(seen.Market) && again.At.Equal(noon), again.At)
	sound(t, s.file)
	// With room again, the next read is recorded.
	must.Succeed(t, s.Add(t.Context(), read))
	must.Hold(t, must.Get(s.At(t.Context(), read.At)).At.Equal(read.At), "it was not recorded")
}
