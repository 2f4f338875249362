package store

import (
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"

	"tonne/model/attribute"
	"tonne/model/retirement"
)

var (
	labelled = attribute.Fact{
		Scope: attribute.OfVintage, ID: "004a", Attribute: attribute.CCP, Value: attribute.Labelled, Source: "https://icvcm.org/a", Checked: noon.Truncate(24 * time.Hour),
	}
	seen = retirement.Observation{
		Subject: "00m1", At: noon, Who: "Ann", URL: "https://registry.verra.org/app/projectDetail/VCS/1340", Page: "page.html", PageSHA256: "9f2c",
	}
)

func TestFactsAreKeptReplacedAndTakenBack(t *testing.T) {
	t.Parallel()
	s, path := fresh(t)
	serial := labelled
	serial.Scope, serial.ID, serial.Value = attribute.OfSerial, "ART-GY-102-2019-3-1 to 10", attribute.NotLabelled
	must(t, s.Of(production).Annotations.PutFacts(t.Context(), []attribute.Fact{labelled, serial}))
	must(t, s.Of(demo).Annotations.PutFacts(t.Context(), []attribute.Fact{labelled}))
	newer := labelled
	newer.Source = "https://icvcm.org/b"
	must(t, s.Of(production).Annotations.PutFacts(t.Context(), []attribute.Fact{newer}))
	must(t, s.Close())
	s = opened(t, path)
	got, err := s.Of(production).Annotations.Facts(t.Context())
	if must(t, err); !reflect.DeepEqual(got, []attribute.Fact{serial, newer}) {
		t.Errorf("got %+v", got)
	}
	serial.Value = ""
	must(t, s.Of(production).Annotations.PutFacts(t.Context(), []attribute.Fact{serial}))
	if got, _ = s.Of(production).Annotations.Facts(t.Context()); !reflect.DeepEqual(got, []attribute.Fact{newer}) {
		t.Errorf("got %+v", got)
	}
}

func TestSightingsStayAsTheyWereRecorded(t *testing.T) {
	t.Parallel()
	s, _ := fresh(t)
	again := seen
	again.URL = "https://elsewhere.example"
	later := seen
	later.At = noon.Add(time.Hour)
	for _, one := range []retirement.Observation{later, seen, again} {
		must(t, s.Of(production).Annotations.AddObservation(t.Context(), one))
	}
	got, err := s.Of(production).Annotations.Observations(t.Context())
	if must(t, err); !reflect.DeepEqual(got, []retirement.Observation{seen, later}) {
		t.Errorf("got %+v", got)
	}
	if got, _ := s.Of(demo).Annotations.Observations(t.Context()); got != nil {
		t.Errorf("another service has %+v", got)
	}
}

func TestAStoreOfBeforeFactsIsOpenedWithAllThatIsInIt(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tonne.db")
	s := opened(t, path)
	fill(t, s, production)
	must(t, s.Close())
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	must(t, err)
	for _, query := range []string{"INSERT INTO rule SELECT origin, project_id, vintage_id, rule, 0 FROM alert_rule", "DROP TABLE alert_look", "DROP TABLE alert_rule", "DROP TABLE fact", "DROP TABLE sighting", "DROP TABLE choice", "DROP TABLE retirement_looked", "DROP TABLE looked", "DROP TABLE gap", "DROP TABLE fired_since", "DROP TABLE retirement_removed", "DROP TABLE snapshot", "DROP TABLE retirement_reference", "PRAGMA user_version = 2"} {
		must(t, run(conn, query))
	}
	must(t, conn.Close())
	s = opened(t, path)
	filled(t, s, production)
	must(t, s.Of(production).Annotations.PutFacts(t.Context(), []attribute.Fact{labelled}))
	if got, err := s.Of(production).Annotations.Facts(t.Context()); err != nil || len(got) != 1 || s.Problem() != nil {
		t.Errorf("%+v (%v, %v)", got, err, s.Problem())
	}
}
