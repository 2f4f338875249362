package ui

import (
	"testing"

	tea "charm.land/bubbletea/v2"
)

func TestTheFirstFrameIsToldOnce(t *testing.T) {
	t.Parallel()
	told := 0
	app := New(t.Context(), Options{Drawn: func() { told++ }})
	app.View()
	if told != 0 {
		t.Error("a frame without a size is told")
	}
	for range 2 {
		app.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
		app.View()
	}
	if told != 1 {
		t.Errorf("the first frame is told %d times", told)
	}
}
