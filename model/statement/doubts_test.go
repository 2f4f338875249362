package statement_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"tonne/model"
	"tonne/model/modeltest"
)

func TestAStatementNotesWhatSpeaksAgainstTheRequestsItCounts(t *testing.T) {
	t.Parallel()
	const twice = "Credits counted as retired are claimed by more than one request: ART 16 to 20 by r1 and r2."
	const short = "Of 3 requests counted as retired 1 has doubts in the answers of the service: r2 (serials_sum_to_whole_tonnes). No certificate was looked at for this: their evidence may say more."
	source := modeltest.YearOfTwo()
	if notes := newStatement(t, source).Notes; len(notes) != 0 {
		t.Fatalf("sound requests: %q", notes)
	}
	source.Requests[1].SerialNumbers = []string{"ART-GY-102-2019-3-16 to 25"}
	if notes := newStatement(t, source).Notes; !slices.Equal(notes, []string{twice}) {
		t.Errorf("credits of two requests: %q", notes)
	}
	source.Requests[2].SerialNumbers = []string{"ART-GY-102-2019-3-16 to 20"}
	if notes := newStatement(t, source).Notes; len(notes) == 0 || !strings.HasPrefix(notes[0], "Credits counted as retired are claimed by more than one request: ") {
		t.Errorf("credits of three requests: %q", notes)
	}
	source.Requests[2].SerialNumbers = modeltest.YearOfTwo().Requests[2].SerialNumbers
	source.Requests[1].SerialNumbers = []string{"ART-GY-102-2019-3-16 to 24"}
	if notes := newStatement(t, source).Notes; !slices.Equal(notes, []string{twice, short}) {
		t.Errorf("and a range that is too short: %q", notes)
	}
	// Only one of the two is in the time, and the failed check is not.
	source.To = time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)
	if notes := newStatement(t, source).Notes; len(notes) == 0 || notes[0] != twice || slices.Contains(notes, short) {
		t.Errorf("of January alone: %q", notes)
	}
	source.Requests[0].RetiredAt = model.Timestamp{}
	if notes := newStatement(t, source).Notes; slices.Contains(notes, twice) {
		t.Errorf("of none of the two: %q", notes)
	}
}
