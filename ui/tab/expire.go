package tab

import "time"

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
