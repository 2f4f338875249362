// Package market is the Market tab. It lists the vintages for sale, one per row, and a pane with
// details of the selected vintage: order book, quote, basket, chart, changes, watch list.
// It draws the snapshots of api/session and computes quotes and baskets with the packages below
// model; it sends no requests itself. Start reading at Tab in tab.go; the keys are in keys.go.
package market

import (
	"slices"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"tonne/api/session"
	"tonne/model"
	"tonne/model/alert"
	"tonne/model/filter"
	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/tab"
)

// Session is the part of an api/session session that the tab uses.
type Session interface {
	Record()
	ShowProjects(ids []string)
	LoadPrices(keys ...model.VintageKey)
	Watch(key model.VintageKey, on bool)
	AddRule(a alert.Rule)
	RemoveRule(a alert.Rule)
	SeeAlerts(id int64, requestsAlone bool)
	Choose(name, value string)
}

// Tab is the Market tab.
type Tab struct {
	view         *tab.View
	session      Session
	list         *vintages
	watch        *watching
	panes        panes
	detail, side tab.Detail
	// wide is whether the user wants the wide layout, chose whether that is known.
	wide, chose bool
	history     history
	problem     error
	// Past shows recorded markets. Nil means that there are none.
	Past Past
	place
}

// New returns the tab. Safe returns the host of a web address, or an error if the address must
// not be opened. With a nil safe, there are no links.
func New(v *tab.View, s Session, safe func(url string) (host string, err error)) *Tab {
	t := &Tab{view: v, session: s, watch: newWatching(v, s), history: history{view: v}}
	t.list = newVintages(v, s, func(c *style.Cell, r row) {
		if n := t.panes.compare.number(r.key()); n > 0 {
			c.Put(style.Accent, "M"+strconv.Itoa(n))
		}
		t.watch.markCell(c, r)
	})
	t.list.filter = tab.NewFilter(t.list.table, t.moved, t.narrow)
	t.watch.changed = t.relabel
	t.panes = newPanes(t.list, t.watch, safe)
	return t
}

// Info returns the title, status and badge of the tab. The badge counts fired rules that the user has not seen.
func (t *Tab) Info() tab.Info {
	vintages, _ := t.watch.waiting()
	return tab.Info{
		Title: "Market", Badge: tab.NewsBadge(vintages), Status: t.list.status(), Health: t.view.Market.Status,
		Typing: t.list.filter.Focused(), Close: t.panes.closing(),
	}
}

// Input handles mouse events and what the user types into the filter.
func (t *Tab) Input(msg tea.Msg) effect.Effect {
	switch msg := msg.(type) {
	case tab.Click:
		return t.click(msg.X, msg.Y)
	case tab.Wheel:
		t.wheel(msg)
		return nil
	}
	return t.list.filter.Input(msg)
}

// Handle processes messages of the app and events of the session.
func (t *Tab) Handle(msg any) effect.Effect {
	switch msg := msg.(type) {
	case tab.Started:
		t.session.Record()
	case tab.Shown:
		t.panes.visible = true
		// Another tab may have loaded other prices.
		t.history.wanted = nil
		t.refresh()
	case tab.Hidden:
		t.panes.visible = false
		t.list.filter.Blur()
		t.list.namesShown = nil
	case tab.UnitChanged:
		t.list.table.Remeasure()
		t.panes.remeasure()
		t.refresh()
	default:
		return effect.Batch(t.receive(msg), t.panes.recompute())
	}
	return nil
}

func (t *Tab) result(result any) effect.Effect {
	switch result := result.(type) {
	case tab.Arranged:
		more := result.Apply()
		t.refresh()
		return more
	case basketTexts:
		t.panes.basket.typed, t.panes.basket.set = result, true
		if !t.panes.onBasket() {
			t.panes.show(t.panes.basket)
		}
	case *basketResult:
		t.panes.basket.take(result)
	}
	return nil
}

func (t *Tab) receive(e session.Event) effect.Effect {
	if next, changed := t.list.next(e); changed {
		if e, polled := e.(session.MarketEvent); polled {
			t.panes.changes.record(e.Changes, e.Before, t.view.Now())
		}
		if e, ok := e.(session.AnnotationsEvent); ok {
			t.watch.journal = e.Journal
		}
		return t.replace(next)
	}
	switch e := e.(type) {
	case session.WatchlistEvent:
		if t.watch.take(e) {
			return t.relabel()
		}
	case session.LedgerEvent:
		if t.watch.requests = e.Requests; len(t.watch.Rules)+len(t.watch.fired) > 0 {
			t.watch.show(t.list.rows)
		}
	case session.PricesEvent:
		t.history.prices = e
		t.refresh()
	case session.MissedMovesEvent:
		t.panes.changes.recordAway(e)
	case session.AlertsEvent:
		fired := t.watch.announce(e.Fired, func() bool { return !t.panes.onHistory() })
		waiting := t.watch.takeHistory(e, t.panes.onHistory())
		return effect.Batch(fired, t.relabel(), waiting)
	case session.ChoicesEvent:
		if !t.chose {
			t.wide, t.chose = e.Choices[wideChoice] == wideOn, true
		}
	case session.StoreEvent:
		if e.Problem != nil {
			t.problem = e.Problem
		}
		return storeWarnings(e)
	default:
		return t.result(e)
	}
	return nil
}

