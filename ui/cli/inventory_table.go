package cli

import (
	"context"
	"errors"
	"slices"

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

func (r *inventoryRun) formats(inv *model.Inventory) formats {
	wallets, sum, err := r.wallets(inv)
	if r.trades {
		return rowFormats(tradeColumns, func(yield func(*holding) bool) {
			for _, w := range wallets {
				for trade := range w.trades() {
					if !yield(trade) {
						return
					}
				}
			}
		})
	}
	in := rowFormats(walletColumns, slices.Values(wallets))
	in.table = func() *output.Grid {
		g := walletColumns.Grid(slices.Values(wallets))
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
	return in
}

func (r *inventoryRun) bestAsk(key model.VintageKey) model.PriceCents {
	if r.market == nil {
		return model.UnknownPrice
	}
	return r.market.Facts(key, nil).BestAsk
}

func (r *inventoryRun) positions(inv *model.Inventory) *model.Positions {
	if r.tradeType != "" || r.tradesPerWallet > 0 {
		return model.NewPositions(inv, new(model.Inventory))
	}
	return model.NewPositions(inv, inv)
}

func money(cents model.Cents, known bool) string {
	if !known {
		return dash("")
	}
	return cents.FormatDollars()
}
