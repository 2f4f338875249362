package model_test

import (
	"strings"
	"testing"

	"tonne/model"
)

func TestAStatementTellsOfATextThatStandsInTwoRequests(t *testing.T) {
	t.Parallel()
	source := yearOfTwo()
	source.Requests = append(source.Requests, retirementOf("r8", "wind", "w20", "2026-02-11", "FOO-BAR-1", "Ann", 1e6), retirementOf("r9", "wind", "w20", "2026-02-11", "FOO-BAR-1", "Ann", 1e6))
	s, err := model.NewStatement(source)
	if err != nil || !strings.Contains(strings.Join(s.Notes, "\n"), "Credits counted as retired are claimed by more than one request: the same text FOO-BAR-1 by r8 and r9.") {
		t.Error(s.Notes, err)
	}
}
