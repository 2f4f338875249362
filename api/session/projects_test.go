package session_test

import (
	"context"
	"testing"
	"time"

	"tonne/api"
	"tonne/api/session"
	"tonne/model"
	"tonne/model/store"
)

// remembered returns a store that has details of the project, as of some time
// ago.
func remembered(t *testing.T, ago time.Duration) *store.Store {
	t.Helper()
	s := store.Open("")
	err := s.Of(origin).Cache.PutProjects(t.Context(), []model.Project{{ID: "P", Name: "Earlier"}}, time.Now().Add(-ago))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func naming(_ context.Context, ids []string) ([]model.Project, error) {
	projects := make([]model.Project, len(ids))
	for i, id := range ids {
		projects[i] = model.Project{ID: id, Name: "Newer"}
	}
	return projects, nil
}

func TestProjectsOfEarlierRunsAreNotFetchedAgainWithinAWeek(t *testing.T) {
	t.Parallel()
	for ago, want := range map[time.Duration]string{session.FreshFor - time.Hour: "Earlier", session.FreshFor + time.Hour: "Newer"} {
		in(t, func(t *testing.T) {
			f := &fake{market: offers(500), projects: naming}
			r := begin(t, f, remembered(t, ago))
			e := must[session.ProjectsEvent](r)
			if got := e.Projects.Name("P"); got != want || f.count("projects") > 0 != (want == "Newer") {
				t.Errorf("after %s it is called %s, after %d requests", ago, got, f.count("projects"))
			}
		})
	}
}

func TestProjectsThatWereFetchedAreKeptForTheNextRun(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		path := file(t)
		f := &fake{market: offers(500), projects: naming}
		for range 3 {
			r := begin(t, f, store.Open(path))
			if e := must[session.ProjectsEvent](r); e.Projects.Name("P") != "Newer" {
				t.Errorf("event is %+v", e)
			}
			r.end()
			time.Sleep(time.Hour)
		}
		if n := f.count("projects"); n != 1 {
			t.Errorf("three runs make %d requests", n)
		}
	})
}

func TestStaleProjectsAreShownWhileTheServiceFails(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		f := &fake{market: offers(500), projects: func(context.Context, []string) ([]model.Project, error) { return nil, failing(api.ServerError) }}
		r := begin(t, f, remembered(t, 30*24*time.Hour))
		time.Sleep(time.Hour)
		if e := must[session.ProjectsEvent](r); e.Projects.Name("P") != "Earlier" || e.Err == nil || f.count("projects") < 2 {
			t.Errorf("event is %+v after %d requests", e, f.count("projects"))
		}
	})
}
