package market

import (
	"strings"
	"testing"
	"time"

	"tonne/api/session"
	"tonne/model/file/store"
	"tonne/model/market"
	must "tonne/model/musttest"
	"tonne/ui/uitest"
)

// robot types keys into a tab and reads its screen.
type robot struct {
	*uitest.Robot
	tab        *Tab
	session    *fakeSession
	generation uint64
	market     *market.Market
	polled     time.Time
}

const width, height = 120, 32

var bale = uitest.Key("003bale", 0)

// newRobot returns a robot for a tab with a session on the store, or without a store.
func newRobot(t testing.TB, s *store.Store) *robot {
	r := &robot{Robot: uitest.NewRobot(t, width, height), session: &fakeSession{t: t, store: s}}
	if s != nil {
		t.Cleanup(func() { _ = s.Close() })
	}
	r.tab = New(r.View, r.session, nil)
	r.Show(r.tab)
	return r
}

// settled returns a robot that shows a market with project names and last paid prices.
func settled(t testing.TB) *robot {
	r := newRobot(t, store.Open(""))
	r.Know()
	r.poll(uitest.Market(0))
	return r
}

func (r *robot) Know() {
	inv := uitest.Inventory()
	r.Hear(session.ProjectsEvent{Projects: uitest.Projects()})
	r.Hear(session.PortfolioEvent{Status: uitest.Live(), LastPaid: inv.LastPaid(), Balances: inv.Balances()})
}

func (r *robot) poll(m *market.Market) {
	r.generation++
	e := session.MarketEvent{Status: session.Status{State: session.Live, At: r.Now}, Generation: r.generation, Market: m}
	if r.market != nil {
		e.Changes, e.Before = m.Since(r.market), r.polled
	}
	r.market, r.polled = m, r.Now
	r.Hear(e)
}

// later moves the clock and polls an unchanged market.
func (r *robot) later(d time.Duration) {
	r.Away(d)
	if r.market == nil || r.session.store == nil {
		return
	}
	all := append(store.Observations(r.market, r.polled), store.Observations(r.market, r.Now)...)
	must.Succeed(r.T, r.session.store.Of(origin).History.Observe(r.T.Context(), all))
	r.polled, r.session.market.At = r.Now, r.Now
	r.session.hold()
}

// Away moves the clock without polling.
func (r *robot) Away(d time.Duration) {
	r.Now = r.Now.Add(d)
	r.tab.Expire(r.Now)
}

// Hear sends events to the session and the tab, then the events of the session.
func (r *robot) Hear(news ...session.Event) {
	r.Robot.Hear(news...)
	for _, e := range news {
		if e, ok := e.(session.MarketEvent); ok && e.Market != nil && !e.Partial {
			r.session.record(e, r.View.Book.LastPaid)
		}
	}
	r.listen()
}

func (r *robot) listen() {
	for len(r.session.news) > 0 {
		news := r.session.news
		r.session.news = nil
		r.Robot.Hear(news...)
	}
}

// Press types keys. After each it delivers the events of the session.
func (r *robot) Press(names ...string) {
	r.T.Helper()
	for _, name := range names {
		r.Robot.Press(name)
		r.listen()
	}
}

func (r *robot) Reply(line string) (problem string) {
	r.T.Helper()
	problem = r.Robot.Reply(line)
	r.listen()
	return problem
}

func (r *robot) Type(text string) {
	r.T.Helper()
	for _, letter := range text {
		r.Press(strings.ReplaceAll(string(letter), " ", "space"))
	}
}
