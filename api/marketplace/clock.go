package marketplace

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"tonne/api/marketplace/exchange"
)

// steadyClock is a clock that does not follow a jump far forward once it is watched: it
// goes on by the clock that nobody can set. A clock that is set back is followed.
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
	// What time.Now knows about the passing of time must not hide a jump.
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
		c.log.Warn("the clock jumped forward and is not followed; where it is right, start the service again",
			"clock", wall.UTC(), "followed", expected.UTC())
	}
	if !ahead && c.ahead {
		c.log.Info("the clock is followed again", "clock", wall.UTC())
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
		m.log.Warn("the open month lies in the future: a clock was wrong; it is the present month from now on", "month", p.Month, "clock", now)
	case p.Over(now.Add(-2 * exchange.MaxJump)):
		m.log.Warn("months ended while nobody attended; see whether the clock is right", "month", p.Month, "clock", now)
	}
	return m.change(ctx, clock, func(c *exchange.Change) { exchange.CurrentPeriod(c) })
}
