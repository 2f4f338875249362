package session

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"tonne/model"
	"tonne/model/file/store"
)

// FreshFor is how long the details of a project are valid. They rarely change.
const FreshFor = 7 * 24 * time.Hour

// KnownProjects returns the project details of a cache. stale are those fetched longer than
// FreshFor before now, which are requested again when they are needed. The error is from
// the store.
func KnownProjects(
	ctx context.Context, c store.Cache, now time.Time,
) (known model.Projects, stale map[string]bool, err error) {
	if known, err = c.Projects(ctx); err == nil {
		stale, err = c.StaleProjects(ctx, now.Add(-FreshFor))
	}
	return known, stale, err
}

const (
	// batch is the number of projects per request: small enough that names show up soon.
	batch = 50
	// absentFor is how long an unknown project is not requested again.
	absentFor = 10 * time.Minute
)

type projectDetails struct {
	resource
	kept   store.Cache
	known  model.Projects
	stale  map[string]bool
	wanted []string
	// first are the wanted projects that are requested before all others.
	first   map[string]bool
	fetched []model.Project
	// loading reports that the known details are being read. early are the projects that
	// were wanted meanwhile.
	loading     bool
	early       []string
	requestedAt map[string]time.Time
}

func newProjectDetails(shared *polling, kept store.Cache) *projectDetails {
	p := &projectDetails{
		kept: kept, known: make(model.Projects), requestedAt: make(map[string]time.Time), loading: true,
	}
	p.resource = resource{
		polling: shared, name: "projects", prepare: p.read, more: p.hasWanted, optional: true,
		publish: func() {
			if !p.status.Fetching && p.status.State != Loading || p.status.Err != nil {
				p.tell(ProjectsEvent{Projects: p.known, Fetched: p.fetched, Err: p.status.Err})
				p.fetched = nil
			}
		},
	}
	return p
}

func (p *projectDetails) load() {
	p.spawn(func() {
		ctx, cancel := context.WithTimeout(p.ctx, patience)
		defer cancel()
		known, stale, err := KnownProjects(ctx, p.kept, p.now())
		if err != nil {
			p.log.Warn("the project details were not read", "error", err)
		}
		p.whileRunning(func() {
			p.loading, p.known, p.stale = false, known, stale
			if len(known) > 0 {
				p.tell(ProjectsEvent{Projects: known})
			}
			p.request(p.early)
			p.early = nil
		})
	})
}

func (p *projectDetails) hasWanted() bool { return len(p.wanted) > 0 }

func (p *projectDetails) request(ids []string) {
	if p.loading {
		p.early = append(p.early, ids...)
		return
	}
	now := p.wall()
	for _, id := range ids {
		if _, known := p.known[id]; known && !p.stale[id] || id == "" {
			continue
		}
		if at, asked := p.requestedAt[id]; asked && now.Sub(at).Abs() < absentFor {
			continue
		}
		id = strings.Clone(id)
		p.requestedAt[id] = now
		p.wanted = append(p.wanted, id)
	}
	if p.hasWanted() && !p.plan.on {
		p.plan.in(0, now)
		p.forced = true // a name is missing on the screen, paused or not
	}
}

func (p *projectDetails) show(ids []string) {
	p.first = make(map[string]bool, len(ids))
	for _, id := range ids {
		p.first[strings.Clone(id)] = true
	}
}

func (p *projectDetails) next() []string {
	var shown, others []string
	for _, id := range p.wanted {
		switch {
		case p.first[id]:
			shown = append(shown, id)
		case len(others) < batch:
			others = append(others, id)
		}
	}
	ids := append(shown, others...)
	return ids[:min(len(ids), batch)]
}

func (p *projectDetails) read(uint64) work {
	ids := p.next()
	return func(ctx context.Context) (func(), error) {
		found, err := p.client.Projects(ctx, ids...)
		return func() {
			p.wanted = slices.DeleteFunc(p.wanted, func(id string) bool { return slices.Contains(ids, id) })
			// The map that was sent before stays unchanged.
			p.known = maps.Clone(p.known)
			for _, project := range found {
				p.known[project.ID] = project
				delete(p.stale, project.ID)
			}
			p.fetched = append(p.fetched, found...)
			p.forget()
		}, err
	}
}

// forget removes projects that may be requested again, so that a service that lists new
// projects all the time does not fill the memory.
func (p *projectDetails) forget() {
	now := p.wall()
	maps.DeleteFunc(p.requestedAt, func(id string, at time.Time) bool {
		_, known := p.known[id]
		return known || now.Sub(at).Abs() >= absentFor && !slices.Contains(p.wanted, id)
	})
}
