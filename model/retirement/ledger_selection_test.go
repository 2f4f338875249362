package retirement_test

import (
	"testing"
	"time"

	"tonne/model"
	"tonne/model/modeltest"
	"tonne/model/retirement"
)

func TestLedgerSelection(t *testing.T) {
	t.Parallel()
	day := func(text string) time.Time { return modeltest.OnDay(text).Time.Truncate(24 * time.Hour) }
	request := modeltest.RetirementOf("r1", "wind", "w20", "2026-02-20", "", "Ann Smith", 3e6)
	undated := request
	undated.CreatedAt = model.Timestamp{}
	for name, c := range map[string]struct {
		of                retirement.LedgerSelection
		answer            *retirement.Request
		selected, decided bool
	}{
		"everything":                  {retirement.LedgerSelection{}, nil, true, true},
		"from its day":                {retirement.LedgerSelection{From: day("2026-02-20")}, &request, true, true},
		"from the day after":          {retirement.LedgerSelection{From: day("2026-02-21")}, &request, false, true},
		"to its day, which is left":   {retirement.LedgerSelection{To: day("2026-02-20")}, &request, false, true},
		"to the day after":            {retirement.LedgerSelection{To: day("2026-02-21")}, &request, true, true},
		"its status":                  {retirement.LedgerSelection{Status: retirement.Complete}, &request, true, true},
		"another status":              {retirement.LedgerSelection{Status: retirement.Open}, &request, false, true},
		"part of a beneficiary":       {retirement.LedgerSelection{Beneficiary: "n sMI"}, &request, true, true},
		"another beneficiary":         {retirement.LedgerSelection{Beneficiary: "Bo"}, &request, false, true},
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
