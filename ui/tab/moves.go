package tab

import (
	"tonne/ui/effect"
	"tonne/ui/keymap"
)

// Mover is a list that is walked with the keyboard.
type Mover interface {
	// Move walks by n things, as far as there are any.
	Move(n int)
	// Leap is Move, and what is on the screen goes along.
	Leap(n int)
	// Screenful returns how many things a page and half of one have.
	Screenful() (whole, half int)
}

// everything is more than any list has.
const everything = 1 << 30

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
	leap := func(by func(whole, half int) int) func() { return func() { m.Leap(by(m.Screenful())) } }
	return keymap.Group{Name: "Moving", Bindings: []keymap.Binding{
		bind("down", "one down", func() { m.Move(1) }, "j", "down"),
		bind("up", "one up", func() { m.Move(-1) }, "k", "up"),
		bind("pagedown", "a page down", leap(func(whole, _ int) int { return whole }), "pgdown", "ctrl+f"),
		bind("pageup", "a page up", leap(func(whole, _ int) int { return -whole }), "pgup", "ctrl+b"),
		bind("halfdown", "half a page down", leap(func(_, half int) int { return half }), "ctrl+d"),
		bind("halfup", "half a page up", leap(func(_, half int) int { return -half }), "ctrl+u"),
		bind("top", "to the first", func() { m.Move(-everything) }, "g g", "home"),
		bind("bottom", "to the last", func() { m.Move(everything) }, "G", "end"),
	}}
}
