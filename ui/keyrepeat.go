package ui

import "time"

// repeatWindow is how long after a key it counts as held when it comes again.
// Keyboards repeat 10 to 40 times a second.
const repeatWindow = 120 * time.Millisecond

// keyRepeat is the key, or the wheel, that was moved last.
type keyRepeat struct {
	stroke string
	at     time.Time
}

func (k *keyRepeat) held(stroke string, now time.Time) bool {
	again := stroke == k.stroke && now.Sub(k.at) < repeatWindow
	k.stroke, k.at = stroke, now
	return again
}

func (a *App) releases(now time.Time) time.Time {
	at := a.repeat.at.Add(repeatWindow)
	a.view.KeyHeld = a.view.KeyHeld && now.Before(at)
	if !a.view.KeyHeld {
		return time.Time{}
	}
	return at
}
