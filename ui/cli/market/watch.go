package market

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"tonne/api"
	"tonne/api/session"
	"tonne/model"
	"tonne/model/field"
	"tonne/model/market"
	"tonne/ui/cli/command"
	"tonne/ui/cli/listing"
	"tonne/ui/column"
	"tonne/ui/output"
)

type change struct {
	column.Vintage
	market.OrderChange
	at time.Time
}

func (c change) named() column.Vintage { return c.Vintage }

var changeColumns = field.Columns[change]{
	{Name: "at", Value: func(c change) field.Value { return field.Text(command.Rfc3339(c.at)) }},
	{Name: "change", Value: func(c change) field.Value { return field.Text(changeNames[c.Kind]) }},
}.With(column.Vintages(change.named).Pick("project_id", "project_name", "vintage_id")...).With(field.Columns[change]{
	{Name: "sell_order_id", Value: func(c change) field.Value { return field.Text(cmp.Or(c.Now.ID, c.Was.ID)) }},
	{
		Name:  "quantity_grams",
		Value: func(c change) field.Value { return field.If(c.Kind != market.Vanished, field.Grams(c.Now.Quantity)) },
	},
	{
		Name:  "price_cents",
		Value: func(c change) field.Value { return field.If(c.Kind != market.Vanished, field.Price(c.Now.Price)) },
	},
	{
		Name:  "was_quantity_grams",
		Value: func(c change) field.Value { return field.If(c.Kind != market.Appeared, field.Grams(c.Was.Quantity)) },
	},
	{
		Name:  "was_price_cents",
		Value: func(c change) field.Value { return field.If(c.Kind != market.Appeared, field.Price(c.Was.Price)) },
	},
}...)

var changeNames = map[market.ChangeKind]string{
	market.Appeared: "appeared", market.Vanished: "vanished", market.Repriced: "repriced", market.Resized: "resized",
}

// chosenPages is a client that reads only the pages of --page and --per-page.
type chosenPages struct {
	*api.Client
	*reading
}

// Market reads the selected pages.
func (c chosenPages) Market(ctx context.Context, _ int, each func(*market.Page, model.Page)) (*market.Market, error) {
	market, _, err := c.MarketPages(ctx, &c.paging, each)
	return market, err
}

func (r *reading) watch(ctx context.Context) error {
	w := listing.Watch{
		App: r.app, ProjectDetails: r.ProjectDetails, Client: chosenPages{r.Client, r}, Part: !r.paging.AllPages(),
		MarketEvery: r.paging.Every, InventoryEvery: max(r.paging.Every, session.InventoryInterval),
	}
	rows := output.NewRows(r.app.Data(), output.JSONL, changeColumns)
	var outage listing.Outage
	w.Print = func(ctx context.Context, e session.Event) error {
		r.filter.Learn(e)
		news, ok := e.(session.MarketEvent)
		if !ok {
			return nil
		}
		if err := outage.Tell(r.app, news.Status); err != nil {
			return err
		}
		return r.changes(ctx, rows, news)
	}
	return w.Run(ctx)
}

func (r *reading) changes(ctx context.Context, rows *output.Rows[change], news session.MarketEvent) error {
	var ids []string
	for _, c := range news.Changes.Orders {
		ids = append(ids, c.Vintage.ProjectID)
	}
	r.ProjectDetails.Need(ctx, ids)
	for _, c := range news.Changes.Orders {
		if !r.filter.Lets(c.Vintage, r.ProjectDetails) {
			continue
		}
		if r.paging.Format == output.JSONL {
			rows.Write(change{column.Vintage{Key: c.Vintage, Projects: r.ProjectDetails.Known}, c, news.At})
		} else if _, err := fmt.Fprintln(r.app.Data(), r.changeLine(news.At, c)); err != nil {
			return err
		}
	}
	return rows.Flush()
}

func (r *reading) changeLine(at time.Time, c market.OrderChange) string {
	was := fmt.Sprintf("%s at %s", c.Was.Quantity.FormatTonnes(), command.Dollars(c.Was.Price))
	now := fmt.Sprintf("%s at %s", c.Now.Quantity.FormatTonnes(), command.Dollars(c.Now.Price))
	what := was + " → " + now
	switch c.Kind {
	case market.Appeared:
		what = now
	case market.Vanished:
		what = was
	}
	return fmt.Sprintf("%s  %-7s  %s  %s", command.Clock(at), changeWord(c), r.ProjectDetails.VintageName(c.Vintage), what)
}

func changeWord(c market.OrderChange) string {
	switch c.Kind {
	case market.Appeared:
		return "new"
	case market.Vanished:
		return "gone"
	case market.Repriced:
		if c.Now.Price > c.Was.Price {
			return "dearer"
		}
		return "cheaper"
	}
	return "resized"
}
