package command

import (
	"cmp"
	"slices"

	"tonne/api"
)

// FailureJSON is a failure for programs: the two sentences, and what a program
// can act on.
type FailureJSON struct {
	Code      string `json:"code"`
	Message   string `json:"message"`
	Retryable bool   `json:"retryable"`
	Next      string `json:"next"`
	Status    int    `json:"exit_status"`
}

// NewFailureJSON returns a failure for programs.
func NewFailureJSON(f *Failure) FailureJSON {
	code := cmp.Or(f.Code, StatusCodes[f.Status])
	retryable := !f.Harmful && slices.ContainsFunc(FailureCodes, func(c FailureCode) bool { return c.Code == code && c.Retryable })
	return FailureJSON{code, Sentence(f.What), retryable, Sentence(Capital(f.Next())), f.Status}
}

// CallCodes names the calls of the marketplace that fail.
var CallCodes = map[api.Kind]string{
	api.Unauthorized: "unauthorized", api.Forbidden: "forbidden", api.NotFound: "not_found", api.Invalid: "not_valid",
	api.RateLimited: "rate_limited", api.ServerError: "server_error", api.NotTheAPI: "not_the_api",
	api.Unreachable: "unreachable", api.TimedOut: "timed_out", api.Cancelled: "cancelled", api.Refused: "unsafe",
	api.Incomplete: "incomplete",
}

// StatusCodes names the failures that have no name of their own.
var StatusCodes = map[int]string{
	StatusFailed: "failed", StatusUsage: "usage", StatusRefused: "refused", StatusNotFound: "not_found", StatusUnreachable: "unavailable",
}

// FailureCode says what a code means, and whether the same command may work later.
type FailureCode struct {
	Code        string `json:"code"`
	Description string `json:"description"`
	Retryable   bool   `json:"retryable"`
}

// FailureCodes are the codes of failures, sorted. Programs depend on them.
var FailureCodes = []FailureCode{
	{"already_retired", "the retirement was made before, and the journal does not know it", false},
	{"cancelled", "the request was cancelled", false},
	{"configuration", "the configuration file cannot be read, or says something wrong", false},
	{"credentials", "the place where keys are kept is open to others", false},
	{"disk_full", "no space is left to write to", false},
	{"failed", "any other failure", false},
	{"forbidden", "the user of the API key lacks a role (403)", false},
	{"incomplete", "a listing ended before all of it was read, or numbers in it cannot be read", true},
	{"moved", "the market or the wallet changed after the plan was shown", true},
	{"not_configured", "no marketplace or no key is configured", false},
	{"not_found", "an id is not known, or not one of yours (422), or a search finds nothing", false},
	{"not_the_api", "what answered is not the marketplace", false},
	{"not_valid", "an id is not valid (422)", false},
	{"outcome_unknown", "a call may have had its effect or not; the same command asks again, harmlessly", true},
	{"rate_limited", "the service asks for fewer requests (429)", true},
	{"refused", "the service refused the key for some of what was asked", false},
	{"retire_refused", "the service refused to retire; it had no effect (422)", false},
	{"server_error", "the service failed (5xx)", true},
	{"timed_out", "the service did not answer in time", true},
	{"too_dear", "it costs more than was allowed", false},
	{"too_little", "less is for sale than was asked for", false},
	{"unauthorized", "the service does not accept the API key (401)", false},
	{"unavailable", "the service was not there for some of what was asked", true},
	{"unreachable", "the service cannot be reached", true},
	{"unsafe", "the address or the key cannot be used safely", false},
	{"unsettled", "a call of the same was confirmed or turned away before, and is not settled", false},
	{"usage", "the command is wrong as it was typed", false},
}
