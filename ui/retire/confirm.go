package retire

import (
	"time"

	tea "charm.land/bubbletea/v2"

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
		c.reset("These keys came too early and were ignored. Wait a moment, then type it again.")
		return false
	case tooFast:
		c.reset("These keys came too fast to be typed by hand. Type it again.")
		return false
	case held:
		return false
	}
	c.problem = ""
	if key.Keystroke() != "enter" {
		c.entry.Take(key)
		return false
	}
	got, err := model.ParseQuantity(c.entry.Value(), model.UnknownGrams)
	if err == nil && got == c.quantity {
		return true
	}
	c.problem = "Type " + typed(c.quantity) + ", then ↵."
	return false
}

func (c *confirmation) refusePaste(now time.Time) {
	c.guard.opens = now.Add(silence)
	c.reset("Pasted text does not confirm. Type it.")
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

// A confirmation ignores all keys for the time settle after it appears, and then until no
// key arrives for the time silence. After that it ignores keys that follow each other
// faster than fastest, and a repeated Enter within heldTime.
const (
	settle   = 700 * time.Millisecond
	silence  = 400 * time.Millisecond
	fastest  = 8 * time.Millisecond
	heldTime = 150 * time.Millisecond
)

// keyGuard decides which keys the user typed deliberately for a confirmation.
type keyGuard struct {
	opens, last time.Time
	stroke      string
}

type verdict int8

const (
	acceptedKey verdict = iota
	// early is a key before the guard opens.
	early
	held
	// tooFast is a key that was not typed by hand: an unbracketed paste, or
	// buffered input.
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
