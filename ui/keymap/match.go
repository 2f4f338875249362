package keymap

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// Result is the result of a stroke.
type Result int8

// The results.
const (
	NoMatch Result = iota // nothing is bound to it
	Pending               // it begins a sequence
	Matched               // a binding was found
)

// Matcher follows strokes and their sequences. The zero value is ready.
type Matcher struct{ begun string }

// Begun returns the strokes of an unfinished sequence, or "".
func (m *Matcher) Begun() string { return m.begun }

// Press finds the binding for a stroke. Groups are searched in order.
func (m *Matcher) Press(key tea.KeyPressMsg, groups []Group) (Binding, Result) {
	begun := m.begun
	m.begun = ""
	for _, stroke := range strokes(key) {
		if begun != "" {
			if b, r := find(begun+" "+stroke, groups); r == Matched {
				return b, r
			}
		}
	}
	for _, stroke := range strokes(key) {
		b, r := find(stroke, groups)
		if r == Pending {
			m.begun = stroke
		}
		if r != NoMatch {
			return b, r
		}
	}
	return Binding{}, NoMatch
}

// strokes returns the names of a key, the most specific first. The last is its position on a US keyboard,
// for layouts without Latin letters.
func strokes(key tea.KeyPressMsg) []string {
	names := []string{key.String()}
	if k := key.Keystroke(); k != names[0] {
		names = append(names, k)
	}
	if base := key.Key().BaseCode; base != 0 && base != key.Key().Code && key.Key().Mod == 0 {
		names = append(names, string(base))
	}
	return names
}

func find(stroke string, groups []Group) (Binding, Result) {
	pending := false
	for _, g := range groups {
		for _, b := range g.Bindings {
			if slices.Contains(b.Keys, stroke) {
				return b, Matched
			}
			pending = pending || slices.ContainsFunc(b.Keys, func(k string) bool {
				return strings.HasPrefix(k, stroke+" ")
			})
		}
	}
	if pending {
		return Binding{}, Pending
	}
	return Binding{}, NoMatch
}
