package market

import (
	"slices"
	"strings"
	"testing"

	must "tonne/model/musttest"
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
			must.Hold(t, !strings.Contains(titles, "ASKS"), width, titles)
			continue
		}
		typed++
		whole := strings.Contains(row, "Afforestation, Reforestation & Restoration")
		must.Hold(t, strings.Contains(row, "Afforesta") && (whole == (width >= 160) || width != 120 && width < 160),
			width, whole, row)
		must.Hold(t, width < 120 || strings.Contains(row, "BaumInvest Reforestation "), width, row)
	}
	must.Hold(t, typed >= 140, "the type is shown at", typed)
}

// A saved view works in commands if they have its columns.
func TestColumnsHaveTheNamesOfCommands(t *testing.T) {
	t.Parallel()
	known := slices.Concat(strings.Split(column.Offers.Header(), ","), column.Offers.Extras())
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
	must.Equal(t, others, []string{"delta", "trend"}, "only the dashboard has")
}
