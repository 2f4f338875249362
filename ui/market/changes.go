package market

import (
	"cmp"
	"time"

	"tonne/api/session"
	"tonne/model"
	"tonne/model/field"
	"tonne/model/file/store"
	"tonne/model/market"
	"tonne/ui/style"
	"tonne/ui/tab"
	"tonne/ui/table"
)

const maxChanges = 500

type change struct {
	market.OrderChange
	number int
	at     time.Time
	// since is the poll before, if that is long ago: the change happened at some time after it.
	since time.Time
	// best is whether only the best ask is known: single orders are not stored between two runs.
	best bool
}

// changesPane lists changes, newest first. From the time before the start it knows only best asks.
type changesPane struct {
	tabular[int, change]
	view *tab.View
	// log is newest first.
	log   []change
	count int
}

func newChangesPane(v *tab.View) *changesPane {
	c := &changesPane{view: v}
	c.none[1] = "Nothing has changed since you opened the dashboard."
	c.table = table.New[int](table.Spec[change]{Columns: []table.Column[change]{
		{Key: "time", Title: "TIME", Cell: func(c *style.Cell, x change) { c.Put(style.Muted, v.SeenAt(x.since, x.at)) }},
		{Key: "what", Title: "WHAT", Ideal: 9, Fixed: true, Value: what, Cell: func(c *style.Cell, x change) {
			role, sign := x.look()
			text, _ := what(x).IsText()
			c.Put(role, sign+text)
		}},
		{Key: "project", Title: "PROJECT", Min: 10, Ideal: 24, Max: 36, Cell: func(c *style.Cell, x change) {
			c.Put(style.Name, v.Projects.Name(x.Vintage.ProjectID))
		}},
		{Key: "vintage", Title: "VINTAGE", Align: style.Right, Priority: 1, Cell: func(c *style.Cell, x change) {
			c.Put(style.Text, v.VintageName(x.Vintage))
		}},
		{
			Key:      "was",
			Title:    "WAS",
			Align:    style.Right,
			Ideal:    20,
			Priority: 2,
			Style:    style.Muted,
			Fixed:    true,
			Value:    func(x change) field.Value { return c.offer(x, x.Was) },
		},
		{
			Key:   "now",
			Title: "NOW",
			Align: style.Right,
			Ideal: 20,
			Fixed: true,
			Value: func(x change) field.Value { return c.offer(x, x.Now) },
		},
		{
			Key:      "order",
			Title:    "SELL ORDER",
			Max:      24,
			Middle:   true,
			Priority: 3,
			Cell:     func(c *style.Cell, x change) { c.Put(style.Faint, cmp.Or(x.Was.ID, x.Now.ID, "best ask")) },
		},
	}})
	c.heading = heading{called: "changes", titled: "All vintages"}
	c.vintage = func(x change) model.VintageKey { return x.Vintage }
	c.id = func(x change) (id, what string) { return cmp.Or(x.Was.ID, x.Now.ID), "the sell order's id" }
	return c
}

func (c *changesPane) offer(x change, o market.SellOrder) field.Value {
	switch {
	case x.best && o.Price.Known():
		return field.Words(c.view.Quantity(o.Quantity) + " from " + o.Price.FormatDollars())
	case x.best || o.ID == "":
		return field.Value{}
	}
	return field.Words(c.view.Quantity(o.Quantity) + " at " + o.Price.FormatDollars())
}

func what(x change) field.Value {
	switch x.Kind {
	case market.Appeared:
		return field.Words("+ new")
	case market.Vanished:
		return field.Words("− gone")
	case market.Repriced:
		if x.Now.Price > x.Was.Price {
			return field.Words("dearer").As(field.Dearer)
		}
		return field.Words("cheaper").As(field.Cheaper)
	}
	return field.Words("~ resized")
}

// look returns the style of what happened, and the sign before it.
func (x change) look() (role style.Role, sign string) {
	switch x.Kind {
	case market.Appeared:
		return style.Accent, ""
	case market.Vanished:
		return style.Faint, ""
	}
	return table.Look(what(x).Role())
}

// record adds the changes of a poll. The log outlives the snapshots, so it clones their text.
func (c *changesPane) record(m market.MarketChanges, before, at time.Time) {
	since := time.Time{}
	if !before.IsZero() && at.Sub(before) > store.Unwatched {
		since = before
	}
	var news []change
	for _, o := range m.Orders[:min(len(m.Orders), maxChanges)] {
		news = append(news, change{OrderChange: o.Clone(), at: at, since: since})
	}
	c.add(news)
}

func (c *changesPane) recordAway(e session.MissedMovesEvent) {
	var news []change
	for _, m := range e.Moves[:min(len(e.Moves), maxChanges)] {
		o := market.OrderChange{
			Kind:    market.Repriced,
			Vintage: m.Now.Vintage.Clone(),
			Was:     offered(m.Was),
			Now:     offered(m.Now),
		}
		switch {
		case !m.Was.BestAsk.Known():
			o.Kind = market.Appeared
		case !m.Now.BestAsk.Known():
			o.Kind = market.Vanished
		}
		news = append(news, change{OrderChange: o, at: e.At, since: e.Since, best: true})
	}
	c.add(news)
}

func offered(o store.Observation) market.SellOrder {
	return market.SellOrder{Price: o.BestAsk, Quantity: o.Available}
}

func (c *changesPane) add(news []change) {
	if len(news) == 0 {
		return
	}
	c.count += len(news)
	for i := range news {
		news[i].number = c.count - i
	}
	c.log = append(news, c.log[:min(len(c.log), maxChanges-len(news))]...)
	c.table.SetSource(table.List(c.log, func(x change) int { return x.number }))
}
