package api

import (
	"context"
	"time"
)

func (c *Client) get(ctx context.Context, r request) (answer, error) {
	for failures := 1; ; failures++ {
		a, failed := c.ask(ctx, r)
		if failed == nil {
			return a, nil
		}
		if ctx.Err() != nil || failures > c.retries || !failed.again() {
			return a, failed
		}
		if failed.Kind == RateLimited {
			if r.bulk {
				return a, failed
			}
			c.tellWait(failed.RetryAfter)
			continue // the pacer waits
		}
		if !c.budget.Allow() {
			return a, failed
		}
		c.tellWait(failed.RetryAfter)
		if err := wait(ctx, Backoff(failures, failed.RetryAfter)); err != nil {
			return a, err
		}
	}
}

func (e *Error) again() bool {
	switch e.Kind {
	case RateLimited, ServerError, TimedOut:
		return !LongWait(e)
	case Unreachable:
		return !isTLS(e.Err)
	}
	return false
}

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
