package ui

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	must "tonne/model/musttest"
	"tonne/model/texttest"
	"tonne/ui/keymap"
	"tonne/ui/style"
)

func char(c rune) tea.KeyPressMsg { return tea.KeyPressMsg{Code: c, Text: string(c)} }

func TestMatcherFollowsSequences(t *testing.T) {
	t.Parallel()
	groups := []keymap.Group{
		{Name: "Pane", Bindings: []keymap.Binding{bound("pane.down", "j")}},
		{Name: "Tab",
			Bindings: []keymap.Binding{bound("down", "j", "down"), bound("top", "g g"), bound("page", "ctrl+d"),
				bound("shifted", "G")}},
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
	for _, s := range []string{"", " ", "  ", "ab", "f0", "f64", "f01", "Enter", "ctrl", "ctrl+", "shift+ctrl+a", "g g g",
		"a ", "\t", "\x1b", "ctrl+\x00"} {
		must.Hold(t, !has(s), s)
	}
}

// longHelp is an entry with a long reason.
const longHelp = "show only watched vintages, or all · You watch nothing yet. f watches the selected vintage."

func TestHelpIsNotCutIfThereIsRoom(t *testing.T) {
	t.Parallel()
	for _, show := range []func(*robot){func(*robot) {}, (*robot).ShowInventory, (*robot).ShowRetirements} {
		for _, open := range []string{"?", ":"} {
			r := settled(t, 120, 100)
			show(r)
			groups := r.app.keys
			r.Press(open)
			for _, g := range groups {
				for _, b := range g.Bindings {
					if open == "?" && len(b.Keys) == 0 {
						continue
					}
					help := b.Help
					if why := b.Disabled(); why != "" {
						help += " · " + why
					}
					r.Sees(b.Labels(), help+" ")
				}
			}
		}
	}
}

func TestHelpGrowsWithTerminal(t *testing.T) {
	t.Parallel()
	for width, want := range map[int]int{60: 56, 80: 76, 100: 96, 120: 110, 240: 110} {
		r := settled(t, width, 100)
		r.Press("?")
		w := r.app.dialog.width + 4
		must.Equal(t, w, want, width)
		if width < style.Width(longHelp) {
			r.SeesNot(longHelp)
		}
	}
}

func TestHelpFindsTheReasonOfAPurchaseByWhy(t *testing.T) {
	t.Parallel()
	r := settled(t, 120, 36)
	r.Press("2", "?", "w", "h", "y")
	r.Sees("set the reason why you bought")
}

func TestDemoCopiesNoCommand(t *testing.T) {
	t.Parallel()
	r := newRobotWith(t, 80, 24, func(o *Options) { o.NoShell = "No command reads a demo." })
	r.Press("!")
	r.Sees("No command reads a demo.")
	r.SeesNot("Copied")
}

func TestHelpOfTabKeyNamesTheTab(t *testing.T) {
	t.Parallel()
	groups := Keys()
	everywhere := groups[len(groups)-1].Bindings
	for n, tab := range groups[:len(groups)-1] {
		must.Equal(t, everywhere[n].Help, "show "+tab.Name, "key", n+1)
	}
}

// On checks the selected row and the title of the lower pane.
func (r *robot) On(row, pane string) {
	r.T.Helper()
	line := r.Line("▎")
	must.Hold(r.T, strings.Contains(line, row), "the cursor is not on", row, line)
	r.Sees(pane + "  order book")
}

// Later moves the clock and sends the tick if it is due.
func (r *robot) Later(d time.Duration) {
	r.now = r.now.Add(d)
	if due := r.app.clock; !due.IsZero() && !due.After(r.now) {
		r.send(tick{due})
	}
}

func TestWheelCountsAsHeldKey(t *testing.T) {
	t.Parallel()
	r := ready(t)
	for i, running := range []bool{false, true, true} {
		r.send(tea.MouseWheelMsg{X: 5, Y: 5, Button: tea.MouseWheelDown})
		must.Equal(t, r.app.view.KeyHeld, running, "notch", i, !running)
	}
	r.Later(repeatWindow)
	must.Hold(t, !r.app.view.KeyHeld, "the wheel still counts as held")
}

// Keys move in a focused pane, however fast they arrive.
func TestFocusedPaneIsDrawnWhileKeyIsHeld(t *testing.T) {
	t.Parallel()
	r := ready(t)
	r.Press("enter")
	for range 3 {
		before := r.frame()
		r.Press("j")
		must.Need(t, r.frame() != before, "the pane does not move")
	}
}
