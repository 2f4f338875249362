package feed

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"tonne/model"
)

const (
	// batch is how many projects are asked for at once: small enough that
	// names show up soon.
	batch = 50
	// absentFor is how long a project is not asked for again that the service
	// did not know.
	absentFor = 10 * time.Minute
	// projectsSlower is how much slower failed requests for details are
	// repeated than prices: they hardly change.
	projectsSlower = 10
)

// projectDetails fetches the details of projects that turn up.
type projectDetails struct {
	poller
	known  model.Projects
	wanted []string
	// askedAt holds when a project was queued last.
	askedAt map[string]time.Time
}

func newProjectDetails(l *loop) *projectDetails {
	p := &projectDetails{known: maps.Clone(l.options.Projects), askedAt: make(map[string]time.Time)}
	if p.known == nil {
		p.known = make(model.Projects)
	}
	p.poller = poller{l: l, name: "projects", prepare: p.read, publish: p.send, more: p.hasWanted, slower: projectsSlower, optional: true}
	return p
}

func (p *projectDetails) hasWanted() bool { return len(p.wanted) > 0 }

func (p *projectDetails) send() {
	if !p.status.Fetching && p.status.State != Loading || p.status.Err != nil {
		p.l.out.put("projects", ProjectsEvent{Projects: p.known, Err: p.status.Err})
	}
}

// want queues the projects that are not known.
func (p *projectDetails) want(ids []string) {
	now := p.l.wall()
	for _, id := range ids {
		if _, known := p.known[id]; known || id == "" {
			continue
		}
		if at, asked := p.askedAt[id]; asked && now.Sub(at).Abs() < absentFor {
			continue
		}
		id = strings.Clone(id)
		p.askedAt[id] = now
		p.wanted = append(p.wanted, id)
	}
	if p.hasWanted() && !p.plan.on {
		p.plan.in(0, now)
		p.forced = true // a name is missing on the screen, paused or not
	}
}

// read asks for the projects that were queued first.
func (p *projectDetails) read(uint64) work {
	ids := slices.Clone(p.wanted[:min(len(p.wanted), batch)])
	return func(ctx context.Context) (func(), error) {
		found, err := p.l.client.Projects(ctx, ids...)
		return func() {
			p.wanted = p.wanted[len(ids):]
			p.learn(found)
			p.forget()
		}, err
	}
}

// forget drops what may be asked for again: a service that names other projects
// all the time does not fill the memory.
func (p *projectDetails) forget() {
	now := p.l.wall()
	maps.DeleteFunc(p.askedAt, func(id string, at time.Time) bool {
		_, known := p.known[id]
		return known || now.Sub(at).Abs() >= absentFor && !slices.Contains(p.wanted, id)
	})
}

// learn adds details. The map that was sent before is left as it is.
func (p *projectDetails) learn(found []model.Project) {
	known := maps.Clone(p.known)
	for _, project := range found {
		known[project.ID] = project
	}
	p.known = known
}
