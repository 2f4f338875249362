package retire

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"tonne/api/retire"
	"tonne/model"
	"tonne/ui/style"
	"tonne/ui/tab"
)

type confirmation struct {
	guard    keyGuard
	entry    tab.Entry
	quantity model.Grams
	verb     string
	leave    string
	problem  string
}

func newConfirmation(quantity model.Grams, verb, leave string, now time.Time) *confirmation {
	c := &confirmation{entry: tab.NewEntry(), quantity: quantity, verb: verb, leave: leave}
	c.guard.close(now)
	c.entry.Focus()
	return c
}

func (c *confirmation) press(key tea.KeyPressMsg, now time.Time) bool {
	switch c.guard.classify(key, now) {
	case early:
		c.reset("Keys that come at once are not taken: they may have been meant for something else.")
		return false
	case tooFast:
		c.reset("That came faster than a hand types. Type it again.")
		return false
	case held:
		return false
	}
	c.problem = ""
	if key.Keystroke() != "enter" {
		c.entry.Take(key)
		return false
	}
	got, err := retire.ParseQuantity(c.entry.Value())
	if err == nil && got == c.quantity {
		return true
	}
	c.problem = "Type " + typed(c.quantity) + ", then ↵."
	return false
}

func (c *confirmation) refusePaste(now time.Time) {
	c.guard.opens = now.Add(silence)
	c.reset("A paste confirms nothing. Type it.")
}

func (c *confirmation) reset(problem string) {
	c.entry.SetValue("")
	c.problem = problem
}

func (c *confirmation) draw(b *style.Block, y int) *tea.Cursor {
	problem := ""
	if c.problem != "" {
		problem = "✗ " + c.problem
	}
	b.Put(style.Warning, problem)
	l := b.Line(style.Plain)
	l.Put(style.Text, "type ")
	l.Put(style.Strong, typed(c.quantity))
	l.Put(style.Text, " to "+c.verb+"  ")
	l.Put(style.Accent, "❯ ")
	leave := "↵ done · Esc " + c.leave
	entry := style.Width(leave) + 2
	var cursor *tea.Cursor
	l.Field(l.Room()-entry, func() { cursor = c.entry.Draw(l, y+1) })
	l.PutRight(style.Faint, leave, l.Room())
	return cursor
}

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

type verdict int8

const (
	acceptedKey verdict = iota
	// early is one that came before the guard was open.
	early
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
