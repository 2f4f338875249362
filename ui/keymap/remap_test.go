package keymap

import (
	"errors"
	"strings"
	"testing"
)

func bound(name string, strokes ...string) Binding { return Binding{Name: name, Keys: strokes} }

func TestRemapReportsWhatCannotWork(t *testing.T) {
	t.Parallel()
	groups := []Group{
		{Name: "Tab", Bindings: []Binding{bound("sort", "s"), bound("quote", "b"), bound("top", "g g", "home")}},
		{Name: "Everywhere", Bindings: []Binding{bound("quit", "q")}},
	}
	for _, test := range []struct {
		name  string
		remap Remap
		want  string
	}{
		{"as it is", nil, ""},
		{"free keys", Remap{"sort": {"o", "f2", "ctrl+o"}, "quit": {"Q"}}, ""},
		{"exchanged", Remap{"sort": {"b"}, "quote": {"s"}}, ""},
		{"no key", Remap{"quote": {}}, ""},
		{"the same key twice", Remap{"sort": {"b"}}, "key b does both sort and quote"},
		{"of another group", Remap{"sort": {"q"}}, "key q does both sort and quit"},
		{"before a sequence", Remap{"sort": {"g"}}, "gg, the keys of top, begin with the key of sort"},
		{"a sequence that starts with the same key", Remap{"top": {"g", "g g"}}, ""},
		{"an unknown name", Remap{"sorts": {"o"}}, `there is no key binding named "sorts"`},
		{"no key of a keyboard", Remap{"sort": {"nonsense"}}, `there is no key "nonsense"`},
		{"in the words of others", Remap{"sort": {"Ctrl+D"}}, `there is no key "Ctrl+D"`},
		{"shifted by hand", Remap{"sort": {"ctrl+D"}}, `there is no key "ctrl+D"`},
		{"interrupt", Remap{"sort": {"ctrl+c"}}, "Ctrl-c cannot be the key of sort"},
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
	if groups[0].Bindings[0].Keys[0] != "s" {
		t.Error("the check changed the bindings")
	}
}

func TestStrokesThatAKeyboardHas(t *testing.T) {
	t.Parallel()
	for _, s := range strings.Split("a|A|?|+|é|东|f1|f12|enter|pgdown|ctrl+d|ctrl++|alt+x|shift+tab|ctrl+alt+delete|g g|g G", "|") {
		if !sequence().MatchString(s) {
			t.Errorf("%q is refused", s)
		}
	}
	for _, s := range []string{"", " ", "  ", "ab", "f0", "f64", "f01", "Enter", "ctrl", "ctrl+", "shift+ctrl+a", "g g g", "a ", "\t", "\x1b", "ctrl+\x00"} {
		if sequence().MatchString(s) {
			t.Errorf("%q is accepted", s)
		}
	}
}
