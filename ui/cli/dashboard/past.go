package dashboard

import (
	"cmp"
	"context"
	"errors"
	"time"

	"tonne/model"
	"tonne/model/execution"
	"tonne/model/file/record"
	"tonne/model/file/store"
	"tonne/model/market"
	"tonne/model/portfolio"
	"tonne/ui"
	"tonne/ui/cli/command"
	"tonne/ui/cli/filing"
	"tonne/ui/inventory"
)

// Past returns the markets that were recorded of a service, for the screen.
func Past(of record.Service) ui.Past { return past{of} }

type past struct{ record.Service }

func (p past) At(ctx context.Context, at time.Time) (*market.Market, time.Time, error) {
	seen, err := p.Service.At(ctx, at)
	if unwatched, ok := errors.AsType[*record.UnwatchedError](err); ok {
		err = nearest(unwatched)
	}
	return seen.Market, seen.At, err
}

// nearest is the message for a time that was not recorded. It has room for little.
func nearest(e *record.UnwatchedError) error {
	clock := func(t time.Time) string {
		t = t.In(e.At.Location())
		if t.Format(time.DateOnly) == e.At.Format(time.DateOnly) {
			return t.Format(time.TimeOnly)
		}
		return t.Format("2 Jan 2006 15:04:05")
	}
	text := "not recorded then"
	if !e.Before.IsZero() {
		text += "; before it: " + clock(e.Before)
	}
	if !e.After.IsZero() {
		text += "; after it: " + clock(e.After)
	}
	return errors.New(text)
}

// Purchases compares purchases with the markets that were recorded of a service, for the screen.
func Purchases(a *command.App, origin string, local *store.Store) inventory.Record {
	silent := a.Silent()
	return inventory.Record{
		Compare: func(ctx context.Context, inv *portfolio.Inventory, known model.Projects) ([]execution.Row, error) {
			return filing.Compare(ctx, silent, origin, local, inv, "", func([]string) model.Projects { return known })
		},
		Explain: func(ctx context.Context, of execution.Purchase, reason string) error {
			notes, bought := local.Of(origin).Annotations, store.NewBought(of.Vintage, of.At())
			return cmp.Or(notes.AddReason(ctx, bought, command.OneLine(reason), a.Now()), local.Problem())
		},
	}
}
