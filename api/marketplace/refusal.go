package marketplace

import (
	"errors"
	"net/http"
	"strings"

	"tonne/api/wire"
	"tonne/model"
)

// refusal is an error that the caller is told about: everything else is
// answered with 500 and logged.
type refusal struct {
	status   int
	code     string
	messages []string
}

func (r *refusal) Error() string {
	return strings.TrimSpace(r.code + " " + strings.Join(r.messages, "; "))
}

// Error codes of status 422 that several endpoints share (interface section
// 7).
const (
	validationError = "VALIDATION_ERROR"
	notFound        = "NOT_FOUND"
)

// refuse is an error of status 422.
func refuse(code string, message string) *refusal {
	return &refusal{http.StatusUnprocessableEntity, code, []string{message}}
}

// invalid is a VALIDATION_ERROR with one message for each broken rule.
func invalid(messages ...string) *refusal {
	return &refusal{http.StatusUnprocessableEntity, validationError, messages}
}

var (
	errUnauthorized = &refusal{http.StatusUnauthorized, "", []string{"Unauthorized"}}
	errForbidden    = &refusal{http.StatusForbidden, "Forbidden", []string{
		"Permission denied according to the roles assigned to the user: the role API User is needed"}}
	errTooMany  = &refusal{http.StatusTooManyRequests, "", []string{"Too many requests"}}
	errTooLarge = &refusal{http.StatusRequestEntityTooLarge, "", []string{"Request body is larger than 1 MiB"}}
	errNotReady = &refusal{http.StatusServiceUnavailable, "", []string{"Not ready"}}
	errInternal = &refusal{http.StatusInternalServerError, "", []string{"Internal server error"}}
)

// answerError writes the body of interface section 7 for err.
func (m *Marketplace) answerError(w http.ResponseWriter, r *http.Request, err error) {
	var told *refusal
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &told):
	case errors.As(err, &tooLarge):
		told = errTooLarge
	default:
		noteFailure(w, err)
		told = errInternal
	}
	body := wire.Refusal{Status: told.status, Code: told.code, Messages: told.messages}
	if told.status == http.StatusUnprocessableEntity {
		body.URL, body.Timestamp = r.URL.RequestURI(), model.At(m.now())
	}
	m.answer(w, r, told.status, wire.AppendRefusal(nil, body))
}
