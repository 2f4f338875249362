package market

import (
	"fmt"

	"tonne/model"
	"tonne/model/field"
	"tonne/model/market"
	"tonne/ui/chart"
	"tonne/ui/style"
	"tonne/ui/tab"
	"tonne/ui/table"
)

type bookPane struct {
	tabular[string, market.Ask]
	view   *tab.View
	market *market.Market
	key    model.VintageKey
	book   market.Book
	// visited is whether the user focused this book. Until then its cursor is on the best ask.
	visited bool
	summed  bool
	bar     int
}

const (
	shortBar, longBar = 18, 40
	// besideBar is the width of the other columns except SELL ORDER, which keeps its
	// place; apart is the largest gap between columns.
	besideBar, apart = 67, 8
	wide             = 110
	widestID         = 24
)

func newBookPane(v *tab.View) *bookPane {
	b := &bookPane{view: v, bar: shortBar}
	number := func(key, title string, value func(market.Ask) field.Value,
		c table.Column[market.Ask]) table.Column[market.Ask] {
		c.Key, c.Title, c.Align, c.Value = key, title, style.Right, value
		return c
	}
	b.table = table.New[string](table.Spec[market.Ask]{Units: v.Units, Columns: []table.Column[market.Ask]{
		number("price", "PRICE/t", func(a market.Ask) field.Value { return field.Price(a.Order.Price) },
			table.Column[market.Ask]{Ideal: 10, Style: style.Strong}),
		number(
			"tonnes",
			"TONNES",
			func(a market.Ask) field.Value { return field.Tonnes(a.Tonnes) },
			table.Column[market.Ask]{Ideal: 10},
		),
		number("depth", "CUM. TONNES", func(a market.Ask) field.Value { return field.Tonnes(a.CumTonnes) },
			table.Column[market.Ask]{Priority: 1, Fixed: true}),
		number("cost", "CUM. COST", func(a market.Ask) field.Value { return money(a.CumCost) },
			table.Column[market.Ask]{Priority: 2, Ideal: 14, Fixed: true}),
		number("average", "AVG/t", func(a market.Ask) field.Value { return field.Price(a.Average()) },
			table.Column[market.Ask]{Priority: 3, Ideal: 9, Style: style.Muted, Fixed: true}),
		{Key: "bar", Picture: true, Title: "DEPTH", Priority: 4,
			Cell: func(c *style.Cell, a market.Ask) { c.Put(style.Bar, chart.Bar(a.CumTonnes, b.book.Tonnes(), b.bar)) }},
		{Key: "order", Title: "SELL ORDER", Max: widestID, Middle: true, Priority: 5, Style: style.Faint, Fixed: true,
			Value: func(a market.Ask) field.Value { return field.Text(a.Order.ID) }},
	}})
	b.heading.called = "order book"
	b.id = func(a market.Ask) (id, what string) { return a.Order.ID, "the sell order's id" }
	return b
}

func (b *bookPane) shorten(brief bool) {
	b.table.Show("cost", !brief)
	b.table.Show("average", !brief)
}

// toCursor sums up the orders down to the cursor: what they cost together, and per tonne.
func (b *bookPane) toCursor() string {
	a, ok := b.table.Current()
	cost, err := a.CumCost.Cents()
	if !ok || err != nil {
		return ""
	}
	return "  to here " + b.view.Tonnes(a.CumTonnes) + " for " + cost.FormatDollars() + ", " +
		a.Average().FormatDollars() + "/t"
}

func (b *bookPane) note(line *style.Line, s subject) {
	if s.focused {
		line.Put(style.Strong, style.Clip(b.toCursor(), line.Room()))
	}
	s.vintageNote(line)
	whole, err := model.WholeTonnes(b.book.Tonnes())
	all := s.vintage().Available
	text := "  " + b.view.Quantity(all) + " offered"
	if err == nil && all.Known() && all != whole && style.Width(text) < line.Room() {
		line.Put(style.Faint, text)
	}
}

func (b *bookPane) needs() int { return len(b.book.Asks) + 3 }

func (b *bookPane) retitle() {
	unit := b.view.Unit()
	b.table.Retitle("tonnes", unit)
	b.table.Retitle("depth", "CUM. "+unit)
}

func money(c model.Cost) field.Value {
	cents, err := c.Cents()
	if err != nil {
		return field.Words("?")
	}
	return field.Cost(cents)
}

func (b *bookPane) show(r row) {
	if b.market == r.market && b.key == r.key() {
		return
	}
	b.visited = b.visited && b.key == r.key()
	b.market, b.key, b.book = r.market, r.key(), r.market.Book(r.i)
	b.table.SetSource(table.List(b.book.Asks, func(a market.Ask) string { return a.Order.ID }))
	if !b.visited {
		b.table.Top()
	}
}

func (b *bookPane) clear() {
	b.market, b.key, b.book = nil, model.VintageKey{}, market.Book{}
	b.table.SetSource(nil)
}

func (b *bookPane) draw(block *style.Block, s subject) {
	if len(b.book.Asks) == 0 {
		block.Put(style.Muted, " No sell order offers a whole tonne.")
		block.Put(style.Faint, " "+leftOut(b.book).String())
		return
	}
	b.bar = shortBar
	if block.Width() >= wide {
		b.bar = longBar
		if room := block.Width() - besideBar - b.idWidth(); room < longBar {
			b.bar = max(room-apart, shortBar)
		}
	}
	lines := block.Room()
	rows := min(max(lines-1, 1), len(b.book.Asks)+1)
	b.table.Render(block, rows, table.Frame[string]{Focused: s.focused, Stale: s.stale, Flash: s.marks.On})
	b.summed = lines > rows
	if b.summed {
		block.Put(style.Muted, " "+b.summary(s, block.Width()-1))
	}
}

func (b *bookPane) idWidth() int {
	width := style.Width("SELL ORDER")
	for _, a := range b.book.Asks {
		width = max(width, style.Width(a.Order.ID))
	}
	return min(width, widestID)
}

func (b *bookPane) below() int {
	if b.summed {
		return 0
	}
	return b.tabular.below()
}

func (b *bookPane) summary(s subject, width int) string {
	var said tab.Parts
	if _, last, total := b.table.Visible(); last < total {
		said = said.Say(model.Count(total-last, "more ask", "more asks") + " up to " +
			b.book.Asks[total-1].Order.Price.FormatDollars())
	}
	if paid, ok := b.view.LastPaidOf(b.key); ok {
		said = said.Say(fmt.Sprintf("last paid %s on %s (%s)", paid.Price.FormatDollars(),
			b.view.Day(paid.ExecutionDate), b.view.Quantity(paid.Quantity)))
	}
	said = said.Say(s.history.moved(b.key))
	if gap, ok := b.book.GapToNext(); ok {
		said = said.Say("+" + gap.FormatDollars() + " to the next price")
	}
	return append(said, leftOut(b.book)...).Fit(width)
}

// leftOut says which orders the book does not show.
func leftOut(b market.Book) (said tab.Parts) {
	if b.Small > 0 {
		said = said.Say(model.Count(b.Small, "order", "orders") + " under one tonne not shown")
	}
	if b.Unread > 0 {
		said = said.Warn(model.Count(b.Unread, "order", "orders") + " not readable")
	}
	return said
}
