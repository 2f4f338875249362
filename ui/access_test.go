package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"tonne/api/session"
	must "tonne/model/musttest"
	"tonne/ui/uitest"
)

// visit calls look on the three tabs, their lower panes and their dialogs.
func visit(r *robot, look func(where string)) {
	r.ShowInventory()
	r.ShowRetirements()
	for _, keys := range []string{
		"1", "enter", "esc", "c", "q", "i", "q", "v", "q", "b", "esc", "?", "esc", ":", "esc", "C", "esc", "s", "y", "/",
		"esc",
		"2", "j", "enter", "esc", "e", "esc", "3", "j", "enter", "j", "q", "a", "esc", "p",
	} {
		r.Press(keys)
		look(keys)
	}
}

// On a terminal without Unicode, our symbols become ASCII characters in the same place.
func TestTerminalWithoutUnicodeGetsASCII(t *testing.T) {
	t.Parallel()
	for name, value := range map[string]string{"LC_ALL": "C", "LANG": "en_US.ISO-8859-1", "TERM": "vt100"} {
		for _, size := range [][2]int{{60, 15}, {80, 24}, {160, 45}} {
			r := newRobotWith(t, size[0], size[1], func(o *Options) {
				o.Getenv = func(n string) string {
					if n == name {
						return value
					}
					return ""
				}
			})
			r.settle()
			visit(r, func(where string) {
				uitest.Exact(t, r.frame(), size[0], size[1])
				// A project's name and the help key are not our symbols.
				text := strings.ReplaceAll(strings.ReplaceAll(r.Text(), "????????", ""), "? ", "")
				ours := strings.IndexFunc(text, func(c rune) bool { return c > '~' || c == '?' })
				must.Need(t, ours < 0, name, value, size, where, r.Text())
			})
			r.Press("1")
			r.Sees("Enter ", "? help", ">???????? Kwamisa")
		}
	}
	r := newRobotWith(t, 80, 24, func(o *Options) { o.Getenv = func(string) string { return "en_US.UTF-8" } })
	r.settle()
	r.Sees("▎Bale Mountains")
}

// Screen readers and magnifiers follow the terminal's cursor.
func TestTerminalCursorIsOnSelectedRow(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{60, 15}, {80, 24}, {160, 45}} {
		r := settled(t, size[0], size[1])
		r.ShowInventory()
		r.ShowRetirements()
		for _, keys := range [][]string{{"1"}, {"j"}, {"enter"}, {"j"}, {"q", "2"}, {"j"}, {"enter"}, {"j"}, {"q", "3"},
			{"j"}} {
			r.Press(keys...)
			c := r.app.View().Cursor
			must.Need(t, c != nil, size, keys, r.Text())
			line := strings.Split(r.Text(), "\n")[c.Y]
			must.Equal(t, ansi.Cut(line, c.X, c.X+1), "▎", size, keys, c.X, c.Y, line, r.Text())
		}
		r.Press("enter")
		c := r.app.View().Cursor
		must.Hold(t, c != nil && strings.Contains(ansi.Cut(strings.Split(r.Text(), "\n")[c.Y], c.X, size[0]), "CLOSED"),
			size, c)
		r.Press("q", "/")
		if c := r.app.View().Cursor; c == nil || c.Shape != tea.CursorBlock {
			t.Errorf("%v: in a text field: cursor at %v", size, c)
		}
	}
}

func TestNoMotionDisablesMarks(t *testing.T) {
	t.Parallel()
	for _, noMotion := range []bool{false, true} {
		r := newRobotWith(t, 120, 36, func(o *Options) { o.NoMotion = noMotion })
		r.settle()
		before, now := uitest.Market(0), uitest.Market(10)
		r.hear(session.MarketEvent{Status: uitest.Live(), Generation: 2, Market: now, Changes: now.Since(before)})
		changed := r.frame()
		r.now = r.now.Add(1600 * 1e6)
		r.app.expire(r.now)
		r.app.layout()
		r.now = r.now.Add(-1600 * 1e6)
		r.app.stale = true
		must.Equal(t, r.frame() == changed, noMotion, "NoMotion")
	}
}
