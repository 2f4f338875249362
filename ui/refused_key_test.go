package ui

import (
	"errors"
	"testing"

	"tonne/api/session"
	"tonne/ui/uitest"
)

func TestHeaderShowsSourceOfRefusedKey(t *testing.T) {
	t.Parallel()
	for _, size := range [...][2]int{{80, 24}, {120, 36}} {
		r := newRobot(t, size[0], size[1])
		r.app.o.KeyFrom = "TONNE_API_KEY"
		r.settle()
		status := session.Status{State: session.Refused, Err: errors.New("key not accepted")}
		r.hear(session.MarketEvent{Status: status, Generation: 1, Market: uitest.Market(0)})
		uitest.Exact(t, r.frame(), size[0], size[1])
		r.Sees("✗ key not accepted · r retries · key from TONNE_API_KEY")
	}
}
