package inventory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"tonne/api/session"
	"tonne/model"
	"tonne/model/field"
	"tonne/model/portfolio"
	"tonne/ui/cli/command"
	"tonne/ui/cli/listing"
	"tonne/ui/column"
	"tonne/ui/output"
)

type change struct {
	column.Vintage
	at           time.Time
	kind, wallet string
	is, was      model.Grams
	trade        portfolio.Trade
}

func (c change) named() column.Vintage { return c.Vintage }

var changeColumns = field.Columns[change]{
	{Name: "at", Value: func(c change) field.Value { return field.Text(command.Rfc3339(c.at)) }},
	{Name: "change", Value: func(c change) field.Value { return field.Text(c.kind) }},
}.With(column.Vintages(change.named).Pick("project_id", "project_name", "vintage_id")...).With(field.Columns[change]{
	{Name: "wallet_type", Value: func(c change) field.Value { return field.Text(c.wallet) }},
	{Name: "quantity_grams", Value: func(c change) field.Value { return field.Grams(c.is) }},
	{Name: "was_quantity_grams", Value: func(c change) field.Value { return field.Grams(c.was) }},
	{Name: "execution_date", Value: func(c change) field.Value { return field.Time(c.trade.ExecutionDate) }},
	{Name: "type", Value: func(c change) field.Value {
		return field.If(c.kind == tradeChange, field.Text(string(c.trade.Type)))
	}},
	{
		Name:  "price_cents",
		Value: func(c change) field.Value { return field.If(c.kind == tradeChange, field.Price(c.trade.Price)) },
	},
}...)

const tradeChange = "trade"

// newTrades returns the trades that were not there before. Trades have no ids: two that are the
// equal in every value are distinguished by counting them.
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

func (r *reading) watch(ctx context.Context) error {
	p := printer{reading: r, rows: output.NewRows(r.app.Data(), output.JSONL, changeColumns)}
	w := listing.Watch{
		App: r.app, ProjectDetails: r.ProjectDetails, Client: r.Client, Account: r.Account,
		MarketEvery: r.paging.Every, InventoryEvery: r.paging.Every, Print: p.print,
	}
	return w.Run(ctx)
}

type printer struct {
	*reading
	rows   *output.Rows[change]
	outage listing.Outage
	was    *portfolio.Positions
	at     time.Time
}

func (p *printer) print(ctx context.Context, e session.Event) error {
	p.filter.Learn(e)
	news, ok := e.(session.PortfolioEvent)
	if !ok {
		return nil
	}
	if err := p.outage.Tell(p.app, news.Status); err != nil || news.Partial || news.Positions == p.was {
		return err
	}
	was, now := p.was, news.Positions
	p.was, p.at = now, news.At
	if was == nil {
		return nil
	}
	p.ProjectDetails.Need(ctx, now.ProjectIDs())
	if err := p.changes(was, now); err != nil {
		return err
	}
	return p.rows.Flush()
}

func (p *printer) changes(was, now *portfolio.Positions) (err error) {
	for i := range now.Len() {
		key, is := now.At(i).Key, p.chosen(now.At(i))
		old := p.chosen(was.Find(key, i))
		for _, t := range newTrades(old.Trades, is.Trades) {
			err = errors.Join(err, p.change(key, change{kind: tradeChange, is: t.Quantity, was: model.UnknownGrams, trade: t}))
		}
		if old.Quantity != is.Quantity {
			err = errors.Join(err, p.change(key, change{kind: "balance", is: is.Quantity, was: old.Quantity}))
		}
	}
	for i := range was.Len() {
		if old := was.At(i); now.Find(old.Key, i) == nil && p.chosen(old).Quantity.Known() {
			err = errors.Join(err, p.change(old.Key, change{kind: "balance", is: model.UnknownGrams, was: old.Wallet.Quantity}))
		}
	}
	return err
}

// chosen returns a wallet as selected by the flags: an excluded wallet has no trades.
func (p *printer) chosen(of *portfolio.Position) portfolio.Wallet {
	if of == nil || p.query.WalletMinQuantity > 0 && of.Wallet.Quantity < p.query.WalletMinQuantity {
		return portfolio.Wallet{Quantity: model.UnknownGrams}
	}
	w := of.Wallet
	if p.query.TradeType != "" {
		w.Trades = slices.DeleteFunc(
			slices.Clone(w.Trades),
			func(t portfolio.Trade) bool { return t.Type != p.query.TradeType },
		)
	}
	return w
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
	_, err := fmt.Fprintf(
		p.app.Data(),
		"%s  %-7s  %s  %s  %s\n",
		command.Clock(p.at),
		c.kind,
		p.ProjectDetails.VintageName(key.VintageKey),
		key.Type,
		line,
	)
	return err
}
