package inventory

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"tonne/api"
	"tonne/api/session"
	"tonne/model"
	"tonne/model/portfolio"
	"tonne/ui/cli/command"
	"tonne/ui/cli/listing"
	"tonne/ui/column"
	"tonne/ui/output"
)

// change is a change of a wallet: of its balance, or a trade.
type change struct {
	column.Vintage
	at           time.Time
	kind, wallet string
	is, was      model.Grams
	trade        portfolio.Trade
}

var changeColumns = output.Columns[change]{
	{Name: "at", Value: func(c change) output.Value { return output.Text(command.Rfc3339(c.at)) }},
	{Name: "change", Value: func(c change) output.Value { return output.Text(c.kind) }},
}.With(column.Vintages(func(c change) *column.Vintage { return &c.Vintage }).Pick("project_id", "project_name", "vintage_id")...).With(output.Columns[change]{
	{Name: "wallet_type", Value: func(c change) output.Value { return output.Text(c.wallet) }},
	{Name: "quantity_grams", Value: func(c change) output.Value { return output.Grams(c.is) }},
	{Name: "was_quantity_grams", Value: func(c change) output.Value { return output.Grams(c.was) }},
	{Name: "execution_date", Value: func(c change) output.Value { return output.Time(c.trade.ExecutionDate) }},
	{Name: "type", Value: func(c change) output.Value {
		return output.If(c.kind == tradeChange, output.Text(string(c.trade.Type)))
	}},
	{Name: "price_cents", Value: func(c change) output.Value { return output.If(c.kind == tradeChange, output.Price(c.trade.Price)) }},
}...)

const tradeChange = "trade"

// newTrades returns the trades that were not there before. Trades have no ids: two that are the
// same in every value are told apart by their number.
func newTrades(was, now []portfolio.Trade) (fresh []portfolio.Trade) {
	type values struct {
		date     string
		kind     portfolio.TradeType
		quantity model.Grams
		price    model.PriceCents
	}
	of := func(t portfolio.Trade) values { return values{t.ExecutionDate.Text, t.Type, t.Quantity, t.Price} }
	seen := make(map[values]int)
	for _, t := range was {
		seen[of(t)]++
	}
	for _, t := range now {
		if seen[of(t)]--; seen[of(t)] < 0 {
			fresh = append(fresh, t)
		}
	}
	return fresh
}

// chosenWallets is the marketplace of whose inventory the flags choose a part.
type chosenWallets struct {
	*api.Client
	run *reading

	mu sync.Mutex
	// newest is the inventory that was read last, first closed once there is one.
	newest *portfolio.Inventory
	first  chan struct{}
}

// InventoryPage reads what the flags choose, on all pages if they choose none.
func (c *chosenWallets) InventoryPage(ctx context.Context, _ api.InventoryQuery) (*portfolio.Inventory, model.Page, error) {
	inv, _, err := c.run.readPages(ctx, func(*portfolio.Inventory, model.Page) {})
	if err != nil {
		return nil, model.Page{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.newest == nil {
		close(c.first)
	}
	c.newest = inv
	return inv, model.Page{}, nil
}

// Inventory needs no request of its own if the inventory is read whole anyway.
func (c *chosenWallets) Inventory(ctx context.Context, q api.InventoryQuery, each func(*portfolio.Inventory, model.Page)) (*portfolio.Inventory, error) {
	if c.run.query != (api.InventoryQuery{}) {
		return c.Client.Inventory(ctx, q, each)
	}
	select {
	case <-c.first:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.newest, nil
}

func (r *reading) watch(ctx context.Context) error {
	p := printer{reading: r, rows: changeColumns.Rows(r.app.Data(), output.JSONL)}
	w := listing.Watch{
		App: r.app, ProjectDetails: r.ProjectDetails, Progress: r.Progress,
		Client:      &chosenWallets{Client: r.Client, run: r, first: make(chan struct{})},
		MarketEvery: r.paging.Every, InventoryEvery: r.paging.Every,
		Begin: func(work *session.Session) { work.ShowInventory(api.InventoryQuery{}) }, Print: p.print,
	}
	return w.Run(ctx)
}

// printer prints what changes from one poll to the next.
type printer struct {
	*reading
	rows   *output.Rows[change]
	outage listing.Outage
	was    *portfolio.Inventory
	at     time.Time
}

func (p *printer) print(ctx context.Context, e session.Event) error {
	p.filter.Learn(e)
	news, ok := e.(session.InventoryEvent)
	if !ok {
		return nil
	}
	if err := p.outage.Tell(p.app, news.Status); err != nil || news.Inventory == p.was {
		return err
	}
	was, now := p.was, news.Inventory
	p.was, p.at = now, news.At
	if was == nil {
		return nil
	}
	p.ProjectDetails.Need(ctx, now.ProjectIDs())
	if err := p.changes(portfolio.NewPositions(was, was), portfolio.NewPositions(now, now)); err != nil {
		return err
	}
	return p.rows.Flush()
}

func (p *printer) changes(was, now *portfolio.Positions) (err error) {
	for i := range now.Len() {
		w, old := now.At(i), portfolio.Wallet{Quantity: model.UnknownGrams}
		if before := was.Find(w.Key, i); before != nil {
			old = before.Wallet
		}
		for _, t := range newTrades(old.Trades, w.Wallet.Trades) {
			err = errors.Join(err, p.change(w.Key, change{kind: tradeChange, is: t.Quantity, was: model.UnknownGrams, trade: t}))
		}
		if old.Quantity != w.Wallet.Quantity {
			err = errors.Join(err, p.change(w.Key, change{kind: "balance", is: w.Wallet.Quantity, was: old.Quantity}))
		}
	}
	for i := range was.Len() {
		if w := was.At(i); now.Find(w.Key, i) == nil {
			err = errors.Join(err, p.change(w.Key, change{kind: "balance", is: model.UnknownGrams, was: w.Wallet.Quantity}))
		}
	}
	return err
}

func balanceText(g model.Grams) string {
	if !g.Known() {
		return "-"
	}
	return g.FormatTonnes()
}

func (p *printer) change(key portfolio.WalletKey, c change) error {
	if !p.filter.Lets(key.VintageKey, p.ProjectDetails) {
		return nil
	}
	if p.paging.Format == output.JSONL {
		c.Vintage, c.wallet, c.at = p.named(key.VintageKey), key.Type, p.at
		p.rows.Write(c)
		return nil
	}
	line := balanceText(c.was) + " → " + balanceText(c.is)
	if t := c.trade; c.kind == tradeChange {
		line = fmt.Sprintf("%s %s at %s", t.Type, t.Quantity.FormatTonnes(), command.Dollars(t.Price))
	}
	_, err := fmt.Fprintf(p.app.Data(), "%s  %-7s  %s  %s  %s\n", command.Clock(p.at), c.kind, p.ProjectDetails.VintageName(key.VintageKey), key.Type, line)
	return err
}
