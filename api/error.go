package api

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"tonne/model"
)

// Kind is the kind of an Error.
type Kind int8

// The kinds of error. Refused means that this client did not make the call, because
// of an unsafe address or an invalid id. Incomplete means that a listing ended before
// all of its projects were read; the part that was read is returned with the error.
const (
	_ Kind = iota
	Unauthorized
	Forbidden
	NotFound
	Invalid
	RateLimited
	ServerError
	NotTheAPI
	Unreachable
	TimedOut
	Cancelled
	Refused
	Incomplete
)

// ErrKey is wrapped by an error of kind Refused if the API key contains an
// invalid character.
var ErrKey = errors.New("the API key cannot be one")

// RoleAPIUser is the role that the user of a key needs (interface section 5).
const RoleAPIUser = "API User"

// Error is the error of a call. It never contains the key, and its texts are
// sanitised.
type Error struct {
	Kind Kind
	// Status is the HTTP status, or 0 without a response.
	Status int
	// Code is the error code of the service, such as NOT_FOUND.
	Code string
	// Message is the message of the service, or of this client if there is none.
	Message string
	// Brief is Message in about thirty columns, and Todo a sentence with advice, without a full
	// stop. If empty, those of the kind apply.
	Brief, Todo string
	// Role is the missing role if Kind is Forbidden, or "" if the service gives another reason.
	Role string
	// RetryAfter is the wait that the service demands, or 0. asked is the text of
	// the Retry-After header.
	RetryAfter time.Duration
	asked      string
	// Elsewhere reports a response from a web page or another host: the address
	// may be wrong.
	Elsewhere bool
	// json reports that the body is a JSON object. damaged reports that it is not,
	// or that it states another status.
	json, damaged bool
	// page is the title of the web page that came with a status of 5xx.
	page string
	// Read is the number of projects that were read of an incomplete listing, and
	// Total the number that the service states.
	Read, Total int
	// Err is the cause, for errors.Is, or nil. Its text is not sanitised.
	Err error
}

// KindOf returns the kind of err, or 0 if it is not an *Error.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return 0
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Error describes the failure in one sentence.
func (e *Error) Error() string {
	switch e.Kind {
	case Unauthorized:
		return "the service does not accept the API key" + quoted(e)
	case Forbidden:
		if e.Role == "" {
			return "the service refuses access" + quoted(e)
		}
		return fmt.Sprintf("the user of the API key does not hold the role %q", e.Role) + quoted(e)
	case NotFound:
		return e.said("the service knows no such record of yours")
	case Invalid:
		return e.said("the service does not accept the request")
	case RateLimited:
		return "the service asks for fewer requests" + e.longWait()
	case ServerError:
		return fmt.Sprintf("the service answered %d", e.Status) + e.explained() + e.longWait()
	case TimedOut:
		return "the service did not answer in time"
	case Cancelled:
		return "the request was cancelled"
	}
	return e.Message
}

// OfHost is like Error for a certificate, whose host is not the service: it begins with "its
// host" if the host is to blame.
func (e *Error) OfHost() string {
	switch e.Kind {
	case ServerError:
		return fmt.Sprintf("its host answered %d", e.Status) + e.longWait()
	case RateLimited:
		return "its host asks for fewer requests" + e.longWait()
	case TimedOut:
		return "its host did not answer in time"
	case Unreachable:
		return "its host cannot be reached: " + e.Message
	}
	return e.Error()
}

// LongWait reports whether the service demands a wait of more than a minute, which
// is the longest that a command waits.
func LongWait(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.RetryAfter > longestRetry
}

// WaitSeconds returns RetryAfter in whole seconds, rounded up.
func (e *Error) WaitSeconds() int64 {
	return int64(e.RetryAfter/time.Second) + min(int64(e.RetryAfter%time.Second), 1)
}

func (e *Error) longWait() string {
	if !LongWait(e) {
		return ""
	}
	return "; it asks for a wait " + cmp.Or(e.asked, fmt.Sprintf("of %d s", e.WaitSeconds()))
}

// explained returns what came with a status of 5xx.
func (e *Error) explained() string {
	if e.page != "" {
		return fmt.Sprintf(" with a web page: %q", e.page)
	}
	return quoted(e)
}

func (e *Error) said(otherwise string) string {
	switch {
	case e.Message == "", repeatsStatus(e.Status, e.Message) && (e.Code == "" || e.Code == e.Message):
		return otherwise
	case e.Code == "" || e.Code == e.Message:
		return e.Message
	}
	return e.Message + " (" + e.Code + ")"
}

func incomplete(listing string, read, total int) *Error {
	return &Error{Kind: Incomplete, Read: read, Total: total,
		Message: fmt.Sprintf("the %s is incomplete: %s of %s projects were read",
			listing, model.FormatNumber(int64(read)), model.FormatNumber(int64(total)))}
}

func tooManyPages(listing string, read, total, pages int) *Error {
	return &Error{Kind: Incomplete, Read: read, Total: max(total, read),
		Message: fmt.Sprintf("the %s is incomplete: %s of %s pages were read, the most that tonne reads",
			listing, model.FormatNumber(maxPages), model.FormatNumber(int64(pages)))}
}
