package keymap

import "strings"

// Command is a command of the palette with an argument.
type Command struct {
	// Name is what is typed before the argument, Usage the argument as help shows it, and Help a description.
	Name, Usage, Help string
	// Complete returns a binding for each possible argument. Their Action is the whole command.
	Complete func(typed string) []Binding
}

// For returns the bindings for what is typed: those of Complete, or one that only names the command.
func (c Command) For(typed string) []Binding {
	if argument, ok := strings.CutPrefix(typed, c.Name+" "); ok {
		return c.Complete(strings.TrimSpace(argument))
	}
	return []Binding{{Action: c.Name, Takes: c.Usage, Help: c.Name + " " + c.Usage + " · " + c.Help}}
}
