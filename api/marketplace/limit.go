package marketplace

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const (
	defaultRate = 100
	// limitersKept bounds the memory of the limits: beyond it the limits of
	// keys that are at rest are forgotten.
	limitersKept = 10_000
)

// limiter holds the rate limit of every API key that was used.
type limiter struct {
	rate  rate.Limit
	burst int
	now   func() time.Time

	mu    sync.Mutex
	byKey map[string]*rate.Limiter
}

func newLimiter(o Options) *limiter {
	l := &limiter{rate: rate.Limit(o.RatePerSecond), burst: o.Burst, now: o.Now, byKey: make(map[string]*rate.Limiter)}
	switch {
	case o.RatePerSecond < 0:
		l.rate = rate.Inf
		return l
	case o.RatePerSecond == 0:
		l.rate = defaultRate
	}
	if l.burst <= 0 {
		l.burst = max(int(2*l.rate), 1)
	}
	return l
}

// take counts a request of the key. Where the key has used up its limit it
// returns how long to wait.
func (l *limiter) take(key string) (wait time.Duration, ok bool) {
	if l.rate == rate.Inf {
		return 0, true
	}
	now := l.now()
	reservation := l.of(key, now).ReserveN(now, 1)
	wait = reservation.DelayFrom(now)
	if wait > 0 {
		reservation.CancelAt(now)
		return wait, false
	}
	return 0, true
}

func (l *limiter) of(key string, now time.Time) *rate.Limiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	if one := l.byKey[key]; one != nil {
		return one
	}
	if len(l.byKey) >= limitersKept {
		for k, one := range l.byKey {
			if one.TokensAt(now) >= float64(l.burst) {
				delete(l.byKey, k)
			}
		}
	}
	one := rate.NewLimiter(l.rate, l.burst)
	l.byKey[key] = one
	return one
}
