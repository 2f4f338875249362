package cli

import (
	"context"
	"fmt"
	"time"

	"tonne/api"
	"tonne/api/session"
	"tonne/model"
	"tonne/ui/cli/output"
)

const orderChangeHeader = "at,change,project_id,project_name,vintage_id,sell_order_id,quantity_grams,price_cents,was_quantity_grams,was_price_cents"

// changeNames are what jsonl calls changes.
var changeNames = map[model.ChangeKind]string{
	model.Appeared: "appeared", model.Vanished: "vanished", model.Repriced: "repriced", model.Resized: "resized",
}

// chosenPages is the marketplace of which --page and --per-page choose a part.
type chosenPages struct {
	*api.Client
	run *marketRun
}

func (c chosenPages) Market(ctx context.Context, _ int, each func(*model.MarketPage, model.Page)) (*model.Market, error) {
	market, _, err := c.run.marketPages(ctx, &c.run.listing, each)
	return market, err
}

func (m *marketRun) watchMarket(ctx context.Context) error {
	rows := output.NewRows(m.data(), output.JSONL, orderChangeHeader)
	w := watch{
		app: m.app, details: m.details, progress: m.progress, client: chosenPages{m.client, m}, part: !m.allPages(),
		marketEvery: m.every, inventoryEvery: max(m.every, inventoryPace),
	}
	var outage outage
	w.print = func(ctx context.Context, e session.Event) error {
		m.learn(e)
		news, ok := e.(session.MarketEvent)
		if !ok {
			return nil
		}
		if err := outage.tell(m.app, news.Status); err != nil {
			return err
		}
		return m.changes(ctx, rows, news)
	}
	return w.run(ctx)
}

func (m *marketRun) changes(ctx context.Context, rows output.Rows, news session.MarketEvent) error {
	var ids []string
	for _, c := range news.Changes.Orders {
		ids = append(ids, c.Vintage.ProjectID)
	}
	m.details.need(ctx, ids)
	for _, c := range news.Changes.Orders {
		if !m.lets(c.Vintage, m.details) {
			continue
		}
		if err := m.change(rows, news.At, c); err != nil {
			return err
		}
	}
	return rows.Flush()
}

func (m *marketRun) change(rows output.Rows, at time.Time, c model.OrderChange) error {
	if m.format != output.JSONL {
		_, err := fmt.Fprintln(m.data(), m.changeLine(at, c))
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
	rows.Write(output.Text(rfc3339(at)), output.Text(changeNames[c.Kind]), output.Text(key.ProjectID),
		output.Optional(m.details.known[key.ProjectID].Name), output.Text(key.VintageID), output.Text(id),
		nowQuantity, nowPrice, wasQuantity, wasPrice)
	return nil
}

func (m *marketRun) changeLine(at time.Time, c model.OrderChange) string {
	was := fmt.Sprintf("%s at %s", c.Was.Quantity.FormatTonnes(), dollars(c.Was.Price))
	now := fmt.Sprintf("%s at %s", c.Now.Quantity.FormatTonnes(), dollars(c.Now.Price))
	what := was + " → " + now
	switch c.Kind {
	case model.Appeared:
		what = now
	case model.Vanished:
		what = was
	}
	return fmt.Sprintf("%s  %-7s  %s  %s", clock(at), changeWord(c), m.details.vintageName(c.Vintage), what)
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
