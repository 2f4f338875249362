package store

import (
	"testing"
	"time"

	"zombiezen.com/go/sqlite"

	"tonne/model"
	"tonne/model/attribute"
	must "tonne/model/musttest"
	"tonne/model/retirement"
)

func TestProjectsAreReplacedByNewerDetails(t *testing.T) {
	f, ctx := fresh(t), t.Context()
	put := func(after time.Duration, p model.Project) {
		f.Helper()
		f.ok(f.Cache.PutProjects(ctx, []model.Project{p}, noon.Add(after)))
	}
	newer, other := model.Project{ID: "003a", Name: "Bale", SDGs: []string{"Climate"}},
		model.Project{ID: "003b", Name: "B"}
	put(0, model.Project{ID: "003a", Name: "old"})
	put(0, other)
	put(time.Hour, newer)
	put(0, model.Project{ID: "003a", Name: "late"})
	must.Equal(t, must.Get(f.Cache.Projects(ctx)), model.Projects{"003a": newer, "003b": other})
	must.Equal(t, must.Get(f.Cache.StaleProjects(ctx, noon.Add(time.Minute))), map[string]bool{"003b": true})
}

func TestSnapshotIsOfOneAccountAndOneKey(t *testing.T) {
	f, ctx := fresh(t), t.Context()
	f.ok(f.Cache.PutSnapshot(ctx, "market", "k1", noon.Add(-time.Hour), []byte("old")),
		f.Cache.PutSnapshot(ctx, "market", "k1", noon.Add(123*time.Millisecond), []byte("new")))
	f.reopen()
	expect := func(o Origin, kind, key, body string, at time.Time) {
		t.Helper()
		got, of, err := o.Cache.Snapshot(ctx, kind, key)
		f.ok(err)
		must.Hold(t, string(got) == body && of.Equal(at), kind, key, string(got), of)
	}
	expect(f.Origin, "market", "k1", "new", noon.Add(123*time.Millisecond))
	expect(f.Origin, "market", "k2", "", time.Time{})
	expect(f.Origin, "inventory", "k1", "", time.Time{})
	expect(f.Of(demo), "market", "k1", "", time.Time{})
	f.ok(f.Cache.PutSnapshot(ctx, "market", "k2", noon.Add(time.Minute), []byte("newer")))
	expect(f.Origin, "market", "k1", "", time.Time{})
	expect(f.Origin, "market", "k2", "newer", noon.Add(time.Minute))
}

func TestChoicesOfEachService(t *testing.T) {
	f, ctx := fresh(t), t.Context()
	for _, c := range []struct{ name, value string }{
		{"market.desk", "on"}, {"market.desk", "off"}, {"other", "1"}, {"deleted", "1"}, {"deleted", ""}, {"none", ""},
	} {
		f.ok(f.Cache.SetChoice(ctx, c.name, c.value))
	}
	f.reopen()
	must.Equal(t, must.Get(f.Cache.Choices(ctx)), map[string]string{"market.desk": "off", "other": "1"})
	must.Equal(t, must.Get(f.Of(demo).Cache.Choices(ctx)), nil)
}

func TestFactsAreReplacedAndDeleted(t *testing.T) {
	f, ctx := fresh(t), t.Context()
	serial, replaced := labelled, labelled
	serial.Scope, serial.ID, serial.Value = attribute.OfSerial, "ART-GY-102-2019-3-1..10", attribute.NotLabelled
	replaced.Source = "https://icvcm.org/b"
	put := func(o Origin, fact attribute.Fact) {
		t.Helper()
		f.ok(o.Annotations.PutFacts(ctx, []attribute.Fact{fact}))
	}
	put(f.Origin, labelled)
	put(f.Origin, serial)
	put(f.Of(demo), labelled)
	put(f.Origin, replaced)
	f.reopen()
	must.Equal(t, f.facts(), []string{show(serial), show(replaced)})
	deleted := serial
	deleted.Value = ""
	put(f.Origin, deleted)
	must.Equal(t, f.facts(), []string{show(replaced)})
}

func (f *fixture) facts() []string { return each(must.Get(f.Annotations.Facts(f.Context())), show) }

func TestEarlierReasonsAreKeptAndEqualOnesAreNot(t *testing.T) {
	f, ctx := fresh(t), t.Context()
	bought, other := NewBought(bale, noon), NewBought(bale, noon.Add(time.Millisecond))
	for n, text := range []string{"first", "first", "second", "second", "first"} {
		f.ok(f.Annotations.AddReason(ctx, bought, text, noon.Add(minutes(n))))
	}
	f.ok(f.Annotations.AddReason(ctx, other, "first", noon), f.Of(demo).Annotations.AddReason(ctx, bought, "first", noon))
	must.Equal(t, must.Get(f.Annotations.Reasons(ctx)), map[Bought]string{bought: "first", other: "first"})
	var kept []string
	f.ok(f.Annotations.read(ctx, func(tx *tx) {
		tx.each("SELECT reason FROM purchase_reason WHERE origin = ?1 AND bought_at = ?2 ORDER BY id",
			func(stmt *sqlite.Stmt) { kept = append(kept, stmt.ColumnText(0)) }, bought.At)
	}))
	must.Equal(t, kept, []string{"first", "second", "first"})
}

func TestObservationsOfRegistriesNeverChange(t *testing.T) {
	f, ctx := fresh(t), t.Context()
	page := retirement.Observation{Subject: "00m1", At: noon, Who: "Ann", URL: "https://registry.example/1340"}
	later, changed := page, page
	later.At, changed.URL = noon.Add(time.Hour), "https://elsewhere.example"
	for _, observation := range []retirement.Observation{later, page, changed} {
		f.ok(f.Annotations.AddObservation(ctx, observation))
	}
	must.Equal(t, each(must.Get(f.Annotations.Observations(ctx)), show), []string{show(page), show(later)})
	must.Equal(t, must.Get(f.Of(demo).Annotations.Observations(ctx)), nil)
}
