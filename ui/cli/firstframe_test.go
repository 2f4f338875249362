package cli

import (
	"testing"

	"tonne/ui"
)

func (e event) happened() bool {
	select {
	case <-e:
		return true
	default:
		return false
	}
}

func TestTheFirstFrameIsToldOnceItIsWritten(t *testing.T) {
	t.Parallel()
	var o ui.Options
	d := new(dashboardRun)
	shown := d.firstFrame(&o)
	if d.wrote(); shown.happened() {
		t.Error("what is written before the frame counts as it")
	}
	if o.Drawn(); shown.happened() {
		t.Error("the frame is told before it is written")
	}
	if d.wrote(); !shown.happened() {
		t.Error("the frame is not told")
	}
}
