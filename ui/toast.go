package ui

import (
	"time"

	"tonne/ui/effect"
)

// A message stays on the screen for toastTime, at least. One of something that
// failed stays for failureTime, unless somebody does something meanwhile: they may
// be looking elsewhere, and a screen that nobody touches must not keep it.
const (
	toastTime   = 4 * time.Second
	failureTime = time.Minute
)

// toast is a message that goes away by itself.
type toast struct {
	text string
	bad  bool
	// stands says that it stays for failureTime: what failed is not to be missed.
	stands bool
	until  time.Time
	// holds reports whether the message is still true; nil for always.
	holds func() bool
}

func newToast(e effect.Toast, now time.Time) toast {
	return toast{text: e.Text, bad: e.Bad, stands: e.Bad && e.Holds == nil, until: now.Add(toastTime), holds: e.Holds}
}

// gives reports whether the message gives way to another: what failed stands
// before news that nobody asked for.
func (t *toast) gives(to effect.Toast) bool { return !t.stands || to.Bad }

func (t *toast) end() time.Time {
	if t.stands {
		return t.until.Add(failureTime - toastTime)
	}
	return t.until
}

func (t *toast) expire(now time.Time) time.Time {
	if t.text != "" && (!t.end().After(now) || t.holds != nil && !t.holds()) {
		*t = toast{}
	}
	return t.end()
}
