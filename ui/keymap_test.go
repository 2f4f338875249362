package ui_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	must "tonne/model/musttest"
	"tonne/model/texttest"
	"tonne/ui/keymap"
)

func char(c rune) tea.KeyPressMsg { return tea.KeyPressMsg{Code: c, Text: string(c)} }

func TestMatcherFollowsSequences(t *testing.T) {
	t.Parallel()
	groups := []keymap.Group{
		{Name: "Pane", Bindings: []keymap.Binding{bound("pane.down", "j")}},
		{Name: "Tab", Bindings: []keymap.Binding{bound("down", "j", "down"), bound("top", "g g"), bound("page", "ctrl+d"), bound("shifted", "G")}},
	}
	for _, test := range []struct {
		name string
		keys []tea.KeyPressMsg
		// want is what each key leads to: a binding, "…" or "".
		want []string
	}{
		{"the first group wins", []tea.KeyPressMsg{char('j')}, []string{"pane.down"}},
		{"named", []tea.KeyPressMsg{{Code: tea.KeyDown}}, []string{"down"}},
		{"modified", []tea.KeyPressMsg{{Code: 'd', Mod: tea.ModCtrl}}, []string{"page"}},
		{"upper case", []tea.KeyPressMsg{{Code: 'g', Mod: tea.ModShift, Text: "G"}}, []string{"shifted"}},
		{"a sequence", []tea.KeyPressMsg{char('g'), char('g'), char('g')}, []string{"…", "top", "…"}},
		{"a sequence that breaks off", []tea.KeyPressMsg{char('g'), char('j')}, []string{"…", "pane.down"}},
		{"nothing", []tea.KeyPressMsg{char('x'), {}}, []string{"", ""}},
		{"a layout without Latin letters", []tea.KeyPressMsg{{Code: 'о', Text: "о", BaseCode: 'j'}}, []string{"pane.down"}},
	} {
		var m keymap.Matcher
		for i, key := range test.keys {
			b, result := m.Press(key, groups)
			got := b.Name
			if result == keymap.Pending {
				got = "…"
			}
			must.Hold(t, got == test.want[i] && (result == keymap.Pending) == (m.Begun() != ""),
				test.name, i, got, test.want[i], m.Begun())
		}
	}
}

func TestLabelsAreAsPeopleReadThem(t *testing.T) {
	t.Parallel()
	texttest.Table(t, "labels", keymap.Label)
	b := bound("x", "j", "down")
	must.Equal(t, b.Label()+", "+b.Labels()+", "+bound("none").Label(), "j, j ↓, ")
}

func bound(name string, strokes ...string) keymap.Binding {
	return keymap.Binding{Name: name, Keys: strokes}
}

func TestRemapReportsWhatCannotWork(t *testing.T) {
	t.Parallel()
	groups := []keymap.Group{
		{Name: "Tab", Bindings: []keymap.Binding{bound("sort", "s"), bound("quote", "b"), bound("top", "g g", "home")}},
		{Name: "Everywhere", Bindings: []keymap.Binding{bound("quit", "q")}},
	}
	texttest.Table(t, "remap", func(text string) string {
		remap := make(keymap.Remap)
		for binding := range strings.SplitSeq(text, ";") {
			if name, keys, ok := strings.Cut(binding, "="); ok {
				remap[name] = slices.DeleteFunc(strings.Split(keys, ","), func(key string) bool { return key == "" })
			}
		}
		problems := slices.Concat(remap.Conflicts(groups...), remap.Unknown(groups...), remap.Unusable())
		return fmt.Sprint(errors.Join(problems...))
	})
	must.Equal(t, groups[0].Bindings[0].Keys[0], "s", "the check changed the bindings")
}

func TestStrokesThatAKeyboardHas(t *testing.T) {
	t.Parallel()
	has := func(stroke string) bool { return len(keymap.Remap{"sort": {stroke}}.Unusable()) == 0 }
	for _, s := range strings.Split("a|A|?|+|é|东|f1|f12|enter|pgdown|ctrl+d|ctrl++|alt+x|shift+tab|ctrl+alt+delete|g g|g G", "|") {
		must.Hold(t, has(s), s)
	}
	for _, s := range []string{"", " ", "  ", "ab", "f0", "f64", "f01", "Enter", "ctrl", "ctrl+", "shift+ctrl+a", "g g g", "a ", "\t", "\x1b", "ctrl+\x00"} {
		must.Hold(t, !has(s), s)
	}
}
