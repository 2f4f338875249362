package alert

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"tonne/model"
	"tonne/model/retirement"
)

// ErrNotARequestRule is returned for text that is not a rule on a retirement request.
var ErrNotARequestRule = errors.New(`is no rule: write "changes", "COMPLETE" or "CLOSED for 14 days"`)

// ParseRequestRule parses a rule as users type it: "changes", "becomes COMPLETE",
// "complete", "CLOSED for 14 days". The error quotes the invalid part and wraps
// ErrNotARequestRule.
func ParseRequestRule(text string) (Rule, error) {
	text = strings.Join(strings.Fields(strings.ToLower(text)), " ")
	if text == "changes" || text == "changes state" {
		return Rule{Measure: State}, nil
	}
	state, length, lasts := strings.Cut(text, " for ")
	r := Rule{Measure: State}
	var known bool
	switch name := strings.TrimPrefix(state, "becomes "); name {
	case "done", "retired":
		r.Status = retirement.Complete
	default:
		if r.Status, known = retirement.ParseStatus(name); !known {
			return Rule{}, fmt.Errorf("%q %w", state, ErrNotARequestRule)
		}
	}
	if lasts {
		var ok bool
		if r.For, ok = parseLength(length); !ok {
			return Rule{}, fmt.Errorf("%q %w", length, ErrNotARequestRule)
		}
	}
	return r, nil
}

const (
	hoursOfDay = 24
	// longestWait is the limit of Rule.For, in hours: ten years.
	longestWait = 10 * 366 * hoursOfDay
)

func parseLength(text string) (time.Duration, bool) {
	for _, unit := range [...]struct {
		name  string
		hours int64
	}{{"hour", 1}, {"day", hoursOfDay}, {"week", 7 * hoursOfDay}} {
		number, ok := strings.CutSuffix(strings.TrimSuffix(text, "s"), unit.name)
		if !ok {
			continue
		}
		n, err := model.ParseDigits(strings.TrimSpace(number))
		if err != nil || n == 0 || n > longestWait/unit.hours {
			return 0, false
		}
		return time.Duration(n*unit.hours) * time.Hour, true
	}
	return 0, false
}

func (r Rule) state() string {
	hours := int64(r.For / time.Hour)
	switch {
	case r.Status == "":
		return "changes state"
	case hours == 0:
		return "becomes " + string(r.Status)
	case hours%hoursOfDay == 0:
		return string(r.Status) + " for " + strconv.FormatInt(hours/hoursOfDay, 10) + " " +
			model.Plural(hours/hoursOfDay, "day", "days")
	}
	return string(r.Status) + " for " + strconv.FormatInt(hours, 10) + " " + model.Plural(hours, "hour", "hours")
}

// Words returns the rule as users read it, with the Words of its state.
func (r Rule) Words() string { return strings.ReplaceAll(r.String(), "_", " ") }
