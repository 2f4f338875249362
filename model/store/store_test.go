package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"testing"
	"time"

	"tonne/model"
	"tonne/model/alert"
)

const (
	production = "https://market.example"
	demo       = "http://127.0.0.1:4711"
)

var (
	noon = time.Date(2026, 2, 8, 12, 0, 0, 0, time.UTC)
	bale = model.VintageKey{ProjectID: "003a", VintageID: "004a"}
	wind = model.VintageKey{ProjectID: "003b", VintageID: "004b"}
)

// fresh returns a store in a new file, and the file.
func fresh(t *testing.T) (*Store, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "state", "tonne.db")
	return opened(t, path), path
}

// opened returns a store on a file that is closed with the test.
func opened(t *testing.T, path string) *Store {
	t.Helper()
	s := Open(path)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// fill leaves something of each kind in the store.
func fill(t *testing.T, s *Store, origin string) {
	t.Helper()
	ctx := t.Context()
	must(t, s.Of(origin).Cache.PutProjects(ctx, []model.Project{{ID: "003a", Name: "Bale Mountains"}}, noon))
	must(t, s.Of(origin).History.Observe(ctx, []Observation{{bale, noon, 620, 5e6}}))
	must(t, s.Of(origin).Alerts.AddRule(ctx, rule(t, "ask <= 6").On(bale)))
	must(t, s.Of(origin).Ledger.Remember(ctx, noon, "00m1"))
	must(t, s.Of(origin).Ledger.SetLabel(ctx, "00m1", "Q3 flights", noon))
}

// filled fails unless everything that fill left is there.
func filled(t *testing.T, s *Store, origin string) {
	t.Helper()
	ctx := t.Context()
	projects, err := s.Of(origin).Cache.Projects(ctx)
	if must(t, err); projects.Name("003a") != "Bale Mountains" {
		t.Errorf("projects: %v", projects)
	}
	prices, err := s.Of(origin).History.Prices(ctx, bale, time.Time{})
	if must(t, err); len(prices) != 1 || prices[0].BestAsk != 620 || prices[0].Available != 5e6 || !prices[0].At.Equal(noon) {
		t.Errorf("prices: %+v", prices)
	}
	alerts, err := s.Of(origin).Alerts.Rules(ctx)
	if must(t, err); len(alerts) != 1 || alerts[0] != rule(t, "ask <= 6").On(bale) {
		t.Errorf("alerts: %+v", alerts)
	}
	watched, err := s.Of(origin).Alerts.Watched(ctx)
	if must(t, err); !watched[bale] {
		t.Errorf("watched: %v", watched)
	}
	entries, err := s.Of(origin).Ledger.Entries(ctx)
	if must(t, err); len(entries) != 1 || entries[0].ID != "00m1" || entries[0].Label != "Q3 flights" {
		t.Errorf("ledger: %+v", entries)
	}
}

// empty fails if anything is remembered of the origin.
func empty(t *testing.T, s *Store, origin string) {
	t.Helper()
	ctx := t.Context()
	projects, err := s.Of(origin).Cache.Projects(ctx)
	must(t, err)
	prices, err := s.Of(origin).History.Prices(ctx, bale, time.Time{})
	must(t, err)
	trends, err := s.Of(origin).History.Trends(ctx, noon, noon.Add(time.Hour), 8)
	must(t, err)
	alerts, err := s.Of(origin).Alerts.Rules(ctx)
	must(t, err)
	watched, err := s.Of(origin).Alerts.Watched(ctx)
	must(t, err)
	entries, err := s.Of(origin).Ledger.Entries(ctx)
	must(t, err)
	if n := len(projects) + len(prices) + len(trends) + len(alerts) + len(watched) + len(entries); n != 0 {
		t.Errorf("%d things are remembered of %s", n, origin)
	}
}

func rule(t *testing.T, text string) alert.Rule {
	t.Helper()
	r, err := alert.ParseRule(text)
	must(t, err)
	return r
}

func TestWhatIsRememberedOutlivesTheRun(t *testing.T) {
	t.Parallel()
	s, path := fresh(t)
	fill(t, s, production)
	must(t, s.Close())
	again := opened(t, path)
	filled(t, again, production)
	if err := again.Problem(); err != nil {
		t.Error(err)
	}
}

func TestServicesAreKeptApart(t *testing.T) {
	t.Parallel()
	s, _ := fresh(t)
	fill(t, s, demo)
	empty(t, s, production)
	fill(t, s, production)
	must(t, s.Of(demo).Alerts.Watch(t.Context(), bale, false))
	must(t, s.Of(demo).Ledger.Remove(t.Context(), "00m1"))
	filled(t, s, production)
}

func TestAStoreWithoutAFileLivesInMemory(t *testing.T) {
	t.Parallel()
	s := opened(t, "")
	fill(t, s, demo)
	filled(t, s, demo)
	if err := s.Problem(); err != nil {
		t.Errorf("that is no problem: %v", err)
	}
}

func TestNoStoreRemembersNothing(t *testing.T) {
	t.Parallel()
	var s *Store
	fill(t, s, demo)
	empty(t, s, demo)
	if s.Problem() != nil || s.Close() != nil {
		t.Error("no store has no problem")
	}
}

func TestTheFileIsMadeWhenItIsFirstUsedAndForItsOwnerAlone(t *testing.T) {
	t.Parallel()
	s, path := fresh(t)
	if _, err := os.Stat(filepath.Dir(path)); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("before the first use: %v", err)
	}
	fill(t, s, production)
	for name, want := range map[string]os.FileMode{path: 0o600, path + "-wal": 0o600, filepath.Dir(path): 0o700} {
		info, err := os.Stat(name)
		if must(t, err); info.Mode().Perm() != want {
			t.Errorf("%s has mode %v", name, info.Mode())
		}
	}
}

