package api

import (
	"context"
	"net/http"
	"net/url"
	"time"
)

// get calls GET on a path of the interface, again if that may help, and
// returns the body of a 200, which the caller releases.
func (c *Client) get(ctx context.Context, path string, query url.Values) ([]byte, error) {
	for failures := 1; ; failures++ {
		body, failed := c.try(ctx, http.MethodGet, path, query)
		if failed == nil {
			return body, nil
		}
		if ctx.Err() != nil || failures > c.retries || !failed.again() || !c.budget.Allow() {
			return nil, failed
		}
		pause := Backoff(failures, failed.RetryAfter)
		if failed.RetryAfter > 0 {
			c.asked(pause)
		}
		if err := wait(ctx, pause); err != nil {
			return nil, err
		}
	}
}

// again reports whether a GET that failed with e may work when it is repeated.
func (e *Error) again() bool {
	switch e.Kind {
	case RateLimited, ServerError, TimedOut:
		return true
	case Unreachable:
		return !isTLS(e.Err)
	}
	return false
}

// wait sleeps, or fails when ctx ends before.
func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return transportError(ctx, ctx.Err())
	}
}
