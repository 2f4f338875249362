package keymap

import (
	"testing"

	tea "charm.land/bubbletea/v2"
)

func char(c rune) tea.KeyPressMsg { return tea.KeyPressMsg{Code: c, Text: string(c)} }

func TestMatcherFollowsSequences(t *testing.T) {
	t.Parallel()
	groups := []Group{
		{Name: "Pane", Bindings: []Binding{bound("pane.down", "j")}},
		{Name: "Tab", Bindings: []Binding{bound("down", "j", "down"), bound("top", "g g"), bound("page", "ctrl+d"), bound("shifted", "G")}},
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
		var m Matcher
		for i, key := range test.keys {
			b, result := m.Press(key, groups)
			got := b.Name
			if result == Pending {
				got = "…"
			}
			if got != test.want[i] || (result == Pending) != (m.Begun() != "") {
				t.Errorf("%s: key %d leads to %q, want %q; begun is %q", test.name, i, got, test.want[i], m.Begun())
			}
		}
	}
}

func TestLabelsAreAsPeopleReadThem(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]string{
		"j": "j", "enter": "↵", "ctrl+d": "Ctrl-d", "g g": "gg", "shift+tab": "Shift-Tab", "ctrl+up": "Ctrl-↑", "+": "+", "pgdown": "PgDn",
	} {
		if got := Label(key); got != want {
			t.Errorf("%q is written %q, want %q", key, got, want)
		}
	}
	if b := bound("x", "j", "down"); b.Label() != "j" || b.Labels() != "j ↓" || bound("none").Label() != "" {
		t.Errorf("%q, %q", b.Label(), b.Labels())
	}
}
