package inventory

import (
	"context"
	"errors"
	"slices"

	"tonne/api/worker"
	"tonne/model"
	"tonne/ui/cli/command"
	"tonne/ui/cli/listing"
	"tonne/ui/cli/output"
)

// startAsks reads the market beside the inventory, if the filter looks at it or
// the table tells what the wallets are worth. What the table cannot tell is no
// failure.
func (r *run) startAsks(ctx context.Context) (wait func() error) {
	if r.Expr.Market() || r.Format != output.Table || r.trades {
		return r.StartMarket(ctx, &r.FilterFlags)
	}
	asked := worker.Start(func() (err error) {
		r.Market, err = r.Client.Market(ctx, 0, nil)
		return err
	})
	return func() error {
		err := asked()
		if err != nil && ctx.Err() == nil {
			r.Warn("what this is worth is not known: %v", err)
			r.Market, err = nil, nil
		}
		return err
	}
}

func (r *run) formats(inv *model.Inventory) *listing.Formats {
	wallets, sum, err := r.wallets(inv)
	if r.trades {
		return listing.NewFormats(r.App, tradeColumns, func(yield func(*holding) bool) {
			for _, w := range wallets {
				for trade := range w.trades() {
					if !yield(trade) {
						return
					}
				}
			}
		})
	}
	in := listing.NewFormats(r.App, walletColumns, slices.Values(wallets))
	in.Tables = func() []*output.Grid {
		g := walletColumns.Grid(slices.Values(wallets))
		switch {
		case errors.Is(err, model.ErrOverflow):
			r.Warn("the totals are beyond any amount")
		case err != nil || len(r.Missing) > 0:
			g.Add("TOTAL", "", "", "", "", "", model.UnknownGrams.FormatTonnes(), "", "", "", "", command.Dash(""), command.Dash(""))
		case !g.Empty():
			g.Add("TOTAL", "", "", "", "", "", sum.Held.FormatTonnes(), "", "", "", "", money(sum.Value, sum.Valued > 0), money(sum.Cost, sum.Costed > 0))
		}
		return []*output.Grid{g}
	}
	return in
}

func (r *run) bestAsk(key model.VintageKey) model.PriceCents {
	if r.Market == nil {
		return model.UnknownPrice
	}
	return r.Market.Facts(key, nil).BestAsk
}

func (r *run) positions(inv *model.Inventory) *model.Positions {
	if r.tradeType != "" || r.tradesPerWallet > 0 {
		return model.NewPositions(inv, new(model.Inventory))
	}
	return model.NewPositions(inv, inv)
}

func money(cents model.Cents, known bool) string {
	if !known {
		return command.Dash("")
	}
	return cents.FormatDollars()
}
