package api

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"tonne/api/wire"
	"tonne/model"
)

const retirementPath = "api/retirement"

// Retirement looks up a retirement request. The interface names two methods
// for it (section 4): GET is tried first, POST where the service refuses GET,
// and the one that worked is remembered. The error is an *Error, of kind
// NotFound where the service knows no such request of the caller.
func (c *Client) Retirement(ctx context.Context, id string) (model.Retirement, error) {
	if id == "" {
		return model.Retirement{}, refused("the id is empty")
	}
	query := url.Values{"id": {id}}
	body, err := c.lookUp(ctx, query, c.post.Load())
	if refusesMethod(err) {
		other := !c.post.Load()
		var second error
		if body, second = c.lookUp(ctx, query, other); !refusesMethod(second) {
			err = second
			if answered(err) {
				c.post.Store(other)
			}
		}
	}
	if err != nil {
		return model.Retirement{}, err
	}
	r, err := wire.DecodeRetirement(body)
	return r, notTheAPI(err)
}

func (c *Client) lookUp(ctx context.Context, query url.Values, post bool) ([]byte, error) {
	if !post {
		return c.get(ctx, retirementPath, query)
	}
	body, failed := c.try(ctx, http.MethodPost, retirementPath, query)
	if failed != nil {
		return nil, failed
	}
	return body, nil
}

// answered reports whether the service knew what it was asked.
func answered(err error) bool {
	return err == nil || KindOf(err) == NotFound || KindOf(err) == Invalid
}

// refusesMethod reports whether the service does not serve the method. An id
// that is not found is an answer.
func refusesMethod(err error) bool {
	var e *Error
	if !errors.As(err, &e) || e.Kind == NotFound {
		return false
	}
	return e.Status == http.StatusNotFound || e.Status == http.StatusMethodNotAllowed || e.Status == http.StatusNotImplemented
}
