package store

import (
	"errors"
	"fmt"
	"testing"

	"tonne/model"
)

// firstStep is a file as the first version of this program left it, with
// something of each kind.
func firstStep() string {
	return fmt.Sprintf(`%s;
		PRAGMA application_id = %d; PRAGMA user_version = 1;
		INSERT INTO origin VALUES (1, '%s');
		INSERT INTO project VALUES (1, '003a', %[4]d, '{"ID":"003a","Name":"Bale Mountains"}');
		INSERT INTO vintage VALUES (1, 1, '003a', '004a', %[4]d, 620, 5000000, %[4]d);
		INSERT INTO observation VALUES (1, %[4]d, 620, 5000000);
		INSERT INTO watch VALUES (1, '003a', '004a');
		INSERT INTO rule VALUES (1, '003a', '004a', 'best ask ≤ $6.00', 0);
		INSERT INTO retirement (origin, id, first_seen, label, label_at, status, answer, answered_at)
			VALUES (1, '00m1', %[4]d, 'Q3 flights', %[4]d, 'CLOSED', '{"ID":"00m1","Status":"CLOSED"}', %[4]d);`,
		kind().Migrations[0], applicationID, production, noon.UnixMilli())
}

func TestAFileOfTheStepBeforeIsBroughtToThisOne(t *testing.T) {
	t.Parallel()
	_, path := fresh(t)
	execute(t, path, firstStep())
	s := opened(t, path)
	projects, err := s.Projects(t.Context(), production)
	if must(t, err); projects.Name("003a") != "Bale Mountains" || s.Problem() != nil {
		t.Fatalf("%v, %v", projects, s.Problem())
	}
	asks, _, err := s.AsksAt(t.Context(), production, noon)
	if must(t, err); asks[bale] != 620 {
		t.Errorf("%v", asks)
	}
	crossed := holdAgainst(t, s, noon, 590)
	if len(crossed) != 1 || crossed[0].Already || crossed[0].Was.BestAsk.Known() {
		t.Errorf("a rule that was there before is taken for a new one: %+v", crossed)
	}
	must(t, s.AddRequestRule(t.Context(), production, RequestAlert{"00m1", model.RequestRule{Status: model.Closed}}))
	requests, err := s.CrossedRequests(t.Context(), production, noon)
	if must(t, err); len(requests) != 1 || requests[0].Request != "00m1" {
		t.Errorf("%+v", requests)
	}
	entries, err := s.Ledger(t.Context(), production)
	if must(t, err); len(entries) != 1 || entries[0].Label != "Q3 flights" || entries[0].Looked != model.Closed {
		t.Errorf("%+v", entries)
	}
	must(t, s.Close())
	if again := opened(t, path); len(history(t, again)) != 2 || again.Problem() != nil {
		t.Errorf("%+v, %v", history(t, again), again.Problem())
	}
}

// A file of the first step that cannot be written cannot be brought to this
// one: what it holds is read all the same.
func TestAFileOfTheStepBeforeThatCannotBeWrittenIsReadIntoMemory(t *testing.T) {
	t.Parallel()
	_, path := fresh(t)
	execute(t, path, firstStep())
	s := &Store{path: path, turn: make(chan struct{}, 1)}
	t.Cleanup(func() { _ = s.Close() })
	must(t, s.goOnInMemory(errors.New("the disk is full")))
	alerts, err := s.Alerts(t.Context(), production)
	if must(t, err); len(alerts) != 1 {
		t.Errorf("%+v", alerts)
	}
	entries, err := s.Ledger(t.Context(), production)
	if must(t, err); len(entries) != 1 || entries[0].Label != "Q3 flights" {
		t.Errorf("%+v", entries)
	}
}

func TestWhatIsNewOutlivesAFileThatFails(t *testing.T) {
	t.Parallel()
	s, _ := fresh(t)
	must(t, s.AddRule(t.Context(), production, bale, rule(t, "price < 6")))
	holdAgainst(t, s, noon, 590)
	must(t, s.KeepValues(t.Context(), production, ValuePoint{noon, model.BookValue{Held: 5, Value: 7}}))
	must(t, s.AddRequestRule(t.Context(), production, RequestAlert{}))
	s.turn <- struct{}{}
	must(t, s.goOnInMemory(errors.New("the disk is full")))
	<-s.turn
	values, err := s.Values(t.Context(), production, noon)
	must(t, err)
	alerts, err := s.RequestAlerts(t.Context(), production)
	if must(t, err); len(history(t, s)) != 1 || len(values) != 1 || len(alerts) != 1 {
		t.Errorf("%+v, %+v, %+v", history(t, s), values, alerts)
	}
	if crossed := holdAgainst(t, s, noon, 590); len(crossed) != 0 {
		t.Errorf("told again: %+v", crossed)
	}
}
