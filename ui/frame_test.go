package ui

import "testing"

func TestBothSizesSurviveOnANarrowTerminal(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		width, height int
		want          string
	}{
		{50, 100, "tonne needs 60×15, this terminal has 50×100"},
		{42, 20, "tonne needs 60×15, this terminal has 42×20"},
		{40, 20, "tonne needs 60×15, has 40×20"},
		{28, 20, "tonne needs 60×15, has 28×20"},
		{27, 20, "27×20 < 60×15"},
		{13, 20, "13×20 < 60×15"},
		{100, 9, "tonne needs 60×15, this terminal has 100×9"},
	} {
		newRobot(t, c.width, c.height).Sees(c.want)
	}
}
