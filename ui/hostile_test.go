package ui

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"tonne/api"
	"tonne/api/session"
	"tonne/api/wire"
	"tonne/model"
	"tonne/model/alert"
	"tonne/model/file/store"
	"tonne/model/market"
	"tonne/model/portfolio"
	"tonne/model/retirement"
	"tonne/ui/uitest"
)

// hostile has text that is harmful to a terminal or hard to measure.
var hostile = slices.Concat(hardNames, []string{
	"\x1b]", "\x1b[2J", "a\u009b31mb", "\u009d0;title\x07", "carriage\rreturn", "back\b\b\bspace",
	"\x1b]8;;http://evil.example\x1b\\link\x1b]8;;\x1b\\", "\x1b]52;c;aGk=\x07", "\u202Ereversed", "\u2066isolated",
	"zero\u200bwidth\u200d", "e" + strings.Repeat("\u0301", 500), "👩‍👩‍👧‍👦 family", "森林碳汇项目", "مشروع الغابات",
	strings.Repeat("long ", 4000), "new\nline", "\x00\x7f", "\xff\xfe invalid", "🇪🇹🇰🇭", "", " ", "\u0301", "\ufe0f\u20e3",
	"\u200d",
	"https://registry.example/1", "https://a\x1b\\b", "9999-12-31T23:59:59Z", "0000-00-00", "1e309", "-1",
	"G-1-9223372036854775807",
	wire.Clean(strings.Repeat("megabyte 森1️⃣\u202e", 1<<16)),
	wire.Clean("\x1b[2J\u202e1️⃣" + strings.Repeat("\u0301", 99)),
})

// text returns one of them or a mix.
func (c *chance) text() string {
	text := hostile[c.IntN(len(hostile))]
	if c.IntN(3) > 0 {
		return text
	}
	var mixed []rune
	for range 1 + c.IntN(12) {
		if runes := []rune(hostile[c.IntN(len(hostile))]); len(runes) > 0 {
			mixed = append(mixed, runes[c.IntN(min(len(runes), 40))])
		}
	}
	return string(mixed)
}

// integer returns any number, most often one at an end of its range.
func (c *chance) integer() int64 {
	return one(c, 0, 1, -1, math.MaxInt64, math.MinInt64, 1<<53+1, c.Int64(), c.Int64()>>c.IntN(63), 999_999, 1_000_000)
}

func (c *chance) grams() model.Grams { return model.Grams(max(c.integer(), -1)) }

func (c *chance) price() model.PriceCents { return model.PriceCents(max(c.integer(), -1)) }

func (c *chance) year() int { return one(c, 0, -1, 2019, 9999, math.MaxInt32, math.MinInt64) }

// moment returns any timestamp, most often a valid one.
func (c *chance) moment() model.Timestamp {
	if c.IntN(3) == 0 {
		return model.ParseTimestamp(c.text())
	}
	return model.At(one(c, c.r.now.Add(-time.Duration(c.Int64())), time.Time{}, time.Unix(math.MaxInt32*100, 0),
		time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC), uitest.Now))
}

func (c *chance) extra() []model.Field {
	if c.IntN(4) > 0 {
		return nil
	}
	return []model.Field{{Name: c.text(), Value: c.text()}}
}

func (c *chance) status() session.Status {
	s := session.Status{
		State: session.State(c.IntN(6)), At: c.r.now.Add(-time.Duration(c.IntN(1e12))),
		Fetching: c.IntN(2) == 0, Done: c.IntN(99) - 1, Total: c.IntN(99) - 1,
	}
	if c.IntN(2) == 0 {
		s.Err, s.RetryAt, s.Asked = errors.New(c.text()), c.r.now.Add(time.Duration(c.IntN(1e11))), c.IntN(2) == 0
	}
	return s
}

