package tab

import (
	"tonne/ui/effect"
	"tonne/ui/keymap"
)

// Mover is a list that is walked with the keyboard.
type Mover interface {
	Move(n int)
	PageUp()
	PageDown()
	HalfUp()
	HalfDown()
	Top()
	Bottom()
}

// Moves returns the bindings that walk a list. The names begin with the name
// of the tab. After says what a move asks for, such as what is shown of the
// thing that the cursor came to; nil for nothing.
func Moves(tab string, m Mover, after func() effect.Effect) keymap.Group {
	bind := func(name, help string, act func(), strokes ...string) keymap.Binding {
		return keymap.Binding{Name: tab + "." + name, Keys: strokes, Help: help, Do: func() effect.Effect {
			act()
			if after == nil {
				return nil
			}
			return after()
		}}
	}
	return keymap.Group{Name: "Moving", Bindings: []keymap.Binding{
		bind("down", "one down", func() { m.Move(1) }, "j", "down"),
		bind("up", "one up", func() { m.Move(-1) }, "k", "up"),
		bind("pagedown", "a page down", m.PageDown, "pgdown", "ctrl+f"),
		bind("pageup", "a page up", m.PageUp, "pgup", "ctrl+b"),
		bind("halfdown", "half a page down", m.HalfDown, "ctrl+d"),
		bind("halfup", "half a page up", m.HalfUp, "ctrl+u"),
		bind("top", "to the first", m.Top, "g g", "home"),
		bind("bottom", "to the last", m.Bottom, "G", "end"),
	}}
}
