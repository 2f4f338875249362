package cli

import (
	"context"
	"fmt"

	"tonne/model"
	"tonne/ui/cli/output"
)

// startPaid reads what was last paid beside the market, for a person. A quote
// stands without it: a failure is warned of when the answer is awaited.
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

// printVintage names the vintage above a table, as a person knows it, and what
// was last paid for it. One that is not for sale has no name here.
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
