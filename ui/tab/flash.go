package tab

import (
	"strings"
	"time"
)

// FlashTime is the duration of the mark of a changed value.
const FlashTime = 1500 * time.Millisecond

// Flashes has the cells that changed recently. The zero value is ready to use.
type Flashes struct{ until map[cell]time.Time }

type cell struct{ id, column string }

// Add marks cells of the row with the given id.
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

// Expire removes expired marks and returns the next time of expiry, if any mark is left.
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
