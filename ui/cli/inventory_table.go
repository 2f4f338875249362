package cli

import (
	"context"
	"errors"
	"strconv"

	"tonne/api/worker"
	"tonne/model"
	"tonne/ui/cli/output"
)

// startAsks reads the market beside the inventory, if the filter looks at it or
// the table tells what the wallets are worth. What the table cannot tell is no
// failure.
func (r *inventoryRun) startAsks(ctx context.Context) (wait func() error) {
	if r.expr.Market() || r.format != output.Table || r.trades {
		return r.startMarket(ctx, &r.narrowing)
	}
	asked := worker.Start(func() (err error) {
		r.market, err = r.client.Market(ctx, 0, nil)
		return err
	})
	return func() error {
		err := asked()
		if err != nil && ctx.Err() == nil {
			r.warn("what this is worth is not known: %v", err)
			r.market, err = nil, nil
		}
		return err
	}
}

// walletTable shows a row per wallet, and what they come to.
func (r *inventoryRun) walletTable(inv *model.Inventory) *output.Grid {
	g := output.NewGrid(
		output.Heading{Title: "PROJECT", Shrink: 12},
		output.Heading{Title: "TYPE", Spare: true},
		output.Heading{Title: "CC", Spare: true},
		output.Heading{Title: "YEAR", Right: true},
		output.Heading{Title: "VINTAGE ID", Drop: 3},
		output.Heading{Title: "WALLET"},
		output.Heading{Title: "BALANCE", Right: true},
		output.Heading{Title: "LAST PAID", Right: true, Drop: 1},
		output.Heading{Title: "PAID ON", Drop: 5},
		output.Heading{Title: "TRADES", Right: true, Drop: 4},
		output.Heading{Title: "BEST ASK", Right: true, Drop: 2},
		output.Heading{Title: "VALUE", Right: true},
		output.Heading{Title: "COST", Right: true},
	)
	var sum model.BookValue
	var err error
	positions := r.positions(inv)
	for i := range positions.Len() {
		p := positions.At(i)
		ask := r.bestAsk(p.Key.VintageKey)
		g.Add(r.walletCells(p, ask)...)
		err = errors.Join(err, sum.AddPosition(p, ask, model.Start{}))
	}
	switch {
	case errors.Is(err, model.ErrOverflow):
		r.warn("the totals are beyond any amount")
	case err != nil || len(r.missing) > 0:
		g.Add("TOTAL", "", "", "", "", "", model.UnknownGrams.FormatTonnes(), "", "", "", "", dash(""), dash(""))
	case !g.Empty():
		g.Add("TOTAL", "", "", "", "", "", sum.Held.FormatTonnes(), "", "", "", "", money(sum.Value, sum.Valued > 0), money(sum.Cost, sum.Costed > 0))
	}
	return g
}

func (r *inventoryRun) walletCells(p *model.Position, ask model.PriceCents) []string {
	key, paid, worth := p.Key.VintageKey, r.paid.Of(p.Key.VintageKey), p.Value(ask)
	project := r.details.known[key.ProjectID]
	return []string{
		r.details.known.Name(key.ProjectID), dash(project.Type), dash(project.Country), yearText(r.details.year(key.ProjectID, key.VintageID)), key.VintageID, p.Key.Type,
		p.Wallet.Quantity.FormatTonnes(), dollars(paid.Price), day(paid.ExecutionDate), strconv.Itoa(len(p.Wallet.Trades)),
		dollars(ask), money(worth.Value, worth.HasValue), money(worth.Basis, worth.HasBasis),
	}
}

// bestAsk is that of the market, if it was read.
func (r *inventoryRun) bestAsk(key model.VintageKey) model.PriceCents {
	if r.market == nil {
		return model.UnknownPrice
	}
	return r.market.Facts(key, nil).BestAsk
}

// positions are the wallets with what was bought into them: nothing, where the
// flags leave out trades.
func (r *inventoryRun) positions(inv *model.Inventory) *model.Positions {
	if r.tradeType != "" || r.tradesPerWallet > 0 {
		return model.NewPositions(inv, new(model.Inventory))
	}
	return model.NewPositions(inv, inv)
}

// money writes an amount that may not be known.
func money(cents model.Cents, known bool) string {
	if !known {
		return dash("")
	}
	return cents.FormatDollars()
}

// tradeTable shows a row per trade.
func (r *inventoryRun) tradeTable(inv *model.Inventory) *output.Grid {
	g := output.NewGrid(
		output.Heading{Title: "PROJECT", Shrink: 12},
		output.Heading{Title: "YEAR", Right: true},
		output.Heading{Title: "VINTAGE ID", Drop: 2},
		output.Heading{Title: "WALLET", Drop: 1},
		output.Heading{Title: "DATE"},
		output.Heading{Title: "TYPE"},
		output.Heading{Title: "QUANTITY", Right: true},
		output.Heading{Title: "PRICE", Right: true},
	)
	for key, v := range vintages(inv) {
		for _, w := range v.Wallets {
			for _, t := range w.Trades {
				g.Add(r.details.known.Name(key.ProjectID), yearText(r.details.year(key.ProjectID, key.VintageID)), v.ID, w.Type,
					day(t.ExecutionDate), string(t.Type), t.Quantity.FormatTonnes(), dollars(t.Price))
			}
		}
	}
	return g
}
