package cli

import (
	"context"
	"fmt"

	"tonne/model"
	"tonne/ui/cli/output"
)

func (q *quoteRun) startPaid(ctx context.Context) func() {
	if q.format != output.Table {
		return func() {}
	}
	var n narrowing
	held := q.startHoldings(ctx, &n)
	return func() {
		if err := held(); err != nil {
			q.warn("what was last paid is not known: %s", explain(err).what)
			return
		}
		q.paid = n.paid
	}
}

func (q *quoteRun) printVintage(ctx context.Context, market *model.Market) error {
	at, onSale := market.FindVintage(q.vintage)
	if !onSale || q.format != output.Table {
		return nil
	}
	g := output.NewGrid(output.Heading{}, output.Heading{})
	key := market.Key(at)
	q.details.need(ctx, []string{key.ProjectID})
	g.Add("vintage", q.details.known.Name(key.ProjectID)+" "+dash(yearText(market.Vintage(at).Year)))
	if paid := q.paid.Of(key); paid.Price.Known() {
		g.Add("last paid", perTonne(paid.Price)+" on "+day(paid.ExecutionDate))
	}
	if err := q.grid(g); err != nil {
		return err
	}
	_, err := fmt.Fprintln(q.data())
	return err
}
