package marketplace

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"tonne/api/marketplace/exchange"
)

// steadyClock follows the wall clock, except for a jump far forward while it is watched:
// then it continues with the monotonic clock. It always follows a clock that is set back.
type steadyClock struct {
	wall func() time.Time
	log  *slog.Logger

	mu             sync.Mutex
	watched        bool
	believed, read time.Time
	ahead          bool
}

func (c *steadyClock) watch() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.watched, c.believed, c.read = true, c.wall().Round(0), time.Now()
}

func (c *steadyClock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	// Round strips the monotonic reading, which would hide a jump.
	wall, read := c.wall().Round(0), time.Now()
	if c.watched {
		wall = c.check(wall, read)
	}
	return wall.UTC().Truncate(time.Millisecond)
}

func (c *steadyClock) check(wall, read time.Time) time.Time {
	expected := c.believed.Add(read.Sub(c.read))
	ahead := wall.Sub(expected) > exchange.MaxJump
	if ahead && !c.ahead {
		c.log.Warn("ignoring a jump of the clock; if the new time is right, restart the service",
			"clock", wall.UTC(), "followed", expected.UTC())
	}
	if !ahead && c.ahead {
		c.log.Info("following the clock again", "clock", wall.UTC())
	}
	c.ahead = ahead
	if ahead {
		return expected
	}
	c.believed, c.read = wall, read
	return wall
}

const monthCheck = time.Minute

func (m *Marketplace) closeEndedMonths(ctx context.Context) {
	ticker := time.NewTicker(monthCheck)
	defer ticker.Stop()
	for {
		if err := m.catchUp(ctx); err != nil && ctx.Err() == nil {
			m.log.Error("closing the month failed", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

func (m *Marketplace) catchUp(ctx context.Context) error {
	now := m.Now()
	p, err := exchange.Read(ctx, m.db, exchange.OpenPeriod)
	if err != nil || p.Number == 0 || !p.Over(now) && !p.TooLate(now) {
		return err
	}
	switch {
	case p.TooLate(now):
		m.log.Warn("the open month was in the future because of a wrong clock; changed it to the current month", "month",
			p.Month, "clock", now)
	case p.Over(now.Add(-2 * exchange.MaxJump)):
		m.log.Warn("months ended while the service was not running; check the clock", "month", p.Month, "clock", now)
	}
	return m.change(ctx, clock, func(c *exchange.Change) { exchange.CurrentPeriod(c) })
}
