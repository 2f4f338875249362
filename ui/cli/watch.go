package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"tonne/api"
	"tonne/model"
	"tonne/ui/cli/output"
)

func watchFlags(cmd *cobra.Command, watch *bool, every *time.Duration, otherwise time.Duration) {
	cmd.Flags().BoolVar(watch, "watch", false, "keep polling and print what changes, one change per line")
	cmd.Flags().DurationVar(every, "every", otherwise, "time between two polls of --watch")
}

const shortestPoll = time.Second

// checkWatch refuses formats that have no lines, and polls without a pause.
func checkWatch(watch bool, f output.Format, every time.Duration) error {
	switch {
	case !watch:
		return nil
	case f == output.JSON || f == output.CSV:
		return usage("use --watch with -o jsonl, or with no -o at all", "--watch prints lines, and -o %s has none", f)
	case every < shortestPoll:
		return usage("give --every at least "+shortestPoll.String(), "--every %s would not leave the service a pause", every)
	}
	return nil
}

// keepPolling polls until the context ends or the key is refused. What fails
// otherwise is told, and tried again: the longer it lasts, the later.
func (a *app) keepPolling(ctx context.Context, every time.Duration, poll func(context.Context) error) error {
	failures := 0
	for {
		pause := every
		if err := poll(ctx); err != nil {
			var call *api.Error
			if ctx.Err() != nil || !errors.As(err, &call) || explainCall(call).status == statusRefused {
				return err
			}
			failures++
			pause = max(every, api.Backoff(failures, call.RetryAfter))
			a.warn("%v; trying again in %s", err, pause.Round(time.Second))
		} else {
			failures = 0
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

const orderChangeHeader = "at,change,project_id,project_name,vintage_id,sell_order_id,quantity_grams,price_cents,was_quantity_grams,was_price_cents"

var changeNames = map[model.ChangeKind]string{
	model.Appeared: "appeared", model.Vanished: "vanished", model.Repriced: "repriced", model.Resized: "resized",
}

// watchMarket prints what changes on the market from now on.
func (m *marketRun) watchMarket(ctx context.Context) error {
	rows, err := output.NewRows(m.Stdout, output.JSONL, orderChangeHeader)
	if err != nil {
		return err
	}
	var was *model.Market
	return m.keepPolling(ctx, m.every, func(ctx context.Context) error {
		at := m.Now()
		now, _, err := m.readPages(ctx, func(*model.MarketPart, model.Page) {})
		if err != nil {
			return err
		}
		if was == nil {
			was = now
			return nil
		}
		changes := now.Since(was)
		was = now
		m.details.need(ctx, marketProjectIDs(now))
		for _, c := range changes.Orders {
			if err := m.change(rows, at, c); err != nil {
				return err
			}
		}
		return rows.Flush()
	})
}

func (m *marketRun) change(rows output.Rows, at time.Time, c model.OrderChange) error {
	if m.format != output.JSONL {
		_, err := fmt.Fprintln(m.Stdout, m.changeLine(at, c))
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
	return rows.Write(output.Text(rfc3339(at)), output.Text(changeNames[c.Kind]), output.Text(key.ProjectID),
		output.Optional(m.details.known[key.ProjectID].Name), output.Text(key.VintageID), output.Text(id),
		nowQuantity, nowPrice, wasQuantity, wasPrice)
}

// changeLine says for people what happened to an order.
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
	return fmt.Sprintf("%s  %-8s  %s  %s  %s", clock(at), changeNames[c.Kind],
		m.details.known.Name(c.Vintage.ProjectID), c.Vintage.VintageID, what)
}
