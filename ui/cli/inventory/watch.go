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
	"tonne/ui/cli/command"
	"tonne/ui/cli/listing"
	"tonne/ui/cli/output"
)

const changeHeader = "at,change,project_id,project_name,vintage_id,wallet_type,quantity_grams,was_quantity_grams,execution_date,type,price_cents"

// walletKey names a wallet: one of each type belongs to a project's vintage.
type walletKey struct {
	model.VintageKey
	Type string
}

// tradeKey tells trades apart, which have no ids.
type tradeKey struct {
	date     string
	kind     model.TradeType
	quantity model.Grams
	price    model.PriceCents
}

func wallets(inv *model.Inventory) map[walletKey]model.Wallet {
	all := make(map[walletKey]model.Wallet)
	for key, v := range listing.Vintages(inv) {
		for _, w := range v.Wallets {
			all[walletKey{key, w.Type}] = w
		}
	}
	return all
}

func newTrades(was, now []model.Trade) []model.Trade {
	seen := make(map[tradeKey]int)
	for _, t := range was {
		seen[tradeKey{t.ExecutionDate.Text, t.Type, t.Quantity, t.Price}]++
	}
	var fresh []model.Trade
	for _, t := range now {
		key := tradeKey{t.ExecutionDate.Text, t.Type, t.Quantity, t.Price}
		if seen[key]--; seen[key] < 0 {
			fresh = append(fresh, t)
		}
	}
	return fresh
}

// chosenWallets is the marketplace of whose inventory the flags choose a part.
type chosenWallets struct {
	*api.Client
	run *run

	mu sync.Mutex
	// newest is the inventory that was read last, first closed once there is
	// one.
	newest *model.Inventory
	first  chan struct{}
}

// InventoryPage reads what the flags choose, on all pages if they choose none.
func (c *chosenWallets) InventoryPage(ctx context.Context, _ api.InventoryQuery) (*model.Inventory, model.Page, error) {
	inv, _, err := c.run.readPages(ctx, func(*model.Inventory, model.Page) {})
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

// Holdings needs no request of its own if the inventory is read whole anyway.
func (c *chosenWallets) Holdings(ctx context.Context) (model.LastPaidPrices, model.Balances, error) {
	if c.run.query != (api.InventoryQuery{}) {
		return c.Client.Holdings(ctx)
	}
	select {
	case <-c.first:
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.newest.LastPaid(), c.newest.Balances(), nil
}

func (r *run) watchInventory(ctx context.Context) error {
	rows := output.NewRows(r.Data(), output.JSONL, changeHeader)
	w := listing.Watch{
		App: r.App, ProjectDetails: r.ProjectDetails, Progress: r.Progress,
		Client:      &chosenWallets{Client: r.Client, run: r, first: make(chan struct{})},
		MarketEvery: r.Every, InventoryEvery: r.Every,
		Begin: func(work *session.Session) { work.ShowInventory(api.InventoryQuery{}) },
	}
	p := printer{run: r, rows: rows}
	w.Print = p.print
	return w.Run(ctx)
}

// printer prints what changes from one poll to the next.
type printer struct {
	run    *run
	rows   output.Rows
	outage listing.Outage
	was    *model.Inventory
}

func (p *printer) print(ctx context.Context, e session.Event) error {
	p.run.Learn(e)
	news, ok := e.(session.InventoryEvent)
	if !ok {
		return nil
	}
	if err := p.outage.Tell(p.run.App, news.Status); err != nil || news.Inventory == p.was {
		return err
	}
	was, now := p.was, news.Inventory
	p.was = now
	if was == nil {
		return nil
	}
	p.run.ProjectDetails.Need(ctx, now.ProjectIDs())
	if err := p.run.changes(p.rows, news.At, was, now); err != nil {
		return err
	}
	return p.rows.Flush()
}

// changes prints the difference of two inventories: wallets in the order of
// the new one, then those that are gone.
func (r *run) changes(rows output.Rows, at time.Time, was, now *model.Inventory) (err error) {
	before, after := wallets(was), wallets(now)
	for key, v := range listing.Vintages(now) {
		for _, w := range v.Wallets {
			old, had := before[walletKey{key, w.Type}]
			for _, t := range newTrades(old.Trades, w.Trades) {
				line := fmt.Sprintf("%s %s at %s", t.Type, t.Quantity.FormatTonnes(), command.Dollars(t.Price))
				err = errors.Join(err, r.change(rows, at, "trade", key, w.Type, line,
					output.Grams(t.Quantity), output.Value{}, output.Time(t.ExecutionDate), output.Text(string(t.Type)), output.Price(t.Price)))
			}
			if !had {
				old.Quantity = model.UnknownGrams
			}
			if old.Quantity != w.Quantity {
				err = errors.Join(err, r.balance(rows, at, key, w.Type, old.Quantity, w.Quantity))
			}
		}
	}
	for key, v := range listing.Vintages(was) {
		for _, w := range v.Wallets {
			if _, still := after[walletKey{key, w.Type}]; !still {
				err = errors.Join(err, r.balance(rows, at, key, w.Type, w.Quantity, model.UnknownGrams))
			}
		}
	}
	return err
}

func (r *run) balance(rows output.Rows, at time.Time, key model.VintageKey, wallet string, was, now model.Grams) error {
	return r.change(rows, at, "balance", key, wallet, balanceText(was)+" → "+balanceText(now),
		output.Grams(now), output.Grams(was), output.Value{}, output.Value{}, output.Value{})
}

func balanceText(g model.Grams) string {
	if !g.Known() {
		return "-"
	}
	return g.FormatTonnes()
}

// change prints a change of a wallet that the filter accepts: the line for people,
// or the values.
func (r *run) change(rows output.Rows, at time.Time, kind string, key model.VintageKey, wallet, line string, values ...output.Value) error {
	if !r.Lets(key, r.ProjectDetails) {
		return nil
	}
	if r.Format != output.JSONL {
		_, err := fmt.Fprintf(r.Data(), "%s  %-7s  %s  %s  %s\n", command.Clock(at), kind, r.ProjectDetails.VintageName(key), wallet, line)
		return err
	}
	rows.Write(append([]output.Value{output.Text(command.Rfc3339(at)), output.Text(kind), output.Text(key.ProjectID),
		output.Optional(r.ProjectDetails.Known[key.ProjectID].Name), output.Text(key.VintageID), output.Text(wallet)}, values...)...)
	return nil
}
