package store

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"tonne/model/alert"
	"tonne/model/portfolio"
	"tonne/model/retirement"
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
	projects, err := s.Of(production).Cache.Projects(t.Context())
	if must(t, err); projects.Name("003a") != "Bale Mountains" || s.Problem() != nil {
		t.Fatalf("%v, %v", projects, s.Problem())
	}
	asks, _, err := s.Of(production).History.AsksAt(t.Context(), noon)
	if must(t, err); asks[bale] != 620 {
		t.Errorf("%v", asks)
	}
	crossed := holdAgainst(t, s, noon, 590)
	if len(crossed) != 1 || crossed[0].Already || crossed[0].Was.BestAsk.Known() {
		t.Errorf("a rule that was there before is taken for a new one: %+v", crossed)
	}
	must(t, s.Of(production).Alerts.AddRule(t.Context(), alert.Rule{Request: "00m1", Measure: alert.State, Status: retirement.Closed}))
	requests, err := s.Of(production).Alerts.Check(t.Context(), noon, nil)
	if must(t, err); len(requests) != 1 || requests[0].Request != "00m1" {
		t.Errorf("%+v", requests)
	}
	entries, err := s.Of(production).Ledger.Entries(t.Context())
	if must(t, err); len(entries) != 1 || entries[0].Label != "Q3 flights" || entries[0].Looked != retirement.Closed {
		t.Errorf("%+v", entries)
	}
	must(t, s.Close())
	if again := opened(t, path); len(history(t, again)) != 2 || again.Problem() != nil {
		t.Errorf("%+v, %v", history(t, again), again.Problem())
	}
}

// rulesOfBefore is a file with separate tables of rules on vintages and on requests, each
// with a rule that was met at its last check.
func rulesOfBefore() string {
	steps := kind().Migrations[:len(kind().Migrations)-2]
	return fmt.Sprintf(`%s;
		PRAGMA application_id = %d; PRAGMA user_version = %d;
		INSERT INTO origin VALUES (1, '%s');
		INSERT INTO watch VALUES (1, '003a', '004a');
		INSERT INTO rule VALUES (1, '003a', '004a', 'best ask ≤ $6.00', 1), (1, '003a', '004a', 'best ask ≤ $5.00', 0);
		INSERT INTO rule_look VALUES (1, '003a', '004a', 'best ask ≤ $6.00', 590, NULL, 5000000), (1, '003a', '004a', 'best ask ≤ $5.00', 590, NULL, 5000000);
		INSERT INTO retirement (origin, id, first_seen, status, answer, answered_at) VALUES (1, '00m1', %[5]d, 'CLOSED', '{"ID":"00m1","Status":"CLOSED"}', %[5]d);
		INSERT INTO retirement_state VALUES (1, '00m1', 'CLOSED', %[5]d);
		INSERT INTO request_rule VALUES (1, '', 'changes state'), (1, '00m1', 'becomes CLOSED');
		INSERT INTO request_look VALUES (1, '', 'changes state', '00m1', 'CLOSED', 0), (1, '00m1', 'becomes CLOSED', '00m1', 'CLOSED', 1);`,
		strings.Join(steps, ";\n"), applicationID, len(steps), production, noon.UnixMilli())
}

func TestRulesInTwoTablesAreTakenOverWithWhatTheyFound(t *testing.T) {
	t.Parallel()
	for _, writable := range []bool{true, false} {
		_, path := fresh(t)
		execute(t, path, rulesOfBefore())
		s := &Store{path: path, turn: make(chan struct{}, 1)}
		t.Cleanup(func() { _ = s.Close() })
		if !writable {
			must(t, s.continueInMemory(errors.New("the disk is full")))
		}
		alerts, err := s.Of(production).Alerts.Rules(t.Context())
		must(t, err)
		var says []string
		for _, a := range alerts {
			says = append(says, a.Vintage.VintageID+a.Request+" "+a.String())
		}
		if got := strings.Join(says, ", "); got != "004a best ask ≤ $5.00, 004a best ask ≤ $6.00,  changes state, 00m1 becomes CLOSED" {
			t.Errorf("writable %t: %s", writable, got)
		}
		if crossed := holdAgainst(t, s, noon, 490); len(crossed) != 1 || crossed[0].Already || crossed[0].Was.BestAsk != 590 {
			t.Errorf("writable %t: %+v", writable, crossed)
		}
		answer(t, s, "00m1", retirement.Complete, noon.Add(minutes(1)))
		requests, err := s.Of(production).Alerts.Check(t.Context(), noon.Add(minutes(2)), nil)
		if must(t, err); len(requests) != 1 || requests[0].Was.Status != retirement.Closed || requests[0].Already {
			t.Errorf("writable %t: %+v", writable, requests)
		}
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
	must(t, s.continueInMemory(errors.New("the disk is full")))
	alerts, err := s.Of(production).Alerts.Rules(t.Context())
	if must(t, err); len(alerts) != 1 {
		t.Errorf("%+v", alerts)
	}
	entries, err := s.Of(production).Ledger.Entries(t.Context())
	if must(t, err); len(entries) != 1 || entries[0].Label != "Q3 flights" {
		t.Errorf("%+v", entries)
	}
}

func TestWhatIsNewOutlivesAFileThatFails(t *testing.T) {
	t.Parallel()
	s, _ := fresh(t)
	must(t, s.Of(production).Alerts.AddRule(t.Context(), rule(t, "price < 6").On(bale)))
	holdAgainst(t, s, noon, 590)
	must(t, s.Of(production).History.KeepValues(t.Context(), ValuePoint{noon, portfolio.BookValue{Held: 5, Value: 7}}))
	must(t, s.Of(production).Alerts.AddRule(t.Context(), alert.Rule{Measure: alert.State}))
	s.turn <- struct{}{}
	must(t, s.continueInMemory(errors.New("the disk is full")))
	<-s.turn
	values, err := s.Of(production).History.Values(t.Context(), noon)
	must(t, err)
	alerts, err := s.Of(production).Alerts.Rules(t.Context())
	if must(t, err); len(history(t, s)) != 1 || len(values) != 1 || len(alerts) != 2 {
		t.Errorf("%+v, %+v, %+v", history(t, s), values, alerts)
	}
	if crossed := holdAgainst(t, s, noon, 590); len(crossed) != 0 {
		t.Errorf("told again: %+v", crossed)
	}
}
