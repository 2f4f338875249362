package api

import (
	"cmp"
	"errors"
	"fmt"

	"tonne/model/advice"
)

const tryLater = "Try again later. If it fails again, contact the marketplace's support"

// Brief returns the text of an error. For an API error it has about thirty columns.
func Brief(err error) string {
	e, ok := errors.AsType[*Error](err)
	if !ok {
		return err.Error()
	}
	brief, _ := ofKind(e)
	return cmp.Or(e.Brief, brief)
}

// Advice returns advice for an API error, without a full stop, or none for any other error.
func Advice(err error) advice.Text {
	e, ok := errors.AsType[*Error](err)
	if !ok {
		return advice.Text{}
	}
	if e.Todo != "" {
		return advice.Plain(e.Todo)
	}
	_, todo := ofKind(e)
	return todo
}

func ofKind(e *Error) (brief string, todo advice.Text) {
	switch e.Kind {
	case Unauthorized:
		return "key not accepted",
			advice.Format("It is mistyped or inactive. Correct it, or store another: %s", advice.Tonne("auth login"))
	case Forbidden:
		if e.Role == "" {
			return "access refused", advice.Plain("Ask the marketplace's support, and quote the reason")
		}
		return fmt.Sprintf("role %q missing", e.Role),
			advice.Format("Ask an administrator of the marketplace to grant the role %q", e.Role)
	case NotFound:
		return "not found", advice.Plain("Check the id: it must be one of your own retirement requests")
	case Invalid:
		return "not accepted", advice.Plain("Check the request")
	case RateLimited:
		return "too many requests", advice.Format("Try again in %d s", cmp.Or(e.WaitSeconds(), 60))
	case ServerError:
		if LongWait(e) {
			return fmt.Sprintf("service answered %d", e.Status), advice.Format("Try again in %d s", e.WaitSeconds())
		}
		return fmt.Sprintf("service answered %d", e.Status), advice.Plain(tryLater)
	case NotTheAPI:
		if !e.Elsewhere {
			return "not the marketplace's API", advice.Plain(tryLater)
		}
		return "not the marketplace's API", advice.Plain("Check the base URL: the server there is not the marketplace")
	case Unreachable:
		return e.Message, advice.Plain("Check the network and the base URL")
	case TimedOut:
		return "no answer in time", advice.Plain("Try again, or allow more time")
	case Incomplete:
		return fmt.Sprintf("incomplete: %d of %d projects", e.Read, e.Total), advice.Plain(tryLater)
	case Cancelled:
		return "cancelled", advice.Plain("Start it again when you are ready")
	}
	return "refused", advice.Plain("Check the address and the settings")
}
