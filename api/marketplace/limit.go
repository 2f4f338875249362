package marketplace

import (
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// limitersKept is the maximum number of limiters in each of the two generations.
const limitersKept = 10_000

type limiter struct {
	rate  rate.Limit
	burst int
	now   func() time.Time

	mu sync.Mutex
	// When recent is full, it replaces older.
	recent, older map[string]*rate.Limiter
}

func newLimiter(perSecond rate.Limit, burst int, now func() time.Time) *limiter {
	return &limiter{rate: perSecond, burst: burst, now: now, recent: make(map[string]*rate.Limiter)}
}

func keyLimits(o Options) *limiter {
	perSecond, burst := rate.Limit(o.RatePerSecond), o.Burst
	switch {
	case perSecond < 0:
		perSecond = rate.Inf
	case perSecond == 0:
		perSecond = 100
	}
	if burst <= 0 {
		burst = int(min(max(2*perSecond, 1), 1<<30))
	}
	return newLimiter(perSecond, burst, o.Now)
}

func (l *limiter) take(name string) (wait time.Duration, ok bool) {
	if l.rate == rate.Inf {
		return 0, true
	}
	now := l.now()
	reservation := l.of(name).ReserveN(now, 1)
	wait = reservation.DelayFrom(now)
	if wait > 0 {
		reservation.CancelAt(now)
		return wait, false
	}
	return 0, true
}

func (l *limiter) of(name string) *rate.Limiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	if one := l.recent[name]; one != nil {
		return one
	}
	one := l.older[name]
	if one == nil {
		one = rate.NewLimiter(l.rate, l.burst)
	}
	if len(l.recent) >= limitersKept {
		l.older, l.recent = l.recent, make(map[string]*rate.Limiter)
	}
	l.recent[name] = one
	return one
}

// addressOf identifies a client without a key by its IPv4 address or its IPv6 /64 network.
// If a proxy on this machine forwards the request, the address is the last one in
// X-Forwarded-For.
func addressOf(r *http.Request) string {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	address := peer.Addr().Unmap()
	if forwarded := r.Header.Values("X-Forwarded-For"); address.IsLoopback() && len(forwarded) > 0 {
		last := forwarded[len(forwarded)-1]
		last = strings.TrimSpace(last[strings.LastIndexByte(last, ',')+1:])
		if client, err := netip.ParseAddr(last); err == nil {
			address = client.Unmap()
		}
	}
	if address.Is6() {
		network, _ := address.WithZone("").Prefix(64)
		return network.String()
	}
	return address.String()
}
