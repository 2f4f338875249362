package api

import (
	"errors"
	"fmt"
	"time"
)

// Kind says what went wrong with a call.
type Kind int8

// The kinds of error. Refused is said by this client, of a call that it will
// not make: an address that is not safe, an id that is none.
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
)

// ErrKey is wrapped by an error of kind Refused if the API key holds characters
// that a key cannot have.
var ErrKey = errors.New("the API key cannot be one")

// RoleAPIUser is the role that a key's user must hold (interface section 5).
const RoleAPIUser = "API User"

// Error is why a call failed. It never holds the key, and its texts are
// sanitised.
type Error struct {
	Kind Kind
	// Status is the HTTP status, 0 if there was no answer.
	Status int
	// Code is the kind of error in the service's words, such as NOT_FOUND.
	Code string
	// Message is what the service says, or for other kinds what happened.
	Message string
	// Role is the role that is missing if Kind is Forbidden.
	Role string
	// RetryAfter is how long the service asks to wait, at most a minute; 0
	// if it does not say.
	RetryAfter time.Duration
	// Err is the cause if there is one, for errors.Is. Its text is not
	// sanitised.
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

// Error says in one sentence what happened.
func (e *Error) Error() string {
	switch e.Kind {
	case Unauthorized:
		return "the service does not accept the API key"
	case Forbidden:
		return fmt.Sprintf("the user of the API key does not hold the role %q", e.Role)
	case NotFound:
		return e.said("the service knows no such record of yours")
	case Invalid:
		return e.said("the service does not accept the request")
	case RateLimited:
		return "the service asks for fewer requests"
	case ServerError:
		return fmt.Sprintf("the service answered %d", e.Status)
	case TimedOut:
		return "the service did not answer in time"
	case Cancelled:
		return "the request was cancelled"
	}
	return e.Message
}

func (e *Error) said(otherwise string) string {
	switch {
	case e.Message == "":
		return otherwise
	case e.Code == "":
		return e.Message
	}
	return e.Message + " (" + e.Code + ")"
}
