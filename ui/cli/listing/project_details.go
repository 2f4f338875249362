package listing

import (
	"context"

	"tonne/api"
	"tonne/api/session"
	"tonne/model"
	"tonne/model/file/store"
	"tonne/model/market"
	"tonne/ui/cli/command"
)

// ProjectDetails finds the details of projects when they are needed. Data can be printed
// without details, so a failure is only reported, and only once.
type ProjectDetails struct {
	App    *command.App
	client *api.Client
	Store  *store.Store
	Origin string
	Known  model.Projects
	// market, if not nil, has the years of vintages without details.
	market *market.Market
	// Stale are the known projects that are requested again.
	Stale map[string]bool
	told  bool
	// Local prevents requests: only the details in the store are used.
	Local bool
}

// NewDetails uses the store local, which Connection.Close closes.
func NewDetails(ctx context.Context, a *command.App, client *api.Client, local *store.Store) *ProjectDetails {
	d := &ProjectDetails{App: a, client: client, Store: local, Origin: client.BaseURL()}
	var err error
	if d.Known, d.Stale, err = session.KnownProjects(ctx, local.Of(d.Origin).Cache, a.Now()); err != nil {
		a.Log().Warn("the store was not read", "error", err)
	}
	return d
}

// Need fetches the details of unknown projects.
func (d *ProjectDetails) Need(ctx context.Context, ids []string) {
	var missing []string
	unknown := false
	for _, id := range model.Unique(ids) {
		if _, known := d.Known[id]; !known || d.Stale[id] {
			missing = append(missing, id)
			unknown = unknown || !known
		}
	}
	if len(missing) == 0 || d.told || d.Local {
		return
	}
	found, err := d.client.Projects(ctx, missing...)
	d.learn(found)
	if len(found) > 0 {
		if err := d.Store.Of(d.Origin).Cache.PutProjects(ctx, found, d.App.Now()); err != nil {
			d.App.Log().Warn("the store was not written", "error", err)
		}
	}
	if err != nil && ctx.Err() == nil {
		d.told = true
		if unknown {
			d.App.Warn("project names are missing: %v", err)
		}
	}
}

func (d *ProjectDetails) learn(found []model.Project) {
	for _, p := range found {
		d.Known[p.ID] = p
		delete(d.Stale, p.ID)
	}
}

// Year returns the year of a vintage, or 0 if unknown.
func (d *ProjectDetails) Year(project, vintage string) int32 {
	return int32(d.Known[project].Year(vintage))
}

// VintageName returns the name of the project and the year, or the ids.
func (d *ProjectDetails) VintageName(key model.VintageKey) string {
	year := d.Year(key.ProjectID, key.VintageID)
	if year == 0 && d.market != nil {
		if i, ok := d.market.Find(key); ok {
			year = d.market.Vintage(i).Year
		}
	}
	name := key.VintageID
	if year != 0 {
		name = command.YearText(year)
	}
	return d.Known.Name(key.ProjectID) + " " + name
}
