package ui

import (
	"fmt"
	"testing"

	tea "charm.land/bubbletea/v2"

	"tonne/ui/uitest"
)

// If the terminal is too small from the start, the panes have no size yet.
func TestKeysBeforeFirstDrawDoNotPanic(t *testing.T) {
	t.Parallel()
	keys := []string{"enter", "esc", "tab", "up", "down", "left", "right", "pgup", "pgdown", "home", "end", "ctrl+d", "ctrl+u", "ctrl+l"}
	for c := '!'; c <= '~'; c++ {
		keys = append(keys, string(c))
	}
	for _, tab := range []string{"1", "2", "3"} {
		for _, key := range keys {
			t.Run(fmt.Sprint(tab, " ", key), func(t *testing.T) {
				t.Parallel()
				r := settled(t, 40, 10)
				r.Press(tab)
				r.send(uitest.Stroke(key))
				r.send(uitest.Stroke(key))
				r.send(tea.WindowSizeMsg{Width: 120, Height: 36})
				uitest.Exact(t, r.frame(), 120, 36)
			})
		}
	}
}
