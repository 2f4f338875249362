package store

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"testing"
	"time"

	"tonne/model"
	"tonne/model/alert"
	"tonne/model/attribute"
	must "tonne/model/musttest"
	"tonne/model/retirement"
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

func minutes(n int) time.Duration { return time.Duration(n) * time.Minute }

// fixture is a store with the data of production. It stops the test at an error.
type fixture struct {
	*testing.T
	*Store
	Origin
	path string
}

// opened returns a store that is closed with the test. Without a path it is in memory.
func opened(t *testing.T, path string) *fixture {
	t.Helper()
	f := &fixture{T: t, path: path}
	f.reopen()
	t.Cleanup(func() { f.ok(f.Close()) })
	return f
}

func fresh(t *testing.T) *fixture {
	t.Helper()
	return opened(t, filepath.Join(t.TempDir(), "state", "tonne.db"))
}

// reopen closes the file, and opens it as another run of the program does.
func (f *fixture) reopen() {
	f.Helper()
	if f.Store != nil {
		f.ok(f.Close())
	}
	f.Store = Open(f.path)
	f.Origin = f.Of(production)
}

func (f *fixture) ok(errs ...error) {
	f.Helper()
	must.Succeed(f, errors.Join(errs...))
}

// fail lets the file fail, so that the store continues in memory.
func (f *fixture) fail() {
	f.turn <- struct{}{}
	f.ok(f.continueInMemory(errors.New("the disk is full")))
	<-f.turn
}

func rule(text string) alert.Rule { return must.Get(alert.ParseRule(text)) }

func fill(t *testing.T, o Origin) {
	t.Helper()
	ctx := t.Context()
	if err := errors.Join(
		o.Cache.PutProjects(ctx, []model.Project{{ID: "003a", Name: "Bale Mountains"}}, noon),
		o.History.Observe(ctx, []Observation{{bale, noon, 620, 5e6}}),
		o.Alerts.AddRule(ctx, rule("ask <= 6").On(bale)),
		o.Ledger.Remember(ctx, noon, "00m1"),
		o.Ledger.SetLabel(ctx, "00m1", "Q3 flights", noon),
	); err != nil {
		t.Fatal(err)
	}
}

type contents struct {
	projects model.Projects
	prices   []Observation
	rules    []alert.Rule
	watched  map[model.VintageKey]bool
	entries  []LedgerEntry
}

func contentsOf(t *testing.T, o Origin) (c contents) {
	ctx := t.Context()
	c.projects, c.prices = must.Get(o.Cache.Projects(ctx)), must.Get(o.History.Prices(ctx, bale, time.Time{}))
	c.rules, c.watched, c.entries = must.Get(o.Alerts.Rules(ctx)), must.Get(o.Alerts.Watched(ctx)), must.Get(o.Ledger.Entries(ctx))
	for i := range c.prices {
		c.prices[i].At = c.prices[i].At.UTC()
	}
	for i, e := range c.entries {
		c.entries[i] = LedgerEntry{ID: e.ID, Label: e.Label, FirstSeen: e.FirstSeen.UTC()}
	}
	return c
}

// filled fails unless exactly what fill saved is there.
func filled(t *testing.T, o Origin) {
	t.Helper()
	want := contents{
		model.Projects{"003a": {ID: "003a", Name: "Bale Mountains"}}, []Observation{{bale, noon, 620, 5e6}},
		[]alert.Rule{rule("ask <= 6").On(bale)}, map[model.VintageKey]bool{bale: true},
		[]LedgerEntry{{ID: "00m1", Label: "Q3 flights", FirstSeen: noon}},
	}
	must.Equal(t, contentsOf(t, o), want)
}

func empty(t *testing.T, o Origin) {
	t.Helper()
	c := contentsOf(t, o)
	trends := must.Get(o.History.Trends(t.Context(), noon, noon.Add(time.Hour), 8))
	must.Equal(t, len(c.projects)+len(c.prices)+len(c.rules)+len(c.watched)+len(c.entries)+len(trends), 0, c, trends)
}

func TestServicesAreSeparateAndOutliveTheRun(t *testing.T) {
	f := fresh(t)
	fill(t, f.Of(demo))
	empty(t, f.Origin)
	fill(t, f.Origin)
	f.ok(f.Of(demo).Alerts.Watch(t.Context(), bale, false), f.Of(demo).Ledger.Remove(t.Context(), "00m1"))
	f.reopen()
	filled(t, f.Origin)
	f.ok(f.Problem())
}

