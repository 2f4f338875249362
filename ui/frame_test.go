package ui

import "testing"

func TestTooSmallMessageShowsBothSizes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		width, height int
		want          string
	}{
		{50, 100, "Terminal too small: 50×100, need at least 60×15"},
		{42, 20, "too small: 42×20, need 60×15"},
		{40, 20, "too small: 40×20, need 60×15"},
		{28, 20, "too small: 28×20, need 60×15"},
		{27, 20, "27×20 < 60×15"},
		{13, 20, "13×20 < 60×15"},
		{100, 9, "Terminal too small: 100×9, need at least 60×15"},
	} {
		newRobot(t, c.width, c.height).Sees(c.want)
	}
}
