package inventory

import (
	"fmt"

	"tonne/api"
	"tonne/model"
	"tonne/model/execution"
	"tonne/model/field"
	"tonne/model/portfolio"
	"tonne/ui/chart"
	"tonne/ui/column"
	"tonne/ui/style"
	"tonne/ui/tab"
	"tonne/ui/table"
)

// tradeKey identifies a trade. The API has no trade ids, so number distinguishes equal trades.
type tradeKey struct {
	at       string
	quantity model.Grams
	price    model.PriceCents
	kind     portfolio.TradeType
	number   int
}

type trade struct {
	portfolio.Trade
	key  tradeKey
	last bool
	// row compares a purchase with the recorded market, nil if it is not compared.
	row *execution.Row
}

type tradeTable struct {
	view    *tab.View
	table   *table.Table[tradeKey, trade]
	key     portfolio.WalletKey
	name    string
	list    []trade
	points  []chart.Point
	focused bool
	// query is the query of the trades, and stale reports that they are too old. detail is the last drawing.
	query  api.InventoryQuery
	stale  bool
	detail tab.Detail
}

func newTradeTable(v *tab.View) *tradeTable {
	named := func(x trade) column.Trade { return column.Trade{Trade: x.Trade} }
	return &tradeTable{view: v, table: table.New[tradeKey](table.Spec[trade]{
		Units: v.Units,
		Columns: table.Place(column.Trades, named, []table.Column[trade]{
			{Key: "date", Name: "execution_date", Min: 11, Cell: func(c *style.Cell, x trade) {
				c.Put(x.role(style.Text), v.Moment(x.ExecutionDate))
			}},
			{Key: "type", Name: "type", Max: 10, Cell: typeCell},
			{Key: "tonnes", Name: "quantity_grams", Title: "TONNES", Ideal: 10},
			{Key: "price", Name: "price_cents", Title: "PRICE/t", Ideal: 10, Value: trade.price},
			{Key: "amount", Title: "AMOUNT", Align: style.Right, Ideal: 12, Priority: 1, Fixed: true, Value: trade.amount},
			{Key: "verdict", Title: "VERDICT", Hidden: true,
				Help: "● lowest, ◐ lowest of the vintage, ▲ dearer than the vintage, · not recorded.",
				Min:  7, Ideal: 12, Max: 14, Priority: 2, Value: trade.verdictValue, Cell: verdictCell},
		}...),
	})}
}

func (x trade) price() field.Value {
	switch {
	case !x.Price.Known():
		return field.Words("?")
	case x.last:
		return field.Price(x.Price).As(field.LastPaid)
	}
	return field.Price(x.Price)
}

func (x trade) role(otherwise style.Role) style.Role {
	if x.last {
		return style.Paid
	}
	return otherwise
}

var typeRoles = map[portfolio.TradeType]style.Role{portfolio.Buy: style.Accent, portfolio.Sell: style.Warning}

func typeCell(c *style.Cell, x trade) {
	role, known := typeRoles[x.Type]
	if !known {
		role = style.Muted
	}
	c.Put(role, string(x.Type))
}

func (x trade) amount() field.Value {
	cost, err := model.CostOf(x.Quantity, x.Price)
	cents, tooLarge := cost.Cents()
	if err != nil || tooLarge != nil {
		return field.Words("?")
	}
	return field.Cost(cents)
}

func (t *tradeTable) show(r row, q api.InventoryQuery, v *verdicts) {
	if r.Key != t.key {
		t.table.Top()
	}
	t.key, t.query = r.Key, q
	t.name = fmt.Sprintf("%s · %s · %s", r.named().Name(), tab.Year(r.year()), r.Key.Type)
	asked := r.trades(q)
	t.list = make([]trade, len(asked))
	t.points = nil
	count := make(map[tradeKey]int)
	paid, bought := r.lastPaid()
	marked := false
	for i, x := range asked {
		key := tradeKey{at: x.ExecutionDate.Text, quantity: x.Quantity, price: x.Price, kind: x.Type}
		count[key]++
		key.number = count[key]
		last := !marked && bought && paid.Is(x)
		marked = marked || last
		t.list[i] = trade{x, key, last, v.find(r.Key.VintageKey, x, key.number)}
	}
	for _, x := range r.Purchases {
		if x.Type == portfolio.Buy && x.ExecutionDate.Known() && x.Price.Known() {
			t.points = append(t.points, chart.Point{At: x.ExecutionDate.Time, Price: x.Price})
		}
	}
	t.table.SetSource(table.List(t.list, func(x trade) tradeKey { return x.key }))
}

func (t *tradeTable) clear() {
	t.key, t.name, t.list, t.points = portfolio.WalletKey{}, "", nil, nil
	t.table.SetSource(nil)
}

func (t *tradeTable) draw(width, height int) string {
	inside := style.NewBlock(t.view.Theme, width, height-1)
	below := 0
	switch {
	case t.name == "" || inside.Room() == 0:
	case len(t.list) == 0:
		inside.Put(style.Muted, " "+t.whyNone())
	default:
		t.drawTrades(inside)
		_, last, total := t.table.Visible()
		below = total - last
	}
	block := style.NewBlock(t.view.Theme, width, height)
	block.Append(tab.DrawBorder(t.view.Theme, width, below, t.drawRule))
	block.Append(inside.String())
	return block.String()
}

func (t *tradeTable) drawTrades(block *style.Block) {
	trades := func(b *style.Block) {
		t.table.Render(b, b.Room(), table.Frame[tradeKey]{Focused: t.focused, Stale: t.stale})
	}
	width := block.Width()
	if width < 118 || block.Room() < 5 || len(t.points) == 0 {
		trades(block)
		return
	}
	const gap = 3
	block.Split(width-min(width-76, 70)-gap, gap, 0, trades, func(right *style.Block) {
		right.Put(style.Heading, "PRICE PAID")
		if len(t.points) == 1 {
			right.Put(style.Muted, "A chart needs two purchases.")
			return
		}
		chart.Prices{Points: t.points, Zone: t.view.Location}.Draw(right)
	})
}

func (t *tradeTable) drawRule(line *style.Line) {
	line.Put(style.Border, "─ ")
	if t.name != "" {
		line.Put(style.Name, t.name)
		line.Put(style.Heading, "  trade history")
		note := "  " + model.Count(len(t.list), "trade", "trades") + ", newest first"
		if limit := t.query.TradesPerWallet; limit > 0 {
			note += fmt.Sprintf(", at most %d per wallet", limit)
		}
		if id := "  " + t.key.VintageID; style.Width(id+note) < line.Room() {
			line.Put(style.Faint, id)
		}
		line.Put(style.Faint, note)
	}
	line.Gap(1)
}

func (t *tradeTable) whyNone() string {
	if kind := t.query.TradeType; kind != "" {
		return "No " + string(kind) + " trades in this wallet. t shows the others."
	}
	return "No trades in this wallet."
}
