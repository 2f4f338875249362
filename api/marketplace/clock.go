package marketplace

import (
	"log/slog"
	"sync"
	"time"

	"tonne/api/marketplace/exchange"
)

// steadyClock is a clock that does not follow a jump far forward once it is
// watched: it goes on from the last time that it believed, by the clock that
// nobody can set. A clock that is set back is followed.
type steadyClock struct {
	wall func() time.Time
	log  *slog.Logger

	mu      sync.Mutex
	watched bool
	// believed is the last time that was believed, and read is when it was read.
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

// check returns the time to believe, and warns once of one that it does not.
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
