package filing

import (
	"context"

	"tonne/model"
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
	return Compare(ctx, r.App, r.BaseURL, r.ProjectDetails.Store, inv, like, func(ids []string) model.Projects {
		r.ProjectDetails.Need(ctx, ids)
		return r.ProjectDetails.Known
	})
}

// Compare compares the purchases of an inventory of a service with the recorded market. Projects returns the
// details of projects.
func Compare(ctx context.Context, a *command.App, origin string, local *store.Store, inv *portfolio.Inventory,
	like string, projects func(ids []string) model.Projects) ([]execution.Row, error) {
	var calls []retirement.JournalEntry
	var err error
	if calls, err = journal.Entries(a, origin)(ctx); err != nil {
		return nil, err
	}
	if like == "" {
		if like, err = LikeSetting(a); err != nil {
			return nil, err
		}
	}
	notes := local.Of(origin).Annotations
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
	return execution.New(ctx, a.Record().Of(origin), execution.Request{
		Purchases: purchases, Projects: projects(ids), Like: like, Labels: attribute.NewFacts(facts).Labels,
		Reason: func(p execution.Purchase) string { return command.OneLine(reasons[store.NewBought(p.Vintage, p.At())]) },
	})
}
