package tab

import (
	"errors"
	"fmt"

	"tonne/api"
)

// tryLater is what to do about a mistake of the marketplace.
const tryLater = "Try again later; if it stays, tell the marketplace's support."

// Advice returns what to do about an error, in one sentence, or "" for one that
// is not of a call of the marketplace.
func Advice(err error) string {
	var e *api.Error
	if !errors.As(err, &e) {
		return ""
	}
	switch e.Kind {
	case api.Unauthorized:
		return "Check the key, or make a new one: it may be mistyped or inactive."
	case api.Forbidden:
		return fmt.Sprintf("Ask an administrator of the marketplace to grant the role %q.", e.Role)
	case api.NotFound:
		return "Check the id: it must be one of your own retirement requests."
	case api.Invalid:
		return "Check what was asked for."
	case api.RateLimited:
		if e.RetryAfter > 0 {
			return fmt.Sprintf("Try again in %d s.", int64(e.RetryAfter.Seconds()))
		}
		return "Try again in a minute."
	case api.ServerError:
		return tryLater
	case api.NotTheAPI:
		if errors.Is(e, api.ErrRecord) {
			return tryLater
		}
		return "Check the base URL: something other than the marketplace answers there."
	case api.Unreachable:
		return "Check the network and the base URL."
	case api.TimedOut:
		return "Try again, or allow more time."
	case api.Cancelled:
		return "Start it again when you are ready."
	}
	return "Check the address and the settings."
}

// Brief returns an error in about thirty columns, for a header or a cell, if it
// is of a call of the marketplace, and in its own words otherwise.
func Brief(err error) string {
	var e *api.Error
	if !errors.As(err, &e) {
		return err.Error()
	}
	switch e.Kind {
	case api.Unauthorized:
		return "key not accepted"
	case api.Forbidden:
		return fmt.Sprintf("role %q missing", e.Role)
	case api.NotFound:
		return "not found"
	case api.Invalid:
		return "not accepted"
	case api.RateLimited:
		return "too many requests"
	case api.ServerError:
		return fmt.Sprintf("service answered %d", e.Status)
	case api.NotTheAPI:
		return "not the marketplace's API"
	case api.Unreachable:
		return e.Message
	case api.TimedOut:
		return "no answer in time"
	case api.Cancelled:
		return "cancelled"
	}
	return "refused"
}
