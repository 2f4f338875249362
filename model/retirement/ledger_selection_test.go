package retirement_test

import (
	"testing"
	"time"

	"tonne/model"
	"tonne/model/modeltest"
	"tonne/model/retirement"
)

func TestLedgerSelection(t *testing.T) {
	day := func(text string) time.Time { return modeltest.OnDay(text).Time.Truncate(24 * time.Hour) }
	request := modeltest.RetirementOf("r1", "wind", "w20", "2026-02-20", "", "Ann Smith", 3e6)
	undated := *request
	undated.CreatedAt = model.Timestamp{}
	for name, c := range map[string]struct {
		of                retirement.LedgerSelection
		answer            *retirement.Request
		selected, decided bool
	}{
		"everything":                  {retirement.LedgerSelection{}, nil, true, true},
		"from its day":                {retirement.LedgerSelection{From: day("2026-02-20")}, request, true, true},
		"from the day after":          {retirement.LedgerSelection{From: day("2026-02-21")}, request, false, true},
		"to its day, which is left":   {retirement.LedgerSelection{To: day("2026-02-20")}, request, false, true},
		"to the day after":            {retirement.LedgerSelection{To: day("2026-02-21")}, request, true, true},
		"its status":                  {retirement.LedgerSelection{Status: retirement.Complete}, request, true, true},
		"another status":              {retirement.LedgerSelection{Status: retirement.Open}, request, false, true},
		"part of a beneficiary":       {retirement.LedgerSelection{Beneficiary: "n sMI"}, request, true, true},
		"another beneficiary":         {retirement.LedgerSelection{Beneficiary: "Bo"}, request, false, true},
		"never looked up":             {retirement.LedgerSelection{Status: retirement.Open}, nil, false, false},
		"without a date":              {retirement.LedgerSelection{From: day("2026-02-20")}, &undated, false, false},
		"without a date or its state": {retirement.LedgerSelection{From: day("2026-02-20"), Status: retirement.Open}, &undated, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			selected, decided := c.of.Selects(retirement.LedgerRecord{ID: "r1", Answer: c.answer})
			if selected != c.selected || decided != c.decided {
				t.Errorf("selected %t, decided %t; want %t, %t", selected, decided, c.selected, c.decided)
			}
		})
	}
}

func TestSearchesHaveConditions(t *testing.T) {
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
