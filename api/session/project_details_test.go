package session_test

import (
	"context"
	"fmt"
	"testing"
	"time"
	"unsafe"

	"tonne/api"
	"tonne/api/session"
	"tonne/model"
	"tonne/model/market"
	"tonne/model/portfolio"
	"tonne/model/retirement"
	"tonne/model/store"
)

func named(ids []string) []model.Project {
	projects := make([]model.Project, len(ids))
	for i, id := range ids {
		projects[i] = model.Project{ID: id, Name: "Name of " + id}
	}
	return projects
}

// fetched keeps details that were fetched some time ago.
func fetched(ago time.Duration, projects ...model.Project) func(*testing.T, *store.Store) error {
	return func(_ *testing.T, s *store.Store) error {
		return s.Of(origin).Cache.PutProjects(context.Background(), projects, time.Now().Add(-ago))
	}
}

func TestUnknownProjectsAreFetchedInBatches(t *testing.T) {
	t.Parallel()
	ids := make([]string, 120)
	for i := range ids {
		ids[i] = fmt.Sprintf("p%d", i)
	}
	var batches []int
	f := markets(market.New(part(500, ids...)))
	f.projects = func(_ context.Context, ids []string) ([]model.Project, error) {
		batches = append(batches, len(ids))
		return named(ids), nil
	}
	polling(t, f, session.Options{}, func(t *testing.T, d *session.Session, read *running) {
		e := must[session.ProjectsEvent](read)
		if len(e.Projects) != 120 || e.Projects.Name("p0") != "Known" || e.Projects.Name("p119") != "Name of p119" || e.Err != nil {
			t.Errorf("%d projects, error %v", len(e.Projects), e.Err)
		}
		time.Sleep(time.Minute)
		if got := fmt.Sprint(batches); got != "[50 50 19]" {
			t.Errorf("batches are %s", got)
		}
	}, fetched(0, model.Project{ID: "p0", Name: "Known"}))
}

func TestProjectsOfTheInventoryAreFetchedToo(t *testing.T) {
	t.Parallel()
	f := &fake{
		inventory: func(_ context.Context, q api.InventoryQuery) (*portfolio.Inventory, error) {
			return holding(q.Page), nil
		},
		projects: func(_ context.Context, ids []string) ([]model.Project, error) { return named(ids), nil },
	}
	polling(t, f, session.Options{}, func(t *testing.T, d *session.Session, read *running) {
		d.Pause(true)
		d.ShowInventory(api.InventoryQuery{Page: 7})
		if e := must[session.ProjectsEvent](read); e.Projects.Name("p7") != "Name of p7" {
			t.Errorf("event is %+v", e)
		}
	})
}

func TestProjectsOfRetirementsAreFetchedToo(t *testing.T) {
	t.Parallel()
	f := &fake{
		retirement: func(_ context.Context, id string) (retirement.Request, error) {
			return retirement.Request{ID: id, ProjectID: "p-sold-out"}, nil
		},
		projects: func(_ context.Context, ids []string) ([]model.Project, error) { return named(ids), nil },
	}
	polling(t, f, session.Options{}, func(t *testing.T, d *session.Session, read *running) {
		d.Add(session.Entry{ID: "r"})
		if e := must[session.ProjectsEvent](read); e.Projects.Name("p-sold-out") != "Name of p-sold-out" {
			t.Errorf("event is %+v", e)
		}
	})
}

func TestProjectThatTheServiceDoesNotKnowIsRarelyAskedFor(t *testing.T) {
	t.Parallel()
	f := markets(market.New(part(500, "a")))
	polling(t, f, session.Options{}, func(t *testing.T, d *session.Session, read *running) {
		time.Sleep(30*time.Minute + time.Second)
		if got := seconds(f.called("projects")); got != "[0 600 1200 1800]" {
			t.Errorf("details are asked for at %s", got)
		}
	})
}

