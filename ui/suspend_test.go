package ui

import (
	"errors"
	"testing"

	"tonne/ui/suspend"
)

func TestFailureToRestoreTerminalEndsDashboard(t *testing.T) {
	t.Parallel()
	gone := errors.New("no terminal")
	r := ready(t)
	r.send(suspend.Back{})
	if r.quit {
		t.Error("it does not end")
	}
	r.send(suspend.Back{Stayed: true, Err: gone})
	if !r.quit || !errors.Is(r.app.quit, gone) {
		t.Errorf("quit %v, %v", r.quit, r.app.quit)
	}
}
