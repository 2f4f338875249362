package retire

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"tonne/api/retire"
	"tonne/model"
	"tonne/ui/style"
	"tonne/ui/tab"
)

// confirmation lets a person confirm by typing a quantity, by hand.
type confirmation struct {
	guard keyGuard
	entry tab.Entry
	// quantity is what has to be typed; verb says what that does.
	quantity model.Grams
	verb     string
	// leave says what Esc does.
	leave   string
	problem string
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
	b.Put(style.Warning, c.warning())
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

func (c *confirmation) warning() string {
	if c.problem == "" {
		return ""
	}
	return "✗ " + c.problem
}
