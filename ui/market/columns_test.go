package market

import (
	"slices"
	"strings"
	"testing"

	"tonne/ui/column"
)

func TestTypeColumnIsNotCutIfThereIsRoom(t *testing.T) {
	t.Parallel()
	const long = "Afforestation, Reforestation & Restoration"
	for _, c := range []struct {
		width int
		whole bool
		// project is the visible part of a project's name.
		project string
	}{{120, false, "BaumInvest Reforestation "}, {160, true, "BaumInvest Reforestation "}, {200, true, "BaumInvest Reforestation "}, {240, true, "BaumInvest Reforestation "}} {
		r := settled(t)
		r.FrameAt(c.width, 32)
		line := r.Line("BaumInvest")
		if got := strings.Contains(line, long); got != c.whole {
			t.Errorf("at %d columns the type is whole: %v, want %v: %s", c.width, got, c.whole, line)
		}
		if !strings.Contains(line, c.project) {
			t.Errorf("at %d columns the project is cut: %s", c.width, line)
		}
	}
}

func TestTheAsksFallAwayBeforeTheTypeCannotBeRead(t *testing.T) {
	t.Parallel()
	typed := 0
	for width := 60; width <= 160; width++ {
		r := settled(t)
		r.FrameAt(width, 32)
		titles := r.Line("VINTAGE")
		if !strings.Contains(titles, "TYPE") {
			if strings.Contains(titles, "ASKS") {
				t.Errorf("at %d columns ASKS is shown but TYPE is not: %s", width, titles)
			}
			continue
		}
		typed++
		if line := r.Line("BaumInvest"); !strings.Contains(line, "Afforesta") {
			t.Errorf("at %d columns the type is cut too short: %s", width, line)
		}
	}
	if typed < 60 {
		t.Errorf("the type is shown at %d widths", typed)
	}
}

// A saved view works in commands if they have its columns.
func TestColumnsHaveTheNamesOfCommands(t *testing.T) {
	t.Parallel()
	known := append(strings.Split(column.Offers.Header(), ","), column.Offers.Extras()...)
	var others []string
	for _, c := range spec(new(vintages), nil, nil).Columns {
		switch {
		case c.Auto:
		case c.Name == "":
			others = append(others, c.Key)
		case !slices.Contains(known, c.Name):
			t.Errorf("commands have no column %s", c.Name)
		}
	}
	if want := []string{"delta", "trend"}; !slices.Equal(others, want) {
		t.Errorf("only the dashboard has %q, want %q", others, want)
	}
}