func TestFailingDetailsAreNotHammeredAndHarmNothing(t *testing.T) {
	t.Parallel()
	for _, kind := range []api.Kind{api.NotTheAPI, api.Forbidden, api.Unauthorized, api.ServerError} {
		f := markets(market.New(part(500, "a")))
		f.projects = func(context.Context, []string) ([]model.Project, error) { return nil, failing(kind) }
		polling(t, f, session.Options{}, func(t *testing.T, d *session.Session, read *running) {
			time.Sleep(time.Hour)
			if n := len(f.called("projects")); n > 80 || n < 10 {
				t.Errorf("an hour of failures makes %d requests", n)
			}
			if n := len(f.called("market")); n < 700 {
				t.Errorf("the market is polled %d times", n)
			}
			if e := must[session.ProjectsEvent](read); e.Err == nil {
				t.Errorf("event is %+v", e)
			}
		})
	}
}

func TestProjectsThatAreAskedForKeepNothingOfAMarket(t *testing.T) {
	t.Parallel()
	market := market.New(part(500, "p0", "p1"))
	f := markets(market)
	f.projects = func(_ context.Context, ids []string) ([]model.Project, error) {
		for i, id := range ids {
			if of := market.Project(i).ID; id != of || unsafe.StringData(id) == unsafe.StringData(of) {
				t.Errorf("asks for %q with the bytes of %q", id, of)
			}
		}
		return nil, nil
	}
	polling(t, f, session.Options{}, func(_ *testing.T, _ *session.Session, read *running) { must[session.ProjectsEvent](read) })
}

func TestStaleProjectsAreFetchedAgainAndKeptUntilThen(t *testing.T) {
	t.Parallel()
	f := markets(market.New(part(500, "old", "fresh")))
	var asked []string
	f.projects = func(_ context.Context, ids []string) ([]model.Project, error) {
		asked = append(asked, ids...)
		if len(f.called("projects")) == 1 {
			return nil, failing(api.ServerError)
		}
		return named(ids), nil
	}
	polling(t, f, session.Options{}, func(t *testing.T, d *session.Session, read *running) {
		if e := must[session.ProjectsEvent](read); e.Projects.Name("old") != "Old" || e.Projects.Name("fresh") != "Fresh" || e.Fetched != nil {
			t.Errorf("event is %+v", e)
		}
		time.Sleep(time.Minute)
		e := must[session.ProjectsEvent](read)
		if e.Projects.Name("old") != "Name of old" || e.Projects.Name("fresh") != "Fresh" || len(e.Fetched) != 1 || e.Err != nil {
			t.Errorf("event is %+v", e)
		}
		if got := fmt.Sprint(asked); got != "[old old]" {
			t.Errorf("asked for %s", got)
		}
	}, fetched(8*24*time.Hour, model.Project{ID: "old", Name: "Old"}), fetched(0, model.Project{ID: "fresh", Name: "Fresh"}))
}

func TestNoProjectIsFetchedBeforeWhatIsKnownWasRead(t *testing.T) {
	t.Parallel()
	f := markets(market.New(part(500, "a", "b")))
	var asked []string
	f.projects = func(_ context.Context, ids []string) ([]model.Project, error) {
		asked = append(asked, ids...)
		return named(ids), nil
	}
	polling(t, f, session.Options{}, func(t *testing.T, d *session.Session, read *running) {
		time.Sleep(6 * time.Second)
		read.news()
		if polls, asked := len(f.called("market")), len(f.called("projects")); polls != 2 || asked != 0 {
			t.Errorf("%d polls, asked for details %d times", polls, asked)
		}
		time.Sleep(2 * time.Second)
		read.news()
		if fmt.Sprint(asked) != "[b]" {
			t.Errorf("asked for %v", asked)
		}
	}, fetched(0, model.Project{ID: "a"}), func(t *testing.T, s *store.Store) error {
		hold(t, s, 7*time.Second)
		return nil
	})
}

func TestFetchedProjectsAddUpUntilTheyAreRead(t *testing.T) {
	t.Parallel()
	ids := make([]string, 120)
	for i := range ids {
		ids[i] = fmt.Sprintf("p%d", i)
	}
	f := markets(market.New(part(500, ids...)))
	f.projects = func(_ context.Context, ids []string) ([]model.Project, error) { return named(ids), nil }
	polling(t, f, session.Options{}, func(t *testing.T, d *session.Session, read *running) {
		if e := must[session.ProjectsEvent](read); len(e.Fetched) != 120 {
			t.Errorf("%d were fetched", len(e.Fetched))
		}
	})
}
