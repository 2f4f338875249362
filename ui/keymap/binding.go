// Package keymap describes key bindings as data. The program looks up pressed keys in them, and the
// footer, the help and the command palette list them. A configuration may remap keys. The package
// runs no action itself. Start reading at Binding.
package keymap

import (
	"cmp"
	"slices"
	"strings"

	"tonne/ui/effect"
)

// Binding is an action with its keys.
type Binding struct {
	// Name is the stable name for the configuration, such as "market.quote".
	Name string
	// Action is the meaning of the key on every tab, such as "copy". The default is the last part of the name.
	Action string
	// Keys are the strokes that trigger it, such as "j", "ctrl+d" or "g g". The first one is shown. A binding
	// without keys is only in the command palette.
	Keys []string
	// Takes is the argument that has to follow the Action in the palette, such as COLUMN, or empty.
	Takes string
	// Help describes the action in a few words.
	Help string
	// Alarm is a warning next to the help, such as PRODUCTION, or empty.
	Alarm string
	// Short is the name in the footer. If empty, the footer does not show the binding.
	Short string
	// Why returns the reason why the binding is disabled, or "". It is nil if it is never disabled.
	Why func() string
	// Machine reports that the action uses files or programs of this machine, and is not for remote users.
	Machine bool
	// Do performs the action. The effect may be nil.
	Do func() effect.Effect
}

// Meaning returns the Action, or by default the last part of the name.
func (b Binding) Meaning() string {
	return cmp.Or(b.Action, b.Name[strings.LastIndex(b.Name, ".")+1:])
}

// Disabled returns the reason why the binding is disabled, or "".
func (b Binding) Disabled() string {
	if b.Why == nil {
		return ""
	}
	return b.Why()
}

// Label returns the first key as users read it: "↵", "Ctrl-d", "gg".
func (b Binding) Label() string {
	if len(b.Keys) > 0 {
		return Label(b.Keys[0])
	}
	return ""
}

// Labels returns all keys of the binding as users read them.
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

var modifiers = map[string]string{
	"ctrl": "Ctrl", "alt": "Alt", "shift": "Shift", "meta": "Meta", "hyper": "Hyper", "super": "Super",
}

// Label returns a stroke or a sequence as users read it.
func Label(key string) string {
	var all strings.Builder
	for stroke := range strings.FieldsSeq(key) {
		mod, rest, ok := strings.Cut(stroke, "+")
		switch l := labels[stroke]; {
		case l != "":
			stroke = l
		case ok && rest != "" && modifiers[mod] != "":
			stroke = modifiers[mod] + "-" + Label(rest)
		}
		all.WriteString(stroke)
	}
	return all.String()
}

// WithoutMachine returns the groups with all Machine bindings disabled. why returns the reason for a binding.
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

// Group is a named list of bindings, such as a section of the help.
type Group struct {
	Name     string
	Bindings []Binding
}
