package filing

import (
	"context"

	"tonne/model/attribute"
	"tonne/model/execution"
	"tonne/model/file/store"
	"tonne/model/portfolio"
	"tonne/model/retirement"
	"tonne/ui/cli/command"
	"tonne/ui/cli/journal"
	"tonne/ui/cli/listing"
)

// LikeSetting returns the setting execution_like.
func LikeSetting(a *command.App) (string, error) {
	if a.Desk != nil {
		return "", nil
	}
	file, err := a.ConfigFile()
	if err != nil {
		return "", err
	}
	like, _ := a.Value("execution_like", file, "")
	return like, nil
}

// Execution compares the purchases of an inventory with the recorded market. If like is empty, the setting
// counts.
func Execution(ctx context.Context, r *listing.Connection, inv *portfolio.Inventory,
	like string) ([]execution.Row, error) {
	var calls []retirement.JournalEntry
	var err error
	if calls, err = journal.Entries(r.App, r.BaseURL)(ctx); err != nil {
		return nil, err
	}
	if like == "" {
		if like, err = LikeSetting(r.App); err != nil {
			return nil, err
		}
	}
	notes := r.ProjectDetails.Store.Of(r.ProjectDetails.Origin).Annotations
	reasons, err := notes.Reasons(ctx)
	if err != nil {
		return nil, err
	}
	facts, err := notes.Facts(ctx)
	if err != nil {
		return nil, err
	}
	purchases := execution.Purchases(inv, calls)
	ids := make([]string, len(purchases))
	for i, p := range purchases {
		ids[i] = p.Vintage.ProjectID
	}
	r.ProjectDetails.Need(ctx, ids)
	return execution.New(ctx, r.App.Record().Of(r.BaseURL), execution.Request{
		Purchases: purchases, Projects: r.ProjectDetails.Known, Like: like, Labels: attribute.NewFacts(facts).Labels,
		Reason: func(p execution.Purchase) string { return reasons[store.NewBought(p.Vintage, p.At())] },
	})
}
