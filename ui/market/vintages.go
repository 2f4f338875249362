package market

import (
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"tonne/api/session"
	"tonne/model"
	"tonne/model/market"
	"tonne/ui/column"
	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/tab"
	"tonne/ui/table"
)

type vintages struct {
	view    *tab.View
	session Session
	rows    *rows
	table   *table.Table[model.VintageKey, row]
	filter  tab.Filter
	only    bool
	marks   marks
	// marked counts the vintages that are marked for comparison.
	marked     int
	trends     map[model.VintageKey][]model.PriceCents
	namesShown []string
	since      time.Time
}

func newVintages(v *tab.View, s Session, marks func(c *style.Cell, r row)) *vintages {
	l := &vintages{view: v, session: s, rows: &rows{market: market.New()}}
	l.table = table.New[model.VintageKey](spec(l, marks))
	l.table.SelectColumn("project")
	l.table.Sort("project", false)
	l.table.SetSource(l.rows)
	return l
}

func (l *vintages) next(e session.Event) (*rows, bool) {
	next := *l.rows
	if _, details := e.(session.ProjectsEvent); !details {
		next.valued++
	}
	switch e := e.(type) {
	case session.MarketEvent:
		if e.Market == nil || e.Market == next.market {
			return nil, false
		}
		next.market, next.partial = e.Market, e.Partial
		next.settle()
		if !l.view.NoMotion {
			l.marks.add(e.Changes, l.view.Now())
		}
	case session.PortfolioEvent:
		next.paid, next.held = e.LastPaid, e.Balances
	case session.ProjectsEvent:
		next.projects.Known = e.Projects
		next.settle()
	case session.TrendsEvent:
		l.trends, l.since, next.opened = e.Prices, e.Since, e.Opened
	case session.AnnotationsEvent:
		next.facts = e.Facts
	default:
		return nil, false
	}
	return &next, true
}

func (l *vintages) narrowed() bool { return l.filter.Query() != "" || l.only }

type narrowing struct {
	query string
	only  bool
}

func (l *vintages) narrowing() narrowing { return narrowing{l.filter.Query(), l.only} }

// forSale returns the whole tonnes of the shown rows, or UnknownGrams.
func (l *vintages) forSale() (sum model.Grams) {
	for _, r := range l.table.Rows() {
		grams, err := model.WholeTonnes(r.tonnes())
		if err != nil {
			return model.UnknownGrams
		}
		sum = sum.Plus(grams)
	}
	return sum
}

func (l *vintages) selected() bool {
	_, ok := l.table.Current()
	return ok
}

func (l *vintages) stale() bool {
	state := l.view.Market.State
	return state == session.Stale || state == session.Refused
}

// keepTrend keeps the country and the trend in the narrow table of the desk view, rather than the type, which the
// pane of the project has, and the number of sell orders, which the book has.
func (l *vintages) keepTrend(desk bool) {
	by := 0
	if desk {
		by = 10
	}
	l.table.Demote("type", by)
	l.table.Demote("asks", by)
}

func (l *vintages) retitleMoves() {
	title := "Δ DAY"
	if !l.since.IsZero() {
		title = "Δ " + l.view.SinceHeading(l.since)
	}
	l.table.Retitle("delta", title)
}

func (l *vintages) status() (parts tab.Parts) {
	m := l.rows.market
	if l.view.Market.Market == nil {
		return nil
	}
	first, last, total := l.table.Visible()
	if total > 0 {
		parts = parts.Say(tab.Number(int64(first)) + "–" + tab.Number(int64(last)))
	}
	vintages := model.Count(m.Vintages(), "vintage", "vintages")
	if l.narrowed() {
		vintages = tab.Number(int64(total)) + " of " + vintages
	} else {
		parts = parts.Say(model.Count(m.Projects(), "project", "projects"))
	}
	if l.view.Market.Partial {
		vintages += " so far"
	}
	parts = parts.Say(vintages)
	if l.marked > 0 {
		parts = parts.Say(fmt.Sprintf("%d marked", l.marked))
	}
	if n := len(m.Faults()); n > 0 {
		parts = parts.Warn(model.Count(n, "value", "values") + " not readable")
	}
	return parts
}

func (l *vintages) drawFilter(block *style.Block) *tea.Cursor {
	count := ""
	if l.narrowed() {
		count = tab.Number(int64(l.table.Len())) + " of " + model.Count(l.table.Total(), "vintage", "vintages")
	}
	unlabelled, _ := l.view.Unlabelled(&l.filter, l.rows.facts)
	count += unlabelled
	if l.only {
		count = "◆ watched only · " + count
	}
	if l.filter.Value() == "" && !l.filter.Focused() {
		return l.filter.Draw(block, "F", "shows all vintages", count)
	}
	return l.filter.Draw(block, "/", tab.FilterHelp, count)
}

func (l *vintages) draw(block *style.Block, focused bool) {
	l.table.Draw(
		block,
		table.Frame[model.VintageKey]{Focused: focused, Stale: l.stale(), Flash: l.marks.vintage, Empty: l.drawEmpty},
	)
}

func (l *vintages) drawEmpty(block *style.Block) {
	say := func(role style.Role, text string) { block.Put(role, " "+text) }
	say(style.Text, "")
	switch s := l.view.Market.Status; {
	case l.table.Query() != "":
		say(style.Text, "No vintage matches "+tab.Typed(l.table.Query())+".")
		say(style.Muted, "Esc clears the filter.")
		_, unlabelled := l.view.Unlabelled(&l.filter, l.rows.facts)
		for _, line := range unlabelled {
			say(style.Muted, line)
		}
	case s.Err != nil && (l.view.Market.Partial || l.view.Market.Market == nil):
		say(style.Warning, "⚠ "+s.Err.Error())
		say(style.Muted, l.view.Advice(s.Err))
	case l.view.Market.Partial || l.view.Market.Market == nil:
		say(style.Muted, "Loading the market …")
	case l.only:
		say(style.Text, "No watched vintage is for sale now.")
		say(style.Muted, "F shows all vintages.")
	default:
		say(style.Text, "There are no sell orders now.")
		say(style.Muted, "New ones appear here automatically. r refreshes now.")
	}
}

func (l *vintages) export() effect.Effect {
	shown := l.table.Rows()
	return tab.Export[column.Offer]{
		What: "the sell orders of the shown rows", Name: "Market", Columns: column.Offers,
		Part: l.rows.partial || l.view.Book.LastPaid == nil,
		Rows: func(yield func(column.Offer) bool) {
			for _, r := range shown {
				for o := range r.listing().Orders() {
					if !yield(o) {
						return
					}
				}
			}
		},
	}.Ask(l.view)
}

type marks struct{ tab.Flashes }

func (m *marks) add(changes market.MarketChanges, now time.Time) {
	for _, c := range changes.Asks {
		m.Add(now, c.Vintage.VintageID, "ask", "delta")
	}
	for _, c := range changes.Orders {
		if c.Kind == market.Appeared || c.Kind == market.Vanished {
			m.Add(now, c.Vintage.VintageID, "asks")
		}
		if c.Was.Quantity != c.Now.Quantity {
			m.Add(now, c.Vintage.VintageID, "available")
			m.Add(now, c.Now.ID, "tonnes")
		}
		if c.Was.Price != c.Now.Price {
			m.Add(now, c.Now.ID, "price")
		}
	}
}

func (m *marks) vintage(key model.VintageKey, column string) bool { return m.On(key.VintageID, column) }
