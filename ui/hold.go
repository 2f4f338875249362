package ui

import "time"

// letGo is how long after a key it counts as held when it comes again.
// Keyboards repeat 10 to 40 times a second.
const letGo = 120 * time.Millisecond

// hold is the key, or the wheel, that was moved last.
type hold struct {
	stroke string
	at     time.Time
}

// note takes a key and reports whether it is held.
func (h *hold) note(stroke string, now time.Time) bool {
	again := stroke == h.stroke && now.Sub(h.at) < letGo
	h.stroke, h.at = stroke, now
	return again
}

// rest returns when the cursor comes to rest, and false once it has.
func (d *Desk) rest(now time.Time) (time.Time, bool) {
	at := d.hold.at.Add(letGo)
	d.view.Running = d.view.Running && now.Before(at)
	return at, d.view.Running
}
