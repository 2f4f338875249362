package tab

import (
	"strings"
	"time"
)

// FlashTime is how long a changed value is marked.
const FlashTime = 1500 * time.Millisecond

// Flashes remembers which things have changed a moment ago, by name. The zero
// value is ready.
type Flashes struct{ until map[string]time.Time }

// Add marks a thing from now on.
func (f *Flashes) Add(name string, now time.Time) {
	if f.until == nil {
		f.until = make(map[string]time.Time)
	}
	f.until[strings.Clone(name)] = now.Add(FlashTime)
}

// On reports whether a thing is marked.
func (f *Flashes) On(name string) bool {
	_, on := f.until[name]
	return on
}

// Any reports whether anything is marked.
func (f *Flashes) Any() bool { return len(f.until) > 0 }

// Expire drops the marks that have ended and reports when the next one does;
// false if none is left.
func (f *Flashes) Expire(now time.Time) (time.Time, bool) {
	var next time.Time
	for name, until := range f.until {
		switch {
		case !until.After(now):
			delete(f.until, name)
		case next.IsZero() || until.Before(next):
			next = until
		}
	}
	return next, !next.IsZero()
}

// ExpireAll drops the marks of several that have ended and reports when the
// next one does; false if none is left.
func ExpireAll(now time.Time, all ...*Flashes) (next time.Time, any bool) {
	for _, f := range all {
		if end, some := f.Expire(now); some && (!any || end.Before(next)) {
			next, any = end, true
		}
	}
	return next, any
}
