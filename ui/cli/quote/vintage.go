package quote

import (
	"context"

	"tonne/model/market"
	"tonne/ui/cli/command"
	"tonne/ui/cli/listing"
	"tonne/ui/output"
)

func (q *run) startPaid(ctx context.Context) func() {
	if q.format != output.Table {
		return func() {}
	}
	var n listing.FilterFlags
	held := q.StartHoldings(ctx, &n)
	return func() {
		if err := held(); err != nil {
			q.app.Warn("what was last paid is not known: %s", command.Explain(err).What)
			return
		}
		q.paid = n.Paid
	}
}

func (q *run) vintageTable(ctx context.Context, market *market.Market) []*output.Grid {
	at, onSale := market.FindVintage(q.vintage)
	if !onSale {
		return nil
	}
	g := output.NewGrid(output.Heading{}, output.Heading{})
	key := market.Key(at)
	q.ProjectDetails.Need(ctx, []string{key.ProjectID})
	g.Add("vintage", q.ProjectDetails.Known.Name(key.ProjectID)+" "+command.Dash(command.YearText(market.Vintage(at).Year)))
	if paid := q.paid.Of(key); paid.Price.Known() {
		g.Add("last paid", command.PerTonne(paid.Price)+" on "+output.Day(paid.ExecutionDate))
	}
	return []*output.Grid{g}
}
