package audit

import (
	"strconv"
	"strings"
	"testing"

	"tonne/model/modeltest"
	"tonne/model/retirement"
)

func TestSharedSerialsFailBothRequests(t *testing.T) {
	t.Parallel()
	var requests []*retirement.Request
	for id, text := range []string{"ART-GY-102-2019-3-1 to 10", "ART-GY-102-2019-3-5000 to 6000", "ART-GY-102-2019-3-4 to 7"} {
		requests = append(requests, &retirement.Request{ID: strconv.Itoa(id), SerialNumbers: []string{text}})
	}
	checks := RetiredOnce(append(requests, nil, &retirement.Request{ID: "3"}))
	for i, want := range []string{"ART 4 to 7 also retired by 2", "no other request of the ledger has them", "ART 4 to 7 also retired by 0"} {
		if got := checks[i]; got.Detail != want || (got.Result == retirement.Fail) != (i != 1) {
			t.Errorf("%d: %+v", i, got)
		}
	}
	if got := checks[4]; got.Result != retirement.NotCheckable {
		t.Errorf("without serial numbers: %+v", got)
	}
}

func TestPossiblySharedSerialsDoNotPass(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		one, other string
		want       retirement.Result
		detail     string
	}{
		{"FOO-BAR-1", "FOO-BAR-1", retirement.Fail, "the same text FOO-BAR-1 also in r2"},
		{strings.ToLower(modeltest.Verra), strings.ToLower(modeltest.Verra), retirement.Fail, "the same text 19334-"},
		{"FOO-BAR-1", "FOO-BAR-2", retirement.NotCheckable, "in an unknown format"},
		{"pending", "pending", retirement.NotCheckable, "in an unknown format"},
		{modeltest.Verra, modeltest.Verra, retirement.Fail, "Verra 940,082,955 to 940,097,954 also retired by r2"},
		{modeltest.Verra, modeltest.Verra[:len(modeltest.Verra)-1] + "0", retirement.NotCheckable, "Verra 940,082,955 to 940,097,954 also in r2, with another batch, programme or flag"},
		{modeltest.Verra, strings.Replace(modeltest.Verra, "19334-", "19335-", 1), retirement.NotCheckable, "also in r2"},
		{modeltest.Verra, strings.Replace(modeltest.Verra, "-VER-", "-VMR-", 1), retirement.NotCheckable, "also in r2"},
		{modeltest.Verra, strings.Replace(modeltest.Verra, "-4268-", "-4269-", 1), retirement.Pass, ""},
		{modeltest.Verra, strings.Replace(modeltest.Verra, "01062024", "01062023", 1), retirement.Pass, ""},
		{modeltest.Verra, "19335-940097955-940097959-VCS-VCU-576-VER-US-14-4268-01062024-31122024-0", retirement.Pass, ""},
	} {
		requests := []retirement.Request{
			modeltest.RetirementOf("r1", "p", "v", "2026-02-01", c.one, "Ann", 1e6), modeltest.RetirementOf("r2", "p", "v", "2026-02-01", c.other, "Ann", 1e6),
		}
		got := RetiredOnce([]*retirement.Request{&requests[0], &requests[1]})[0]
		if got.Result != c.want || !strings.Contains(got.Detail, c.detail) {
			t.Errorf("%s and %s: %+v", c.one, c.other, got)
		}
	}
}
