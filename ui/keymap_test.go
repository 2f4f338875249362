package ui_test

import (
	"errors"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	must "tonne/model/musttest"
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
	for key, want := range map[string]string{
		"j": "j", "enter": "↵", "ctrl+d": "Ctrl-d", "g g": "gg", "shift+tab": "Shift-Tab", "ctrl+up": "Ctrl-↑", "+": "+", "pgdown": "PgDn",
	} {
		must.Equal(t, keymap.Label(key), want, key)
	}
	b := bound("x", "j", "down")
	must.Hold(t, b.Label() == "j" && b.Labels() == "j ↓" && bound("none").Label() == "", b.Label(), b.Labels())
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
	for _, test := range []struct {
		name  string
		remap keymap.Remap
		want  string
	}{
		{"as it is", nil, ""},
		{"free keys", keymap.Remap{"sort": {"o", "f2", "ctrl+o"}, "quit": {"Q"}}, ""},
		{"exchanged", keymap.Remap{"sort": {"b"}, "quote": {"s"}}, ""},
		{"no key", keymap.Remap{"quote": {}}, ""},
		{"the same key twice", keymap.Remap{"sort": {"b"}}, "key b does both sort and quote"},
		{"of another group", keymap.Remap{"sort": {"q"}}, "key q does both sort and quit"},
		{"before a sequence", keymap.Remap{"sort": {"g"}}, "gg, the keys of top, begin with the key of sort"},
		{"a sequence that starts with the same key", keymap.Remap{"top": {"g", "g g"}}, ""},
		{"an unknown name", keymap.Remap{"sorts": {"o"}}, `there is no key binding named "sorts"`},
		{"no key of a keyboard", keymap.Remap{"sort": {"nonsense"}}, `there is no key "nonsense"`},
		{"in the words of others", keymap.Remap{"sort": {"Ctrl+D"}}, `there is no key "Ctrl+D"`},
		{"shifted by hand", keymap.Remap{"sort": {"ctrl+D"}}, `there is no key "ctrl+D"`},
		{"interrupt", keymap.Remap{"sort": {"ctrl+c"}}, "Ctrl-c cannot be the key of sort"},
	} {
		problems := test.remap.Conflicts(groups...)
		problems = append(problems, test.remap.Unknown(groups...)...)
		problems = append(problems, test.remap.Unusable()...)
		got := errors.Join(problems...)
		switch {
		case test.want == "" && got != nil:
			t.Errorf("%s: %v", test.name, got)
		case test.want != "" && (len(problems) != 1 || !strings.Contains(got.Error(), test.want)):
			t.Errorf("%s: %v, want %q", test.name, got, test.want)
		}
	}
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
