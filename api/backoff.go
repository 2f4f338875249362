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

const (
	firstWait   = 500 * time.Millisecond
	longestWait = 30 * time.Second
	// longestRetry is how long a command waits at most because a service asks
	// it to, longestHold the same for a dashboard.
	longestRetry = time.Minute
	longestHold  = time.Hour
)

// Backoff returns how long to wait after the given number of failures in a
// row, from 1: a random time up to half a second, doubled with each failure
// up to half a minute. What a service asked for counts instead, up to an hour.
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

// retryAfter reads the header Retry-After: seconds, or a date, which counts
// against the server's own clock. It is 0 if there is nothing of use. asked says
// it as it was sent.
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
