package market

import (
	"context"
	"fmt"
	"time"

	"tonne/api"
	"tonne/api/session"
	"tonne/model"
	"tonne/ui/cli/command"
	"tonne/ui/cli/listing"
	"tonne/ui/cli/output"
)

const changeHeader = "at,change,project_id,project_name,vintage_id,sell_order_id,quantity_grams,price_cents,was_quantity_grams,was_price_cents"

// changeNames are what jsonl calls changes.
var changeNames = map[model.ChangeKind]string{
	model.Appeared: "appeared", model.Vanished: "vanished", model.Repriced: "repriced", model.Resized: "resized",
}

// chosenPages is the marketplace of which --page and --per-page choose a part.
type chosenPages struct {
	*api.Client
	run *run
}

// Market reads the pages that the flags choose.
func (c chosenPages) Market(ctx context.Context, _ int, each func(*model.MarketPage, model.Page)) (*model.Market, error) {
	market, _, err := c.run.MarketPages(ctx, &c.run.PagingFlags, each)
	return market, err
}

func (m *run) watchMarket(ctx context.Context) error {
	rows := output.NewRows(m.Data(), output.JSONL, changeHeader)
	w := listing.Watch{
		App: m.App, ProjectDetails: m.ProjectDetails, Progress: m.Progress, Client: chosenPages{m.Client, m}, Part: !m.AllPages(),
		MarketEvery: m.Every, InventoryEvery: max(m.Every, listing.InventoryPace),
	}
	var outage listing.Outage
	w.Print = func(ctx context.Context, e session.Event) error {
		m.Learn(e)
		news, ok := e.(session.MarketEvent)
		if !ok {
			return nil
		}
		if err := outage.Tell(m.App, news.Status); err != nil {
			return err
		}
		return m.changes(ctx, rows, news)
	}
	return w.Run(ctx)
}

func (m *run) changes(ctx context.Context, rows output.Rows, news session.MarketEvent) error {
	var ids []string
	for _, c := range news.Changes.Orders {
		ids = append(ids, c.Vintage.ProjectID)
	}
	m.ProjectDetails.Need(ctx, ids)
	for _, c := range news.Changes.Orders {
		if !m.Lets(c.Vintage, m.ProjectDetails) {
			continue
		}
		if err := m.change(rows, news.At, c); err != nil {
			return err
		}
	}
	return rows.Flush()
}

func (m *run) change(rows output.Rows, at time.Time, c model.OrderChange) error {
	if m.Format != output.JSONL {
		_, err := fmt.Fprintln(m.Data(), m.changeLine(at, c))
		return err
	}
	id := c.Now.ID
	nowQuantity, nowPrice := output.Grams(c.Now.Quantity), output.Price(c.Now.Price)
	wasQuantity, wasPrice := output.Grams(c.Was.Quantity), output.Price(c.Was.Price)
	switch c.Kind {
	case model.Appeared:
		wasQuantity, wasPrice = output.Value{}, output.Value{}
	case model.Vanished:
		id, nowQuantity, nowPrice = c.Was.ID, output.Value{}, output.Value{}
	}
	key := c.Vintage
	rows.Write(output.Text(command.Rfc3339(at)), output.Text(changeNames[c.Kind]), output.Text(key.ProjectID),
		output.Optional(m.ProjectDetails.Known[key.ProjectID].Name), output.Text(key.VintageID), output.Text(id),
		nowQuantity, nowPrice, wasQuantity, wasPrice)
	return nil
}

func (m *run) changeLine(at time.Time, c model.OrderChange) string {
	was := fmt.Sprintf("%s at %s", c.Was.Quantity.FormatTonnes(), command.Dollars(c.Was.Price))
	now := fmt.Sprintf("%s at %s", c.Now.Quantity.FormatTonnes(), command.Dollars(c.Now.Price))
	what := was + " → " + now
	switch c.Kind {
	case model.Appeared:
		what = now
	case model.Vanished:
		what = was
	}
	return fmt.Sprintf("%s  %-7s  %s  %s", command.Clock(at), changeWord(c), m.ProjectDetails.VintageName(c.Vintage), what)
}

func changeWord(c model.OrderChange) string {
	switch c.Kind {
	case model.Appeared:
		return "new"
	case model.Vanished:
		return "gone"
	case model.Repriced:
		if c.Now.Price > c.Was.Price {
			return "dearer"
		}
		return "cheaper"
	}
	return "resized"
}