func TestStoreWithoutFile(t *testing.T) {
	t.Run("in memory", func(t *testing.T) {
		f := opened(t, "")
		fill(t, f.Origin)
		filled(t, f.Origin)
		f.ok(f.Problem())
	})
	t.Run("nil", func(t *testing.T) {
		var s *Store
		fill(t, s.Of(demo))
		empty(t, s.Of(demo))
		must.Hold(t, s.Problem() == nil && s.Lost() == nil && s.Close() == nil, "no store has a problem")
	})
}

func TestFileIsCreatedAtFirstUseForItsOwnerAlone(t *testing.T) {
	f := fresh(t)
	_, err := os.Stat(filepath.Dir(f.path))
	must.Need(t, errors.Is(err, os.ErrNotExist), "before the first use", err)
	fill(t, f.Origin)
	for name, want := range map[string]os.FileMode{f.path: 0o600, f.path + "-wal": 0o600, filepath.Dir(f.path): 0o700} {
		must.Equal(t, must.Get(os.Stat(name)).Mode().Perm(), want, name)
	}
}

func TestCancelledCallChangesNothing(t *testing.T) {
	f := fresh(t)
	fill(t, f.Origin)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := f.Ledger.Entries(ctx)
	err2 := f.Ledger.Remember(ctx, noon, "00m2")
	must.Hold(t, errors.Is(err, context.Canceled) && errors.Is(err2, context.Canceled), err, err2)
	filled(t, f.Origin)
	f.ok(f.Problem())
}

func TestFailureRollsBackAll(t *testing.T) {
	f := fresh(t)
	ctx, cancel := context.WithCancel(t.Context())
	f.ok(f.Alerts.AddRule(ctx, rule("ask <= 6").On(bale)), f.Alerts.AddRule(ctx, rule("ask <= 6").On(wind)))
	// The facts are requested between two writes of one transaction.
	fired, err := f.Alerts.Check(ctx, noon, func(key model.VintageKey) alert.Facts {
		if key == wind {
			cancel()
		}
		return alert.Facts{BestAsk: 500}
	})
	must.Need(t, errors.Is(err, context.Canceled) && fired == nil, fired, err)
	must.Equal(t, len(must.Get(f.Alerts.Holding(t.Context()))), 0)
}

// After an error in a transaction, SQLite may have ended it: another statement would be
// committed alone.
func TestNothingIsExecutedAfterAnError(t *testing.T) {
	f := fresh(t)
	f.remember(noon, "before")
	err := f.Ledger.write(t.Context(), func(s *tx) {
		s.run(`INSERT INTO nowhere VALUES (?)`)
		f.ok(execute(s.conn, "ROLLBACK", nil))
		s.run(`INSERT INTO retirement (origin, id, first_seen) VALUES (?, 'x', 1)`)
	})
	ids := f.ids()
	must.Hold(t, err != nil && len(ids) == 1, err, ids)
}

func TestOneStoreServesManyGoroutines(t *testing.T) {
	f := fresh(t)
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			for range 10 {
				_, err := f.Ledger.Entries(t.Context())
				must.Fail(t, errors.Join(err, f.Ledger.Remember(t.Context(), noon, string(rune('a'+n)))), nil)
			}
		})
	}
	all.Wait()
	must.Equal(t, len(must.Get(f.Ledger.Entries(t.Context()))), 8)
}

func TestProjectsAreReplacedByNewerDetails(t *testing.T) {
	f := fresh(t)
	full := model.Project{
		ID: "003a", Name: "Bale Mountains", Type: "REDD+", Country: "ET", RegistryURL: "https://registry.example/1340",
		RegistryName: "VERRA", SDGs: []string{"Climate action"}, Description: "A forest.",
		Vintages: []model.ProjectVintage{{ID: "004a", Year: 2019}}, Extra: []model.Field{{Name: "rating", Value: "A"}},
	}
	put := func(at time.Time, projects ...model.Project) { f.ok(f.Cache.PutProjects(t.Context(), projects, at)) }
	put(noon, model.Project{ID: "003a", Name: "old"}, model.Project{ID: "003b"})
	put(noon.Add(time.Hour), full)
	put(noon, model.Project{ID: "003a", Name: "late"})
	must.Equal(t, must.Get(f.Cache.Projects(t.Context())), model.Projects{"003a": full, "003b": {ID: "003b"}})
	must.Equal(t, must.Get(f.Cache.StaleProjects(t.Context(), noon.Add(time.Minute))), map[string]bool{"003b": true}, "stale")
}

