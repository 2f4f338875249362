package ui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

// on checks the selected row and the title of the lower pane.
func (r *robot) on(row, pane string) {
	r.T.Helper()
	if line := r.Line("▎"); !strings.Contains(line, row) {
		r.T.Errorf("the cursor is not on %s: %q", row, line)
	}
	r.Sees(pane + "  order book")
}

// later moves the clock and sends the tick if it is due.
func (r *robot) later(d time.Duration) {
	r.now = r.now.Add(d)
	if due := r.app.clock; !due.IsZero() && !due.After(r.now) {
		r.send(tick{due})
	}
}

func TestPaneFollowsCursor(t *testing.T) {
	t.Parallel()
	r := ready(t)
	r.on("2019", "Bale Mountains · 2019")
	for _, step := range []struct {
		name      string
		wait      time.Duration
		key       string
		row, pane string
	}{
		{"at once", time.Second, "j", "2020", "Bale Mountains · 2020"},
		{"not while the key is held", 30 * time.Millisecond, "j", "2021", "Bale Mountains · 2020"},
		{"at once with another key", 30 * time.Millisecond, "k", "2020", "Bale Mountains · 2020"},
		{"at once after a pause", repeatWindow, "k", "2019", "Bale Mountains · 2019"},
		{"at once with a new key", time.Second, "j", "2020", "Bale Mountains · 2020"},
		{"not while it is held", 30 * time.Millisecond, "j", "2021", "Bale Mountains · 2020"},
		{"not while it is still held", 30 * time.Millisecond, "j", "BaumInvest", "Bale Mountains · 2020"},
		{"not just after it is released", repeatWindow - time.Millisecond, "", "BaumInvest", "Bale Mountains · 2020"},
		{"when it is released", time.Millisecond, "", "BaumInvest", "BaumInvest Reforestation · 2018"},
	} {
		r.later(step.wait)
		r.Press(strings.Fields(step.key)...)
		r.on(step.row, step.pane)
		if t.Failed() {
			t.Fatal(step.name)
		}
	}
}

func TestWheelCountsAsHeldKey(t *testing.T) {
	t.Parallel()
	r := ready(t)
	for i, running := range []bool{false, true, true} {
		r.send(tea.MouseWheelMsg{X: 5, Y: 5, Button: tea.MouseWheelDown})
		if r.app.view.KeyHeld != running {
			t.Errorf("notch %d: held is %v", i, !running)
		}
	}
	if r.later(repeatWindow); r.app.view.KeyHeld {
		t.Error("the wheel still counts as held")
	}
}

// Keys move in a focused pane, however fast they arrive.
func TestFocusedPaneIsDrawnWhileKeyIsHeld(t *testing.T) {
	t.Parallel()
	r := ready(t)
	r.Press("enter")
	for range 3 {
		before := r.frame()
		r.Press("j")
		if r.frame() == before {
			t.Fatal("the pane does not move")
		}
	}
}
