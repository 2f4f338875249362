package tab

import (
	"strings"
	"time"
)

// FlashTime is how long a changed value is marked.
const FlashTime = 1500 * time.Millisecond

// Flashes remembers which cells have changed a moment ago. The zero value is ready.
type Flashes struct{ until map[cell]time.Time }

type cell struct{ id, column string }

// Add marks cells of a thing from now on.
func (f *Flashes) Add(now time.Time, id string, columns ...string) {
	if f.until == nil {
		f.until = make(map[cell]time.Time)
	}
	for _, column := range columns {
		f.until[cell{strings.Clone(id), column}] = now.Add(FlashTime)
	}
}

// On reports whether a cell is marked.
func (f *Flashes) On(id, column string) bool {
	_, on := f.until[cell{id, column}]
	return on
}

// Any reports whether anything is marked.
func (f *Flashes) Any() bool { return len(f.until) > 0 }

// Expire drops the marks that have ended and reports when the next one does, if any is left.
func (f *Flashes) Expire(now time.Time) (time.Time, bool) {
	var next time.Time
	for of, until := range f.until {
		switch {
		case !until.After(now):
			delete(f.until, of)
		case next.IsZero() || until.Before(next):
			next = until
		}
	}
	return next, !next.IsZero()
}
