package session

import (
	"context"
	"maps"

	"tonne/model/file/store"
)

// ChoicesEvent carries the display choices of the user from the store: the last value of each
// name given to Choose. It is sent when the session begins to record, and
// after changes.
type ChoicesEvent struct{ Choices map[string]string }

type choices struct {
	*env
	kept store.Cache
	// sent are the last choices that were sent, nil before.
	sent map[string]string
}

// reread sends the choices if they differ from the last ones. Another program may change them.
func (c *choices) reread() {
	read(c.env, c.kept.Choices, func(choices map[string]string, err error) {
		if err == nil && (c.sent == nil || !maps.Equal(choices, c.sent)) {
			c.sent = choices
			c.emit(ChoicesEvent{choices})
		}
	})
}

func (c *choices) choose(name, value string) {
	c.keep(ChoiceWrites, func(ctx context.Context) error { return c.kept.SetChoice(ctx, name, value) })
}
