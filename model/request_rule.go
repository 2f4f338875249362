package model

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ErrNotARequestRule is returned for text that is no rule on a retirement request.
var ErrNotARequestRule = errors.New(`is no rule: write "changes", "COMPLETE" or "CLOSED for 14 days"`)

var statuses = [...]RetirementStatus{Open, Closed, InProgress, Complete, NothingToProcess}

// ParseRequestRule reads a rule as a person types it: "changes", "becomes COMPLETE",
// "done", "CLOSED for 14 days". The error wraps ErrNotARequestRule and quotes what was not
// understood.
func ParseRequestRule(text string) (Rule, error) {
	text = strings.Join(strings.Fields(strings.ToLower(text)), " ")
	switch text {
	case "changes", "change", "any change", "state changes", "change of state", "changes state":
		return Rule{Measure: State}, nil
	}
	state, length, lasts := strings.Cut(text, " for ")
	for _, word := range []string{"becomes", "is", "state is"} {
		if rest, ok := cutWord(state, word); ok {
			state = rest
		}
	}
	r := Rule{Measure: State, Status: findStatus(state)}
	if r.Status == "" {
		return Rule{}, fmt.Errorf("%q %w", state, ErrNotARequestRule)
	}
	if lasts {
		var ok bool
		if r.For, ok = parseLength(length); !ok {
			return Rule{}, fmt.Errorf("%q %w", length, ErrNotARequestRule)
		}
	}
	return r, nil
}

func findStatus(text string) RetirementStatus {
	switch text {
	case "completed", "done", "finished", "retired":
		return Complete
	}
	text = strings.ReplaceAll(text, " ", "_")
	for _, s := range statuses {
		if strings.EqualFold(string(s), text) {
			return s
		}
	}
	return ""
}

const (
	hoursOfDay = 24
	// longestWait is the longest time that a rule waits for, in hours: ten years.
	longestWait = 10 * 366 * hoursOfDay
)

// numbers are the words for small numbers, from one on.
var numbers = [...]string{"one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"}

func parseCount(text string) (int64, error) {
	if text == "a" || text == "an" {
		return 1, nil
	}
	if i := slices.Index(numbers[:], text); i >= 0 {
		return int64(i) + 1, nil
	}
	return ParseDigits(text)
}

func parseLength(text string) (time.Duration, bool) {
	for _, unit := range [...]struct {
		name  string
		hours int64
	}{{"hour", 1}, {"day", hoursOfDay}, {"week", 7 * hoursOfDay}} {
		number, ok := strings.CutSuffix(strings.TrimSuffix(text, "s"), unit.name)
		if !ok {
			continue
		}
		n, err := parseCount(strings.TrimSpace(number))
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
		return string(r.Status) + " for " + strconv.FormatInt(hours/hoursOfDay, 10) + " " + Plural(hours/hoursOfDay, "day", "days")
	}
	return string(r.Status) + " for " + strconv.FormatInt(hours, 10) + " " + Plural(hours, "hour", "hours")
}

// Words is the rule as people read it, with the Words of its state.
func (r Rule) Words() string { return strings.ReplaceAll(r.String(), "_", " ") }
