package model_test

import (
	"testing"

	"tonne/model"
)

func TestARequestWhoseCreditsNobodyCanTellIsDoubted(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status  model.RetirementStatus
		serials []string
		want    string
	}{
		{model.Complete, []string{"FOO-BAR-1"}, "1 of 1 serial number in an unknown format"},
		{model.Complete, []string{"ART-GY-102-2019-3-1 to 20", "FOO"}, "1 of 2 serial numbers in an unknown format"},
		{model.Complete, nil, "no serial numbers are listed"},
		{model.Complete, []string{"ART-GY-102-2019-3-1 to 20"}, ""},
		{model.InProgress, nil, ""},
	} {
		r := retirementOf("r1", "forest", "f19", "2026-01-20", "", "Ann", 20e6)
		r.AllInvoicesSettled, r.Status, r.SerialNumbers = model.Yes, c.status, c.serials
		doubts := model.EvidenceSource{Retirement: r}.FailedChecks()
		if (len(doubts) > 0) != (c.want != "") || c.want != "" && (doubts[0].Check != model.SerialsSumToWholeTonnes || doubts[0].Detail != c.want) {
			t.Errorf("%s %q: %+v", c.status, c.serials, doubts)
		}
	}
}
