package cli

import (
	"context"
	"path/filepath"

	"tonne/api"
	"tonne/api/session"
	"tonne/api/worker"
	"tonne/model"
	"tonne/model/store"
)

// details finds the names of projects as they are needed. Without details the
// data is still the data: what fails is told once.
type details struct {
	app    *app
	client *api.Client
	store  *store.Store
	origin string
	cache  *session.ProjectCache
	known  model.Projects
	// market, which may be nil, tells the years of vintages that no details do.
	market *model.Market
	// stale are the projects that are asked for again although they are known.
	stale map[string]bool
	told  bool
	// wanted are projects that want fetches with the next batch, and take waits
	// for the batch before.
	wanted []string
	take   func()
}

// wantedAtOnce is how many projects a batch has.
const wantedAtOnce = 50

func (a *app) storePath() string { return filepath.Join(a.stateDir(), "tonne.db") }

func (a *app) openStore() *store.Store {
	if a.guest != nil {
		return a.guest.store
	}
	return store.Open(a.storePath()).WhenLost(func(lost error) {
		// A dashboard shows it by itself.
		if a.terminal == nil || a.terminal.screen.Load() == nil {
			a.warn("%v", lost)
		}
	})
}

// newDetails finds details in a store of the caller's, which close closes.
func (a *app) newDetails(ctx context.Context, client *api.Client, local *store.Store) *details {
	d := &details{
		app: a, client: client, store: local, origin: client.BaseURL(), known: make(model.Projects), stale: make(map[string]bool), take: func() {},
	}
	d.cache = session.NewProjectCache(d.store, d.origin, a.Now)
	cached, err := d.cache.Read(ctx)
	if err != nil {
		a.log().Warn("the store was not read", "error", err)
		return d
	}
	if cached.Projects != nil {
		d.known = cached.Projects
	}
	for _, id := range cached.Stale {
		d.stale[id] = true
	}
	return d
}

func (d *details) close() { _ = d.store.Close() }

func (d *details) want(ctx context.Context, id string) {
	if d.wanted = append(d.wanted, id); len(d.wanted) < wantedAtOnce {
		return
	}
	d.take()
	d.take, d.wanted = d.fetch(ctx, d.wanted), nil
}

func (d *details) need(ctx context.Context, ids []string) {
	d.take()
	d.fetch(ctx, append(d.wanted, ids...))()
	d.take, d.wanted = func() {}, nil
}

func (d *details) fetch(ctx context.Context, ids []string) (take func()) {
	var missing []string
	unknown := false
	for _, id := range once(ids) {
		if _, known := d.known[id]; !known || d.stale[id] {
			missing = append(missing, id)
			unknown = unknown || !known
		}
	}
	if len(missing) == 0 || d.told {
		return func() {}
	}
	var found []model.Project
	wait := worker.Start(func() (err error) {
		found, err = d.client.Projects(ctx, missing...)
		return err
	})
	return func() {
		err := wait()
		d.learn(found)
		if len(found) > 0 {
			if err := d.cache.Write(ctx, found); err != nil {
				d.app.log().Warn("the store was not written", "error", err)
			}
		}
		if err != nil && ctx.Err() == nil && !d.told {
			d.told = true
			if unknown {
				d.app.warn("project names are missing: %v", err)
			}
		}
	}
}

func (d *details) learn(found []model.Project) {
	for _, p := range found {
		d.known[p.ID] = p
		delete(d.stale, p.ID)
	}
}

func (d *details) year(project, vintage string) int32 {
	return int32(d.known[project].Year(vintage))
}

func (d *details) vintageName(key model.VintageKey) string {
	year := d.year(key.ProjectID, key.VintageID)
	if year == 0 && d.market != nil {
		if i, ok := d.market.Find(key); ok {
			year = d.market.Vintage(i).Year
		}
	}
	name := key.VintageID
	if year != 0 {
		name = yearText(year)
	}
	return d.known.Name(key.ProjectID) + " " + name
}
