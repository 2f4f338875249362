package marketplace

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"tonne/api/marketplace/exchange"
	"tonne/api/wire"
	"tonne/model"
)

// refusal is an error for the client. Any other error is logged and answered with 500.
type refusal struct {
	status   int
	code     string
	messages []string
}

func (r *refusal) Error() string {
	return strings.TrimSpace(r.code + " " + strings.Join(r.messages, "; "))
}

// Error codes of status 422 that several endpoints share (interface section 7).
const (
	validationError = "VALIDATION_ERROR"
	notFound        = "NOT_FOUND"
)

func unprocessable(code string, messages ...string) *refusal {
	return &refusal{http.StatusUnprocessableEntity, code, messages}
}

func invalid(messages ...string) *refusal {
	return unprocessable(validationError, messages...)
}

// named returns a refusal with the name of its status in the member error, which 401 and 500
// lack (interface section 7).
func named(status int, message string) *refusal {
	return &refusal{status, http.StatusText(status), []string{message}}
}

type faults struct{ broken []string }

func (f *faults) add(sentence string) { f.broken = append(f.broken, sentence) }

func (f *faults) err() error {
	if len(f.broken) == 0 {
		return nil
	}
	return invalid(f.broken...)
}

var (
	errUnauthorized = &refusal{http.StatusUnauthorized, "", []string{"Unauthorized"}}
	errForbidden    = &refusal{http.StatusForbidden, "Forbidden", []string{
		"Permission denied according to the roles assigned to the user: the role API User is needed"}}
	errTooMany   = named(http.StatusTooManyRequests, "Too many requests")
	errTooLarge  = named(http.StatusRequestEntityTooLarge, "Request body is larger than 1 MiB")
	errMediaType = named(http.StatusUnsupportedMediaType,
		"The request body must be application/json in UTF-8, not compressed")
	errSlowBody   = named(http.StatusRequestTimeout, "The request body did not arrive in time")
	errBrokenBody = named(http.StatusBadRequest, "The request body ended before it was complete")
	// errGone appears only in the log and the metrics: the client has disconnected.
	errGone     = named(http.StatusBadRequest, "The client disconnected")
	errBusy     = named(http.StatusServiceUnavailable, "The service is busy, try again later")
	errReplaced = named(http.StatusServiceUnavailable, "The service accepts no changes: "+exchange.ErrReplaced.Error())
	errNotKept  = named(http.StatusServiceUnavailable,
		"The service could not commit the change; nothing was changed: try again")
	errNoServer = named(http.StatusServiceUnavailable,
		"The service cannot reach its database; nothing was changed: try again")
	errUnknown = named(http.StatusServiceUnavailable,
		"The service lost its database during the commit: try again with the same external_id")
	errDiskFull = &refusal{http.StatusInternalServerError, "",
		[]string{"Internal server error: no space is left on the disk of the service"}}
	errInternal = &refusal{http.StatusInternalServerError, "", []string{"Internal server error"}}
)

// refusals maps errors of the database to errors for the client. The first match is used.
var refusals = []struct {
	err    error
	answer *refusal
}{
	{exchange.ErrUnknown, errUnknown}, {exchange.ErrUnreachable, errNoServer}, {exchange.ErrLocked, errBusy},
	{context.DeadlineExceeded, errBusy},
	{exchange.ErrReplaced, errReplaced}, {exchange.ErrFull, errDiskFull}, {exchange.ErrNotCommitted, errNotKept},
}

func refusalOf(r *http.Request, err error) *refusal {
	var answer *refusal
	var broken *exchange.Refusal
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &answer):
		return answer
	case errors.As(err, &broken):
		return unprocessable(broken.Code, broken.Message)
	case errors.As(err, &tooLarge):
		return errTooLarge
	case errors.Is(r.Context().Err(), context.Canceled):
		return errGone
	}
	for _, known := range refusals {
		if errors.Is(err, known.err) {
			return known.answer
		}
	}
	if r.Context().Err() != nil {
		return errBusy
	}
	return errInternal
}

func (m *Marketplace) respondError(w http.ResponseWriter, r *http.Request, err error) {
	answer := refusalOf(r, err)
	if answer.status >= http.StatusInternalServerError && err != error(answer) {
		recording(w).err = err
	}
	switch answer {
	case errBusy, errNotKept, errNoServer, errUnknown:
		setRetryAfter(w, exchange.LockWait)
	}
	if answer.status == http.StatusUnprocessableEntity {
		m.metrics.countRefusal(answer.code)
	}
	body := wire.Refusal{Status: answer.status, Code: answer.code, Messages: answer.messages}
	if answer.status == http.StatusUnprocessableEntity {
		body.URL, body.Timestamp = r.URL.RequestURI(), model.At(m.Now())
	}
	respond(w, r, answer.status, wire.AppendRefusal(nil, body))
}