func TestSnapshotIsOfOneAccountAndOneKey(t *testing.T) {
	f, at := fresh(t), noon.Add(123*time.Millisecond)
	put := func(mark string, at time.Time, body []byte) {
		f.ok(f.Cache.PutSnapshot(t.Context(), "market", mark, at, body))
	}
	is := func(account, name, mark, want string) {
		t.Helper()
		body, when, err := f.Of(account).Cache.Snapshot(t.Context(), name, mark)
		if err != nil || string(body) != want || want != "" && !when.Equal(at) {
			t.Errorf("%s %s %s: %q of %v (%v)", account, name, mark, body, when, err)
		}
	}
	put("k1", at.Add(-time.Hour), []byte("old"))
	put("k1", at, []byte("new"))
	f.reopen()
	is(production, "market", "k1", "new")
	is(production, "market", "k2", "")
	is(production, "inventory", "k1", "")
	is(demo, "market", "k1", "")
	put("k2", at, make([]byte, maxSnapshot+1)) // too large
	is(production, "market", "k1", "new")
	put("k2", at, bytes.Repeat([]byte("a"), 1<<20))
	is(production, "market", "k1", "")
	f.ok(execute(f.conn, "UPDATE snapshot SET body = substr(body, 1, length(body) / 2)", nil))
	if _, _, err := f.Cache.Snapshot(t.Context(), "market", "k2"); err == nil || f.Problem() != nil {
		t.Errorf("a damaged snapshot: %v, %v", err, f.Problem())
	}
}

func TestChoicesOfEachService(t *testing.T) {
	f := fresh(t)
	for _, c := range [][2]string{{"market.desk", "on"}, {"market.desk", "off"}, {"other", "1"}, {"deleted", "1"}, {"deleted", ""}, {"none", ""}} {
		f.ok(f.Cache.SetChoice(t.Context(), c[0], c[1]))
	}
	f.reopen()
	choices, others := must.Get(f.Cache.Choices(t.Context())), must.Get(f.Of(demo).Cache.Choices(t.Context()))
	if !maps.Equal(choices, map[string]string{"market.desk": "off", "other": "1"}) || len(others) > 0 {
		t.Errorf("%v, of another service %v", choices, others)
	}
}

var labelled = attribute.Fact{
	Scope: attribute.OfVintage, ID: "004a", Attribute: attribute.CCP, Value: attribute.Labelled, Source: "https://icvcm.org/a", Checked: noon.Truncate(24 * time.Hour),
}

func TestFactsAreReplacedAndDeleted(t *testing.T) {
	f := fresh(t)
	serial, newer := labelled, labelled
	serial.Scope, serial.ID, serial.Value = attribute.OfSerial, "ART-GY-102-2019-3-1 to 10", attribute.NotLabelled
	newer.Source = "https://icvcm.org/b"
	put := func(o Origin, facts ...attribute.Fact) { f.ok(o.Annotations.PutFacts(t.Context(), facts)) }
	put(f.Origin, labelled, serial)
	put(f.Of(demo), labelled)
	put(f.Origin, newer)
	f.reopen()
	must.Equal(t, must.Get(f.Annotations.Facts(t.Context())), []attribute.Fact{serial, newer})
	serial.Value = ""
	put(f.Origin, serial)
	must.Equal(t, must.Get(f.Annotations.Facts(t.Context())), []attribute.Fact{newer})
}

func TestObservationsOfRegistriesNeverChange(t *testing.T) {
	f := fresh(t)
	seen := retirement.Observation{Subject: "00m1", At: noon, Who: "Ann", URL: "https://registry.example/1340", Page: "page.html", PageSHA256: "9f2c"}
	again, later := seen, seen
	again.URL, later.At = "https://elsewhere.example", noon.Add(time.Hour)
	for _, one := range []retirement.Observation{later, seen, again} {
		f.ok(f.Annotations.AddObservation(t.Context(), one))
	}
	all, others := must.Get(f.Annotations.Observations(t.Context())), must.Get(f.Of(demo).Annotations.Observations(t.Context()))
	must.Hold(t, reflect.DeepEqual(all, []retirement.Observation{seen, later}) && others == nil, all, others)
}
