package market

import (
	"slices"
	"strings"
	"testing"

	"tonne/ui/column"
)

func TestTypeColumnCanBeRead(t *testing.T) {
	t.Parallel()
	typed := 0
	r := settled(t)
	for width := 60; width <= 240; width++ {
		r.FrameAt(width, 32)
		titles, row := r.Line("VINTAGE"), r.Line("BaumInvest")
		if !strings.Contains(titles, "TYPE") {
			// The asks are dropped first.
			if strings.Contains(titles, "ASKS") {
				t.Errorf("at %d columns ASKS is shown but TYPE is not: %s", width, titles)
			}
			continue
		}
		typed++
		whole := strings.Contains(row, "Afforestation, Reforestation & Restoration")
		if !strings.Contains(row, "Afforesta") || whole != (width >= 160) && (width == 120 || width >= 160) {
			t.Errorf("at %d columns the type is whole: %v: %s", width, whole, row)
		}
		if width >= 120 && !strings.Contains(row, "BaumInvest Reforestation ") {
			t.Errorf("at %d columns the project is cut: %s", width, row)
		}
	}
	if typed < 140 {
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
