package ui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	must "tonne/model/musttest"
)

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