func TestACancelledCallChangesNothing(t *testing.T) {
	t.Parallel()
	s, _ := fresh(t)
	fill(t, s, production)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Of(production).Ledger.Remember(ctx, noon, "00m2"); !errors.Is(err, context.Canceled) {
		t.Errorf("remember: %v", err)
	}
	if _, err := s.Of(production).Ledger.Entries(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("ledger: %v", err)
	}
	filled(t, s, production)
	if err := s.Problem(); err != nil {
		t.Error(err)
	}
}

func TestAFailureRollsBackAll(t *testing.T) {
	t.Parallel()
	s, _ := fresh(t)
	ctx, cancel := context.WithCancel(t.Context())
	// The facts are asked for between two writes of one transaction.
	must(t, s.Of(production).Alerts.AddRule(ctx, rule(t, "ask <= 6").On(bale)))
	must(t, s.Of(production).Alerts.AddRule(ctx, rule(t, "ask <= 6").On(wind)))
	crossed, err := s.Of(production).Alerts.Check(ctx, noon, func(key model.VintageKey) alert.Facts {
		if key == wind {
			cancel()
		}
		return alert.Facts{BestAsk: 500}
	})
	if !errors.Is(err, context.Canceled) || crossed != nil {
		t.Fatalf("%v, %v", crossed, err)
	}
	if holding, err := s.Of(production).Alerts.Holding(t.Context()); err != nil || len(holding) != 0 {
		t.Errorf("%v was kept, %v", holding, err)
	}
}

func TestProjectsAreReplacedByNewerDetails(t *testing.T) {
	t.Parallel()
	s, _ := fresh(t)
	ctx := t.Context()
	full := model.Project{
		ID: "003a", Name: "Bale Mountains", Type: "REDD+", Country: "ET", RegistryURL: "https://registry.example/1340",
		RegistryName: "VERRA", SDGs: []string{"Climate action"}, Description: "A forest.",
		Vintages: []model.ProjectVintage{{ID: "004a", Year: 2019}}, Extra: []model.Field{{Name: "rating", Value: "A"}},
	}
	must(t, s.Of(production).Cache.PutProjects(ctx, []model.Project{{ID: "003a", Name: "old"}, {ID: "003b"}}, noon))
	must(t, s.Of(production).Cache.PutProjects(ctx, []model.Project{full}, noon.Add(time.Hour)))
	must(t, s.Of(production).Cache.PutProjects(ctx, []model.Project{{ID: "003a", Name: "late"}}, noon))
	projects, err := s.Of(production).Cache.Projects(ctx)
	must(t, err)
	if want := (model.Projects{"003a": full, "003b": {ID: "003b"}}); !reflect.DeepEqual(projects, want) {
		t.Errorf("%+v", projects)
	}
	stale, err := s.Of(production).Cache.StaleProjects(ctx, noon.Add(time.Minute))
	if must(t, err); !reflect.DeepEqual(stale, map[string]bool{"003b": true}) {
		t.Errorf("stale: %v", stale)
	}
}

func TestOneStoreServesManyGoroutines(t *testing.T) {
	t.Parallel()
	s, _ := fresh(t)
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			for range 10 {
				if err := s.Of(production).Ledger.Remember(t.Context(), noon, string(rune('a'+n))); err != nil {
					t.Error(err)
				}
				if _, err := s.Of(production).Ledger.Entries(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if entries, err := s.Of(production).Ledger.Entries(t.Context()); err != nil || len(entries) != 8 {
		t.Errorf("%d entries, %v", len(entries), err)
	}
}
