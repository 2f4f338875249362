package tab

import (
	"fmt"
	"testing"

	"tonne/model"
	must "tonne/model/musttest"
)

// Rows are sorted again at a move, but not at each one while details arrive.
func TestMoveSortsByDetailsWhenTheyHaveArrived(t *testing.T) {
	t.Parallel()
	var p Projects
	for n, move := range []struct {
		known int
		sorts bool
	}{
		{known: 0},
		{known: 10, sorts: true},
		{known: 10},
		{known: 14},
		{known: 17},
		{known: 20, sorts: true},
		{known: 23},
		{known: 23, sorts: true},
		{known: 23},
	} {
		p.Known = make(model.Projects)
		for id := range move.known {
			p.Known[fmt.Sprint(id)] = model.Project{}
		}
		sorts := p.Moved()
		must.Equal(t, sorts, move.sorts, "move", n)
		if sorts {
			p.Settle(nil)
		}
	}
}
