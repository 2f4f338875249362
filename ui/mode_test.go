package ui

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"tonne/api/session"
	must "tonne/model/musttest"
	"tonne/ui/uitest"
)

// Both the mode and messages about the service can be long.
func TestModeStaysVisibleNextToFeedMessages(t *testing.T) {
	t.Parallel()
	long := errors.New("lookup market.example on 127.0.0.53:53: server misbehaving, as it has since this morning")
	for name, status := range map[string]session.Status{
		"refused": {State: session.Refused, At: uitest.Now, Err: long},
		"stale":   {State: session.Stale, At: uitest.Now.Add(-45 * time.Second), Err: long, RetryAt: uitest.Now.Add(8 * time.Second)},
		"first":   {State: session.Loading, Err: long, RetryAt: uitest.Now.Add(3 * time.Second)},
		"live":    {State: session.Live, At: uitest.Now},
	} {
		for _, width := range []int{60, 80, 100, 120, 160, 200} {
			looking := newRobotWith(t, width, 24, func(o *Options) {
				o.Alarm, o.KeyFrom = true, "the keyring of this machine"
				o.Unfinished = func(context.Context) (int, error) { return 12, nil }
			})
			looking.run(looking.app.Init())
			may, _ := retiring(t, width, 24, func(o *Options) { o.Alarm = true })
			for mode, r := range map[string]*robot{"READ-ONLY · 12 unresolved": looking, "CAN RETIRE": may} {
				r.settle()
				r.hear(session.MarketEvent{Status: status, Generation: 1, Market: uitest.Market(0)})
				header := strings.Join(strings.Split(r.Text(), "\n")[:headerLines], "\n")
				must.Hold(t, strings.Contains(header, mode) && strings.Contains(header, production),
					name, width, mode, production, header)
				uitest.Exact(t, r.frame(), width, 24)
			}
		}
	}
}

func TestHeaderNamesModeAndProduction(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{60, 15}, {80, 24}, {120, 36}, {240, 70}} {
		for _, production := range []bool{false, true} {
			with := func(o *Options) { o.Alarm = production }
			readOnly := newRobotWith(t, size[0], size[1], with)
			may, _ := retiring(t, size[0], size[1], with)
			for mode, r := range map[string]*robot{"READ-ONLY": readOnly, "CAN RETIRE": may} {
				r.settle()
				uitest.Exact(t, r.frame(), size[0], size[1])
				// Production is a word and a colour, which is also that of the right to retire.
				coloured := strings.Contains(r.frame(), "201;16;0") || strings.Contains(r.frame(), "240;136;62")
				must.Hold(t, strings.Contains(r.Text(), "PRODUCTION") == production && coloured == (production ||
					mode == "CAN RETIRE"),
					mode, size, production, coloured, r.Text())
				before, after, found := strings.Cut(strings.Split(r.Text(), "\n")[1], " "+mode+" ")
				must.Hold(t, found && before == "" && (production ||
					!strings.Contains(strings.TrimRight(strings.TrimLeft(after, " "), "─"), "─")),
					mode, size, after)
			}
		}
		r := newRobotWith(t, size[0], size[1], func(o *Options) { o.Label, o.Alarm = "production", true })
		must.Equal(t, strings.Count(strings.ToUpper(r.Text()), "PRODUCTION"), 1, size)
		newRobotWith(t, size[0], size[1], func(o *Options) { o.Host, o.Label = "demo", "synthetic data" }).Sees("synthetic data")
	}
}
