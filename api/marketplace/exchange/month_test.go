package exchange

import (
	"testing"
	"time"
)

func TestPeriodEndsInUTC(t *testing.T) {
	p := Period{Month: "2026-11"}
	for _, test := range []struct {
		now           time.Time
		over, tooLate bool
	}{
		{time.Date(2026, 11, 30, 23, 59, 59, 0, time.UTC), false, false},
		{time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC), true, false},
		{time.Date(2026, 12, 1, 0, 30, 0, 0, time.FixedZone("CET", 60*60)), false, false},
		// The clock that opened the month may have been weeks ahead.
		{time.Date(2026, 10, 2, 0, 0, 0, 0, time.UTC), false, false},
		{time.Date(2026, 9, 20, 0, 0, 0, 0, time.UTC), false, true},
	} {
		if over, tooLate := p.Over(test.now), p.TooLate(test.now); over != test.over || tooLate != test.tooLate {
			t.Errorf("at %s: over %v, too late %v", test.now, over, tooLate)
		}
	}
}