func (t *Tab) replace(next *rows) effect.Effect {
	t.list.rows = next
	t.list.table.SetSource(next)
	t.watch.show(next)
	t.refresh()
	return tab.Work(t.list.table)
}

func (t *Tab) relabel() effect.Effect {
	var match func(row) bool
	if watched := t.watch.Watched; t.list.only {
		match = func(r row) bool { return watched[r.key()] }
	}
	t.list.marked = len(t.panes.compare.marked)
	t.list.table.SetMatch(match)
	next := *t.list.rows
	return t.replace(&next)
}

func (t *Tab) narrow() effect.Effect {
	t.list.table.SetFilter(t.list.filter.Query(), t.list.filter.Expr())
	t.refresh()
	return effect.Batch(tab.Work(t.list.table), t.panes.recompute())
}

// List returns the columns of the vintages, and examples of filters.
func (t *Tab) List() tab.List { return tab.ListOf(t.list.table, filter.Examples()) }

// SaveView returns the columns, sort and filter of the vintages.
func (t *Tab) SaveView() tab.SavedView {
	v := tab.SaveTable(t.list.table, t.list.filter.Query())
	if t.list.only {
		v[tab.WatchedOnly] = "yes"
	}
	return v
}

// RestoreView shows the vintages as a view does.
func (t *Tab) RestoreView(v tab.SavedView) effect.Effect {
	t.panes.focus(false)
	t.list.only = v[tab.WatchedOnly] != ""
	tab.RestoreTable(t.list.table, v)
	return effect.Batch(t.reorder(), t.relabel(), t.list.filter.Restore(v[tab.ViewFilter]))
}

func (t *Tab) reorder() effect.Effect {
	if !t.list.rows.projects.Waiting() {
		return nil
	}
	next := *t.list.rows
	next.projects.Settle(nil)
	return t.replace(&next)
}

func (t *Tab) moved() effect.Effect {
	var work effect.Effect
	if t.list.rows.projects.Moved() {
		work = t.reorder()
	}
	t.refresh()
	return work
}

// refresh shows the selected vintage and the comparison. The session outlives the snapshot, so it gets copies of
// the keys.
func (t *Tab) refresh() {
	r, ok := t.list.table.Current()
	t.panes.refresh(r, ok)
	var wanted []model.VintageKey
	if ok {
		wanted = append(wanted, r.key())
	}
	if t.panes.onCompare() {
		wanted = append(wanted, t.panes.compare.marked...)
		t.panes.compare.update(t.list.rows, &t.history)
	}
	if len(wanted) > 0 && !slices.Equal(wanted, t.history.wanted) {
		t.history.wanted = cloneKeys(wanted)
		t.session.LoadPrices(t.history.wanted...)
	}
}

func cloneKeys(keys []model.VintageKey) []model.VintageKey {
	cloned := make([]model.VintageKey, len(keys))
	for i, key := range keys {
		cloned[i] = key.Clone()
	}
	return cloned
}

func (t *Tab) subject() subject {
	r, ok := t.list.table.Current()
	return subject{
		row: r, selected: ok, book: t.panes.book.book, history: &t.history, marks: &t.list.marks, problem: t.problem,
		focused: t.panes.focused, stale: t.list.stale(),
	}
}

// Expire removes the marks of values that changed a while ago.
func (t *Tab) Expire(now time.Time) (time.Time, bool) { return t.list.marks.Expire(now) }

func storeWarnings(e session.StoreEvent) effect.Effect {
	var warnings []effect.Effect
	for _, f := range e.Failed {
		if f.Subject == session.WatchlistWrites {
			warnings = append(warnings, effect.Warn("Could not save the watch list: "+f.Err.Error()+"."))
		}
	}
	if e.Lost != nil {
		warnings = append(warnings, effect.Warn(tab.Sentence(e.Lost)))
	}
	if e.Problem != nil {
		warnings = append(warnings,
			effect.Warn("Prices and watched vintages are lost when you quit. Press c for the reason."))
	}
	return effect.Batch(warnings...)
}
