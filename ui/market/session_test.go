package market

import (
	"errors"
	"testing"
	"time"

	"tonne/api/session"
	"tonne/model"
	"tonne/model/alert"
	"tonne/model/file/store"
	must "tonne/model/musttest"
	"tonne/model/portfolio"
)

const origin = "https://market.example"

// fakeSession does the work of a session synchronously. The robot delivers its events.
// Without a store it has none.
type fakeSession struct {
	t      testing.TB
	store  *store.Store
	news   []session.Event
	list   session.Watchlist
	edits  int
	market session.MarketEvent
	paid   portfolio.LastPaidPrices
	// vintage is the selected one, vintages are those whose prices are loaded, loads counts the calls.
	vintage  model.VintageKey
	vintages []model.VintageKey
	loads    int
	// seen are the ids passed to SeeAlerts, chosen the choices.
	seen   []int64
	chosen []string
}

func (f *fakeSession) put(err error, e session.Event) {
	f.t.Helper()
	must.Succeed(f.t, err)
	if f.store != nil {
		f.news = append(f.news, e)
	}
}

// Record does nothing: the robot calls record.
func (f *fakeSession) Record() {}

// ShowProjects does nothing: the robot sends the names.
func (f *fakeSession) ShowProjects([]string) {}

func (f *fakeSession) LoadPrices(keys ...model.VintageKey) {
	f.vintage, f.vintages = keys[0], keys
	f.loads++
	f.tellPrices()
}

func (f *fakeSession) tellPrices() {
	seen := make(map[model.VintageKey][]store.Observation)
	for _, key := range f.vintages {
		prices, err := f.store.Of(origin).History.Prices(f.t.Context(), key, time.Time{})
		must.Succeed(f.t, err)
		seen[key] = prices
	}
	gaps, err := f.store.Of(origin).History.Gaps(f.t.Context(), time.Time{})
	f.put(err, session.PricesEvent{Observations: seen, Gaps: gaps})
}

func (f *fakeSession) Watch(key model.VintageKey, on bool) {
	next := f.list.Without(key)
	if on {
		next = f.list.With(key)
	}
	f.edit(next, f.store.Of(origin).Alerts.Watch(f.t.Context(), key, on))
}

func (f *fakeSession) AddRule(a alert.Rule) {
	f.edit(f.list.WithRule(a), f.store.Of(origin).Alerts.AddRule(f.t.Context(), a))
	f.hold()
}

func (f *fakeSession) RemoveRule(a alert.Rule) {
	f.edit(f.list.WithoutRule(a), f.store.Of(origin).Alerts.RemoveRule(f.t.Context(), a))
}

func (f *fakeSession) SeeAlerts(id int64, requestsAlone bool) {
	f.seen = append(f.seen, id)
	f.tellHistory(f.store.Of(origin).Alerts.See(f.t.Context(), id, requestsAlone))
}

func (f *fakeSession) Choose(name, value string) { f.chosen = append(f.chosen, name+" "+value) }

func (f *fakeSession) tellHistory(err error, fired ...store.Alert) {
	all, failed := f.store.Of(origin).Alerts.After(f.t.Context(), 0)
	f.put(errors.Join(err, failed), session.AlertsEvent{Alerts: all, Fired: fired})
}

func (f *fakeSession) edit(list session.Watchlist, err error) {
	f.list = list
	f.edits++
	f.put(err, session.WatchlistEvent{Watchlist: list, Edits: f.edits})
}

func (f *fakeSession) record(e session.MarketEvent, paid portfolio.LastPaidPrices) {
	if f.store == nil {
		return
	}
	f.market, f.paid = e, paid
	must.Succeed(f.t, f.store.Of(origin).History.Observe(f.t.Context(), store.Observations(e.Market, e.At)))
	trends, err := session.Trends(f.t.Context(), f.store.Of(origin).History, e.At)
	f.put(err, trends)
	f.tellPrices()
	f.hold()
}

func (f *fakeSession) hold() {
	if f.market.Market == nil {
		return
	}
	facts := func(key model.VintageKey) alert.Facts { return alert.VintageFacts(f.market.Market, key, f.paid) }
	fired, err := f.store.Of(origin).Alerts.Check(f.t.Context(), f.market.At, facts)
	if err != nil || len(fired) > 0 {
		f.tellHistory(err, fired...)
	}
}