func (c *chance) market() *market.Market {
	if c.IntN(3) > 0 {
		return uitest.Market(model.PriceCents(c.IntN(40)))
	}
	var part market.Page
	for p := range c.IntN(30) {
		id := fmt.Sprintf("003%d%s", p, c.text())
		part.AddProject(id)
		for _, f := range c.extra() {
			part.AddExtra(id, f)
		}
		for v := range c.IntN(4) {
			part.AddVintage(fmt.Sprintf("004%d%d%s", p, v, c.text()), c.year())
			for o := range c.IntN(6) {
				part.AddOrder(fmt.Sprintf("006%d.%d.%d", p, v, o), c.grams(), c.price())
			}
		}
	}
	return market.New(&part)
}

func (c *chance) projects() model.Projects {
	all := uitest.Projects()
	for _, id := range slices.Sorted(maps.Keys(all)) {
		if p := all[id]; c.IntN(3) == 0 {
			p.Name, p.Type, p.Country, p.Description = c.text(), c.text(), c.text(), c.text()
			p.RegistryURL, p.RegistryID, p.RegistryName = c.text(), c.text(), c.text()
			p.SDGs, p.Extra = append(p.SDGs, c.text(), c.text()), c.extra()
			p.Vintages = append(p.Vintages, model.ProjectVintage{ID: c.text(), Year: c.year(), RegistryURL: c.text()})
			all[id] = p
		}
	}
	return all
}

func (c *chance) retirement() *retirement.Request {
	states := []retirement.Status{retirement.Open, retirement.Closed, retirement.InProgress, retirement.Complete,
		retirement.Complete, retirement.NothingToProcess, "ODD", "", retirement.Status(c.text())}
	r := uitest.Retirement(one(c, "00mcomplete", "00mclosed", "00mother"), one(c, states...))
	switch c.IntN(4) {
	case 0:
		// Complete, but without certificate and serial numbers.
		r.SerialNumbers, r.CertificateURL, r.RetiredAt, r.Items = nil, "", model.Timestamp{}, nil
	case 1, 2:
		r.SerialNumbers = append(r.SerialNumbers, c.text(), c.text())
		r.CertificateURL, r.Type = c.text(), one(c, retirement.Whole, retirement.Fractionalised, retirement.Type(c.text()))
		r.CreatedAt, r.RetiredAt, r.TotalQuantity = c.moment(), c.moment(), c.grams()
		r.ProjectID, r.VintageID, r.Extra = one(c, r.ProjectID, c.text()), one(c, r.VintageID, c.text()), c.extra()
		r.Faults = []model.Fault{{Path: c.text(), Reason: c.text()}}
		for range c.IntN(30) {
			r.Items = append(r.Items, retirement.Item{
				ID: c.text(), Quantity: c.grams(), CreatedAt: c.moment(), RetireeName: c.text(), RetireeTaxID: c.text(),
				RetireeCountry: c.text(), InvoiceID: c.text(), TradeID: c.text(), Extra: c.extra(),
			})
		}
	}
	return r
}

func (c *chance) inventory() *portfolio.Inventory {
	inventory := uitest.Inventory()
	if c.IntN(8) == 0 {
		return &portfolio.Inventory{}
	}
	for i := range inventory.Projects {
		p := &inventory.Projects[i]
		if c.IntN(3) > 0 {
			continue
		}
		p.ID, p.Extra = one(c, p.ID, c.text()), c.extra()
		p.Vintages = append(p.Vintages, portfolio.Vintage{ID: c.text(), Extra: c.extra()})
		w := portfolio.Wallet{Type: c.text(), Quantity: c.grams(), Extra: c.extra()}
		for range c.IntN(12) {
			w.Trades = append(w.Trades, portfolio.Trade{
				ExecutionDate: c.moment(), Quantity: c.grams(), Price: c.price(),
				Type: one(c, portfolio.Buy, portfolio.Sell, portfolio.TradeType(c.text())), Extra: c.extra(),
			})
		}
		v := &p.Vintages[c.IntN(len(p.Vintages))]
		v.Wallets = append(v.Wallets, w)
	}
	return inventory
}

