package ui

import (
	"strings"
	"testing"
)

func TestColumnChooserMarksColumnsWithoutRoom(t *testing.T) {
	t.Parallel()
	r := newRobot(t, 80, 24)
	r.settle()
	r.showInventory()
	r.press("C")
	for title, want := range map[string]string{"✓ PROJECT ": "The project", "✓ TODAY ": "The change", "✓ BEST ASK ": "no room · The cheapest", "✓ WALLET ": "no room · The type"} {
		if line := r.Line(title); !strings.Contains(line, want) {
			t.Errorf("%s: line %q, want %q", title, line, want)
		}
	}
	for range 12 {
		r.press("down")
	}
	r.press("x")
	if line := r.Line("✓ BEST ASK "); strings.Contains(line, "no room") || strings.Contains(r.Text(), "✓ TO REPLACE") {
		t.Errorf("without TO REPLACE: %q", line)
	}
}
