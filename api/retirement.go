package api

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/url"

	"tonne/api/wire"
	"tonne/model/retirement"
)

const retirementPath = "api/retirement"

// ErrRecord is wrapped by an error if the record of one request is unusable. Other
// requests may be fine.
var ErrRecord = errors.New("the record is of no use")

// Retirement looks up a retirement request. The interface has two methods for it
// (section 4.3): Retirement tries GET, then POST if the service refuses GET, and
// remembers which one worked. The error is an *Error, of kind NotFound if the user of
// the key has no such request.
func (c *Client) Retirement(ctx context.Context, id string) (retirement.Request, error) {
	r, _, err := c.RetirementAnswer(ctx, id)
	return r, err
}

// RetirementAnswer is like Retirement, and also returns the body of the response.
func (c *Client) RetirementAnswer(ctx context.Context, id string) (r retirement.Request, body []byte, err error) {
	if id == "" {
		return r, nil, refused("the id is empty")
	}
	a, err := c.lookUpEither(ctx, url.Values{"id": {id}})
	if err != nil {
		return r, nil, err
	}
	if r, err = c.decodeRetirement(a.body, id); err != nil {
		return retirement.Request{}, nil, err
	}
	return r, a.body, nil
}

func (c *Client) decodeRetirement(body []byte, id string) (retirement.Request, error) {
	r, err := wire.DecodeRetirement(body)
	switch {
	case err != nil && isJSON(body):
		return r, c.notTheAPI(record{err})
	case err != nil:
		return r, c.notTheAPI(err)
	case r.ID != id && r.ID != wire.Clean(id):
		// A wrong request is worse than none.
		return r, &Error{
			Kind: NotTheAPI, Status: http.StatusOK, Message: "the service answered with another request", Err: ErrRecord,
		}
	}
	return r, nil
}

// lookUpEither uses the method that worked before, and the other one if the service
// refuses it.
func (c *Client) lookUpEither(ctx context.Context, query url.Values) (answer, error) {
	a, err := c.lookUp(ctx, query, c.post.Load())
	if !refusesMethod(err) {
		return a, err
	}
	other := !c.post.Load()
	second, otherErr := c.lookUp(ctx, query, other)
	switch {
	case isJSONNotFound(err) && isJSONNotFound(otherErr):
		notFound := &Error{Kind: NotFound, Status: http.StatusNotFound}
		notFound.suggest(baseWithoutAPI(c.base))
		return a, notFound
	case refusesMethod(otherErr):
		return a, err
	}
	if otherErr == nil || KindOf(otherErr) == NotFound || KindOf(otherErr) == Invalid {
		c.post.Store(other)
	}
	return second, otherErr
}

type record struct{ error }

func (r record) Unwrap() []error { return []error{ErrRecord, r.error} }

func isJSON(body []byte) bool {
	body = bytes.TrimSpace(body)
	return len(body) == 0 || body[0] == '{' || body[0] == '[' || string(body) == "null"
}

func (c *Client) lookUp(ctx context.Context, query url.Values, post bool) (answer, error) {
	r := request{path: retirementPath, query: query, bulk: c.isBulk(ctx)}
	if post {
		r.method = http.MethodPost
	}
	return c.send(ctx, r)
}

func isJSONNotFound(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Status == http.StatusNotFound && e.json
}

// refusesMethod reports whether the service does not support the method. NotFound is a
// normal response.
func refusesMethod(err error) bool {
	var e *Error
	if !errors.As(err, &e) || e.Kind == NotFound {
		return false
	}
	switch e.Status {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented:
		return true
	}
	return false
}
