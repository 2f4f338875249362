// Package keymap describes key bindings as data. The program looks pressed keys up in them, and the
// footer, the help and the command palette list them. A configuration may remap keys. The package
// runs no action itself. Start reading at Binding.
package keymap

import (
	"cmp"
	"slices"
	"strings"

	"tonne/ui/effect"
)

// Binding is one thing that a key does.
type Binding struct {
	// Name is the stable name for the configuration, such as "market.quote".
	Name string
	// Action is what the key means on every tab, such as "copy"; empty is the last part of the name.
	Action string
	// Keys are the strokes that trigger it, such as "j", "ctrl+d" or "g g", the shown one first. Without any
	// it is found in the command palette.
	Keys []string
	// Help says what it does, in a few words.
	Help string
	// Alarm is a warning next to the help, such as PRODUCTION; empty for none.
	Alarm string
	// Short is its name in the footer; empty for one that is not shown there.
	Short string
	// Why says why it does nothing at present; nil or empty while it works.
	Why func() string
	// Machine marks what uses files or programs of this machine: nothing for a person at another one.
	Machine bool
	// Do acts. The command may be nil.
	Do func() effect.Effect
}

// Meaning returns the Action, or else the last part of the name.
func (b Binding) Meaning() string {
	return cmp.Or(b.Action, b.Name[strings.LastIndex(b.Name, ".")+1:])
}

// Disabled returns why the binding does nothing at present, or "".
func (b Binding) Disabled() string {
	if b.Why == nil {
		return ""
	}
	return b.Why()
}

// Label returns the keys as people read them: "↵", "Ctrl-d", "gg".
func (b Binding) Label() string {
	if len(b.Keys) > 0 {
		return Label(b.Keys[0])
	}
	return ""
}

// Labels returns all keys of the binding as people read them.
func (b Binding) Labels() string {
	labels := make([]string, len(b.Keys))
	for i, k := range b.Keys {
		labels[i] = Label(k)
	}
	return strings.Join(labels, " ")
}

var labels = map[string]string{
	"enter": "↵", "up": "↑", "down": "↓", "left": "←", "right": "→",
	"pgup": "PgUp", "pgdown": "PgDn", "home": "Home", "end": "End",
	"tab": "Tab", "shift+tab": "Shift-Tab", "esc": "Esc", "space": "Space",
}

// Label returns one stroke or sequence as people read it.
func Label(key string) string {
	var all strings.Builder
	for stroke := range strings.FieldsSeq(key) {
		mod, rest, ok := strings.Cut(stroke, "+")
		switch l := labels[stroke]; {
		case l != "":
			stroke = l
		case ok && rest != "":
			stroke = strings.ToUpper(mod[:1]) + mod[1:] + "-" + Label(rest)
		}
		all.WriteString(stroke)
	}
	return all.String()
}

// WithoutMachine returns the groups without what needs the machine. Why gives the reason for a name.
func WithoutMachine(groups []Group, why func(name string) string) []Group {
	return edited(groups, func(b *Binding) {
		if name := b.Name; b.Machine {
			b.Why = func() string { return why(name) }
		}
	})
}

func edited(groups []Group, edit func(b *Binding)) []Group {
	groups = slices.Clone(groups)
	for g := range groups {
		groups[g].Bindings = slices.Clone(groups[g].Bindings)
		for b := range groups[g].Bindings {
			edit(&groups[g].Bindings[b])
		}
	}
	return groups
}

// Group is a named list of bindings, as the help shows them.
type Group struct {
	Name     string
	Bindings []Binding
}
