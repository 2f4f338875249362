package ui

import "time"

// toastTime is how long a message stays on the screen.
const toastTime = 4 * time.Second

// toast is a message that goes away by itself.
type toast struct {
	text  string
	bad   bool
	until time.Time
	// holds reports whether the message is still true; nil for always.
	holds func() bool
}

// expire drops the message when its time is over or it is not true any more, and
// otherwise returns when its time is over; zero while there is none.
func (t *toast) expire(now time.Time) time.Time {
	if t.text != "" && (!t.until.After(now) || t.holds != nil && !t.holds()) {
		*t = toast{}
	}
	return t.until
}
