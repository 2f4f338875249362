package marketplace

import (
	"context"
	"time"

	"tonne/api/marketplace/exchange"
)

// monthCheck is how often the end of a month is looked for.
const monthCheck = time.Minute

func (m *Marketplace) attendMonths(ctx context.Context) {
	err := m.Alone(ctx, "months", func(ctx context.Context) error {
		m.closeEndedMonths(ctx)
		return nil
	})
	if err != nil && ctx.Err() == nil {
		m.log.Error("nobody attends to the end of the month", "error", err)
	}
}

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

// catchUp closes the accounts of a month that is over, and gives those their
// month back that a wrong clock has opened. Either is rare enough to be told.
func (m *Marketplace) catchUp(ctx context.Context) error {
	now := m.Now()
	var p exchange.Period
	found := false
	err := m.db.Read(ctx, func(tx exchange.Tx) (err error) {
		p, found, err = exchange.OpenPeriod(tx)
		return err
	})
	if err != nil || !found || !p.Over(now) && !p.TooLate(now) {
		return err
	}
	switch {
	case p.TooLate(now):
		m.log.Warn("the open month lies in the future: a clock was wrong; it is the present month from now on", "month", p.Month, "clock", now)
	case p.Over(now.Add(-2 * exchange.MaxJump)):
		m.log.Warn("months ended while nobody attended; see whether the clock is right", "month", p.Month, "clock", now)
	}
	return m.change(ctx, clock, func(c *exchange.Change) error {
		_, err := c.CurrentPeriod()
		return err
	})
}
