package cli

import (
	"context"
	"path/filepath"
	"time"

	"tonne/api"
	"tonne/model"
	"tonne/model/store"
)

// details finds the names of projects as they are needed. Projects hardly
// change: what this machine remembers of them is used for a week. Without
// details the data is still the data: what fails is told once.
type details struct {
	app    *app
	client *api.Client
	memory *store.Store
	origin string
	known  model.Projects
	told   bool
}

// freshFor is how long the details of a project are good for.
const freshFor = 7 * 24 * time.Hour

func (a *app) memory() *store.Store { return store.Open(filepath.Join(a.stateDir(), "tonne.db")) }

func (a *app) newDetails(ctx context.Context, client *api.Client) *details {
	d := &details{app: a, client: client, memory: a.memory(), origin: client.BaseURL(), known: make(model.Projects)}
	remembered, err := d.memory.Projects(ctx, d.origin)
	if err != nil {
		a.log().Warn("the store was not read", "error", err)
		return d
	}
	stale, _ := d.memory.StaleProjects(ctx, d.origin, a.Now().Add(-freshFor))
	for _, id := range stale {
		delete(remembered, id)
	}
	if remembered != nil {
		d.known = remembered
	}
	return d
}

func (d *details) close() { _ = d.memory.Close() }

// need asks for the details of the projects that are not known yet.
func (d *details) need(ctx context.Context, ids []string) {
	var missing []string
	for _, id := range ids {
		if _, ok := d.known[id]; !ok {
			missing = append(missing, id)
		}
	}
	if len(missing) == 0 || d.told {
		return
	}
	found, err := d.client.Projects(ctx, missing...)
	for _, p := range found {
		d.known[p.ID] = p
	}
	if len(found) > 0 {
		if err := d.memory.PutProjects(ctx, d.origin, found, d.app.Now()); err != nil {
			d.app.log().Warn("the store was not written", "error", err)
		}
	}
	if err != nil && ctx.Err() == nil {
		d.told = true
		d.app.warn("project names are missing: %v", err)
	}
}

// year returns the year of a vintage where the project's details tell it.
func (d *details) year(project, vintage string) int32 {
	for _, v := range d.known[project].Vintages {
		if v.ID == vintage {
			return int32(v.Year)
		}
	}
	return 0
}