func (c *chance) event() session.Event {
	switch c.IntN(8) {
	case 0, 1:
		now := c.market()
		return session.MarketEvent{Status: c.status(), Generation: c.Uint64(), Market: now,
			Changes: now.Since(uitest.Market(0)), Partial: c.IntN(8) == 0}
	case 2:
		return session.ProjectsEvent{Projects: c.projects(), Err: one(c, nil, errors.New(c.text()))}
	case 3, 4:
		query := one(c, c.r.feed.Query, api.InventoryQuery{Page: int(c.integer()), PerPage: c.IntN(200)})
		page := model.Page{PerPage: c.IntN(50), TotalPages: int(c.integer()), TotalItems: int(c.integer()),
			Current: c.IntN(9)}
		return session.InventoryEvent{Status: c.status(), Query: query, Inventory: one(c, nil, c.inventory()), Page: page,
			Purchases: one(c, nil, c.inventory())}
	case 5:
		inventory := c.inventory()
		return session.PortfolioEvent{Status: c.status(), LastPaid: inventory.LastPaid(), Balances: inventory.Balances()}
	case 6:
		e := session.CertificateEvent{ID: one(c, "00mcomplete", c.text()), Received: c.integer(), Total: c.integer(),
			Err: one(c, nil, errors.New(c.text()))}
		if c.IntN(2) == 0 {
			e.Saved = &retirement.Certificate{Path: one(c, c.certificate, c.text()),
				MediaType: one(c, "application/pdf", "image/png", "image/png", c.text()), Size: c.integer(), SHA256: c.text(),
				FetchedAt: c.r.now}
			c.keep(e)
		}
		return e
	case 7:
		if c.IntN(4) == 0 {
			return session.VerifiedEvent{ID: one(c, "00mcomplete", c.text()), FileStatus: session.FileStatus(c.IntN(7)),
				Served: c.text(), Err: one(c, nil, errors.New(c.text()))}
		}
	}
	r := c.retirement()
	e := uitest.Answer{ID: r.ID, Retirement: one(c, r, nil), At: c.r.now, Err: one(c, nil, errors.New(c.text())),
		Fetching: c.IntN(2) == 0}
	c.hint = c.text()
	c.r.feed.Answer(e)
	return c.r.feed.News()[0]
}

// keep adds a saved certificate to the ledger.
func (c *chance) keep(e session.CertificateEvent) {
	c.r.feed.Change(e.ID, func(r *session.Request) {
		r.Certificate, r.FileStatus = *e.Saved, session.FileStatus(c.IntN(7))
	})
}

// bookOf returns the portfolio events for a page of wallets.
func bookOf(page session.InventoryEvent) []session.Event {
	inv := portfolio.JoinInventory(page.Inventory)
	book := session.PortfolioEvent{Status: page.Status, Positions: portfolio.NewPositions(inv, inv),
		Partial: page.Purchases != nil}
	worth := session.PortfolioValueEvent{At: page.At, Since: page.At, Moves: true}
	worth.Value, worth.Err = book.Positions.BookValue(uitest.Market(0), uitest.Opened().Opening())
	history := session.PortfolioHistoryEvent{Points: []store.ValuePoint{{At: page.At, Value: worth.Value}}, Err: page.Err}
	return []session.Event{book, worth, history}
}

// withSession returns an event and, for a market, the events of a session with a rule on its
// first vintage.
func withSession(e session.Event) []session.Event {
	if page, ok := e.(session.InventoryEvent); ok && page.Inventory != nil {
		return append(bookOf(page), e)
	}
	polled, ok := e.(session.MarketEvent)
	if !ok || polled.Partial || polled.Market == nil || polled.Market.Vintages() == 0 {
		return []session.Event{e}
	}
	a := alert.Rule{Vintage: polled.Market.Key(0), Measure: alert.Available}
	fired := store.Alert{Rule: a, At: polled.At, Facts: alert.VintageFacts(polled.Market, a.Vintage, nil)}
	return append(append([]session.Event{e}, recorded(polled.Market)...),
		session.WatchlistEvent{Watchlist: session.Watchlist{}.WithRule(a)},
		session.AlertsEvent{Fired: []store.Alert{fired},
			Alerts: []store.Alert{{Rule: a, ID: 1, At: polled.At, Facts: fired.Facts}}})
}
