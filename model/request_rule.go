package model

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// RequestRule is a condition on a retirement request that somebody wants to
// hear about: any change of its state, or a state, at once or once it has lasted.
type RequestRule struct {
	// Status is the state; empty stands for any change.
	Status RetirementStatus
	// For is how long the request has to be in the state; a whole number of
	// hours.
	For time.Duration
}

// RequestFacts are what rules on a request are held against.
type RequestFacts struct {
	// Status is the state, Was the state when the rule was held against the
	// request before; empty if it never was.
	Status, Was RetirementStatus
	// Since is when the request was first seen in the state, Now when the rule is
	// held against it.
	Since, Now time.Time
}

// ErrNotARequestRule is returned for text that is no rule on a retirement
// request. Its message, behind the part that was not understood, says what such
// rules look like.
var ErrNotARequestRule = errors.New(`is no rule: write "changes", "COMPLETE" or "CLOSED for 14 days"`)

// statuses are the states of the interface.
var statuses = [...]RetirementStatus{Open, Closed, InProgress, Complete, NothingToProcess}

// ParseRequestRule reads a rule as a person types it: "changes", "becomes
// COMPLETE", "done", "in progress", "CLOSED for 14 days" or "closed for two
// weeks". The error begins with the
// part that was not understood, in quotation marks, and wraps
// ErrNotARequestRule.
func ParseRequestRule(text string) (RequestRule, error) {
	text = strings.Join(strings.Fields(strings.ToLower(text)), " ")
	switch text {
	case "changes", "change", "any change", "state changes", "change of state", "changes state":
		return RequestRule{}, nil
	}
	state, length, lasts := strings.Cut(text, " for ")
	for _, word := range []string{"becomes", "is", "state is"} {
		if rest, ok := cutWord(state, word); ok {
			state = rest
		}
	}
	r := RequestRule{Status: findStatus(state)}
	if r.Status == "" {
		return RequestRule{}, fmt.Errorf("%q %w", state, ErrNotARequestRule)
	}
	if lasts {
		var ok bool
		if r.For, ok = parseLength(length); !ok {
			return RequestRule{}, fmt.Errorf("%q %w", length, ErrNotARequestRule)
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

// Holds reports whether the rule holds. A change holds for the one look that
// finds it.
func (r RequestRule) Holds(f RequestFacts) bool {
	if r.Status == "" {
		return f.Was != "" && f.Status != f.Was
	}
	return f.Status == r.Status && f.Now.Sub(f.Since) >= r.For
}

// String returns the rule in the form that ParseRequestRule reads: "changes
// state", "becomes COMPLETE" or "CLOSED for 14 days".
func (r RequestRule) String() string {
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
func (r RequestRule) Words() string { return strings.ReplaceAll(r.String(), "_", " ") }
