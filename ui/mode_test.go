package ui

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"tonne/api/session"
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
				if !strings.Contains(header, mode) || !strings.Contains(header, production) {
					t.Errorf("%s, %d cells: no %q or %q in the header:\n%s", name, width, mode, production, header)
				}
				uitest.Exact(t, r.frame(), width, 24)
			}
		}
	}
}

func TestModeDoesNotTouchTheRule(t *testing.T) {
	t.Parallel()
	for _, width := range []int{60, 80, 120, 200} {
		readOnly := newRobot(t, width, 24)
		may, _ := retiring(t, width, 24, func(*Options) {})
		for mode, r := range map[string]*robot{"READ-ONLY": readOnly, "CAN RETIRE": may} {
			r.settle()
			line := strings.Split(r.Text(), "\n")[1]
			before, after, found := strings.Cut(line, " "+mode+" ")
			if rest := strings.TrimLeft(after, " "); !found || before != "" || strings.Contains(strings.TrimRight(rest, "─"), "─") {
				t.Errorf("%s, %d cells: the rule does not start after the text: %q", mode, width, line)
			}
		}
	}
}
