package ui

import (
	"errors"
	"testing"

	"tonne/ui/suspend"
)

func TestATerminalThatCannotBeTakenBackEndsTheDashboard(t *testing.T) {
	t.Parallel()
	gone := errors.New("no terminal")
	r := ready(t)
	r.send(suspend.Back{})
	if r.quit {
		t.Error("it ends with the terminal")
	}
	r.send(suspend.Back{Stayed: true, Err: gone})
	if !r.quit || !errors.Is(r.app.quit, gone) {
		t.Errorf("it ends: %v, with %v", r.quit, r.app.quit)
	}
}
