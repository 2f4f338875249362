package retire

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// How long keys are kept out of a confirmation: after it appeared, and then
// until none came for a while. A key that comes sooner than a hand types, or
// that repeats as a held one does, was not meant for it.
const (
	settle   = 700 * time.Millisecond
	silence  = 400 * time.Millisecond
	fastest  = 8 * time.Millisecond
	heldTime = 150 * time.Millisecond
)

// keyGuard tells keys that a person meant for a confirmation from others.
type keyGuard struct {
	opens, last time.Time
	stroke      string
}

// verdict is what a key is for the guard.
type verdict int8

const (
	acceptedKey verdict = iota
	// early is one that came before the guard was open.
	early
	// held is one that repeats.
	held
	// tooFast is one that no hand typed: a paste, on a terminal that does not
	// mark it, or keys that waited somewhere.
	tooFast
)

func (g *keyGuard) close(now time.Time) { *g = keyGuard{opens: now.Add(settle), last: now} }

func (g *keyGuard) classify(key tea.KeyPressMsg, now time.Time) verdict {
	stroke, since := key.Keystroke(), now.Sub(g.last)
	again := stroke == g.stroke
	g.stroke, g.last = stroke, now
	switch {
	case now.Before(g.opens):
		if until := now.Add(silence); until.After(g.opens) {
			g.opens = until
		}
		return early
	case key.IsRepeat, again && stroke == "enter" && since < heldTime:
		return held
	case since < fastest:
		g.opens = now.Add(silence)
		return tooFast
	}
	return acceptedKey
}
