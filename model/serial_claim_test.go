package model_test

import (
	"strings"
	"testing"

	"tonne/model"
)

func TestCreditsThatMayBeTheSameDoNotPassAsRetiredOnce(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		one, other string
		want       model.Result
		detail     string
	}{
		{"FOO-BAR-1", "FOO-BAR-1", model.Fail, "the same text FOO-BAR-1 stands in r2"},
		{strings.ToLower(verra), strings.ToLower(verra), model.Fail, "the same text 19334-"},
		{"FOO-BAR-1", "FOO-BAR-2", model.NotCheckable, "in an unknown format"},
		{"pending", "pending", model.NotCheckable, "in an unknown format"},
		{verra, verra, model.Fail, "Verra 940,082,955 to 940,097,954 also retired by r2"},
		{verra, verra[:len(verra)-1] + "0", model.NotCheckable, "Verra 940,082,955 to 940,097,954 also stand in r2, with another batch, programme or flag"},
		{verra, strings.Replace(verra, "19334-", "19335-", 1), model.NotCheckable, "also stand in r2"},
		{verra, strings.Replace(verra, "-VER-", "-VMR-", 1), model.NotCheckable, "also stand in r2"},
		{verra, strings.Replace(verra, "-4268-", "-4269-", 1), model.Pass, ""},
		{verra, strings.Replace(verra, "01062024", "01062023", 1), model.Pass, ""},
		{verra, "19335-940097955-940097959-VCS-VCU-576-VER-US-14-4268-01062024-31122024-0", model.Pass, ""},
	} {
		requests := []model.Retirement{
			retirementOf("r1", "p", "v", "2026-02-01", c.one, "Ann", 1e6), retirementOf("r2", "p", "v", "2026-02-01", c.other, "Ann", 1e6),
		}
		serials := append(requests[0].Claims(0), requests[1].Claims(1)...)
		overlaps := append(model.RetiredTwice(serials), model.MaybeRetiredTwice(serials)...)
		got := model.CheckRetiredOnce(requests[0], overlaps, func(owner int) string { return requests[owner].ID })
		if got.Result != c.want || !strings.Contains(got.Detail, c.detail) {
			t.Errorf("%s and %s: %+v", c.one, c.other, got)
		}
	}
}

func TestAStatementTellsOfATextThatStandsInTwoRequests(t *testing.T) {
	t.Parallel()
	source := yearOfTwo()
	source.Requests = append(source.Requests, retirementOf("r8", "wind", "w20", "2026-02-11", "FOO-BAR-1", "Ann", 1e6), retirementOf("r9", "wind", "w20", "2026-02-11", "FOO-BAR-1", "Ann", 1e6))
	s, err := model.NewStatement(source)
	if err != nil || !strings.Contains(strings.Join(s.Notes, "\n"), "Credits counted as retired are claimed by more than one request: the same text FOO-BAR-1 by r8 and r9.") {
		t.Error(s.Notes, err)
	}
}
