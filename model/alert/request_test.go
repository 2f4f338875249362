package alert_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tonne/model/alert"
	"tonne/model/retirement"
)

func TestRulesOnRequestsAsPeopleTypeThem(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"changes": "changes state", "COMPLETE": "becomes COMPLETE", "becomes complete": "becomes COMPLETE",
		"closed for 14 days": "CLOSED for 14 days", "CLOSED for 1 day": "CLOSED for 1 day", "closed for 2 weeks": "CLOSED for 14 days",
		"in progress for 36 hours": "IN_PROGRESS for 36 hours", "IN_PROGRESS for 24 hours": "IN_PROGRESS for 1 day", "nothing to process": "becomes NOTHING_TO_PROCESS", "open for 1 hour": "OPEN for 1 hour",
		"done": "becomes COMPLETE", "retired": "becomes COMPLETE",
	} {
		r, err := alert.ParseRequestRule(text)
		if err != nil || r.String() != want {
			t.Errorf("%q is read as %q, %v; want %q", text, r, err, want)
			continue
		}
		if back, err := alert.ParseRequestRule(r.String()); err != nil || back != r {
			t.Errorf("%q is read back as %q, %v", r, back, err)
		}
	}
	for text, part := range map[string]string{
		"": `""`, "shut": `"shut"`, "closed for": `"closed for"`, "closed for ever": `"ever"`, "closed for 0 days": `"0 days"`, "closed for -1 days": `"-1 days"`,
		"closed for 99999999999999999999 days": `"99999999999999999999 days"`, "closed for 5 minutes": `"5 minutes"`,
	} {
		if r, err := alert.ParseRequestRule(text); !errors.Is(err, alert.ErrNotARequestRule) || !strings.HasPrefix(err.Error(), part) || r != (alert.Rule{}) {
			t.Errorf("%q is read as %q, %v", text, r, err)
		}
	}
}

func TestRulesOnRequestsHoldOrNot(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule    string
		was, is retirement.Status
		after   time.Duration
		holds   bool
	}{
		{"changes", "", retirement.Open, 0, false},
		{"changes", retirement.Open, retirement.Open, 0, false},
		{"changes", retirement.Open, retirement.Closed, 0, true},
		{"complete", "", retirement.Complete, 0, true},
		{"complete", retirement.Open, retirement.Closed, 0, false},
		{"closed for 14 days", retirement.Closed, retirement.Closed, 14*24*time.Hour - 1, false},
		{"closed for 14 days", retirement.Closed, retirement.Closed, 14 * 24 * time.Hour, true},
		{"closed for 14 days", retirement.Closed, retirement.InProgress, 15 * 24 * time.Hour, false},
	} {
		r, err := alert.ParseRequestRule(c.rule)
		if err != nil {
			t.Fatal(err)
		}
		facts := alert.Facts{Status: c.is, Before: c.was, Lasted: c.after}
		if got, _ := r.Holds(facts); got != c.holds {
			t.Errorf("%s, %q → %q after %s: %t", r, c.was, c.is, c.after, got)
		}
	}
}

func TestRulesOnRequestsReadBackAsWritten(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := alert.Rule{Measure: alert.State,
			Status: rapid.SampledFrom([]retirement.Status{retirement.Open, retirement.Closed, retirement.InProgress, retirement.Complete, retirement.NothingToProcess}).Draw(t, "state"),
			For:    time.Duration(rapid.IntRange(0, 87_840).Draw(t, "hours")) * time.Hour,
		}
		if back, err := alert.ParseRequestRule(r.String()); err != nil || back != r {
			t.Fatalf("%q is read as %q, %v", r, back, err)
		}
	})
}
