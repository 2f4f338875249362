package api

import (
	"context"
	"math"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Retries of requests. The number is Options.Retries; commands use Retries of
// ui/cli/command. The wait after a 429 is in pacer.go. Polls back off in
// api/session/resource.go and request.go, and retirement calls are repeated by
// api/retire/send.go.

const (
	// A client repeats at most retryBurst requests at once, and then one every
	// retryEvery, so that retries do not multiply the load of a failing service.
	retryBurst  = 20
	retryEvery  = 2 * time.Second
	firstWait   = 500 * time.Millisecond
	longestWait = 30 * time.Second
	// longestRetry is the longest demanded wait that a command accepts, and
	// longestHold the longest that a dashboard accepts.
	longestRetry = time.Minute
	longestHold  = time.Hour
)

// turn is the place of a request among others to the same host, and how it is repeated.
type turn struct {
	pacer  *pacer
	caller caller
	// bulk is that of request. once means that the request is not repeated after a failure.
	bulk, once bool
}

// send makes a request to the service. It repeats a GET after a temporary failure, and a bulk
// request after a refusal because of the rate.
func (c *Client) send(ctx context.Context, r request) (a answer, err error) {
	t := turn{c.pacer, callerOf(ctx, r.path), r.bulk, r.method != ""}
	failed := c.repeat(ctx, t, func() (failed *Error) {
		a, failed = c.try(ctx, r)
		return failed
	})
	if failed != nil {
		return a, failed
	}
	return a, nil
}

// repeat calls try in its turn until it succeeds or is not worth another try.
func (c *Client) repeat(ctx context.Context, t turn, try func() *Error) *Error {
	for failures := 1; ; {
		failed := c.inTurn(ctx, t, try)
		switch {
		case failed == nil, !failed.again():
			return failed
		case failed.Kind == RateLimited && t.bulk && !t.pacer.gaveUp(time.Now()):
			c.tellWait(failed.RetryAfter)
			continue // the pacer waits
		case ctx.Err() != nil || t.once || failures > c.options.Retries:
			return failed
		case failed.Kind == RateLimited && t.bulk, failed.Kind != RateLimited && !c.budget.Allow():
			return failed
		}
		c.tellWait(failed.RetryAfter)
		if failed.Kind != RateLimited {
			if ended := wait(ctx, Backoff(failures, failed.RetryAfter)); ended != nil {
				return ended
			}
		}
		failures++
	}
}

func (c *Client) inTurn(ctx context.Context, t turn, try func() *Error) (failed *Error) {
	refusals, failed := t.pacer.wait(ctx, t.caller, t.bulk || c.options.Retries > 0)
	if failed != nil {
		return failed
	}
	// This is also the outcome after a panic.
	failed = &Error{Kind: Unreachable}
	defer func() { t.pacer.done(refusals, failed, time.Now()) }()
	failed = try()
	return failed
}

func (c *Client) tellWait(asked time.Duration) {
	if asked > 0 {
		c.options.Asked(asked)
	}
}

// Backoff returns the wait after a number of consecutive failures: a random time up to
// a limit, which is half a second after the first failure and doubles up to half a
// minute. If the service demands a wait, Backoff returns that, up to an hour.
func Backoff(failures int, asked time.Duration) time.Duration {
	if asked > 0 {
		return min(asked, longestHold)
	}
	limit := longestWait
	if doublings := max(failures-1, 0); doublings < 6 {
		limit = min(firstWait<<doublings, longestWait)
	}
	return rand.N(limit)
}

// retryAfter parses the header Retry-After: seconds, or a date, which is compared with
// the clock of the server. The wait is 0 if the header is missing or invalid. asked is
// the wait as the service states it.
func retryAfter(h http.Header, now time.Time) (wait time.Duration, asked string) {
	value := strings.TrimSpace(h.Get("Retry-After"))
	if seconds, err := strconv.ParseUint(value, 10, 64); err == nil {
		return time.Duration(min(seconds, uint64(math.MaxInt64/time.Second))) * time.Second, "of " + value + " s"
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0, ""
	}
	if date, err := http.ParseTime(h.Get("Date")); err == nil {
		now = date
	}
	return max(at.Sub(now), 0), "until " + value
}

func (e *Error) again() bool {
	switch e.Kind {
	case RateLimited, ServerError, TimedOut:
		return !LongWait(e)
	case Unreachable:
		return !isTLS(e.Err) && !refusedByProxy(e.Err)
	}
	return false
}

func wait(ctx context.Context, d time.Duration) *Error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return transportError(ctx, ctx.Err())
	}
}
