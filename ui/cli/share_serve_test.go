package cli

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"tonne/api/session"
	"tonne/ui"
	"tonne/ui/cli/share"
)

// busy is a feed that always has news.
type busy struct{ ui.Feed }

func (busy) Next(context.Context) ([]session.Event, error) {
	return []session.Event{session.MarketEvent{}}, nil
}

func TestDashboardsTakeTheirNewsInTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		one := session.NewLimiter(1)
		first, second := &share.PacedFeed{Feed: busy{}, Limiter: one}, &share.PacedFeed{Feed: busy{}, Limiter: one}
		next := func(o *share.PacedFeed) (took time.Duration) {
			t.Helper()
			began := time.Now()
			if events, err := o.Next(t.Context()); err != nil || len(events) != 1 {
				t.Errorf("%v, %v", events, err)
			}
			return time.Since(began)
		}
		if took := next(first); took != 0 {
			t.Errorf("the first waits %s for nobody", took)
		}
		// The first does not come back: its terminal takes no output.
		if took := next(second); took != session.LongestHold {
			t.Errorf("the second waits %s", took)
		}
		if took := next(second); took != share.ShortestTurn {
			t.Errorf("who comes back at once waits %s", took)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := first.Next(ctx); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		time.Sleep(time.Second)
		if took := next(&share.PacedFeed{Feed: busy{}, Limiter: one}); took != 0 {
			t.Errorf("there is a turn that is never over: another waits %s", took)
		}
	})
}

func TestTwoHundredDashboardsHaveTheirNewsInAQuarterOfASecond(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		one, began := session.NewLimiter(1), time.Now()
		for range 200 {
			o := &share.PacedFeed{Feed: busy{}, Limiter: one}
			if _, err := o.Next(t.Context()); err != nil {
				t.Fatal(err)
			}
			o.Over()
		}
		if took := time.Since(began); took > 250*time.Millisecond {
			t.Errorf("the last has to wait %s", took)
		}
	})
}
