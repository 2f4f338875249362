package session

import (
	"context"
	"time"

	"tonne/model"
	"tonne/model/store"
)

// FreshFor is how long the details of a project are good for: they hardly
// change.
const FreshFor = 7 * 24 * time.Hour

// ProjectCache is the project details that this machine has of a service.
type ProjectCache struct {
	store  *store.Store
	origin string
	now    func() time.Time
}

// KnownProjects are project details that were fetched earlier.
type KnownProjects struct {
	Projects model.Projects
	// Stale are the ids of those that are asked for again when they turn up.
	// Until there is an answer they are shown as they are.
	Stale []string
}

// NewProjectCache returns the cache in a store, for the service that the store
// knows as origin.
func NewProjectCache(s *store.Store, origin string, now func() time.Time) *ProjectCache {
	return &ProjectCache{s, origin, now}
}

// Read returns the details that are there, with those that were fetched longer
// than FreshFor ago marked as stale. The error is one of the store.
func (c *ProjectCache) Read(ctx context.Context) (KnownProjects, error) {
	projects, err := c.store.Projects(ctx, c.origin)
	if err != nil {
		return KnownProjects{}, err
	}
	stale, err := c.store.StaleProjects(ctx, c.origin, c.now().Add(-FreshFor))
	return KnownProjects{Projects: projects, Stale: stale}, err
}

// Write keeps details that were fetched just now. The error is one of the
// store.
func (c *ProjectCache) Write(ctx context.Context, fetched []model.Project) error {
	return c.store.PutProjects(ctx, c.origin, fetched, c.now())
}

func (s *Session) knownProjects(ctx context.Context) KnownProjects {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	known, err := s.projects.Read(ctx)
	if err != nil {
		s.log.Warn("the project details were not read", "error", err)
	}
	return known
}

func (l *loop) keepProjects(fetched []model.Project) {
	if len(fetched) == 0 || l.subscriber != nil {
		return
	}
	l.write(func(ctx context.Context) error { return l.projects.Write(ctx, fetched) }, func(error) {})
}
