package retirement_test

import (
	"testing"
	"time"

	"tonne/model/retirement"
)

func TestSearchesHaveConditions(t *testing.T) {
	t.Parallel()
	january, february := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)
	for text, want := range map[string]struct {
		of         retirement.LedgerSelection
		rest, fail string
	}{
		"":                                       {},
		"bale 2019":                              {rest: "bale 2019"},
		"from:2026-01-01 to:2026-02-01":          {of: retirement.LedgerSelection{From: january, To: february}},
		"bale STATUS:in-progress 2019":           {of: retirement.LedgerSelection{Status: retirement.InProgress}, rest: "bale 2019"},
		`beneficiary:"Your Customer" !x`:         {of: retirement.LedgerSelection{Beneficiary: "Your Customer"}, rest: "!x"},
		"x-from:1":                               {rest: "x-from:1"},
		"from:2026-13":                           {fail: "from:2026-13 is not a date such as 2026-01-31"},
		"to:":                                    {fail: "to: is not a date such as 2026-01-31"},
		"status:done":                            {fail: "status:done is not a state such as COMPLETE"},
		"beneficiary:":                           {fail: "beneficiary: is not a part of a name"},
		"from:2026-02-01 to:2026-02-01 anything": {fail: "from: is not before to:, which is exclusive"},
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			of, rest, err := retirement.ParseLedgerSearch(text)
			if err != nil || want.fail != "" {
				if err == nil || err.Error() != want.fail {
					t.Errorf("error %v, want %q", err, want.fail)
				}
				return
			}
			if of != want.of || rest != want.rest {
				t.Errorf("got %+v and %q", of, rest)
			}
		})
	}
}
