package ui

import "time"

// toastTime is how long a message stays on the screen, at least.
const toastTime = 4 * time.Second

// toast is a message that goes away by itself.
type toast struct {
	text string
	bad  bool
	// stands says that it stays beyond its time until somebody does something: what
	// failed is not to be missed.
	stands bool
	until  time.Time
	// holds reports whether the message is still true; nil for always.
	holds func() bool
}

// expire drops the message when its time is over or it is not true any more, and
// otherwise returns when its time is over; zero while there is none, or it stands.
func (t *toast) expire(now time.Time) time.Time {
	over := !t.stands && !t.until.After(now)
	if t.text != "" && (over || t.holds != nil && !t.holds()) {
		*t = toast{}
	}
	if t.stands {
		return time.Time{}
	}
	return t.until
}
