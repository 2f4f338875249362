package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tonne/model"
	"tonne/model/alert"
	"tonne/model/attribute"
	"tonne/model/file/dbfile"
	must "tonne/model/musttest"
	"tonne/model/portfolio"
	"tonne/model/retirement"
	"tonne/model/texttest"
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
	must.Succeed(f, errs...)
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
	must.Succeed(t,
		o.Cache.PutProjects(ctx, []model.Project{{ID: "003a", Name: "Bale Mountains"}}, noon),
		o.History.Observe(ctx, []Observation{{bale, noon, 620, 5e6}}),
		o.Alerts.AddRule(ctx, rule("ask <= 6").On(bale)),
		o.Ledger.Remember(ctx, noon, "00m1"),
		o.Ledger.SetLabel(ctx, "00m1", "Q3 flights", noon),
	)
}

// contents returns all that fill saves.
func contents(t *testing.T, o Origin) []string {
	t.Helper()
	ctx := t.Context()
	return slices.Concat(
		shown(must.Get(o.Cache.Projects(ctx))),
		each(must.Get(o.History.Prices(ctx, bale, time.Time{})), show),
		each(must.Get(o.Alerts.Rules(ctx)), ruleText),
		each(slices.Collect(maps.Keys(must.Get(o.Alerts.Watched(ctx)))), show),
		each(must.Get(o.Ledger.Entries(ctx)), show),
		each(slices.Collect(maps.Keys(must.Get(o.History.Trends(ctx, noon, noon.Add(time.Hour), 8)))), show),
	)
}

// filled fails unless exactly what fill saved is there.
func filled(t *testing.T, o Origin) {
	t.Helper()
	must.Equal(t, contents(t, o), []string{
		`003a {ID:003a Name:"Bale Mountains"}`,
		`{Vintage:{ProjectID:003a VintageID:004a} At:2026-02-08T12:00:00Z BestAsk:620 Available:5000000}`,
		`004a best ask ≤ $6.00`,
		`{ProjectID:003a VintageID:004a}`,
		`{ID:00m1 Label:"Q3 flights" FirstSeen:2026-02-08T12:00:00Z}`,
		`{ProjectID:003a VintageID:004a}`,
	})
}

func empty(t *testing.T, o Origin) {
	t.Helper()
	must.Equal(t, contents(t, o), nil)
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
		f.ok(dbfile.Execute(s.conn, "ROLLBACK", nil))
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

func TestSnapshotsThatAreTooLargeOrDamaged(t *testing.T) {
	f := fresh(t)
	put := func(mark string, body []byte) { f.ok(f.Cache.PutSnapshot(t.Context(), "market", mark, noon, body)) }
	read := func(mark string) (string, error) {
		body, _, err := f.Cache.Snapshot(t.Context(), "market", mark)
		return string(body), err
	}
	put("k1", []byte("new"))
	put("k2", make([]byte, maxSnapshot+1))
	must.Equal(t, must.Get(read("k1")), "new")
	put("k2", bytes.Repeat([]byte("a"), 1<<20))
	must.Equal(t, len(must.Get(read("k2"))), 1<<20)
	f.ok(dbfile.Execute(f.conn, "UPDATE snapshot SET body = substr(body, 1, length(body) / 2)", nil))
	_, err := read("k2")
	must.Hold(t, err != nil && f.Problem() == nil, "a damaged snapshot", err, f.Problem())
}

var labelled = attribute.Fact{
	Scope: attribute.OfVintage, ID: "004a", Attribute: attribute.CCP, Value: attribute.Labelled,
	Source: "https://icvcm.org/a", Checked: noon.Truncate(24 * time.Hour),
}

func TestAlertsAreBounded(t *testing.T) {
	f := opened(t, "")
	f.ok(f.Alerts.AddRule(t.Context(), rule("price < 6").On(bale)))
	for n := range 2 * (alertsKept + 5) {
		facts := alert.Facts{BestAsk: 620 - 30*model.PriceCents(n%2)}
		must.Get(f.Alerts.Check(t.Context(), noon, func(model.VintageKey) alert.Facts { return facts }))
	}
	all := must.Get(f.Alerts.After(t.Context(), 0))
	must.Hold(t, len(all) == alertsKept && all[0].ID == alertsKept+5 && all[alertsKept-1].ID == 6, len(all), all[0])
}

func TestEveryFieldIsKept(t *testing.T) {
	f, ctx := fresh(t), t.Context()
	worth := portfolio.BookValue{Held: 9, Valued: 7, Unvalued: 2, Value: 70, Costed: 6, Cost: 50, Compared: 5,
		OverCost: -3}
	page := retirement.Observation{
		Subject: "00m1", At: noon, Who: "Ann", URL: "https://registry.example/1340", Page: "page.html", PageSHA256: "9f2c",
	}
	project := model.Project{
		ID: "003a", Name: "Bale Mountains", Type: "REDD+", Country: "ET", RegistryURL: "https://registry.example/1340",
		RegistryName: "VERRA", SDGs: []string{"Climate action"}, Description: "A forest.",
		Vintages: []model.ProjectVintage{{ID: "004a", Year: 2019}}, Extra: []model.Field{{Name: "rating", Value: "A"}},
	}
	f.ok(f.History.KeepValues(ctx, ValuePoint{noon, worth}), f.Annotations.AddObservation(ctx, page),
		f.Cache.PutProjects(ctx, []model.Project{project}, noon), f.Alerts.AddRule(ctx, rule("price < 6").On(bale)))
	var fired []Alert
	for _, ask := range []model.PriceCents{620, 590} {
		facts := alert.Facts{BestAsk: ask, LastPaid: ask + 1, Available: model.Grams(ask) * 1e6}
		fired = must.Get(f.Alerts.Check(ctx, noon, func(model.VintageKey) alert.Facts { return facts }))
	}
	f.reopen()
	must.Equal(t, must.Get(f.History.Values(ctx, noon))[0].Value, worth)
	must.Equal(t, each(must.Get(f.Annotations.Observations(ctx)), show), []string{show(page)})
	must.Equal(t, must.Get(f.Cache.Projects(ctx)), model.Projects{"003a": project})
	must.Equal(t, each(must.Get(f.Alerts.After(ctx, 0)), show), each(fired, show))
}

func each[T, R any](all []T, what func(T) R) (results []R) {
	for _, one := range all {
		results = append(results, what(one))
	}
	return results
}

func show[T any](value T) string { return texttest.Show(value) }

// shown returns the values of a map in the order of its keys.
func shown[V any](all map[string]V) (lines []string) {
	for _, key := range slices.Sorted(maps.Keys(all)) {
		lines = append(lines, key+" "+show(all[key]))
	}
	return lines
}

func clock(t time.Time) string { return t.UTC().Format("Jan 2 15:04:05.999") }

func prices(all ...model.PriceCents) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(all), "[]"), "-1", "?")
}
