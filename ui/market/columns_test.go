package market

import (
	"strings"
	"testing"
)

func TestTheTypeIsWholeWhereNoOtherColumnNeedsTheRoom(t *testing.T) {
	t.Parallel()
	const long = "Afforestation, Reforestation & Restoration"
	for _, c := range []struct {
		width int
		whole bool
		// project is how much of a project's name is on the screen.
		project string
	}{{120, false, "BaumInvest Reforest…"}, {160, true, "BaumInvest Reforestation "}, {200, true, "BaumInvest Reforestation "}, {240, true, "BaumInvest Reforestation "}} {
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
