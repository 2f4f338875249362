package statement_test

import (
	"strings"
	"testing"

	"tonne/model/modeltest"
	"tonne/model/statement"
)

func TestAStatementTellsOfATextThatStandsInTwoRequests(t *testing.T) {
	t.Parallel()
	source := modeltest.YearOfTwo()
	source.Requests = append(source.Requests, modeltest.RetirementOf("r8", "wind", "w20", "2026-02-11", "FOO-BAR-1", "Ann", 1e6), modeltest.RetirementOf("r9", "wind", "w20", "2026-02-11", "FOO-BAR-1", "Ann", 1e6))
	s, err := statement.New(source)
	if err != nil || !strings.Contains(strings.Join(s.Notes, "\n"), "Credits counted as retired are claimed by more than one request: the same text FOO-BAR-1 by r8 and r9.") {
		t.Error(s.Notes, err)
	}
}
