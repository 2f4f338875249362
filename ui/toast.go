package ui

import "time"

// toastTime is how long a message stays on the screen.
const toastTime = 4 * time.Second

// toast is a message that goes away by itself.
type toast struct {
	text  string
	bad   bool
	until time.Time
}

// expire drops the message when its time is over, and otherwise returns when
// that is; zero while there is none.
func (t *toast) expire(now time.Time) time.Time {
	if t.text != "" && !t.until.After(now) {
		*t = toast{}
	}
	return t.until
}
