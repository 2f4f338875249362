package cli

import (
	"context"

	"tonne/api"
	"tonne/model"
)

// details finds the names of projects as they are needed. Without them the
// data is still the data: what fails is told once.
type details struct {
	app    *app
	client *api.Client
	known  model.Projects
	told   bool
}

func (a *app) newDetails(client *api.Client) *details {
	return &details{app: a, client: client, known: make(model.Projects)}
}

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
